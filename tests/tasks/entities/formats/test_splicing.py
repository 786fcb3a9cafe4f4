"""Splicers: an unchanged document gives the same bytes, and one edit changes only the markup of what was edited."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.entities.model import Document, Span, make_document, spans_of

SPLICED = {form.name for form in registry.formats("entities") if form.splice}
SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").iterdir())
    if path.suffix != ".txt" and path.name.partition("-")[0] in SPLICED
]
every_sample = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)


def format_of(path: Path) -> Format:
    return registry.format("entities", path.name.partition("-")[0])


def read(path: Path, data: bytes) -> list[Document]:
    source = Source(str(path), data, path)
    documents = list(format_of(path).read(source))
    source.raise_problems()
    return documents


def splice_documents(path: Path, data: bytes, documents: list[Document]) -> bytes:
    splice = format_of(path).splice
    assert splice is not None
    return splice(Source(str(path), data, path), documents)


def with_spans(document: Document, spans: list[Span]) -> Document:
    remaining = {
        name: getattr(document, name) for name in ("length", "unit", "sentences", "words", "text", "path", "line")
    }
    return make_document(document.id, spans, **remaining)


@every_sample
def test_an_unchanged_document_is_the_same_file(path: Path) -> None:
    for data in (path.read_bytes(), b"\xef\xbb\xbf" + path.read_bytes(), path.read_bytes().replace(b"\n", b"\r\n")):
        if not data.startswith(b"\xef\xbb\xbf") or b"\r\r" not in data:
            assert splice_documents(path, data, read(path, data)) == data


@every_sample
def test_one_entity_less_changes_only_its_markup(path: Path) -> None:
    data = path.read_bytes()
    documents = read(path, data)
    for number, document in enumerate(documents):
        for span in spans_of(document):
            remaining = [other for other in spans_of(document) if other != span]
            fewer = [*documents[:number], with_spans(document, remaining), *documents[number + 1 :]]
            new = splice_documents(path, data, fewer)
            assert [other.triples() for other in read(path, new)] == [other.triples() for other in fewer]
            assert bare(path, new) == bare(path, data)
            assert changed_words(data, new) <= 4 * (span.end - span.start if document.unit == "token" else 1) + 10


@every_sample
def test_an_entity_taken_out_and_put_back_is_the_same_text(path: Path) -> None:
    data = path.read_bytes()
    documents = read(path, data)
    for number, document in enumerate(documents):
        without = [*documents[:number], with_spans(document, spans_of(document)[1:]), *documents[number + 1 :]]
        less = splice_documents(path, data, without)
        again = splice_documents(path, less, documents)
        assert [other.triples() for other in read(path, again)] == [other.triples() for other in documents]
        assert bare(path, again) == bare(path, data)


def bare(path: Path, data: bytes) -> Any:
    """A file without the markup of its entities, said apart from the readers."""
    text = data.decode()
    form = path.name.partition("-")[0]
    if form in ("quaero", "muc_sgml"):
        return re.sub(r"</?(?!DOC)[A-Za-z][^<>]*>", "", text)
    if form == "jsonl":
        names = r"\"(start|end|label|labels|segments|type|optional|alternatives)\": (true)?"
        return re.sub(rf"[\s\[\]{{}},]|{names}|\"(?!Laurent|Blanc|joue)[\w.]*\"|\d", "", text)
    if form == "brat":
        return [line for line in text.splitlines() if line[0] not in "TR#A"]  # what is said of an entity goes with it
    return re.sub(r"(?<=[\t ])(?:O|_|[BIESUL]-\S+)(?=[\t\r\n]|$)", "TAG", text)


def changed_words(before: bytes, after: bytes) -> int:
    from difflib import SequenceMatcher

    old, new = before.split(), after.split()
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in steps if kind != "equal")


@pytest.mark.parametrize(
    "path", [path for path in SAMPLES if path.suffix in (".conll", ".ne", ".jsonl", ".tsv")], ids=lambda path: path.name
)
@given(data=st.data())
def test_other_entities_are_read_as_they_were_given(path: Path, data: Any) -> None:
    raw = path.read_bytes()
    documents = read(path, raw)
    labels = sorted({name for item in documents for name in item.names})
    after = []
    for document in documents:
        spans, reach = [], 0
        while reach < document.length and data.draw(st.booleans()):
            start = data.draw(st.integers(reach, document.length - 1))
            reach = data.draw(st.integers(start + 1, min(document.length, start + 3)))
            spans.append(Span(start, reach, data.draw(st.sampled_from(labels or ["x"]))))
        after.append(with_spans(document, spans))
    try:
        new = splice_documents(path, raw, after)
    except UsageError as refusal:
        assert "do not overlap" in str(refusal) or "has no list of spans" in str(refusal)  # over a sentence end
        return
    assert [item.triples() for item in read(path, new)] == [item.triples() for item in after]


def test_other_documents_and_other_texts_are_refused() -> None:
    path = SAMPLES[[path.name for path in SAMPLES].index("conll-tabs.conll")]
    (document,) = read(path, path.read_bytes())
    with pytest.raises(UsageError, match="holds other documents than those to write into it"):
        splice_documents(path, path.read_bytes(), [replace(document, id="other")])
    with pytest.raises(UsageError, match="has another text than in"):
        splice_documents(path, path.read_bytes(), [replace(document, words=["x"].copy)])


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("a I-X\nb I-X\nc O\n", [Span(0, 1, "X"), Span(1, 2, "X")], "a I-X\nb B-X\nc O\n"),
        ("a S-X\nb B-Y\nc E-Y\n", [Span(0, 1, "X"), Span(2, 3, "Y")], "a S-X\nb O\nc S-Y\n"),
        ("a\tB-X\tz\nb\tO\tz\n", [Span(0, 2, "X")], "a\tB-X\tz\nb\tI-X\tz\n"),
        ("a  x  B-X\n\n#\tO\nb  y  I-Y \n", [Span(0, 1, "X")], None),
    ],
)
def test_columns_keep_their_scheme_and_their_blanks(text: str, spans: list[Span], expected: str | None) -> None:
    options = {"column": "2"} if text.count("\tz") else {}
    form = registry.format("entities", "conll")
    (document,) = form.read(Source("x", text.encode()), **options)
    assert form.splice is not None
    new = form.splice(Source("x", text.encode()), [with_spans(document, spans)], **options).decode()
    assert new == (text.replace("I-Y ", "O ") if expected is None else expected)
