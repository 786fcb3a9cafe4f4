"""Which key mention is which response mention.

`exact`: the same tokens. `partial`: the response span lies inside the key's and holds its head or minimal span (MUC's
MIN). `head`: the same head word. A mention is matched at most once; exact matches come first, then for partial and head
matches the pairing that shares most tokens, document by document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import numpy as np

from aune.matching import best_matching
from aune.tasks.coref.model import STEP, Document, Ints
from aune.tasks.coref.preparation import Side

Match: TypeAlias = Annotated[
    Literal["exact", "partial", "head"],
    "when mentions are the same: same tokens, response inside the key's and holding its head or MIN, or same head",
]

Matches: TypeAlias = tuple[Ints, Ints]


def matched_mentions(pairs: Sequence[tuple[Document, Document]], key: Side, response: Side, match: str) -> Matches:
    """Pairs of a key mention and a response mention that are the same, as two columns of mention numbers."""
    exact = _exact(pairs, key, response)
    return exact if match == "exact" else _loose(pairs, key, response, exact, match)


def _exact(pairs: Sequence[tuple[Document, Document]], key: Side, response: Side) -> Matches:
    key_codes, response_codes = _codes(pairs, key, response)
    order = np.argsort(response_codes, kind="stable")
    ordered = response_codes[order]
    first, last = np.searchsorted(ordered, key_codes, "left"), np.searchsorted(ordered, key_codes, "right")
    times = last - first  # more than one only where duplicates were left in place
    keys = np.repeat(np.arange(len(key_codes)), times)
    step = np.arange(len(keys)) - np.repeat(np.cumsum(times) - times, times)
    return keys, order[np.repeat(first, times) + step]


def _codes(pairs: Sequence[tuple[Document, Document]], key: Side, response: Side) -> Matches:
    """A number for each mention, the same for mentions of one document with the same extent."""
    extents = [
        np.column_stack([side.owner, *_extent(pairs, side, which)]) for which, side in enumerate((key, response))
    ]
    both = np.concatenate(extents)
    code = both[:, 0]
    for column in both.T[1:]:
        code = _ranked(code) * np.int64(len(both) + 1) + _ranked(column)
    return code[: len(extents[0])], code[len(extents[0]) :]


def _ranked(values: Ints) -> Ints:
    """Values as ranks from 0, so that products of two of them stay small."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _extent(pairs: Sequence[tuple[Document, Document]], side: Side, which: int) -> list[Ints]:
    """Columns that identify a mention inside its document: its bounds, and its parts when it has several."""
    columns = [*_bounds(pairs, side, which)]
    if any(one.segments for both in pairs for one in both):
        columns.append(_part_codes(pairs, side, which))
    return columns


def _bounds(pairs: Sequence[tuple[Document, Document]], side: Side, which: int) -> tuple[Ints, Ints]:
    """First position and the one after the last, on the scale that leaves room for empty nodes where there are any."""
    start, end = side.spans[:, 0], side.spans[:, 1]
    if all(one.positions is None for both in pairs for one in both):
        return start, end
    start, end = start.copy(), end.copy()
    for number, both in enumerate(pairs):
        mine = side.owner == number
        positions = both[which].positions
        if positions is None:
            start[mine], end[mine] = start[mine] * STEP, (end[mine] - 1) * STEP + 1
        else:
            start[mine], end[mine] = positions[start[mine]], positions[end[mine] - 1] + 1
    return start, end


def _part_codes(pairs: Sequence[tuple[Document, Document]], side: Side, which: int) -> Ints:
    """0 for a mention in one piece, else a number for its parts; the same on both sides."""
    known = sorted({parts for both in pairs for one in both for parts in one.segments.values()})
    numbers = {parts: number for number, parts in enumerate(known, 1)}
    codes = np.zeros(len(side.owner), np.int64)
    for index, (owner, mention) in enumerate(zip(side.owner.tolist(), side.mention.tolist(), strict=True)):
        parts = pairs[owner][which].segments.get(mention)
        if parts:
            codes[index] = numbers[parts]
    return codes


def _loose(
    pairs: Sequence[tuple[Document, Document]], key: Side, response: Side, exact: Matches, match: str
) -> Matches:
    """Exact matches, then the best pairing of what is left, among pairs that the rule allows."""
    keys, responses = exact
    free_keys = np.setdiff1d(np.arange(len(key.owner)), keys)
    free_responses = np.setdiff1d(np.arange(len(response.owner)), responses)
    edges: list[tuple[int, int, float]] = []
    start = 0
    for number, (key_document, response_document) in enumerate(pairs):
        mine = free_keys[key.owner[free_keys] == number]
        others = free_responses[response.owner[free_responses] == number]
        if len(mine) and len(others):
            edges += _allowed(key_document, response_document, key, response, mine.tolist(), others.tolist(), match)
        start += len(mine)
    if not edges:
        return keys, responses
    left, right, weight = (np.asarray(column) for column in zip(*sorted(edges), strict=True))
    chosen = best_matching(left, right, weight)
    return np.concatenate([keys, left[chosen]]), np.concatenate([responses, right[chosen]])


def _allowed(
    key_document: Document, response_document: Document, key: Side, response: Side,
    mine: list[int], others: list[int], match: str,
) -> list[tuple[int, int, float]]:  # fmt: skip
    """Pairs of mentions that a loose rule lets match, with the share of tokens they have in common as weight."""
    by_token: dict[int, list[int]] = {}
    for index in others:
        for token in _tokens(response_document, int(response.mention[index])):
            by_token.setdefault(token, []).append(index)
    edges = []
    for index in mine:
        mention = int(key.mention[index])
        extent = _tokens(key_document, mention)
        needed = _needed(key_document, mention)
        for other in sorted({one for token in needed for one in by_token.get(token, ())}):
            theirs = _tokens(response_document, int(response.mention[other]))
            if match == "head":
                fits = needed == _needed(response_document, int(response.mention[other])) or (
                    _headless(response_document) and needed <= theirs
                )
            else:
                fits = needed <= theirs <= extent
            if fits:
                edges.append((index, other, len(theirs & extent) / len(theirs | extent)))
    return edges


def _tokens(found: Document, mention: int) -> frozenset[int]:
    parts = found.segments.get(mention) or (tuple(found.spans[mention].tolist()),)
    numbers = frozenset(number for start, end in parts for number in range(start, end))
    return numbers if found.positions is None else frozenset(int(found.positions[number]) for number in numbers)


def _headless(found: Document) -> bool:
    return found.heads is None and found.minima is None


def _needed(found: Document, mention: int) -> frozenset[int]:
    """The tokens without which a mention is not recognised: its minimal span, else its head, else all of it."""
    if found.minima is not None:
        return frozenset(range(*found.minima[mention].tolist()))
    if found.heads is not None and found.heads[mention] >= 0:
        head = int(found.heads[mention])
        return frozenset([head if found.positions is None else int(found.positions[head])])
    return _tokens(found, mention)
