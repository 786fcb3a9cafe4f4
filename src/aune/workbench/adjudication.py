"""One key out of several annotations: mentions first, chains second, every decision with its author and its reason.

The key is a layer like any other, so that decisions are events and can be undone. It begins with what all annotators
agree on (`begun`). Then there are five kinds of questions. *Is this a mention?* (for entities: and of which kind), for
each extent that some have and others do not. *Are these two chains of the key one entity?*, for two chains that some
annotator ties together. *Which value has this feature?*, for a mention of the key that annotators describe differently.
*What is the name of this entity?*, or which notes and features has it, for a chain of the key about which annotators
say different things. *Is there this relation?*, for two chains of the key that some relate and others do not.

Questions come in the order of what they could still change: for chains of a and b mentions, joining them changes
2ab / (a + b) in the sum of B³'s recall; an extent is worth as much as joining it to the largest chain that somebody has
it in, and a half for being a mention at all. A feature, a name and a relation are worth the share of the pairs of
annotators who differ about them.

Annotators who never use a feature, or no relation of a kind, have no say in it. A name that only some give is taken.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import TypeAlias

import msgspec

from aune.core.errors import UsageError
from aune.workbench.decisions import (
    ACCEPT,
    APART,
    DEFINE,
    DESCRIBE,
    FEATURE,
    REJECT,
    UNRELATED,
    Decision,
    decisions,
    described_about,
    extent,
    new_id,
    sayings_of,
    with_sayings,
)
from aune.workbench.following import FollowedKey
from aune.workbench.layer import active
from aune.workbench.model import Chain, Change, Event, Mention, Relation, State, plain, position
from aune.workbench.questions import Adjudication, Choice, Defined, Described, Extent, Related, Tie, Value

Layers: TypeAlias = Mapping[str, State]
"""The annotations by their names."""
BOTH = " + "
"""Between two labels of one extent: metonymy."""


class Annotations:
    """Several annotations of a text put side by side once, for all the questions that are asked of them."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.at: dict[str, dict[str, list[Mention]]] = {}
        """What each layer has at an extent."""
        self.places: dict[str, dict[str, list[str]]] = {}
        """The extents of every chain of each layer."""
        for layer, state in layers.items():
            chains: dict[str, list[str]] = defaultdict(list)
            for mention in state.mentions.values():
                place = extent(mention)
                self.at.setdefault(place, {}).setdefault(layer, []).append(mention)
                if mention.chain is not None:
                    chains[mention.chain].append(place)
            self.places[layer] = chains
        self._uses = {
            layer: {feature for one in state.mentions.values() for feature in one.features}
            for layer, state in layers.items()
        }
        self._followed = FollowedKey(self.at, self.places)

    # Mentions.

    @cached_property
    def extents(self) -> list[Extent]:
        """The extents on which annotators differ, the most important first."""
        asked = [self._extent(place, said) for place, said in self.at.items() if not self._is_agreed(said)]
        return sorted(asked, key=lambda one: (-one.worth, one.parts, one.order))

    @cached_property
    def agreed(self) -> list[str]:
        """The extents on which all agree, in the order of the text."""
        found = [place for place, said in self.at.items() if self._is_agreed(said)]
        return sorted(found, key=lambda place: position(next(iter(self.at[place].values()))[0]))

    def _is_agreed(self, said: Mapping[str, list[Mention]]) -> bool:
        return len(said) == len(self.layers) and len({_labels(mentions) for mentions in said.values()}) == 1

    def _extent(self, place: str, said: Mapping[str, list[Mention]]) -> Extent:
        labels: dict[str, list[str]] = {}
        others = 0
        for layer, mentions in said.items():
            labels.setdefault(_labels(mentions), []).append(layer)
            chains = self.places[layer]
            others = max(
                others, *(len(chains[mention.chain]) - 1 if mention.chain is not None else 0 for mention in mentions)
            )
        sample = next(iter(said.values()))[0]
        choices = [Choice(label=label, layers=names) for label, names in labels.items()]
        return Extent(
            about=place, parts=list(sample.parts), order=sample.order,
            choices=sorted(choices, key=lambda choice: (-len(choice.layers), choice.label)),
            without=[layer for layer in self.layers if layer not in said], worth=_worth(1, others) + 0.5,
        )  # fmt: skip

    # Features.

    @cached_property
    def features(self) -> list[Described]:
        """The features on which annotators of a mention differ, the most important first."""
        if sum(bool(used) for used in self._uses.values()) < 2:
            return []
        asked: list[Described] = []
        for place, said in self.at.items():
            if len(said) > 1:
                for label in {mention.label for mentions in said.values() for mention in mentions}:
                    asked += self._described(place, label)
        return sorted(asked, key=lambda one: (-one.worth, one.parts, one.order, one.label, one.feature))

    def _described(self, place: str, label: str) -> list[Described]:
        found = []
        for feature, said in self._values(place, label).items():
            if len(set(said.values())) > 1:
                sample = next(iter(self.at[place].values()))[0]
                choices, without = _voices(said)
                found.append(
                    Described(
                        about=place, label=label, feature=feature, parts=list(sample.parts), order=sample.order,
                        choices=choices, without=without, worth=_split([one.layers for one in choices], without),
                    )
                )  # fmt: skip
        return found

    def _values(self, place: str, label: str) -> dict[str, dict[str, str]]:
        """For every feature that somebody gives a mention, what those say who have the mention and use the feature."""
        has = {
            layer: mention.features
            for layer, mentions in self.at[place].items()
            for mention in reversed(mentions)
            if mention.label == label
        }
        names = dict.fromkeys(name for features in has.values() for name in features)
        return {
            name: {layer: features.get(name, "") for layer, features in has.items() if name in self._uses[layer]}
            for name in names
        }

    def _described_alike(self, place: str, label: str) -> dict[str, str]:
        """The features of a mention on which all agree."""
        values = self._values(place, label)
        return {name: next(iter(said.values())) for name, said in values.items() if len(set(said.values())) == 1}

    # The key as it stands.

    def adjudicated(self, key: State, decided: Sequence[Decision], most: int | None = None) -> Adjudication:
        """Where the making of a key stands after the decisions that count; at most so many questions of each kind."""
        now = self._followed
        now.follow(key)
        by_operation: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for one in decided:
            by_operation[one.operation].add(tuple(one.about))
        rejected = {place for about in by_operation[REJECT] for place in about}
        mentions = [
            extent for extent in self.extents if extent.about not in rejected and not now.names.get(extent.about)
        ]
        ties = self._open_ties(now, by_operation[APART])
        features = self._open_features(now, by_operation[DESCRIBE])
        chains = self._open_chains(now, by_operation[DEFINE])
        relations = self._open_relations(now, by_operation[UNRELATED])
        return Adjudication(
            mentions=mentions[:most],
            ties=[self._tie(now, *one) for one in ties[:most]],
            features=features[:most],
            chains=chains[:most],
            relations=relations[:most],
            open={
                "mentions": len(mentions), "ties": len(ties), "features": len(features), "chains": len(chains),
                "relations": len(relations),
            },
            decisions=list(decided),
            agreed=len(self.agreed),
        )  # fmt: skip

    def _open_features(self, now: FollowedKey, decided: set[tuple[str, ...]]) -> list[Described]:
        asked = []
        for one in self.features:
            for name in now.names.get(one.about, ()):
                mention = now.key.mentions[name]
                if (
                    mention.label == one.label
                    and one.feature not in mention.features
                    and described_about(one.about, one.feature, one.label) not in decided
                ):
                    asked.append(msgspec.structs.replace(one, mention=name))
                    break
        return asked

    # Chains.

    def _open_ties(self, now: FollowedKey, apart: Iterable[tuple[str, ...]]) -> list[tuple[str, str]]:
        """The pairs of key chains on which annotators differ, the most important first."""
        kept_apart = {frozenset(map(now.home, pair)) for pair in apart}
        ranked = []
        for pair in now.together:
            if frozenset(pair) not in kept_apart:
                (first, one), (second, other) = sorted(
                    ((now.chains[chain], chain) for chain in pair), key=lambda both: (both[0].position, both[1])
                )
                ranked.append((-_worth(first.size, second.size), first.position, second.position, one, other))
        return [(one, other) for *_, one, other in sorted(ranked)]

    def _tie(self, now: FollowedKey, first: str, second: str) -> Tie:
        names = now.together[min(first, second), max(first, second)]
        others = [layer for layer in self.layers if layer not in names]
        return Tie(
            about=[now.extent_of(first), now.extent_of(second)], first=first, second=second,
            together=[layer for layer in self.layers if layer in names],
            apart=[layer for layer in others if now.has(layer, first) and now.has(layer, second)],
            worth=_worth(now.chains[first].size, now.chains[second].size),
        )  # fmt: skip

    # What is said of chains.

    @cached_property
    def _said(self) -> dict[str, dict[str, dict[str, str]]]:
        """The chains of each layer of which something is said, and what."""
        said = {
            layer: {name: sayings_of(chain) for name, chain in state.chains.items()}
            for layer, state in self.layers.items()
        }
        return {layer: {name: one for name, one in chains.items() if one} for layer, chains in said.items()}

    @cached_property
    def _speaks(self) -> dict[str, set[str]]:
        """What each layer says of some chain or other."""
        return {layer: {what for chain in chains.values() for what in chain} for layer, chains in self._said.items()}

    def _open_chains(self, now: FollowedKey, decided: set[tuple[str, ...]]) -> list[Defined]:
        """What annotators say differently of chains of the key, the most important first."""
        said: dict[tuple[str, str], dict[str, tuple[int, str]]] = defaultdict(dict)
        for layer, chains in self._said.items():
            for chain, sayings in chains.items():
                met = Counter(home for place in self.places[layer].get(chain, ()) if (home := now.home(place)))
                for (home, shared), (what, value) in product(met.items(), sayings.items()):
                    before = said[home, what].get(layer, (0, ""))
                    said[home, what][layer] = max(before, (shared, value))
        answered = {(what, now.home(place)) for what, place in decided}
        asked = []
        for (home, what), by_layer in said.items():
            if (what, home) in answered or what in sayings_of(now.key.chains[home]):
                continue
            silent = [one for one in self.layers if one not in by_layer and what in self._speaks[one]]
            voices = {layer: value for layer, (_, value) in by_layer.items()}
            choices, without = _voices(voices | {one: "" for one in silent if now.has(one, home)})
            if len(choices) > 1 or (without and what.startswith(FEATURE)):
                asked.append(
                    Defined(
                        about=[what, now.extent_of(home)], what=what, chain=home, choices=choices, without=without,
                        worth=_split([one.layers for one in choices], without),
                    )
                )  # fmt: skip
        return sorted(asked, key=lambda one: (-one.worth, now.chains[one.chain].position, one.what))

    def _chain(self, chains: Mapping[str, str | None]) -> Chain:
        """What the annotators who speak of such things say alike of a chain, given its name in each layer."""
        said = {layer: self._said[layer].get(name or "", {}) for layer, name in chains.items()}
        alike = {}
        for what in {what for sayings in said.values() for what in sayings}:
            values = {sayings.get(what, "") for layer, sayings in said.items() if what in self._speaks[layer]}
            values -= {""} if not what.startswith(FEATURE) else set()
            if len(values) == 1:
                alike[what] = values.pop()
        return with_sayings(Chain(), alike)

    # Relations.

    def _open_relations(self, now: FollowedKey, decided: set[tuple[str, ...]]) -> list[Related]:
        """The relations between chains of the key that some annotators have, the most important first."""
        using = {
            layer: {relation.kind for relation in state.relations.values()} for layer, state in self.layers.items()
        }
        said: dict[tuple[str, str, tuple[str, ...]], list[str]] = defaultdict(list)
        for layer, state in self.layers.items():
            for relation in state.relations.values():
                source, *targets = (self._most(now, layer, one) for one in (relation.source, *relation.targets))
                met = {target for target in targets if target is not None} - {source}
                asked_of = tuple(sorted(met, key=lambda chain: (now.chains[chain].position, chain)))
                if source is not None and met and layer not in said[relation.kind, source, asked_of]:
                    said[relation.kind, source, asked_of].append(layer)
        there = {(one.kind, one.source, frozenset(one.targets)) for one in now.key.relations.values()}
        answered = {(about[0], *map(now.home, about[1:])) for about in decided}
        asked = []
        for (kind, source, chains), names in said.items():
            if names and (kind, source, frozenset(chains)) not in there and (kind, source, *chains) not in answered:
                without = [layer for layer in self.layers if layer not in names and kind in using[layer]]
                asked.append(
                    Related(
                        about=[kind, *map(now.extent_of, (source, *chains))], kind=kind, source=source,
                        targets=list(chains), layers=names, without=without, worth=_split([names], without),
                    )
                )  # fmt: skip
        return sorted(asked, key=lambda one: (-one.worth, now.chains[one.source].position, one.about))

    def _most(self, now: FollowedKey, layer: str, chain: str) -> str | None:
        """The chain of the key that holds most of an annotator's chain."""
        met = Counter(home for place in self.places[layer].get(chain, ()) if (home := now.home(place)))
        return min(met, key=lambda chain: (-met[chain], chain)) if met else None

    # What all agree on, and the events that answer questions.

    def begun(self) -> State:
        """What all annotators agree on: the extents that all have, together where all put them together."""
        if not self.layers:
            raise UsageError("a key is made from annotations: give at least one layer")
        first = next(iter(self.layers))
        mentions: dict[str, Mention] = {}
        homes: dict[tuple[str | None, ...], str] = {}
        for place in self.agreed:
            said = tuple(here[-1].chain for here in (self.at[place][layer] for layer in self.layers))
            for mention in self.at[place][first]:
                home = None
                if not mention.label:
                    home = homes.setdefault(said if None not in said else (place,), f"c{len(homes)}")
                features = self._described_alike(place, mention.label)
                mentions[f"m{len(mentions)}"] = msgspec.structs.replace(mention, chain=home, features=features)
        chains = {
            home: self._chain(dict(zip(self.layers, said, strict=True))) if len(said) == len(self.layers) else Chain()
            for said, home in homes.items()
        }
        begun = State(mentions, chains)
        self._followed.follow(begun)
        agreed = [relation for relation in self._open_relations(self._followed, set()) if not relation.without]
        relations = {
            f"r{number}": Relation(kind=one.kind, source=one.source, targets=tuple(one.targets))
            for number, one in enumerate(agreed)
        }
        return msgspec.structs.replace(begun, relations=relations)

    def accepted(self, key: State, about: str, label: str = "", reason: str = "") -> Event:
        """The event by which an extent becomes a mention of the key: several, for several labels.

        It joins the chain that all who have it put it in; where they differ, or nothing of their chains is in the key,
        it begins one, and the rest is asked later.
        """
        said = self.at.get(about, {})
        sample = next((mentions[0] for mentions in said.values() if _labels(mentions) == label), None)
        if sample is None:
            raise UsageError(
                f"found no annotation of the extent {about!r} with the label {label!r}: choose one that is"
            )
        new = new_id()
        changes: list[Change] = []
        chain = None
        if not label:
            homes = [self._homes(layer, key, about) for layer in said]
            agreed = homes[0] if len(homes[0]) == 1 and all(one == homes[0] for one in homes) else set()
            chain = min(agreed) if agreed else f"c-{new}"
            if not agreed:
                chains = {layer: mentions[-1].chain for layer, mentions in said.items()}
                changes.append(("chains", chain, plain(self._chain(chains))))
        for number, one in enumerate(label.split(BOTH)):
            mention = msgspec.structs.replace(
                sample, label=one, chain=chain, features=self._described_alike(about, one)
            )
            changes.append(("mentions", f"m-{new}" if not number else f"m-{new}-{number}", plain(mention)))
        return Event(id=new, operation=ACCEPT, changes=tuple(changes), reason=reason, about=(about,))

    def _homes(self, layer: str, key: State, about: str) -> set[str]:
        """The chains of the key that hold what an annotator puts together with an extent."""
        self._followed.follow(key)
        chains = {mention.chain for mention in self.at[about][layer]} - {None}
        together = {place for chain in chains if chain is not None for place in self.places[layer][chain]}
        return {home for place in together if (home := self._followed.home(place))}


def adjudicated(layers: Layers, key: State, log: Iterable[Event]) -> Adjudication:
    """Where the making of a key stands."""
    return Annotations(layers).adjudicated(key, decisions(active(log)))


def begun(layers: Layers) -> State:
    """What all annotators agree on."""
    return Annotations(layers).begun()


def accepted(layers: Layers, key: State, about: str, label: str = "", reason: str = "") -> Event:
    """The event by which an extent becomes a mention of the key."""
    return Annotations(layers).accepted(key, about, label, reason)


def _labels(mentions: Sequence[Mention]) -> str:
    return mentions[0].label if len(mentions) == 1 else BOTH.join(sorted({mention.label for mention in mentions}))


def _worth(one: int, other: int) -> float:
    return 2 * one * other / (one + other) if one and other else 0.0


def _voices(said: Mapping[str, str]) -> tuple[list[Value], list[str]]:
    """What annotators say, what most say first; and those who say nothing."""
    values: dict[str, list[str]] = {}
    for layer, value in said.items():
        values.setdefault(value, []).append(layer)
    without = values.pop("", [])
    choices = [Value(value=value, layers=names) for value, names in values.items()]
    return sorted(choices, key=lambda one: (-len(one.layers), one.value)), without


def _split(voices: Sequence[Sequence[str]], without: Sequence[str]) -> float:
    """The share of the pairs of annotators who say different things."""
    sizes = [len(names) for names in (*voices, without)]
    every = sum(sizes)
    same = sum(size * (size - 1) for size in sizes)
    return 1 - same / (every * (every - 1)) if every > 1 else 0.0
