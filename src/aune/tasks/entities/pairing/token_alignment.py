"""Align the tokens of a response with the key's text.

Positions are compared directly if both sides have the same sentences, with equal numbers of tokens. Otherwise a token
that one side lacks would shift everything after it, so the tokens are aligned first: a span of the response is moved to
the positions of its tokens in the key, and a span over tokens that the key lacks is placed after the key's text,
where it can match nothing. Texts that have too little in common are refused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from aune.errors import Problem
from aune.evaluation.counting import ANY_NUMBER
from aune.numeric.arrays import Ints
from aune.tasks.entities.model import Document, sort_spans

MAX_COMPARED = 200_000
"""The size of a document, in tokens, up to which texts of the same shape are compared word by word."""
MIN_COMMON = 0.5
"""The minimal share of the shorter text's tokens that must occur in the other."""
MAX_CELLS = 1e9
"""The size of a table, in cells, beyond which texts are not aligned: 125 MB."""


def same_shape(key: Document, response: Document) -> bool:
    """Whether positions mean the same on both sides: as many tokens, in the same sentences if both have sentences."""
    if key.length != response.length:
        return False
    have_sentences = key.sentences is not None and response.sentences is not None
    several = have_sentences and min(len(key.sentences), len(response.sentences)) > 1  # type: ignore[arg-type]
    return not several or np.array_equal(key.sentences, response.sentences)  # type: ignore[arg-type]


def is_ragged(key: Document, response: Document) -> bool:
    """Whether two sequences of tags without words, which are compared one by one, have different lengths."""
    if key.tags is None or response.tags is None or (key.words and response.words):
        return False
    return len(key.tags.codes) != len(response.tags.codes) or not np.array_equal(key.sentences, response.sentences)  # type: ignore[arg-type]


def describe_ragged(key: Document, response: Document) -> str:
    """A description of the first sentence whose length differs."""
    sides = [
        np.diff([*(document.sentences if document.sentences is not None else [0]), document.length])
        for document in (key, response)
    ]
    key_sizes, response_sizes = (side.tolist() for side in sides)
    if len(key_sizes) != len(response_sizes):
        difference = f"{len(response_sizes):,} sentences of tags in the response and {len(key_sizes):,} in the key"
    else:
        place = next(
            (n for n, sizes in enumerate(zip(key_sizes, response_sizes, strict=True)) if len(set(sizes)) > 1), 0
        )
        difference = (
            f"{response_sizes[place]} tags in sentence {place + 1} of the response and {key_sizes[place]} in the key's"
        )
    return (
        f"document {response.id!r}: found {difference}, expected as many: tags without words are "
        "compared one for one; give "
        "(word, tag) pairs to have words aligned"
    )


def differing_tokens(key: Document, response: Document) -> int:
    """How many tokens differ, for texts of the same shape that are short enough to compare."""
    if key.length > MAX_COMPARED or key.words is None or response.words is None:
        return 0
    return sum(map(str.__ne__, key.words(), response.words()))


def fit(key: Document, response: Document, sentences: int) -> bool:
    """Whether two parts of a text, with this many sentences of the key, have the same tokens, and at least one."""
    known = key.sentences is not None and sentences in (ANY_NUMBER, len(key.sentences))
    return known and same_shape(key, response) and bool(key.tokens) and key.tokens == response.tokens


class TokenPlaces(NamedTuple):
    """The key's tokens that correspond to each token of the response: first and last, -1 for none."""

    first: Ints
    last: Ints


def align_tokens(key: Sequence[str], response: Sequence[str]) -> TokenPlaces | None:
    """The position of the response's tokens in the key; None if the texts have too little in common.

    Common tokens keep their order, as many of them as possible. The tokens between two of them are distributed:
    by characters if both sides have the same spelling, evenly otherwise.

    >>> align_tokens(["in", "New", "York", "today"], ["in", "New-York", "today"]).first.tolist()
    [0, 1, 3]
    """
    first, last = np.full(len(response), -1, np.int64), np.full(len(response), -1, np.int64)
    if not key or not response:
        return TokenPlaces(first, last)
    same = _common_tokens(key, response)
    if same is None or len(same) < MIN_COMMON * min(len(key), len(response)):
        return None
    previous = (0, 0)
    for key_index, response_index in [*same, (len(key), len(response))]:
        gap = _share_out(key[previous[0] : key_index], response[previous[1] : response_index])
        for number, (start, end) in enumerate(gap, previous[1]):
            first[number], last[number] = previous[0] + start, previous[0] + end
        if response_index < len(response):
            first[response_index] = last[response_index] = key_index
        previous = key_index + 1, response_index + 1
    return TokenPlaces(first, last)


def _common_tokens(key: Sequence[str], response: Sequence[str]) -> list[tuple[int, int]] | None:
    """The tokens of a longest common subsequence, as pairs; None if the texts differ too much."""
    shorter = min(len(key), len(response))
    head = next((n for n in range(shorter) if key[n] != response[n]), shorter)
    tail = next((n for n in range(shorter - head) if key[-1 - n] != response[-1 - n]), shorter - head)
    left, right = key[head : len(key) - tail], response[head : len(response) - tail]
    if len(left) * len(right) > MAX_CELLS:
        return None
    pairs = [(n, n) for n in range(head)]
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - only texts that differ need it

    for step in LCSseq.opcodes(left, right):
        if step.tag == "equal":
            pairs += [(head + step.src_start + n, head + step.dest_start + n)
                      for n in range(step.src_end - step.src_start)]  # fmt: skip
    return pairs + [(len(key) - tail + n, len(response) - tail + n) for n in range(tail)]


def _share_out(key: Sequence[str], response: Sequence[str]) -> list[tuple[int, int]]:
    """For each of some tokens, the first and last of the others in the same place; empty if there are none.

    >>> _share_out(["New", "York"], ["New-York"]), _share_out(["Paris"], ["Pa", "ris"])
    ([(0, 1)], [(0, 0), (0, 0)])
    """
    if not key or not response:
        return []
    left, right = ([0, *accumulate(map(len, side))] for side in (key, response))
    if "".join(key) != "".join(response):
        left, right = [n * len(response) for n in range(len(key) + 1)], [n * len(key) for n in range(len(response) + 1)]
    return [(bisect_right(left, start) - 1, bisect_left(left, end) - 1) for start, end in pairwise(right)]


def move_response(response: Document, places: TokenPlaces, length: int) -> Document:
    """A response moved to the key's positions; tokens without a position there are placed after its end, one by one."""
    beyond = np.full(max(0, response.length - len(places.first)), -1)  # spans may end after the text
    first, last = np.append(places.first, beyond), np.append(places.last, beyond)
    unmatched = np.flatnonzero(first < 0)
    behind = np.zeros(len(first), np.int64)
    behind[unmatched] = length + np.arange(len(unmatched))

    def place(start: int, end: int) -> tuple[int, int]:
        matched = start + np.flatnonzero(first[start:end] >= 0)
        if len(matched):
            return int(first[matched[0]]), int(last[matched[-1]]) + 1
        return int(behind[start]), int(behind[end - 1]) + 1

    full = response.spans[:, 1] > response.spans[:, 0]
    spans = np.zeros_like(response.spans)
    for number in np.flatnonzero(full).tolist():
        spans[number] = place(*response.spans[number].tolist())
    pieces = {
        number: tuple(sorted(place(start, end) for start, end in parts)) for number, parts in response.segments.items()
    }
    tags = None
    if response.tags is not None:
        codes = np.full(length, -1, np.int64)
        matched = np.flatnonzero(places.first >= 0)[::-1]  # of several tokens in one place, the first wins
        codes[places.first[matched]] = response.tags.codes[matched]
        tags = response.tags._replace(codes=codes)
    result = replace(
        response, spans=spans, segments=pieces, length=length + len(unmatched), sentences=None, tags=tags, words=None
    )
    return sort_spans(result)


def unrelated_problem(key: Document, response: Document) -> Problem:
    return Problem.in_file(
        "text.unrelated", response.path or response.id, response.line,
        found=f"another text in document {response.id!r} ({response.length} tokens)",
        expected=f"the key's ({key.length} tokens), with at least half of its tokens",
        remedies=["check that the files belong together"],
    )  # fmt: skip
