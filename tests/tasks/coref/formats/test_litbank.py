"""LitBank's tables and its brat say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import InputError
from aune.reading.source import Source
from aune.tasks.coref.formats.litbank import read
from aune.tasks.coref.model import Document, Relation, token_spans

SAMPLES = Path(__file__).parent / "samples"


def one(name: str) -> Document:
    path = SAMPLES / name
    source = Source(str(path), path.read_bytes(), path)
    [document] = read(source)
    source.raise_problems()
    assert source.warnings == []
    return document


@pytest.mark.parametrize("name", ["litbank-table.ann", "litbank-brat.ann"])
def test_a_table_and_brat_are_read_alike(name: str) -> None:
    result = one(name)
    assert " ".join(result.tokens or ()) == "Ann Lee met her sister . The girl , a nurse , smiled ."
    assert result.sentences == [0, 6]
    assert token_spans(result).tolist() == [[0, 2], [3, 4], [3, 5], [6, 8], [9, 11]]
    assert result.chains.tolist() == [0, 0, 1, 1, 2]
    assert result.features["kind"] == ["name", "pronoun", "noun", "noun", "noun"]
    assert result.features["etype"] == ["PER"] * 5
    assert result.relations == (Relation("appos", 4, 3),)


def test_a_table_needs_its_text() -> None:
    source = Source("a.ann", b"MENTION\tT0\t0\t0\t0\t0\tAnn\tPER\tPROP\n")
    list(read(source))
    with pytest.raises(InputError, match=r"a\.ann:1:1: found no text, which places mentions by sentence"):
        source.raise_problems()
