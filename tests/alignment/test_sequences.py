"""Strings side by side."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from aune.alignment import sequences
from aune.alignment.sequences import increasing, steps

WORDS = st.text("abc", max_size=40)


@given(WORDS, WORDS)
def test_steps_cover_both_sides_in_order_and_equal_ones_are_equal(key: str, response: str) -> None:
    key_at = response_at = 0
    for step in steps(key, response, (4, 2)):
        assert (step.key_start, step.response_start) == (key_at, response_at)
        key_at, response_at = step.key_end, step.response_end
        same = key[step.key_start : step.key_end] == response[step.response_start : step.response_end]
        assert same or not step.equal
    assert (key_at, response_at) == (len(key), len(response))


@given(WORDS, WORDS)
def test_small_windows_are_aligned_at_the_edit_distance(key: str, response: str) -> None:
    apart = sum(
        max(s.key_end - s.key_start, s.response_end - s.response_start) for s in steps(key, response, ()) if not s.equal
    )
    assert apart == Levenshtein.distance(key, response)


@given(st.lists(WORDS, min_size=1, max_size=8), st.integers(0, 2**16))
def test_runs_are_found_in_long_texts(parts: list[str], seed: int) -> None:
    generator = np.random.default_rng(seed)
    key = "".join(chr(0x4E00 + int(code)) for code in generator.integers(0, 500, 3_000))
    cut = int(generator.integers(0, 2_900))
    response = key[:cut] + "".join(parts) + key[cut + 20 :]
    equal = sum(step.key_end - step.key_start for step in steps(key, response, (16, 8, 4)) if step.equal)
    assert equal >= len(key) - 20 - 2


@given(st.lists(st.integers(0, 50), max_size=12))
def test_longest_increase(values: list[int]) -> None:
    chosen = increasing(np.array(values, np.int64)).tolist()
    picked = [values[index] for index in chosen]
    assert picked == sorted(set(picked))
    best = [1] * len(values)
    for i in range(len(values)):
        best[i] = 1 + max((best[j] for j in range(i) if values[j] < values[i]), default=0)
    assert len(chosen) == max(best, default=0)


def test_a_window_with_nothing_in_common_is_given_up() -> None:
    before = sequences.LARGEST
    try:
        sequences.LARGEST = 4
        assert [tuple(step) for step in steps("abc", "xyz", ())] == [(False, 0, 0, 0, 3), (False, 0, 3, 3, 3)]
    finally:
        sequences.LARGEST = before
