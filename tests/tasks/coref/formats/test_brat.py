from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import InputError, UsageError
from aune.reading.source import Source
from aune.tasks.coref.formats import conll2012
from aune.tasks.coref.formats.brat import read, write
from aune.tasks.coref.model import Document, Mention, Relation, make_document, token_spans

SAMPLES = Path(__file__).parent / "samples"


def one(text: str, path: Path | None = None) -> tuple[Document, list[str]]:
    source = Source("a.ann", text.encode(), path)
    [document] = read(source)
    source.raise_problems()
    return document, source.warnings


def test_lines_of_every_kind() -> None:
    result, warnings = one((SAMPLES / "brat-lee.ann").read_text())
    assert (result.id, result.unit, result.tokens) == ("a", "character", None)
    assert result.clusters() == [[(0, 7), (12, 15)], [(16, 30), (31, 33)]]
    assert result.segments == {2: ((16, 19), (24, 30))}
    assert result.features == {
        "etype": ["Person", "Person", "Thing", ""],
        "kind": ["", "pronoun", "", ""],
        "sure": ["true", "", "", ""],
    }
    assert result.relations == (Relation("Owner", 2, 1),)
    assert warnings == []


def test_the_text_beside_the_file_gives_tokens() -> None:
    path = SAMPLES / "brat-lee.ann"
    result, _ = one(path.read_text(), path)
    assert result.tokens == ["Ann", "Lee", "saw", "her", "dog", "and", "collar", "it", "."]
    assert token_spans(result).tolist() == [[0, 2], [3, 4], [4, 7], [7, 8]]
    [after] = conll2012.read(Source("x", "".join(conll2012.write([result])).encode()))
    assert after.clusters() == [[(0, 2), (3, 4)], [(4, 7), (7, 8)]]


def test_a_text_that_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann sat")
    assert one("T1\tPer 0 3\tBob\n", tmp_path / "a.ann")[1] == [
        "a.ann: 1 annotation quotes other words than the text beside the file has there"
    ]
    with pytest.raises(InputError, match=r"a\.ann:1:8: found T1 up to character 9, expected at most 7"):
        one("T1\tPer 0 9\tAnn sat up\n", tmp_path / "a.ann")


def test_lines_that_name_chains() -> None:
    result, _ = one("T1\tPER 0 3\tAnn\nT2\tPER 5 8\ther\nT3\tPER 9 10\tI\nCOREF\tT1\tann_1\nCOREF\tT2\tann_1\n")
    assert result.clusters() == [[(0, 3), (5, 8)], [(9, 10)]]


def test_events_are_told() -> None:
    result, warnings = one("T1\tPER 0 3\tAnn\nE1\tDie:T1\nR1\tCoref Arg1:T1 Arg2:E1\n")
    assert len(result) == 1
    assert warnings == ["a.ann: 1 lines on events and normalisations are not read"]


def test_written_offsets_point_into_the_text_of_the_tokens() -> None:
    before = make_document(
        "a", [Mention(0, 2, 0), Mention(3, 4, 0)], tokens=["Ann", "Lee", "saw", "herself"], sentences=[0, 2]
    )
    assert "".join(write([before])) == "T1\tMention 0 7\tAnn Lee\nT2\tMention 12 19\therself\n*\tCoref T1 T2\n"
    with pytest.raises(UsageError, match="one document per file"):
        list(write([before, before]))


def test_an_empty_file_is_a_text_without_mentions() -> None:
    assert len(one("")[0]) == 0
