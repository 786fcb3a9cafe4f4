"""CorefAnnotator's XMI."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import UsageError
from aune.tasks.coref.model import Document, Mention, Relation, make_document
from tests.tasks.formats import read, write_text

SAMPLE = (Path(__file__).parent / "samples" / "coref_annotator-group.xmi").read_bytes()


def test_mentions_their_parts_and_groups() -> None:
    [document] = read("coref", "coref_annotator", SAMPLE)
    assert document.labels == ["Ann", "sister", "they"]
    assert document.clusters() == [[(0, 3), (8, 11)], [(8, 33)], [(21, 25)]]
    assert list(document.segments.values()) == [((8, 18), (26, 33))]
    chains = document.chains.tolist()
    assert {(kind, chains[start], chains[end]) for kind, start, end in document.relations} == {
        ("split", 2, 0), ("split", 2, 1),
    }  # fmt: skip


def view(document: Document) -> object:
    links = sorted(document.relations)
    return document.tokens, document.clusters(), document.labels, dict(document.segments), links, document.sentences


def test_what_is_written_is_read_back() -> None:
    [document] = read("coref", "coref_annotator", SAMPLE)
    [again] = read("coref", "coref_annotator", write_text("coref", "coref_annotator", [document]))
    assert view(again) == view(document)


def test_surrogates_count_two() -> None:
    document = make_document("d", [Mention(1, 2, "a"), Mention(0, 1, "b")], tokens=["😀", "Ann"])
    text = write_text("coref", "coref_annotator", [document])
    assert 'begin="0" end="2"' in text and 'begin="3" end="6"' in text
    assert read("coref", "coref_annotator", text)[0].clusters() == [[(0, 1)], [(2, 5)]]


def test_one_document_per_file_and_no_signs_that_xml_lacks() -> None:
    document = make_document("d", [Mention(0, 1, "a")], tokens=["Ann"])
    with pytest.raises(UsageError, match="one document per file"):
        write_text("coref", "coref_annotator", [document, document])
    with pytest.raises(UsageError, match="XMI cannot represent the character"):
        write_text("coref", "coref_annotator", [make_document("d", [Mention(0, 1, "a")], tokens=["A\x01"])])


def test_relations_other_than_groups_are_lost() -> None:
    mentions = [Mention(0, 1, "a"), Mention(1, 2, "b")]
    document = make_document("d", mentions, relations=[Relation("part", 0, 1)], tokens=["Ann", "Lee"])
    assert read("coref", "coref_annotator", write_text("coref", "coref_annotator", [document]))[0].relations == ()
