"""Which things hang together, when some of them are tied two by two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class Ties(Generic[Thing]):
    """Groups of things, each led by the one that came first.

    >>> ties = Ties("abcd")
    >>> ties.tie("d", "b")
    >>> ties.lead("d"), ties.pieces("dcb")
    ('b', [['d', 'b'], ['c']])
    """

    def __init__(self, things: Iterable[Thing]) -> None:
        self._leader = {thing: thing for thing in things}
        self._place = {thing: number for number, thing in enumerate(self._leader)}

    def lead(self, thing: Thing) -> Thing:
        """The first of those that hang together with a thing, which may be itself."""
        while self._leader[thing] != thing:
            self._leader[thing] = thing = self._leader[self._leader[thing]]
        return thing

    def tie(self, *things: Thing) -> None:
        """Have things hang together, and all that hangs together with them."""
        for thing in things[1:]:
            first, second = sorted((self.lead(things[0]), self.lead(thing)), key=self._place.__getitem__)
            self._leader[second] = first

    def pieces(self, things: Iterable[Thing]) -> Sequence[list[Thing]]:
        """Some of the things, in the groups that they make."""
        found: dict[Thing, list[Thing]] = defaultdict(list)
        for thing in things:
            found[self.lead(thing)].append(thing)
        return list(found.values())
