"""Precision and decision: bounds, random completion, and what the details say."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.tagging.measures.precision_decision import MEASURE

TAGS = "NVDP"
CELLS = st.lists(st.sampled_from(TAGS), min_size=1, max_size=3, unique=True)


@st.composite
def taggings(draw: st.DrawFn) -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    size = draw(st.integers(1, 12))
    key, response = (draw(st.lists(CELLS, min_size=size, max_size=size)) for _ in range(2))
    return [(f"w{i}", tags) for i, tags in enumerate(key)], [(f"w{i}", tags) for i, tags in enumerate(response)]


@given(taggings())
def test_bounds(sides: tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]) -> None:
    result = MEASURE(*sides)
    assert result.p_min <= result.p_mean + 1e-12 and result.p_mean <= result.p_max + 1e-12


@given(taggings(), st.integers(0, 10))
def test_every_completion_lies_between_the_bounds(
    sides: tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]], seed: int
) -> None:
    key, response = sides
    rng = random.Random(seed)
    before, after = MEASURE(key, response), MEASURE(key, [(word, [rng.choice(tags)]) for word, tags in response])
    assert after.decision == 1.0
    assert before.p_min - 1e-12 <= after.precision <= before.p_max + 1e-12


def test_random_completion_has_p_mean_in_expectation() -> None:
    rng = random.Random(1)
    key = [(f"w{i}", rng.choice(TAGS)) for i in range(300)]
    response = [(word, rng.sample(TAGS, rng.randint(1, 3))) for word, _ in key]
    expected = MEASURE(key, response).p_mean
    drawn = [MEASURE(key, [(word, rng.choice(tags)) for word, tags in response]).precision for _ in range(60)]
    assert sum(drawn) / len(drawn) == pytest.approx(expected, abs=0.01)


def test_details() -> None:
    key = [("le", "D"), ("chat", "N"), ("dort", "V"), ("là-bas", "R")]
    response = [("le", "D|P"), ("chat", "N"), ("dort", "N"), ("là", "R"), ("-bas", "N")]
    precision_decision = score("tagging", key, response, measures=["precision_decision"])["precision_decision"]
    assert precision_decision.details["quantities"] == {
        "cases": 4,
        "noneval": 1,
        "ok": 1,
        "err": 1,
        "sil_ok": 0,
        "sil_err": 0,
        "silok_mean": 0.5,
    }
    assert precision_decision.details["sil"] == 1 and precision_decision.details["silerr_mean"] == 0.5
    assert precision_decision.details["noneval_percent"] == 25 and precision_decision.details["not_evaluated"] == {
        "là-bas": 1
    }


def test_undefined_values_say_why() -> None:
    result = MEASURE([("a", "N")], [("a", "N|V")])
    assert result.precision is None and result.decision == 0.0
    assert result.reasons == {"precision": "no word was given exactly one tag"}
    assert MEASURE([("a", "N")], []).decision is None


def test_a_key_that_accepts_several_tags() -> None:
    result = MEASURE([("a", "N|V"), ("b", "N|V"), ("c", "N|V")], [("a", "V"), ("b", "N|V"), ("c", "N|D")])
    assert result.counts["ok"] == 1 and result.counts["sil_ok"] == 1 and result.counts["silok_mean"] == 1.5
