"""Accuracy, under each reading of ambiguity, and by category and feature."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.tagging.measures.accuracy import MEASURE

KEY = [("le", "Da-ms-d"), ("chat", "Ncms"), ("dort", "Vmip3s-")]


@pytest.mark.parametrize(("ambiguous", "expected"), [("wrong", 1 / 3), ("share", 0.5), ("any", 2 / 3)])
def test_what_several_tags_are_worth(ambiguous: str, expected: float) -> None:
    response = [("le", "Da-ms-d"), ("chat", "Ncms|Vmip3s-"), ("dort", "Ncms")]
    assert MEASURE(KEY, response, ambiguous=ambiguous).accuracy == pytest.approx(expected)


def test_a_word_that_is_not_there_is_wrong() -> None:
    result = MEASURE(KEY, KEY[:2])
    assert result.accuracy == pytest.approx(2 / 3) and result.aligned == 1.0


def test_words_without_the_feature_are_left_out() -> None:
    key = [*KEY, (".", "F"), ("?", "_")]
    assert MEASURE(key, [*KEY, (".", "F"), ("?", "F")]).accuracy == 1.0
    assert MEASURE(key, [*KEY, (".", "Ncms")], tagset="grace", aspect="gender").accuracy == 1.0


def test_by_category_and_feature() -> None:
    response = [("le", "Da-fs-d"), ("chat", "Npms"), ("dort", "Ncms")]
    aspects = score("tagging", KEY, response, tagset="grace", measures=["accuracy"])["accuracy"].details["by_aspect"]
    assert aspects["category"] == {"accuracy": pytest.approx(2 / 3), "right": 2.0, "words": 3.0}
    assert aspects["gender"]["accuracy"] == pytest.approx(1 / 3)
    assert aspects["mood"] == {"accuracy": 0.0, "right": 0.0, "words": 1.0}
    assert aspects["degree"]["accuracy"] is None


TAGS = st.lists(st.sampled_from("NVDP"), min_size=1, max_size=3, unique=True)


@given(st.lists(st.tuples(TAGS, TAGS, st.booleans()), min_size=1, max_size=8))
def test_word_by_word(rows: list[tuple[list[str], list[str], bool]]) -> None:
    """Words of their own, so that the alignment is known; some have no tag in the response, or none in the key."""
    forms = [f"w{number}" for number in range(len(rows))]
    key = [(form, "|".join(accepted)) for form, (accepted, _, _) in zip(forms, rows, strict=True)]
    response = [
        (form, "|".join(tags) if is_present else "_") for form, (_, tags, is_present) in zip(forms, rows, strict=True)
    ]
    evaluated = [(set(accepted), tags) for accepted, tags, is_present in rows if is_present]
    right = {
        "wrong": sum(len(tags) == 1 and tags[0] in accepted for accepted, tags in evaluated),
        "share": sum(sum(tag in accepted for tag in tags) / len(tags) for accepted, tags in evaluated),
        "any": sum(any(tag in accepted for tag in tags) for accepted, tags in evaluated),
    }
    for ambiguous, count in right.items():
        result = MEASURE(key, response, ambiguous=ambiguous)
        assert result.accuracy == pytest.approx(count / len(rows))
        assert result.aligned == (pytest.approx(count / len(evaluated)) if evaluated else None)
