"""brat standoff."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aune.contract import registry
from aune.errors import UsageError
from aune.reading.conversion import splice_documents
from aune.reading.corpus import Corpus, read
from aune.reading.source import Source
from aune.tasks.entities.model import Relation, Span, make_document, spans_of
from tests.tasks.formats import write_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def statements_of(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {document.id: document.triples() for document in corpus.documents}


def test_pieces_and_text_of_brat() -> None:
    [document] = read(TASK, str(SAMPLES / "brat-gare.ann")).documents
    assert document.segments == {1: ((19, 23), (27, 33))}
    assert document.excerpt(0, 13) == "Laurent Blanc" and document.unit == "character"


def test_quotes_that_differ_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tpers 0 4\tPaul\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Jean", encoding="utf-8")
    assert (
        read(TASK, str(tmp_path / "a.ann"))
        .warnings[0]
        .endswith("1 annotation quotes other words than the text beside the file has there")
    )


def test_offsets_are_those_of_the_text_beside(tmp_path: Path) -> None:
    """They were offsets into a text that nobody had."""
    document = make_document(
        "d", [Span(0, 2, "LOC"), Span(2, 3, "PER")], words=["New", "York", "Ann", "!"].copy, length=4,
        sentences=np.array([0, 2]),
    )  # fmt: skip
    form = registry.format("entities", "brat")
    assert form.beside is not None
    beside = form.beside([document])
    assert beside == {".txt": "New York\nAnn !"}
    assert write_text("entities", "brat", [document]) == "T1\tLOC 0 8\tNew York\nT2\tPER 9 12\tAnn\n"
    (tmp_path / "d.ann").write_text(write_text("entities", "brat", [document]))
    (tmp_path / "d.txt").write_text(beside[".txt"])
    corpus = read(TASK, str(tmp_path / "d.ann"))
    assert corpus.warnings == () and statements_of(corpus) == {"d": [(0, 8, "LOC"), (9, 12, "PER")]}
    assert corpus.documents[0].sentences.tolist() == [0, 9]


def test_several_documents_are_refused() -> None:
    """They were merged, and T1 stood in the file twice."""
    with pytest.raises(UsageError, match="brat has one document per file, and there are several"):
        write_text("entities", "brat", [make_document("a", []), make_document("b", [])])


def test_labels_with_blanks_are_refused() -> None:
    with pytest.raises(UsageError, match="brat cannot represent the label 'a b', which is not one word"):
        write_text("entities", "brat", [make_document("a", [Span(0, 1, "a b")], unit="character", text="x", length=1)])


def test_what_is_said_of_an_entity_goes_with_it_and_the_rest_stays() -> None:
    text = b"#1\tNote T2\tsure\nT1\tPER 0 1\ta\n\nR1\tIn Arg1:T1 Arg2:T2\nT2\tLOC 2 3\tb\nA1\tSure T2\nA2\tSure T1"
    form = registry.format("entities", "brat")
    (document,) = form.read(Source("x.ann", text))
    assert form.splice is not None
    alone = Span(0, 1, "PER", features=(("Sure", "true"),))
    less = form.splice(Source("x.ann", text), [make_document(document.id, [alone], unit="character")])
    assert less == b"T1\tPER 0 1\ta\n\nA2\tSure T1"
    spans = [*spans_of(document), Span(4, 6, "ORG")]
    wider = make_document(document.id, spans, unit="character", relations=document.relations)
    more = form.splice(Source("x.ann", text), [wider])
    assert more == text + b"\nT3\tORG 4 6\t\n"
    with pytest.raises(UsageError, match="line 2 of the file is about an entity that goes"):
        form.splice(Source("x.ann", b"T1\tPER 0 1\ta\n*\tSame T1 T2\n"), [make_document("x", [], unit="character")])


def test_relations_that_go_with_an_entity_are_said_to_be_lost() -> None:
    text = b"T1\tPER 0 1\ta\nT2\tPER 2 3\tb\nT3\tORG 4 5\tc\nR1\tKnows Arg1:T1 Arg2:T2\nR2\tIn Arg1:T2 Arg2:T3\n"
    form = registry.format("entities", "brat")
    [document] = form.read(Source("x.ann", text))
    without = make_document(
        document.id, [Span(2, 3, "PER"), Span(4, 5, "ORG")], unit="character", relations=[Relation("In", 0, 1)]
    )
    less = splice_documents(TASK, form, Source("x.ann", text), [without])
    assert less.data == b"T2\tPER 2 3\tb\nT3\tORG 4 5\tc\nR2\tIn Arg1:T2 Arg2:T3\n"
    assert less.lost == {"relations": 1}
    assert splice_documents(TASK, form, Source("x.ann", text), [document]).lost == {}
