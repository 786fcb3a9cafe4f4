"""Columns of tokens and tags."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aune
from aune.contract import registry
from aune.errors import InputError, UsageError
from aune.reading.corpus import Corpus, read
from aune.tasks.entities.model import Document, Span, make_document
from tests.tasks.formats import read as read_text
from tests.tasks.formats import write_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def statements_of(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {document.id: document.triples() for document in corpus.documents}


def test_columns_by_number_and_name(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    file.write_text("word gold system\nParis B-LOC O\nrit O B-PER\n", encoding="utf-8")
    assert statements_of(read(TASK, str(file), "conll", column="gold")) == {"a": [(0, 1, "LOC")]}
    assert statements_of(read(TASK, str(file), "conll", column="system")) == {"a": [(1, 2, "PER")]}
    file.write_text("Paris B-LOC O\nrit O B-PER\n", encoding="utf-8")
    assert statements_of(read(TASK, str(file), column="2")) == {"a": [(0, 1, "LOC")]}
    assert statements_of(read(TASK, str(file), column="-1")) == {"a": [(1, 2, "PER")]}
    with pytest.raises(
        UsageError, match=r"--column nothing: expected a number, or a name in the first line \(Paris, B-LOC, O\)"
    ):
        read(TASK, str(file), column="nothing")


def test_odd_lines_of_columns(tmp_path: Path) -> None:
    """CRLF, blanks at the end of a line, several blanks between columns, blanks in tokens, a token that is a hash."""
    file = tmp_path / "a.conll"
    file.write_bytes(b"New  B-LOC \r\nYork   I-LOC\r\n\r\n# O\r\n")
    assert statements_of(read(TASK, str(file))) == {"a": [(0, 2, "LOC")]}
    file.write_bytes(b"New York\tB-LOC\n#\tO\n# a comment\n")
    [document] = read(TASK, str(file), "conll").documents
    assert document.tokens == ["New York", "#"]


def test_long_cells_are_read_the_slow_way(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    label = "x" * 100
    file.write_text(f"a\tB-{label}\nb\tI-{label}\n", encoding="utf-8")
    assert statements_of(read(TASK, str(file))) == {"a": [(0, 2, label)]}


@pytest.mark.parametrize("repair", ["conlleval", "discard", "error"])
def test_repairs_have_names(tmp_path: Path, repair: str) -> None:
    file = tmp_path / "a.conll"
    file.write_text("a\tB-X\nb\tO\nc\tI-X\n", encoding="utf-8")
    if repair == "error":
        with pytest.raises(InputError) as caught:
            read(TASK, str(file), repair=repair)
        assert str(caught.value).endswith(
            "a.conll:3:1: found an entity that starts at 'I-X' with tags that IOB2 does not allow, "
            "expected legal tags: "
            "mend them, or read them as conlleval does with --repair conlleval, "
            "or leave such entities out with --repair discard"
        )
        return
    corpus = read(TASK, str(file), repair=repair)
    assert len(corpus.documents[0]) == {"conlleval": 2, "discard": 1}[repair]
    done = {"conlleval": "read as conlleval does", "discard": "left out"}[repair]
    assert corpus.warnings == (f"{file}: 1 entity with tags that IOB2 does not allow, {done} (first at line 3: I-X)",)
    scored = aune.score("entities", str(file), str(file), repair=repair, measures=["f_measure"])
    assert f"|repair:{repair}|" in str(scored["f_measure"].signature)


def test_another_scheme_is_told() -> None:
    assert read(TASK, str(SAMPLES / "conll-2003.conll")).warnings[0].endswith("the tags are in IOB1")


def test_line_ends_and_tabs_of_spreadsheets() -> None:
    """Lines that ended twice cut entities in two and counted double; tabs behind a comment were part of a name."""
    first, second = read(TASK, str(SAMPLES / "conll-spreadsheet.conll")).documents
    assert (first.id, first.triples(), list(first.tokens)) == ("a", [(0, 2, "LOC")], ["New", "York"])
    assert (second.id, second.triples(), second.lines.tolist()) == ("b", [(0, 1, "LOC")], [7])


@pytest.mark.parametrize(
    ("document", "what"),
    [
        (make_document("d", [], words=["a\tb"].copy, length=1), "the token 'a\\tb', which is not one cell of a line"),
        (make_document("d", [], words=["a\nb"].copy, length=1), "the token 'a\\nb', which is not one cell of a line"),
        (
            make_document("d", [], words=["-DOCSTART-"].copy, length=1),
            "the token '-DOCSTART-', which begins a document",
        ),
        (
            make_document("d", [Span(0, 1, "a\tb")], words=["a"].copy, length=1),
            "the label 'a\\tb', which is not one cell",
        ),
        (make_document("a\nb", []), "the name 'a\\nb', which is not one cell of a line"),
        (make_document("d", [Span(0, 1, "X")]), "a text without its tokens, over tokens"),
        (make_document("d", [], unit="character", length=2), "a text without its tokens, over characters"),
    ],
)
def test_what_would_come_back_as_something_else_is_refused(document: Document, what: str) -> None:
    with pytest.raises(UsageError) as refusal:
        write_text("entities", "conll", [document])
    assert str(refusal.value).startswith(f"conll cannot represent {what}")


def test_an_entity_over_a_sentence_end_stays_one() -> None:
    document = make_document(
        "d", [Span(0, 2, "X")], words=["a", "b", "c"].copy, length=3, sentences=np.array([0, 1, 2])
    )
    (again,) = read_text("entities", "conll", write_text("entities", "conll", [document]))
    assert again.triples() == [(0, 2, "X")] and again.sentences.tolist() == [0, 2]


def test_documents_without_tokens_stay_documents() -> None:
    documents = [make_document("a", [], words=[].copy), make_document("b", [], words=["x"].copy, length=1)]
    again = read_text("entities", "conll", write_text("entities", "conll", documents))
    assert [(document.id, document.length) for document in again] == [("a", 0), ("b", 1)]
