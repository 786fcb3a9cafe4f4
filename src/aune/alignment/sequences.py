"""Align two strings of symbols: runs that both have, and the windows between them.

Symbols are characters, or words written as one character each. Runs that occur once on each side and in the same order
are found first, long ones before short ones; only the small windows between them are aligned by edit distance. Equal
texts therefore cost a comparison, similar ones little more; unrelated windows too large for a table are not aligned.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Ints

Hashes: TypeAlias = NDArray[np.uint64]

WINDOW = 2_000  # symbols on both sides up to which edit distance is used without searching for runs
LARGEST = 4e9  # cells of an edit table above which a window is not aligned: the texts have nothing in common there
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Step(NamedTuple):
    """A stretch of the key and one of the response: the same (equal), as long (replaced), or on one side only."""

    equal: bool
    key_start: int
    key_end: int
    response_start: int
    response_end: int


def steps(key: str, response: str, runs: Sequence[int]) -> list[Step]:
    """The edits from the key to the response, left to right. `runs` are the lengths that are searched for, in turn.

    >>> [tuple(step) for step in steps("abcd", "abxd", (4,))]
    [(True, 0, 2, 0, 2), (False, 2, 3, 2, 3), (True, 3, 4, 3, 4)]
    """
    edit_steps: list[Step] = []
    _align(key, response, 0, 0, tuple(runs), edit_steps)
    return edit_steps


def _align(key: str, response: str, key_at: int, response_at: int, runs: tuple[int, ...], steps: list[Step]) -> None:
    """Add the steps of a window, whose strings are `key` and `response`."""
    head = common_prefix(key, response)
    _add_equal(key_at, response_at, head, steps)
    tail = common_prefix(key[head:][::-1], response[head:][::-1])
    inner_key, inner_response = key[head : len(key) - tail], response[head : len(response) - tail]
    if len(inner_key) + len(inner_response) <= WINDOW or not runs:
        _add_edits(inner_key, inner_response, key_at + head, response_at + head, steps)
    else:
        key_done = response_done = 0
        ending = (len(inner_key), len(inner_response), 0)
        for key_start, response_start, length in [*_shared_runs(inner_key, inner_response, runs[0]), ending]:
            window = (inner_key[key_done:key_start], inner_response[response_done:response_start])
            _align(*window, key_at + head + key_done, response_at + head + response_done, runs[1:], steps)
            _add_equal(key_at + head + key_start, response_at + head + response_start, length, steps)
            key_done, response_done = key_start + length, response_start + length
    _add_equal(key_at + len(key) - tail, response_at + len(response) - tail, tail, steps)


def _add_equal(key_at: int, response_at: int, length: int, steps: list[Step]) -> None:
    if length:
        steps.append(Step(True, key_at, key_at + length, response_at, response_at + length))


def _add_edits(key: str, response: str, key_at: int, response_at: int, steps: list[Step]) -> None:
    """A window that differs, by edit distance; if it is too large, all of the response, then all of the key."""
    if not (key and response) or len(key) * len(response) > LARGEST:
        end = response_at + len(response)
        steps += [Step(False, key_at, key_at, response_at, end)] if response else []
        steps += [Step(False, key_at, key_at + len(key), end, end)] if key else []
        return
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only texts that differ need it

    for step in Levenshtein.opcodes(key, response):
        places = (step.src_start + key_at, step.src_end + key_at)
        steps.append(Step(step.tag == "equal", *places, step.dest_start + response_at, step.dest_end + response_at))


def common_prefix(left: str, right: str) -> int:
    """The length of the common prefix of two strings, by bisection."""
    low, high = 0, min(len(left), len(right))
    if left[:high] == right[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _shared_runs(key: str, response: str, length: int) -> list[tuple[int, int, int]]:
    """What both sides have, in the same order: place in the key, place in the response, symbols.

    They are made of runs of `length` symbols that occur once on each side; runs next to each other are joined.
    """
    (left, left_at), (right, right_at) = (_unique(_hashes(_codes(text), length)) for text in (key, response))
    _, in_left, in_right = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    key_places, response_places = left_at[in_left], right_at[in_right]
    order = np.argsort(key_places)
    order = order[increasing(response_places[order])]
    key_places, response_places = key_places[order], response_places[order]
    breaks = np.flatnonzero((np.diff(key_places, prepend=-2) != 1) | (np.diff(response_places, prepend=-2) != 1))
    ends = np.append(breaks[1:], len(key_places))[: len(breaks)] - 1
    runs: list[tuple[int, int, int]] = []
    key_done = response_done = 0
    columns = (key_places[breaks], response_places[breaks], key_places[ends] - key_places[breaks] + length)
    for key_place, response_place, size in zip(*(column.tolist() for column in columns), strict=True):
        late = max(key_done - key_place, response_done - response_place, 0)  # what the run before has already taken
        key_place, response_place, size = key_place + late, response_place + late, size - late
        if size > 0 and key[key_place : key_place + size] == response[response_place : response_place + size]:
            runs.append((key_place, response_place, size))
            key_done, response_done = key_place + size, response_place + size
    return runs


def _codes(text: str) -> Hashes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)


def _hashes(codes: Hashes, length: int) -> Hashes:
    """A number for every run of `length` symbols, the same for the same run."""
    if len(codes) < length:
        return np.zeros(0, np.uint64)
    runs = len(codes) - length + 1
    total = np.zeros(runs, np.uint64)
    for offset in range(length):
        total = total * MULTIPLIER + codes[offset : offset + runs]
    return total


def _unique(hashes: Hashes) -> tuple[Hashes, Ints]:
    """The numbers that occur once, and where."""
    values, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1]


def increasing(values: Ints) -> Ints:
    """The positions of a longest increasing subsequence.

    >>> increasing(np.array([3, 1, 2, 9, 4])).tolist()
    [1, 2, 4]
    """
    if len(values) == 0 or (np.diff(values) > 0).all():
        return np.arange(len(values))
    tops: list[int] = []
    at: list[int] = []
    before = []
    for index, value in enumerate(values.tolist()):
        rank = bisect_left(tops, value)
        before.append(at[rank - 1] if rank else -1)
        tops[rank : rank + 1] = [value]
        at[rank : rank + 1] = [index]
    chain = [at[-1]]
    while before[chain[-1]] >= 0:
        chain.append(before[chain[-1]])
    return np.array(chain[::-1], np.int64)
