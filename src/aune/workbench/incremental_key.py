"""A key under adjudication, with an index for the questions that is updated only where the key changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from aune.workbench.decisions import extent_id
from aune.workbench.model import Mention, State, mention_sort_key

MAX_PAIRED = 60  # if an annotator's chain joins more key chains than this, only neighbouring ones are paired


class KeyChain(NamedTuple):
    """A chain of the key: its first mention, the position of that mention, and the number of mentions."""

    first: str
    position: tuple[Any, ...]
    size: int


class IncrementalKey:
    """A key under adjudication, with an index for the questions that is updated only where the key changes."""

    def __init__(
        self, by_extent: Mapping[str, Mapping[str, list[Mention]]], chain_extents: Mapping[str, Mapping[str, list[str]]]
    ):
        self._by_extent = by_extent
        """The mentions of each annotator at an extent."""
        self._chain_extents = chain_extents
        """The extents of every chain of each annotator."""
        self.key = State()
        self.extents: dict[str, str] = {}
        """The extent of every mention."""
        self.names: dict[str, list[str]] = defaultdict(list)
        """The mentions at an extent."""
        self.members: dict[str, set[str]] = defaultdict(set)
        self.chains: dict[str, KeyChain] = {}
        self.together: dict[tuple[str, str], set[str]] = defaultdict(set)
        """For two chains, the annotators who have mentions of both in one chain."""
        self._pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
        """The same pairs, by the chains of annotators that cause them."""

    def chain_at(self, place: str) -> str | None:
        """The chain of the key that contains an extent."""
        chains = [self.key.mentions[name].chain for name in self.names.get(place, ())]
        return next((chain for chain in reversed(chains) if chain is not None), None)

    def follow(self, key: State) -> None:
        """Update the index to a new state of the key."""
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
        """The annotators' chains that contain some extents, each with its layer."""
        return {
            (layer, mention.chain)
            for place in places
            for layer, mentions in self._by_extent.get(place, {}).items()
            for mention in mentions
            if mention.chain is not None
        }

    def _update_pairs(self, layer: str, chain: str) -> None:
        """Update the pairs of key chains that an annotator's chain joins."""
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
        """The extent of a mention, or of the first mention of a chain, as decisions write it."""
        return self.extents[self.chains[name].first if name in self.chains else name]

    def position_of(self, name: str) -> tuple[Any, ...]:
        """The position of a mention, or of the first mention of a chain."""
        return self.chains[name].position if name in self.chains else mention_sort_key(self.key.mentions[name])

    def end_at(self, place: str) -> str | None:
        """The end of a relation at an extent: its chain, or its mention in tasks without chains."""
        return self.chain_at(place) or next(iter(self.names.get(place, ())), None)

    def has_mention(self, layer: str, chain: str) -> bool:
        """Whether an annotator has a mention at an extent of a chain."""
        return any(layer in self._by_extent.get(self.extents[name], ()) for name in self.members[chain])
