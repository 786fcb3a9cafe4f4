"""Positions that are all wrong in the same way: by one, or at the ends of spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aune.numeric.arrays import Ints

SLIPS: Mapping[str, tuple[int, int]] = {
    "one position later": (1, 1),
    "one position earlier": (-1, -1),
    "with ends that are last positions (--ends inclusive)": (0, 1),
    "with ends that are the positions after the last (--ends exclusive)": (0, -1),
}
"""The corrections of positions, each with what it adds to starts and ends."""
MOST_SAME, FEWEST_MOVED = 0.1, 0.5
"""The shares of spans that equal the key's, unchanged and when moved, in a response whose positions are wrong."""
FEWEST_SPANS = 3
FEW_SPANS = 50
FIRST_WITHOUT_BLANKS = "\u0e00"  # Thai; scripts before it separate words with blanks, most of those after it do not


def is_inside_word(text: str, place: int) -> bool:
    """Whether a position separates two letters of a script that has blanks between words.

    >>> is_inside_word("Ann Lee", 2), is_inside_word("Ann Lee", 3)
    (True, False)
    """
    pair = text[max(place - 1, 0) : place + 1]
    return place > 0 and len(pair) == 2 and pair.isalnum() and max(pair) < FIRST_WITHOUT_BLANKS


def count_slips(key: Ints, response: Ints) -> dict[str, int]:
    """How many spans of a response equal the key's and, if hardly any does, how many do after each correction.

    >>> counts = count_slips(np.array([[0, 2], [4, 5], [7, 9]]), np.array([[0, 1], [4, 4], [7, 8]]))
    >>> counts["same"], counts["with ends that are last positions (--ends inclusive)"]
    (0, 3)
    """
    key_spans, response_spans = _distinct(key), _distinct(response)
    same = _count_common(key_spans, response_spans)
    counts = {"key": len(key_spans), "response": len(response_spans), "same": same}
    if len(response_spans) and same <= MOST_SAME * len(response_spans):
        counts |= {name: _count_common(key_spans, response_spans + np.array(slip)) for name, slip in SLIPS.items()}
    return counts


def _distinct(spans: Ints) -> Ints:
    """The distinct rows of a table; a few are faster to find one by one."""
    table: Ints = np.asarray(spans, np.int64).reshape(-1, 2)
    if len(table) < FEW_SPANS:
        return np.array([*set(map(tuple, table.tolist()))], np.int64).reshape(-1, 2)
    rows: Ints = np.unique(table, axis=0)
    return rows


def _count_common(first: Ints, second: Ints) -> int:
    """How many rows are in both of two tables of distinct rows."""
    return len(first) + len(second) - len(_distinct(np.concatenate([first, second])))


def slip_note(counts: Mapping[Any, int], what: str) -> str:
    """The message from the counts of all documents, if positions are wrong; otherwise ''."""
    total = counts.get("response", 0)
    if min(total, counts.get("key", 0)) < FEWEST_SPANS or counts.get("same", 0) > MOST_SAME * total:
        return ""
    name = max(SLIPS, key=lambda slip: counts.get(slip, 0))
    moved = counts.get(name, 0)
    if moved >= FEWEST_MOVED * total:
        return (
            f"{counts.get('same', 0):,} of {total:,} {what} of the response have the place of one of the key's, and "
            f"{moved:,} would have it {name}: check how positions are counted"
        )
    return f"no {what} of the response have the place of one of the key's" if not counts.get("same", 0) else ""
