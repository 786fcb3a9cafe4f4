"""Decisions about a key: the events that answer questions, and what a log of events says was decided.

An event answers the question that its field `about` names: `accept` and `reject` an extent, `join` two chains or keep
them `apart`, `describe` a mention, `define` an entity, `relate` chains or leave them `unrelated`. What is rejected or
kept apart changes nothing in the state, and is in the log all the same.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from aune.core.errors import UsageError
from aune.workbench.model import Chain, Change, Event, Mention, Relation, State, members, plain

ACCEPT, REJECT, JOIN, APART, DESCRIBE = "accept", "reject", "join", "apart", "describe"
DEFINE, RELATE, UNRELATED = "define", "relate", "unrelated"
OPERATIONS = (ACCEPT, REJECT, JOIN, APART, DESCRIBE, DEFINE, RELATE, UNRELATED)
NAME, NOTES, FEATURE = "name", "notes", "feature:"
"""What is said of a chain: its name, its notes, or a feature with its name behind."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided, and why. The version tells the author in the log."""

    version: int
    operation: str
    about: list[str]
    reason: str
    value: str = ""
    """What a mention was described as, or a chain defined as."""


def decisions(events: Iterable[tuple[int, Event]]) -> list[Decision]:
    """Those of the events of a key, with their versions, that answer questions."""
    return [
        Decision(
            version=version,
            operation=event.operation,
            about=list(event.about),
            reason=event.reason,
            value=_value(event),
        )
        for version, event in events
        if event.operation in OPERATIONS
    ]


def _value(event: Event) -> str:
    """The value that an event gives the feature, or what else of a chain, it is about."""
    if event.operation == DESCRIBE:
        values = [record["features"].get(event.about[1], "") for _, _, record in event.changes if record is not None]
    elif event.operation == DEFINE:
        chains = [msgspec.convert(record, Chain) for _, _, record in event.changes if record is not None]
        values = [sayings_of(chain).get(event.about[0], "") for chain in chains]
    else:
        values = []
    return next(iter(values), "")


def extent(mention: Mention) -> str:
    """Where a mention is, as decisions name it.

    >>> extent(Mention(parts=((0, 3), (5, 7)))), extent(Mention(parts=((4, 4),), order=1))
    ('0-3+5-7', '4-4@1')
    """
    place = "+".join([f"{start}-{end}" for start, end in mention.parts])
    return f"{place}@{mention.order}" if mention.order else place


def rejected(about: str, reason: str = "") -> Event:
    """The event by which an extent is no mention of the key."""
    return Event(id=new_id(), operation=REJECT, changes=(), reason=reason, about=(about,))


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
    return Event(id=new_id(), operation=JOIN, changes=tuple(changes), reason=reason, about=about)


def kept_apart(key: State, first: str, second: str, reason: str = "") -> Event:
    """The event by which two chains of the key stay two."""
    return Event(id=new_id(), operation=APART, changes=(), reason=reason, about=_first_extents(key, first, second))


def described(key: State, about: str, feature: str, value: str, label: str = "", reason: str = "") -> Event:
    """The event by which a mention of the key has a value of a feature, or none."""
    name = next((name for name, one in key.mentions.items() if extent(one) == about and one.label == label), None)
    if name is None:
        raise UsageError(f"found no mention of the key at {about!r} with the label {label!r}: accept it first")
    mention = key.mentions[name]
    others = {one: said for one, said in mention.features.items() if one != feature}
    after = msgspec.structs.replace(mention, features={**others, feature: value} if value else others)
    changes = ((("mentions", name, plain(after))),) if after != mention else ()
    about_it = described_about(about, feature, label)
    return Event(id=new_id(), operation=DESCRIBE, changes=changes, reason=reason, about=about_it)


def described_about(place: str, feature: str, label: str) -> tuple[str, ...]:
    return (place, feature, label) if label else (place, feature)


def defined(key: State, what: str, chain: str, value: str, reason: str = "") -> Event:
    """The event by which a chain of the key has a name, notes or a feature, or none."""
    if what not in (NAME, NOTES) and not (what.startswith(FEATURE) and what != FEATURE):
        raise UsageError(f"found {what!r} of an entity, expected {NAME}, {NOTES} or {FEATURE} and the name of one")
    about = (what, *_first_extents(key, chain))
    after = with_sayings(key.chains[chain], {what: value})
    changes = (("chains", chain, plain(after)),) if after != key.chains[chain] else ()
    return Event(id=new_id(), operation=DEFINE, changes=changes, reason=reason, about=about)


def with_sayings(chain: Chain, sayings: Mapping[str, str]) -> Chain:
    """A chain of which more is said; '' takes it back."""
    said = {**sayings_of(chain), **sayings}
    features = {what.removeprefix(FEATURE): one for what, one in sorted(said.items()) if what.startswith(FEATURE)}
    return Chain(
        name=said.get(NAME, ""),
        notes=said.get(NOTES, ""),
        features={name: value for name, value in features.items() if value},
    )


def sayings_of(chain: Chain) -> dict[str, str]:
    """What is said of a chain.

    >>> sayings_of(Chain(name="Ann", features={"being": "person"}))
    {'name': 'Ann', 'feature:being': 'person'}
    """
    said = {NAME: chain.name, NOTES: chain.notes, **{FEATURE + name: one for name, one in chain.features.items()}}
    return {what: value for what, value in said.items() if value}


def related(key: State, kind: str, source: str, targets: Sequence[str], reason: str = "") -> Event:
    """The event by which chains of the key are related."""
    about = (kind, *_first_extents(key, source, *targets))
    new = new_id()
    relation = plain(Relation(kind=kind, source=source, targets=tuple(targets)))
    return Event(id=new, operation=RELATE, changes=(("relations", f"r-{new}", relation),), reason=reason, about=about)


def unrelated(key: State, kind: str, source: str, targets: Sequence[str], reason: str = "") -> Event:
    """The event by which chains of the key are not related in this way."""
    about = (kind, *_first_extents(key, source, *targets))
    return Event(id=new_id(), operation=UNRELATED, changes=(), reason=reason, about=about)


def _first_extents(key: State, *chains: str) -> tuple[str, ...]:
    found = members(key)
    if lacking := [chain for chain in chains if not found.get(chain)]:
        raise UsageError(f"found the chain {lacking[0]!r}, which has no mention in the key: choose another")
    return tuple(extent(key.mentions[found[chain][0]]) for chain in chains)


def new_id() -> str:
    return str(uuid.uuid4())
