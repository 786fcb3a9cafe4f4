"""Items of a key about which there can be doubts, and the alternative values in responses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aune.corrections.document_diffs import Edit


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a key, and its values in the key and in the responses of systems and annotators."""

    document: str
    place: tuple[int, int]
    """The position of the item in its document."""
    text: str
    value: Hashable
    """The key's value."""
    answers: Mapping[str, Hashable]
    """The value in each response; responses that do not cover the item are left out."""
    before: str = ""
    after: str = ""
    strings: Sequence[Hashable] = ()
    """The string of the item, alone and with contexts: items with the same string should have the same label."""
    label: Hashable = None
    """The label that items with the same string should share; by default the value."""
    variation: float | None = None
    """How far the same string is labelled differently, for tasks that compute it themselves."""
    likelihood: float | None = None
    """The probability of the key's value, by a model trained on other parts of the key; None without a model."""
    likely: Hashable = None
    """The value that this model prefers."""
    where: Any = None
    """Data that the task's `edit` and `words` need."""


class Adaptor(NamedTuple):
    """The functions by which a task provides its items."""

    items: Callable[[Sequence[Any], Mapping[str, Sequence[Any]]], list[Item]]
    """`items(documents, comparisons)`: the items of a key, from the comparisons of each system and annotator."""
    words: Callable[[Item, Hashable], str]
    """A value in words."""
    edit: Callable[[Item, Hashable], Edit | None]
    """The edit that changes the key's value to another one; None if there is none."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The words around a stretch, for display."""

    words: Sequence[str]
    reach: int = field(default=8)

    def before(self, start: int) -> str:
        return " ".join(self.words[max(start - self.reach, 0) : start])

    def after(self, end: int) -> str:
        return " ".join(self.words[end : end + self.reach])
