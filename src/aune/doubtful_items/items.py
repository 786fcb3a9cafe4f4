"""Items of a key as doubts are about them, and the alternatives that others give."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aune.corrections.document_diffs import Edit


@dataclass(frozen=True, slots=True)
class Item:
    """Something that the key says, and what systems and annotators say instead."""

    document: str
    place: tuple[int, int]
    """Where it is, in positions of its document."""
    text: str
    value: Hashable
    """What the key says."""
    answers: Mapping[str, Hashable]
    """What each system or annotator says; nobody is here who did not see the item."""
    before: str = ""
    after: str = ""
    strings: Sequence[Hashable] = ()
    """The item as a string alone, then with its context: items with the same one should have the same label."""
    label: Hashable = None
    """What items of one string should share; the value unless something else is set."""
    variation: float | None = None
    """How far the same string is labelled otherwise, for tasks that count it themselves."""
    likelihood: float | None = None
    """The probability that a model trained on other parts of the key gives to the key's value; None without one."""
    likely: Hashable = None
    """What that model would say."""
    where: Any = None
    """What the task's `edit` must know of it."""


class Adaptor(NamedTuple):
    """What a task says of its items."""

    items: Callable[[Sequence[Any], Mapping[str, Sequence[Any]]], list[Item]]
    """`items(documents, comparisons)`: the items of a key, from the comparisons of each system and annotator."""
    words: Callable[[Item, Hashable], str]
    """A value in words."""
    edit: Callable[[Item, Hashable], Edit | None]
    """The edit that makes a value that of the key; None where there is none."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The words around a stretch, for people."""

    words: Sequence[str]
    reach: int = field(default=8)

    def before(self, start: int) -> str:
        return " ".join(self.words[max(start - self.reach, 0) : start])

    def after(self, end: int) -> str:
        return " ".join(self.words[end : end + self.reach])
