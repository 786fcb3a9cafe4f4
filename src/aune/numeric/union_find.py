"""Connected items, given links between pairs of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class UnionFind(Generic[Item]):
    """Groups of items, each represented by the one that was added first.

    >>> ties = UnionFind("abcd")
    >>> ties.union("d", "b")
    >>> ties.find("d"), ties.groups("dcb")
    ('b', [['d', 'b'], ['c']])
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._leader = {item: item for item in items}
        self._place = {item: number for number, item in enumerate(self._leader)}

    def find(self, item: Item) -> Item:
        """The representative of an item's group, which may be the item itself."""
        while self._leader[item] != item:
            self._leader[item] = item = self._leader[self._leader[item]]
        return item

    def union(self, *items: Item) -> None:
        """Merge the groups of some items."""
        for item in items[1:]:
            first, second = sorted((self.find(items[0]), self.find(item)), key=self._place.__getitem__)
            self._leader[second] = first

    def groups(self, items: Iterable[Item]) -> Sequence[list[Item]]:
        """Some of the items, in their groups."""
        groups: dict[Item, list[Item]] = defaultdict(list)
        for item in items:
            groups[self.find(item)].append(item)
        return list(groups.values())
