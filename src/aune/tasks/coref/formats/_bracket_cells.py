"""Cells of brackets, as CoNLL-2012, CorefUD and CoNLL-UA have them: where mentions open and close, and new cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Bracket(NamedTuple):
    """A piece of a cell: `(1`, `1)` or `(1)`."""

    opens: str | None
    """What stands after the bracket that opens; None when none does."""
    closes: bool
    name: str
    """What stands before the bracket that closes alone."""
    text: str


@dataclass
class MentionPart:
    """A mention in one piece, or a part of one: the tokens and brackets where it opens and closes."""

    name: str
    opened: tuple[int, int]
    closed: tuple[int, int]


@dataclass
class Cell:
    """What a cell holds and how it shall change."""

    brackets: list[Bracket]
    joint: str
    """What stands between two brackets."""
    gone: set[int] = field(default_factory=set)
    ends: dict[int, int] = field(default_factory=dict)
    """Where the mention of an opening bracket ends."""
    closing: list[tuple[int, str]] = field(default_factory=list)
    """New brackets: where the mention begins, and the text."""
    opening: list[tuple[int, str]] = field(default_factory=list)
    """New brackets: where the mention ends, and the text."""

    @property
    def is_changed(self) -> bool:
        return bool(self.gone or self.closing or self.opening)

    def text(self) -> str:
        """What the cell becomes: new brackets that close, the inner first, before all that open, the wider first."""
        remaining = [
            (self.ends.get(index, -1), bracket.text)
            for index, bracket in enumerate(self.brackets)
            if index not in self.gone
        ]
        first = next((place for place, (end, _) in enumerate(remaining) if end >= 0), len(remaining))
        remaining[first:first] = [(-1, text) for _, text in sorted(self.closing, key=lambda bracket: -bracket[0])]
        texts: list[str] = []
        place = 0
        for end, text in sorted(self.opening, key=lambda bracket: -bracket[0]):
            while place < len(remaining) and not 0 <= remaining[place][0] < end:
                texts.append(remaining[place][1])
                place += 1
            texts.append(text)
        return self.joint.join([*texts, *(text for _, text in remaining[place:])])


def parse_brackets(cell: str, pattern: re.Pattern[str]) -> list[Bracket]:
    """The brackets of a cell."""
    return [
        Bracket(match[1], bool(match[2]), match[3] or "", match[0]) if match[1] is not None
        else Bracket(None, True, match[3] or "", match[0])
        for match in pattern.finditer(cell)
    ]  # fmt: skip


def mention_parts(cells: Sequence[Cell], name: Callable[[str], str]) -> list[MentionPart]:
    """The mentions in the order in which they open; `name` is what a closing bracket calls an opening one."""
    opened_parts: list[MentionPart] = []
    waiting: list[MentionPart] = []
    for token, cell in enumerate(cells):
        for index, bracket in enumerate(cell.brackets):
            if bracket.opens is not None:
                part = MentionPart(name(bracket.opens), (token, index), (token, index))
                opened_parts.append(part)
                if not bracket.closes:
                    waiting.append(part)
            else:
                places, closed = range(len(waiting) - 1, -1, -1), bracket.name and name(bracket.name)
                place = next((place for place in places if closed in ("", waiting[place].name)), None)
                if place is not None:  # readers that mind have refused brackets that close nothing
                    waiting.pop(place).closed = (token, index)
    for part in opened_parts:
        cells[part.opened[0]].ends[part.opened[1]] = part.closed[0] + 1
    return opened_parts


def remove_brackets(cells: Sequence[Cell], gone: Iterable[MentionPart]) -> None:
    """Take the brackets of some mentions out of their cells."""
    for part in gone:
        for token, index in (part.opened, part.closed):
            cells[token].gone.add(index)


def new_cells(joint: str) -> defaultdict[int, Cell]:
    """The cells of a new file by token: empty until a mention is put into them."""
    return defaultdict(lambda: Cell([], joint))


def add_brackets(cells: Sequence[Cell] | Mapping[int, Cell], start: int, end: int, opened: str, closed: str) -> None:
    """Put the brackets of a mention into the cells of its first and last token."""
    alone = end == start + 1
    cells[start].opening.append((end, f"({opened})" if alone else f"({opened}"))
    if not alone:
        cells[end - 1].closing.append((start, f"{closed})"))
