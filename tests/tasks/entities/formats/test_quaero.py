"""Inline tags as in the QUAERO and ETAPE corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import Corpus, read
from aune.tasks.entities.model import Document, Span, make_document
from tests.tasks.formats import read as read_text
from tests.tasks.formats import write_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def statements_of(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {document.id: document.triples() for document in corpus.documents}


def test_same_text_spaced_differently(tmp_path: Path) -> None:
    """Tags may stand with or without blanks around them."""
    file = tmp_path / "b.ne"
    file.write_text("La <org.adm><loc.adm.nat><name>France</name></loc.adm.nat></org.adm> a signé .", encoding="utf-8")
    other = tmp_path / "c.ne"
    other.write_text(
        "La <org.adm> <loc.adm.nat> <name> France </name> </loc.adm.nat> </org.adm> a signé.", encoding="utf-8"
    )
    assert aune.score("entities", str(file), str(other), measures=["eter"])["eter"].eter == 0.0


def test_nesting_and_sentences_come_back() -> None:
    arguments = read(TASK, str(SAMPLES / "quaero-thesis.ne")).documents
    (again,) = read_text("entities", "quaero", write_text("entities", "quaero", arguments))
    assert again.triples() == arguments[0].triples() and again.depths.tolist() == arguments[0].depths.tolist()
    assert again.sentences.tolist() == arguments[0].sentences.tolist()


def test_documents_without_text_stay_documents() -> None:
    text = '<doc id="a">\n</doc>\n<doc id="b">x</doc>'
    assert [(document.id, document.length) for document in read_text("entities", "quaero", text)] == [
        ("a", 0),
        ("b", 1),
    ]


@pytest.mark.parametrize(
    ("document", "what"),
    [
        (
            make_document("d", [Span(0, 1, "a b")], words=["x"].copy, length=1),
            "the label 'a b', which is no name of a tag",
        ),
        (
            make_document("d", [Span(0, 1, "Doc")], words=["x"].copy, length=1),
            "the label 'Doc', which is no name of a tag",
        ),
        (make_document("d", [], words=["<b>"].copy, length=1), "the token '<b>', which is no word there"),
        (make_document("d", [], words=[""].copy, length=1), "the token '', which is no word there"),
        (make_document('"', []), "the name '\"', which must stand in a tag"),
        (
            make_document("d", [Span(0, 2, "a"), Span(1, 3, "b")], words=["x", "y", "z"].copy, length=3),
            "the entity 'b' that crosses another",
        ),
        (make_document("d", [], unit="character", text="x", length=1), "a text without its tokens, over characters"),
    ],
)
def test_what_would_come_back_as_something_else_is_refused(document: Document, what: str) -> None:
    with pytest.raises(UsageError) as refusal:
        write_text("entities", "quaero", [document])
    assert str(refusal.value).startswith(f"quaero cannot represent {what}")


def test_tokens_that_are_cut_are_said() -> None:
    assert "tokens" not in registry.format("entities", "quaero").carries


def test_many_tags_inside_one_another() -> None:
    names = [f"a{number}" for number in range(20_000)]
    text = "".join(f"<{name}>" for name in names) + "x" + "".join(f"</{name}>" for name in reversed(names))
    (item,) = read_text("entities", "quaero", text)
    assert len(item) == 20_000 and item.depths.max() == 19_999
