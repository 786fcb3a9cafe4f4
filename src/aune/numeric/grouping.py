"""Group items that have something in common, in the order in which they come."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


def group_items(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    """The items of every key.

    >>> group_items([("b", 1), ("a", 2), ("b", 3)])
    {'b': [1, 3], 'a': [2]}
    """
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def key_positions(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """The positions of every key, from 0.

    >>> key_positions("abca")
    {'a': [0, 3], 'b': [1], 'c': [2]}
    """
    return group_items((key, place) for place, key in enumerate(keys))
