"""Boundaries of a response on the characters of the key."""

from __future__ import annotations

import itertools
import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aune.alignment import sequences
from aune.alignment.sequences import increasing
from aune.tasks.tagging.characters import boundaries

SMALL = st.text("abc", max_size=30)


@given(SMALL, SMALL)
def test_boundaries_go_up_and_stay_inside(key: str, response: str) -> None:
    lowest, highest = boundaries(key, response)
    assert len(lowest) == len(highest) == len(response) + 1
    assert (lowest <= highest).all() and (np.diff(lowest) >= 0).all() and (np.diff(highest) >= 0).all()
    assert lowest[0] == 0 and highest[-1] == len(key)


@given(SMALL, st.integers(0, 30), st.text("xyz", min_size=1, max_size=3))
def test_an_insertion_moves_nothing(key: str, at: int, extra: str) -> None:
    at = min(at, len(key))
    lowest, highest = boundaries(key, key[:at] + extra + key[at:])
    expected = [*range(at + 1), *[at] * len(extra), *range(at + 1, len(key) + 1)]
    assert lowest.tolist() == highest.tolist() == expected


def test_windows_are_found_by_anchors() -> None:
    rng = random.Random(3)
    key = "".join(rng.choices("abcdefgh", k=20_000))
    response = "".join(rng.choice(("", "x", letter + "y")) if rng.random() < 0.01 else letter for letter in key)
    lowest, highest = boundaries(key, response)
    same = [key[place] == letter for place, letter in zip(highest.tolist(), response, strict=False) if place < len(key)]
    assert sum(same) > 0.99 * len(key) - 100
    assert (np.diff(highest) >= 0).all() and (lowest <= highest).all()


def test_a_moved_passage_does_not_break_the_order() -> None:
    rng = random.Random(4)
    first, second = ("".join(rng.choices("abcdefgh", k=3_000)) for _ in range(2))
    lowest, highest = boundaries(first + second, second + first)
    assert (np.diff(lowest) >= 0).all() and (np.diff(highest) >= 0).all()


def test_texts_with_nothing_in_common_are_given_up(monkeypatch: object) -> None:
    monkeypatch.setattr(sequences, "LARGEST", 10)  # type: ignore[attr-defined]
    lowest, highest = boundaries("a" * 2_000, "b" * 2_000)
    assert (lowest[1:-1] == 0).all() and highest[-1] == 2_000


@given(st.lists(st.integers(0, 20), max_size=12))
def test_increasing_is_longest(values: list[int]) -> None:
    result = increasing(np.array(values, np.int64))
    remaining = [values[index] for index in result.tolist()]
    best = [1] * len(values)
    for i in range(len(values)):
        best[i] += max((best[j] for j in range(i) if values[j] < values[i]), default=0)
    assert len(remaining) == max(best, default=0) and all(a < b for a, b in itertools.pairwise(remaining))
