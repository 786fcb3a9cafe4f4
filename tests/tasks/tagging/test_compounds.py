"""Units over several words against a slow second reading: the key has a unit over the same characters, or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.tagging.model import Compound, make_document

WORDS = ["ab", "cd", "ef", "gh"]


@st.composite
def mark_words(draw: st.DrawFn) -> dict[str, Any]:
    """Four words with tags, and compounds over some of them."""
    compounds, start = [], 0
    while start < 3:
        end = draw(st.integers(start + 1, 4))
        if end - start > 1 and draw(st.booleans()):
            compounds.append([start, end, draw(st.sampled_from("NV"))])
        start = end
    return {
        "words": WORDS,
        "tags": draw(st.lists(st.sampled_from("NV"), min_size=4, max_size=4)),
        "compounds": compounds,
    }


@given(mark_words(), mark_words())
def test_a_marked_unit_counts_where_the_key_marks_it(key: dict[str, Any], response: dict[str, Any]) -> None:
    result = aune.score("tagging", key, response, measures=["precision_decision"]).scores[0].counts
    units = {(start, end): tag for start, end, tag in key["compounds"]}
    ok = 0
    for word in range(4):
        compound = next((item for item in response["compounds"] if item[0] <= word < item[1]), None)
        if compound and (compound[0], compound[1]) in units:
            ok += compound[2] == units[compound[0], compound[1]]
        else:
            ok += key["tags"][word] == response["tags"][word]
    assert (result["cases"], result["noneval"], result["ok"], result["err"]) == (4, 0, ok, 4 - ok)


@given(st.lists(st.tuples(st.sampled_from("NV"), st.sampled_from(["_", "B-N", "I-N", "B-V"])), min_size=1, max_size=6))
def test_a_key_with_marks_is_perfect_against_itself(rows: list[tuple[str, str]]) -> None:
    """Whatever the marks are, of one word too: the labels of entities in a third column look like them."""
    tags = [tag for tag, _ in rows]
    starts = [place for place, (_, mark) in enumerate(rows) if mark[:2] == "B-"]
    ends = [
        next((end for end in range(start + 1, len(rows)) if rows[end][1][:2] != "I-"), len(rows)) for start in starts
    ]
    compounds = [Compound(start, end, rows[start][1][2:]) for start, end in zip(starts, ends, strict=True)]
    document = make_document("d", [f"w{place}" for place in range(len(rows))], {"tag": tags}, compounds=compounds)
    assert aune.score("tagging", [document], [document], measures=["accuracy"])["accuracy"].main == 1


def test_compounds_of_one_word_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "key.tsv"
    path.write_text("Java\tO\tB-Skill\nand\tO\tO\n", encoding="utf-8")
    [warning] = read(registry.task("tagging"), str(path)).warnings
    assert "1 compounds of one word in the third column: not read" in warning
    assert aune.score("tagging", str(path), str(path))["precision_decision"].main == 1
    with pytest.raises(aune.AuneError, match="a compound of one word"):
        aune.score("tagging", [{**{"words": WORDS, "tags": [*"NNVV"]}, "compounds": [[0, 1, "V"]]}], [])
