"""Two versions of one text, character by character: where a place in the response lies in the key.

Spacing is left out of both. Texts that agree are compared at the speed of a string comparison. Where they differ, the
stretches that both have are found first (long runs of characters that occur once on each side, kept in order), and only
the windows between them are aligned by edit distance.

    key       l e a u c h a u d e          boundaries of the response in the key
    response  l ' e a u x c h a u d e      0 [1] 1 2 3 4 [4] 5 …

A boundary of the response has a lowest and a highest place in the key: they differ where the response lacks characters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from aune.tasks.tagging.model import Coded, Ints

ANCHOR = 16  # characters of a run that is searched for on the other side
SMALLEST_ANCHOR = 4
WINDOW = 2_000  # characters on both sides that edit distance aligns without looking for anchors first
LARGEST = 4e9  # cells of an edit table beyond which a window is given up: the texts have nothing in common there
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Boundaries(NamedTuple):
    """For every boundary of the response (before each character, and after the last), where it lies in the key."""

    lowest: Ints
    highest: Ints


def bare(form: str) -> str:
    """A form without spacing."""
    return "".join(form.split())


class Text(NamedTuple):
    """The characters of tokens, without spacing, and where each token ends in them."""

    characters: str
    ends: Ints


def text_of(tokens: Coded) -> Text:
    """The text that tokens make.

    >>> text_of(Coded(np.array([0, 1]), ["par", "ex emple"]))
    Text(characters='parexemple', ends=array([ 3, 10]))
    """
    forms = [bare(name) for name in tokens.names]
    lengths = np.fromiter(map(len, forms), np.int64, len(forms))
    return Text("".join(map(forms.__getitem__, tokens.codes.tolist())), np.cumsum(lengths[tokens.codes]))


def boundaries(key: str, response: str) -> Boundaries:
    """Where the response's boundaries lie in the key.

    >>> boundaries("abcd", "abd").lowest.tolist(), boundaries("abcd", "abd").highest.tolist()
    ([0, 1, 2, 4], [0, 1, 3, 4])
    >>> boundaries("parexemple", "par_exemple").lowest.tolist()
    [0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    if key == response:
        same = np.arange(len(key) + 1)
        return Boundaries(same, same)
    lowest = np.zeros(len(response) + 1, np.int64)
    highest = np.zeros(len(response) + 1, np.int64)
    _align(key, response, 0, 0, ANCHOR, lowest, highest)
    lowest[0], highest[-1] = 0, len(key)
    return Boundaries(lowest, highest)


def _align(
    key: str, response: str, key_at: int, response_at: int, anchor: int, lowest: Ints, highest: Ints
) -> None:  # fmt: skip
    """Fill in the boundaries of a window, whose texts are `key` and `response`."""
    head = _common_prefix(key, response)
    tail = _common_prefix(key[head:][::-1], response[head:][::-1])
    _same(head, key_at, response_at, lowest, highest)
    inner_key, inner_response = key[head : len(key) - tail], response[head : len(response) - tail]
    _same(tail, key_at + len(key) - tail, response_at + len(response) - tail, lowest, highest)
    key_at, response_at = key_at + head, response_at + head
    if len(inner_key) + len(inner_response) <= WINDOW or anchor < SMALLEST_ANCHOR:
        _edit(inner_key, inner_response, key_at, response_at, lowest, highest)
        return
    key_done = response_done = 0
    for start, other, length in [
        *_anchors(inner_key, inner_response, anchor),
        (len(inner_key), len(inner_response), 0),
    ]:
        part, its = inner_key[key_done:start], inner_response[response_done:other]
        _align(part, its, key_at + key_done, response_at + response_done, anchor // 2, lowest, highest)
        _same(length, key_at + start, response_at + other, lowest, highest)
        key_done, response_done = start + length, other + length


def _same(length: int, key_at: int, response_at: int, lowest: Ints, highest: Ints) -> None:
    """A run that both sides have: the boundary before it is highest there, the one after it lowest."""
    if length:
        places = np.arange(key_at, key_at + length + 1)
        highest[response_at : response_at + length] = places[:-1]
        lowest[response_at + 1 : response_at + length + 1] = places[1:]


def _edit(key: str, response: str, key_at: int, response_at: int, lowest: Ints, highest: Ints) -> None:
    """A window that differs, by edit distance. A substituted character stands where the other one stood."""
    if not response:
        return
    highest[response_at : response_at + len(response)] = key_at
    lowest[response_at + 1 : response_at + len(response) + 1] = key_at
    if len(key) * len(response) > LARGEST:
        return
    for step in Levenshtein.opcodes(key, response):
        operation, start, end = step.tag, step.dest_start, step.dest_end
        key_start, key_end = step.src_start, step.src_end
        if operation in ("equal", "replace"):
            _same(end - start, key_at + key_start, response_at + start, lowest, highest)
        elif operation == "insert":
            highest[response_at + start : response_at + end] = key_at + key_start
            lowest[response_at + start + 1 : response_at + end + 1] = key_at + key_end


def _common_prefix(left: str, right: str) -> int:
    """How many characters two texts share at the start, by halving."""
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


def _anchors(key: str, response: str, length: int) -> list[tuple[int, int, int]]:
    """What both sides have, in the same order: place in the key, place in the response, characters.

    They are made of runs of `length` characters that occur once on each side; runs next to each other are joined.
    """
    (left, left_at), (right, right_at) = (_unique(_hashes(_codes(text), length)) for text in (key, response))
    _, in_left, in_right = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    places, others = left_at[in_left], right_at[in_right]
    order = np.argsort(places)
    order = order[increasing(others[order])]
    places, others = places[order], others[order]
    apart = np.flatnonzero((np.diff(places, prepend=-2) != 1) | (np.diff(others, prepend=-2) != 1))
    ends = np.append(apart[1:], len(places))[: len(apart)] - 1
    found: list[tuple[int, int, int]] = []
    key_done = response_done = 0
    runs = (places[apart], others[apart], places[ends] - places[apart] + length)
    for place, other, size in zip(*(column.tolist() for column in runs), strict=True):
        late = max(key_done - place, response_done - other, 0)  # what the run before has already taken
        place, other, size = place + late, other + late, size - late
        if size > 0 and key[place : place + size] == response[other : other + size]:
            found.append((place, other, size))
            key_done, response_done = place + size, other + size
    return found


def _codes(text: str) -> NDArray[np.uint64]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)


def _hashes(codes: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """A number for every run of `length` characters, the same for the same run."""
    if len(codes) < length:
        return np.zeros(0, np.uint64)
    runs = len(codes) - length + 1
    total = np.zeros(runs, np.uint64)
    for offset in range(length):
        total = total * MULTIPLIER + codes[offset : offset + runs]
    return total


def _unique(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Ints]:
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
    from bisect import bisect_left  # noqa: PLC0415 - only for texts that were moved about

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
