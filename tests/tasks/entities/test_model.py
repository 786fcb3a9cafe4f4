"""Documents from plain Python."""

from __future__ import annotations

from typing import Any

import pytest

import aune
from aune.errors import UsageError
from aune.tasks.entities.model import Span, documents, empty, make_document, split_response


def test_plain_structures() -> None:
    triples = [(0, 2, "PER"), (3, 4, "LOC")]
    dicts = [{"start": start, "end": end, "label": label} for start, end, label in triples]
    for value in (triples, triples[::-1], dicts, {"d": triples}, [["B-PER", "I-PER", "O", "B-LOC"]]):
        assert documents(value)[0].triples() == triples
    assert documents({"tokens": ["a", "b", "c", "d"], "spans": triples})[0].tokens == ["a", "b", "c", "d"]


def test_what_is_no_entity() -> None:
    with pytest.raises(UsageError, match=r"found a tuple of 2 whole numbers: \(0, 1\), expected \(start, end, label\)"):
        documents([(0, 1)])
    with pytest.raises(UsageError, match="found the tag 'PER', expected O or a prefix"):
        documents([["PER"]])


@pytest.mark.parametrize("wrong", [[(-1, 2, "PER")], [(2, 0, "PER")], [(1, 1, "PER")], [(0, 2, None)]])
def test_spans_that_cannot_be(wrong: object) -> None:
    with pytest.raises(UsageError, match="expected 0 ≤ start < end and a label"):
        documents(wrong)


def test_what_is_no_document() -> None:
    with pytest.raises(UsageError, match=r"found the whole number 5, expected entities, such as"):
        documents(5)


def test_records_of_json_lines() -> None:
    [document] = documents({"text": "Laurent Blanc", "ents": [{"start": 0, "end": 13, "label": "PER"}]})
    assert (document.unit, document.text, document.triples()) == ("character", "Laurent Blanc", [(0, 13, "PER")])
    assert len(documents([{"tokens": ["a"], "entities": []}, {"tokens": ["b"], "spans": [(0, 1, "X")]}])) == 2


def test_tags_are_repaired_as_in_files() -> None:
    key, response = [["B-PER", "I-PER", "O", "B-LOC"]], [["I-PER", "I-PER", "O", "B-LOC"]]
    usual = aune.score("entities", key, response)
    assert usual["f_measure"].f1 == 1.0 and "|repair:conlleval|" in str(usual["f_measure"].signature)
    assert usual.warnings == ["response: 1 entity of the response with illegal tags, repaired as the signature says"]
    discarded = aune.score("entities", key, response, repair="discard")["f_measure"]
    assert discarded.recall == 0.5 and "|repair:discard|" in str(discarded.signature)
    with pytest.raises(UsageError, match="found 'I-PER' at token 0, expected tags that IOB2 allows"):
        aune.score("entities", key, response, repair="error")


def test_spacy_docs() -> None:
    spacy = pytest.importorskip("spacy")
    language = spacy.blank("en")
    doc = language("Laurent Blanc in Paris")
    doc.ents = [spacy.tokens.Span(doc, 0, 2, "PER"), spacy.tokens.Span(doc, 3, 4, "LOC")]
    assert documents([doc])[0].triples() == [(0, 2, "PER"), (3, 4, "LOC")]
    assert aune.score("entities", [doc], [doc])["f_measure"].f1 == 1.0


def test_empty_keeps_the_text() -> None:
    document = make_document("d", [Span(0, 2, "A")], length=5)
    assert len(empty(document)) == 0 and empty(document).length == 5


def test_fitting_needs_the_same_length() -> None:
    keys = [make_document("a", [Span(0, 2, "A")], length=3), make_document("b", [], length=2)]
    whole = make_document("x", [Span(0, 2, "A"), Span(4, 5, "B")], length=5)
    cut = split_response(keys, [whole])
    assert cut is not None
    assert [(document.id, document.triples()) for document in cut] == [("a", [(0, 2, "A")]), ("b", [(1, 2, "B")])]
    assert split_response(keys, [make_document("x", [], length=6)]) is None
    assert split_response(keys, keys) is None


def test_repeated_entities_count_once_and_are_told() -> None:
    result = aune.score("entities", [(0, 2, "A")], [(0, 2, "A"), (0, 2, "A")])
    assert result["f_measure"].precision == 1.0
    assert result.warnings == [
        "response: 1 entities of the response occur twice with the same span and label: counted once"
    ]


@pytest.mark.parametrize("text", [{"text": "a b"}, {"tokens": ["a", "b"]}])
def test_no_span_lies_beyond_its_text(text: dict[str, Any]) -> None:
    """Eighty bytes, or a tuple, that claim 900 million characters: a problem before anything is counted."""
    for name in ("spans", "entities"):
        options = {"d": {**text, name: [(0, 900_000_000, "PER")]}}
        with pytest.raises(aune.AuneError, match="900"):
            aune.score("entities", options, options)
