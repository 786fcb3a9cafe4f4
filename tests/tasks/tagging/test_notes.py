"""Nothing is 0 or 100 in silence: damaged responses score as they should, or something is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aune
from aune.tasks.tagging.notes import comparison_notes

KEY = [("le", "D"), ("petit", "A"), ("chat", "N"), ("dort", "V"), ("ici", "R"), (".", "F")]
DAMAGED: dict[str, tuple[list[Any], float, str]] = {
    "another text": ([(5 * letter, tag) for letter, (_, tag) in zip("mnuvxy", KEY, strict=True)], 0.0, "not evaluated"),
    "no tags": ([(word, "_") for word, _ in KEY], 0.0, "6 of 6 words (100.00 %) not evaluated"),
    "half of the text": (KEY[:3], 0.5, "3 of 6 words (50.00 %) not evaluated"),
    "words run together": ([("lepetit", "D"), ("chatdort", "N"), ("ici.", "R")], 0.0, "100.00 %"),
    "a word added": ([KEY[0], ("très", "R"), *KEY[1:]], 1.0, "words were realigned"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_response_is_not_scored_in_silence(damage: str) -> None:
    response, overall, answer = DAMAGED[damage]
    result = aune.score("tagging", KEY, response, measures=["precision_decision"])
    assert result["precision_decision"].overall == overall
    assert any(answer in warning for warning in result.warnings)


def test_tags_of_another_tagset_are_said_where_a_tagset_is_known() -> None:
    result = aune.score("tagging", [("a", "NOUN")], [("a", "noun")], tagset="upos", measures=["precision_decision"])
    assert result["precision_decision"].overall == 0.0
    assert any("tags of the response outside the tagset upos: noun" in warning for warning in result.warnings)


def test_no_tag_in_common_is_said() -> None:
    result = aune.score("tagging", KEY, [(word, tag.lower()) for word, tag in KEY], measures=["precision_decision"])
    assert result["precision_decision"].overall == 0.0
    (warning,) = result.warnings
    assert warning.startswith(
        "response: no tag of the response (a, d, f, n, r, v) is one of the key's (A, D, F, N, R, V)"
    )
    assert not aune.score("tagging", KEY, [(word, "V") for word, _ in KEY]).warnings


def test_a_missing_document_counts_against_the_system(tmp_path: Path) -> None:
    result = aune.score("tagging", {"a": KEY, "b": KEY}, {"a": KEY}, measures=["precision_decision"])
    assert result["precision_decision"].overall == 0.5 and result["precision_decision"].noneval == 0.5
    assert result["precision_decision"].precision == 1.0, "which is why precision does not rank"


def test_facts_of_all_chunks_are_told_together() -> None:
    entries = {("entry", "t", "n"): 2, ("entry", "t", "v"): 2}
    assert comparison_notes({**entries, ("used", "t", "n"): 1}) == ["t: entries never used: v"]
    assert comparison_notes({**entries, ("used", "t", "n"): 1, ("used", "t", "v"): 1}) == []
    assert comparison_notes({("missing", "t", "drop", "q"): 3, ("entry", "t", "n"): 1, ("used", "t", "n"): 1}) == [
        "t: tags without an entry, left out of the alternatives: q 3×"
    ]
