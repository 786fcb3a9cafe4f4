"""A key as it changes while it is made: what every question asks of it, redone only where it changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from aune.workbench.decisions import extent_id
from aune.workbench.model import Mention, State, mention_sort_key

MAX_PAIRED = 60  # key chains that one annotator puts together of which all pairs are asked; of more, neighbours only


class KeyChain(NamedTuple):
    """A chain of the key: its first mention, where that is, and how many there are."""

    first: str
    position: tuple[Any, ...]
    size: int


class IncrementalKey:
    """A key as it changes: what every question asks of it, redone only where it changed."""

    def __init__(
        self, by_extent: Mapping[str, Mapping[str, list[Mention]]], chain_extents: Mapping[str, Mapping[str, list[str]]]
    ):
        self._by_extent = by_extent
        """What each annotator has at an extent."""
        self._chain_extents = chain_extents
        """The extents of every chain of each annotator."""
        self.key = State()
        self.extents: dict[str, str] = {}
        """Where every mention is."""
        self.names: dict[str, list[str]] = defaultdict(list)
        """The mentions at an extent."""
        self.members: dict[str, set[str]] = defaultdict(set)
        self.chains: dict[str, KeyChain] = {}
        self.together: dict[tuple[str, str], set[str]] = defaultdict(set)
        """For two chains, the annotators who put mentions of both together."""
        self._pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
        """The same by the chains of annotators."""

    def chain_at(self, place: str) -> str | None:
        """The chain of the key in which an extent is."""
        chains = [self.key.mentions[name].chain for name in self.names.get(place, ())]
        return next((chain for chain in reversed(chains) if chain is not None), None)

    def follow(self, key: State) -> None:
        """Take in what a key has become."""
        before, self.key = self.key.mentions, key
        gone = [name for name, mention in before.items() if key.mentions.get(name) is not mention]
        new = [name for name, mention in key.mentions.items() if before.get(name) is not mention]
        places: set[str] = set()
        chains: set[str] = set()
        for name in gone:
            place = self.extents.pop(name)
            places.add(place)
            self.names[place].remove(name)
            if (chain := before[name].chain) is not None:
                self.members[chain].remove(name)
                chains.add(chain)
        for name in new:
            place = self.extents[name] = extent_id(key.mentions[name])
            places.add(place)
            self.names[place].append(name)
            if (chain := key.mentions[name].chain) is not None:
                self.members[chain].add(name)
                chains.add(chain)
        for chain in chains:
            self._update_chain(chain)
        for layer, dirty in self._annotator_chains(places):
            self._update_pairs(layer, dirty)

    def _update_chain(self, chain: str) -> None:
        names = self.members[chain]
        if names:
            place, first = min((mention_sort_key(self.key.mentions[name]), name) for name in names)
            self.chains[chain] = KeyChain(first, place, len(names))
        else:
            del self.members[chain]
            self.chains.pop(chain, None)

    def _annotator_chains(self, places: Iterable[str]) -> set[tuple[str, str]]:
        """The chains of annotators that hold some extents, with their layers."""
        return {
            (layer, mention.chain)
            for place in places
            for layer, mentions in self._by_extent.get(place, {}).items()
            for mention in mentions
            if mention.chain is not None
        }

    def _update_pairs(self, layer: str, chain: str) -> None:
        """Which chains of the key an annotator's chain puts together."""
        for pair in self._pairs.pop((layer, chain), ()):
            self.together[pair].discard(layer)
            if not self.together[pair]:
                del self.together[pair]
        homes = sorted({home for place in self._chain_extents[layer][chain] if (home := self.chain_at(place))})
        if len(homes) > 1:
            pairs = list(combinations(homes, 2) if len(homes) <= MAX_PAIRED else pairwise(homes))
            self._pairs[layer, chain] = pairs
            for pair in pairs:
                self.together[pair].add(layer)

    def extent_of(self, name: str) -> str:
        """The extent of a mention, or the first one of a chain, by which decisions name it."""
        return self.extents[self.chains[name].first if name in self.chains else name]

    def position_of(self, name: str) -> tuple[Any, ...]:
        """Where a mention is, or where a chain begins."""
        return self.chains[name].position if name in self.chains else mention_sort_key(self.key.mentions[name])

    def end_at(self, place: str) -> str | None:
        """What a relation names of an extent: its chain, or its mention where there are no chains."""
        return self.chain_at(place) or next(iter(self.names.get(place, ())), None)

    def has_mention(self, layer: str, chain: str) -> bool:
        """Whether an annotator has a mention of a chain."""
        return any(layer in self._by_extent.get(self.extents[name], ()) for name in self.members[chain])
