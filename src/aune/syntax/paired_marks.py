"""Marks around stretches of running text: how they pair, and the text without them.

>>> marks = [Mark(0, 3, "b", opens=True), Mark(5, 9, "b", opens=False, label="B")]
>>> remove_marks("<b>hi</b>!", marks)
Unmarked(text='hi!', stretches=[Stretch(start=0, end=2, label='B')], stray=[])
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple


class Mark(NamedTuple):
    """A mark in a text, with its position and its kind."""

    start: int
    end: int
    kind: str
    """An opening mark is paired with a closing one of the same kind."""
    opens: bool
    label: str | None = ""
    """The label of the stretch, from the opening mark first; None at the end of plain brackets, which are text."""
    stays: bool = False
    """Whether it is simply text if it has no counterpart."""


class Stretch(NamedTuple):
    """A marked stretch of the text without marks."""

    start: int
    end: int
    label: str


class Unmarked(NamedTuple):
    """A text without its marks, the marked stretches, and the marks without a counterpart (they stay in the text)."""

    text: str
    stretches: list[Stretch]
    stray: list[Mark]


def remove_marks(text: str, marks: Iterable[Mark]) -> Unmarked:
    """A text without the marks that come in pairs; stretches in the order of their ends."""
    pairs, stray = _pair_marks(marks)
    removed = sorted((mark.start, mark.end) for pair in pairs for mark in pair)
    starts = [start for start, _ in removed]
    removed_lengths = [0, *accumulate(end - start for start, end in removed)]
    pieces, position = [], 0
    for start, end in removed:
        pieces.append(text[position:start])
        position = end

    def new_place(place: int) -> int:
        return place - removed_lengths[bisect_right(starts, place - 1)]

    stretches = [
        Stretch(new_place(opening.end), new_place(closing.start), opening.label or closing.label or "")
        for opening, closing in pairs
    ]
    return Unmarked("".join([*pieces, text[position:]]), stretches, stray)


def _pair_marks(marks: Iterable[Mark]) -> tuple[list[tuple[Mark, Mark]], list[Mark]]:
    """Opening and closing marks that form pairs, innermost first; and those that have no counterpart or cross."""
    pairs: list[tuple[Mark, Mark]] = []
    open_marks: list[Mark] = []
    alone: list[Mark] = []
    for mark in marks:
        if mark.opens:
            open_marks.append(mark)
            continue
        index = next((index for index in reversed(range(len(open_marks))) if open_marks[index].kind == mark.kind), None)
        if index is None:
            alone.append(mark)
            continue
        alone += open_marks[index + 1 :]
        if mark.label is not None:
            pairs.append((open_marks[index], mark))
        del open_marks[index:]
    stray = [mark for mark in [*alone, *open_marks] if not mark.stays]
    return pairs, sorted(stray)
