"""Batches counted straight from texts are counted as by the comparison."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.contract.measure import flatten
from aune.contract.notes import merge_notes
from aune.tasks.speech import batches

TEXTS = st.lists(st.sampled_from(["one", "two", "One", "too", "x\u00a0y", "", "\t"]), max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5)


def sides(pairs: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [key for key, _ in pairs], [response for _, response in pairs]


@given(PAIRS)
def test_as_by_the_comparison(pairs: list[tuple[str, str]]) -> None:
    key, response = sides(pairs)
    batch = batches.wer(key, response)
    assert batch is not None
    home, measure = registry.task("speech"), registry.measure("speech.wer")
    comparison = home.comparing.compare(
        list(zip(home.reading.documents(key), home.reading.documents(response), strict=True))
    )
    assert list(batch.totals) == flatten(measure.count_part(comparison, {})).sum(axis=0).tolist()
    assert merge_notes(batch.notes) == merge_notes(comparison.warnings)
    assert batch.documents == len(pairs)


@given(st.lists(PAIRS, min_size=2, max_size=4))
def test_added_up_they_are_the_whole(given_batches: list[list[tuple[str, str]]]) -> None:
    scores = aune.accumulate("speech", measures=["wer"])
    for pairs in given_batches:
        scores.add(*sides(pairs))
    whole = aune.score("speech", *sides([pair for pairs in given_batches for pair in pairs]), measures=["wer"])
    outcome = scores.result()
    assert outcome["wer"].values == whole["wer"].values
    if not any("beside it" in warning for warning in whole.warnings):  # utterances beside each other are of one batch
        assert outcome.warnings == whole.warnings


@pytest.mark.parametrize("texts", ["one", {"a": "one"}, [["one"]], ["one", None], ("one",), []])
def test_whatever_else_it_is_is_left_to_the_comparison(texts: Any) -> None:
    assert batches.wer(texts, texts) is None
    assert batches.wer(["one"], ["one", "two"]) is None
