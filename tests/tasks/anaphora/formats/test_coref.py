"""Anaphors drawn from a file of coreference chains."""

from __future__ import annotations

from aune.reading.source import Source
from aune.tasks.anaphora.formats.coref import read

CHAINS = (
    '{"doc_key": "d", "sentences": [["Ann", "met", "Bo", "."], ["She", "liked", "him", "."],'
    ' ["He", "left", "it", "."]], "clusters": [[[0, 0], [4, 4]], [[2, 2], [6, 6], [8, 8]], [[10, 10]]]}\n'
)


def test_anaphors_from_chains() -> None:
    [document] = read(Source("x.jsonl", CHAINS.encode()))
    assert {anaphor.mention: anaphor.antecedents for anaphor in document.anaphors} == {
        "4": ("0",), "6": ("2",), "8": ("6",), "10": (),
    }  # fmt: skip
    last = document.by_mention["8"]
    assert last.attributes == {"pronoun": "he", "gender": "masculine", "number": "singular", "distance": "1"}
    assert [(candidate.mention, candidate.agrees) for candidate in last.candidates] == [
        ("0", True),
        ("2", True),
        ("4", False),
        ("6", True),
    ]
    source = Source("x.jsonl", CHAINS.encode())
    [every] = read(source, antecedents="all")
    assert every.by_mention["8"].antecedents == ("2", "6")
    [near] = read(source, window=0)
    assert near.by_mention["8"].candidates == ()
