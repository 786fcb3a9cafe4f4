"""One key out of several annotations: mentions first, chains second, every decision with its author and its reason.

The key is a layer like any other, so that decisions are events and can be undone. It begins with what all annotators
agree on (`begun`). Then there are two kinds of questions. *Is this a mention?* (for entities: and of which kind), for
each extent that some have and others do not. *Are these two chains of the key one entity?*, for two chains that some
annotator ties together. A question is answered by an event whose field `about`
names it: `accept` and `reject` an extent, `join` two chains or keep them `apart`. What is rejected or kept apart
changes nothing in the state, and is in the log all the same.

Questions come in the order of what they could still change: for chains of a and b mentions, joining them changes
2ab / (a + b) in the sum of B³'s recall; an extent is worth as much as joining it to the largest chain that somebody has
it in, and a half for being a mention at all.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

import msgspec

from aune.core.errors import UsageError
from aune.workbench.layer import active
from aune.workbench.model import Chain, Change, Event, Mention, State, in_text_order, members, plain

Layers: TypeAlias = Mapping[str, State]
"""The annotations by their names."""
ACCEPT, REJECT, JOIN, APART = "accept", "reject", "join", "apart"
OPERATIONS = (ACCEPT, REJECT, JOIN, APART)
MOST_MET = 60  # key chains that one annotator puts together of which all pairs are asked; of more, neighbours only


def extent(mention: Mention) -> str:
    """Where a mention is, as decisions name it.

    >>> extent(Mention(parts=((0, 3), (5, 7)))), extent(Mention(parts=((4, 4),), order=1))
    ('0-3+5-7', '4-4@1')
    """
    place = "+".join(f"{start}-{end}" for start, end in mention.parts)
    return f"{place}@{mention.order}" if mention.order else place


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What some annotators say of an extent."""

    label: str
    """The kind of the entity; '' for a mention of a chain."""
    layers: list[str]


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """Is this a mention?"""

    about: str
    parts: list[tuple[int, int]]
    order: int
    choices: list[Choice]
    without: list[str]
    """Those who do not have it."""
    worth: float


class Tie(msgspec.Struct, frozen=True, kw_only=True):
    """Are these two chains of the key one entity?"""

    about: list[str]
    """An extent of each."""
    first: str
    second: str
    """The chains, the one that comes first in the text first."""
    together: list[str]
    apart: list[str]
    """Who ties mentions of the two, and who has mentions of both and does not."""
    worth: float


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided, and why. The version tells the author in the log."""

    version: int
    operation: str
    about: list[str]
    reason: str


class Adjudication(msgspec.Struct, frozen=True, kw_only=True):
    """What is decided and what is not, the most important questions first."""

    mentions: list[Extent]
    ties: list[Tie]
    decisions: list[Decision]
    agreed: int
    """Extents on which all agreed from the beginning."""


def adjudicated(layers: Layers, key: State, log: Iterable[Event]) -> Adjudication:
    """Where the making of a key stands."""
    decided = [
        Decision(version=version, operation=event.operation, about=list(event.about), reason=event.reason)
        for version, event in active(log)
        if event.operation in OPERATIONS
    ]
    found = _extents(layers)
    here = {extent(mention) for mention in key.mentions.values()}
    answered = here | {place for one in decided if one.operation == REJECT for place in one.about}
    open_extents = [one for place, one in found.items() if place not in answered and not _agreed(one, len(layers))]
    apart = [frozenset(one.about) for one in decided if one.operation == APART]
    return Adjudication(
        mentions=sorted(open_extents, key=lambda one: (-one.worth, one.parts, one.order)),
        ties=_ties(layers, key, apart),
        decisions=decided,
        agreed=sum(_agreed(one, len(layers)) for one in found.values()),
    )


# Mentions.


def _extents(layers: Layers) -> dict[str, Extent]:
    """Every extent that anybody has, in the order of the text."""
    said: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    samples: dict[str, Mention] = {}
    largest: Counter[str] = Counter()
    for layer, state in layers.items():
        sizes = Counter(mention.chain for mention in state.mentions.values() if mention.chain is not None)
        for mention in state.mentions.values():
            place = extent(mention)
            said[place][layer].add(mention.label)
            samples.setdefault(place, mention)
            largest[place] = max(largest[place], sizes[mention.chain] - 1 if mention.chain is not None else 0)
    order = in_text_order({place: samples[place] for place in said})
    return {place: _extent(place, samples[place], said[place], layers, largest[place]) for place in order}


def _extent(place: str, sample: Mention, said: Mapping[str, set[str]], layers: Layers, others: int) -> Extent:
    labels: dict[str, list[str]] = {}
    for layer in layers:
        for label in sorted(said.get(layer, ())):
            labels.setdefault(label, []).append(layer)
    choices = [Choice(label=label, layers=names) for label, names in labels.items()]
    return Extent(
        about=place, parts=list(sample.parts), order=sample.order,
        choices=sorted(choices, key=lambda choice: (-len(choice.layers), choice.label)),
        without=[layer for layer in layers if layer not in said], worth=_worth(1, others) + 0.5,
    )  # fmt: skip


def _agreed(found: Extent, layers: int) -> bool:
    return not found.without and all(len(choice.layers) == layers for choice in found.choices)


def _worth(one: int, other: int) -> float:
    return 2 * one * other / (one + other) if one and other else 0.0


# Chains.


def _ties(layers: Layers, key: State, apart: Sequence[frozenset[str]]) -> list[Tie]:
    """The pairs of key chains on which annotators differ, the most important first."""
    places = {name: extent(mention) for name, mention in key.mentions.items()}
    home = {places[name]: mention.chain for name, mention in key.mentions.items() if mention.chain is not None}
    inside = members(key)
    together: dict[tuple[str, str], set[str]] = defaultdict(set)
    for layer, state in layers.items():
        for met in _chains_met(state, home):
            for pair in combinations(met, 2) if len(met) <= MOST_MET else pairwise(met):
                together[pair].add(layer)
    has = {layer: {home[place] for one in state.mentions.values() if (place := extent(one)) in home}
           for layer, state in layers.items()}  # fmt: skip
    order = {chain: key.mentions[names[0]].start for chain, names in inside.items() if names}
    kept_apart = {frozenset(home.get(place) for place in pair) for pair in apart}
    ties = []
    for pair, names in together.items():
        against = [layer for layer in layers if layer not in names and set(pair) <= has[layer]]
        if frozenset(pair) not in kept_apart:
            first, second = sorted(pair, key=lambda chain: (order[chain], chain))
            ties.append(
                Tie(
                    about=[places[inside[first][0]], places[inside[second][0]]], first=first, second=second,
                    together=[layer for layer in layers if layer in names], apart=against,
                    worth=_worth(len(inside[first]), len(inside[second])),
                )
            )  # fmt: skip
    return sorted(ties, key=lambda one: (-one.worth, order[one.first], order[one.second], one.first, one.second))


def _chains_met(state: State, home: Mapping[str, str | None]) -> list[list[str]]:
    """For each chain of a state, the chains of the key that its mentions are in."""
    met: dict[str, set[str]] = defaultdict(set)
    for mention in state.mentions.values():
        chain = home.get(extent(mention))
        if mention.chain is not None and chain is not None:
            met[mention.chain].add(chain)
    return [sorted(chains) for chains in met.values()]


# What all agree on, and the events that answer questions.


def begun(layers: Layers) -> State:
    """What all annotators agree on: the extents that all have, together where all put them together."""
    if not layers:
        raise UsageError("a key is made from annotations: give at least one layer")
    agreed = [one for one in _extents(layers).values() if _agreed(one, len(layers))]
    first = next(iter(layers.values()))
    by_place: dict[str, list[Mention]] = defaultdict(list)
    for name in in_text_order(first.mentions):
        by_place[extent(first.mentions[name])].append(first.mentions[name])
    chains: list[dict[str, str | None]] = [
        {extent(mention): mention.chain for mention in state.mentions.values()} for state in layers.values()
    ]
    mentions: dict[str, Mention] = {}
    homes: dict[tuple[str | None, ...], str] = {}
    for one in agreed:
        said = tuple(chain[one.about] for chain in chains)
        for mention in by_place[one.about]:
            home = None
            if not mention.label:
                home = homes.setdefault(said if None not in said else (one.about,), f"c{len(homes)}")
            mentions[f"m{len(mentions)}"] = msgspec.structs.replace(mention, chain=home)
    return State(mentions, {name: Chain() for name in homes.values()})


def accepted(layers: Layers, key: State, about: str, label: str = "", reason: str = "") -> Event:
    """The event by which an extent becomes a mention of the key.

    It joins the chain that all who have it put it in; where they differ, or nothing of their chains is in the key, it
    begins one, and the rest is asked later.
    """
    sample = next((one for state in layers.values() for one in _at(state, about) if one.label == label), None)
    if sample is None:
        raise UsageError(f"found no annotation of the extent {about!r} with the label {label!r}: choose one that is")
    new = _new()
    changes: list[Change] = []
    chain = None
    if not label:
        said = [_homes(state, key, about) for state in layers.values() if _at(state, about)]
        agreed = said[0] if said and len(said[0]) == 1 and all(one == said[0] for one in said) else set()
        chain = min(agreed) if agreed else f"c-{new}"
        if not agreed:
            changes.append(("chains", chain, plain(Chain())))
    changes.append(("mentions", f"m-{new}", plain(msgspec.structs.replace(sample, chain=chain))))
    return Event(id=new, operation=ACCEPT, changes=tuple(changes), reason=reason, about=(about,))


def _at(state: State, about: str) -> list[Mention]:
    return [mention for mention in state.mentions.values() if extent(mention) == about]


def _homes(state: State, key: State, about: str) -> set[str]:
    """The chains of the key that hold what an annotator puts together with an extent."""
    chains = {mention.chain for mention in _at(state, about)} - {None}
    places = {extent(mention) for mention in state.mentions.values() if mention.chain in chains}
    return {one.chain for one in key.mentions.values() if one.chain is not None and extent(one) in places}


def rejected(about: str, reason: str = "") -> Event:
    """The event by which an extent is no mention of the key."""
    return Event(id=_new(), operation=REJECT, changes=(), reason=reason, about=(about,))


def joined(key: State, first: str, second: str, reason: str = "") -> Event:
    """The event by which two chains of the key become one: the first keeps its name, or takes that of the second."""
    about = _first_extents(key, first, second)
    kept, gone = key.chains[first], key.chains[second]
    both = Chain(
        name=kept.name or gone.name,
        notes="\n".join(filter(None, (kept.notes, gone.notes))),
        features={**gone.features, **kept.features},
    )
    changes: list[Change] = [("chains", first, plain(both))] if both != kept else []
    for name, mention in key.mentions.items():
        if mention.chain == second:
            changes.append(("mentions", name, plain(msgspec.structs.replace(mention, chain=first))))
    for name, relation in key.relations.items():
        if second in (relation.source, *relation.targets):
            targets = tuple(dict.fromkeys(first if one == second else one for one in relation.targets))
            source = first if relation.source == second else relation.source
            left = tuple(one for one in targets if one != source)
            after = msgspec.structs.replace(relation, source=source, targets=left, via=()) if left else None
            changes.append(("relations", name, None if after is None else plain(after)))
    changes.append(("chains", second, None))
    return Event(id=_new(), operation=JOIN, changes=tuple(changes), reason=reason, about=about)


def kept_apart(key: State, first: str, second: str, reason: str = "") -> Event:
    """The event by which two chains of the key stay two."""
    return Event(id=_new(), operation=APART, changes=(), reason=reason, about=_first_extents(key, first, second))


def _first_extents(key: State, *chains: str) -> tuple[str, ...]:
    found = members(key)
    if lacking := [chain for chain in chains if not found.get(chain)]:
        raise UsageError(f"found the chain {lacking[0]!r}, which has no mention in the key: choose another")
    return tuple(extent(key.mentions[found[chain][0]]) for chain in chains)


def _new() -> str:
    return str(uuid.uuid4())
