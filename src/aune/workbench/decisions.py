"""Decisions about a key: the events that answer questions, and the decisions that a log of events contains.

An event answers the question that its field `about` names: it can `accept` or `reject` an extent, `join` two chains or
keep them `apart`, `describe` a mention, `define` an entity, `relate` chains or leave them `unrelated`. Rejecting an
extent or keeping chains apart does not change the state, but is recorded in the log.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from aune.errors import UsageError
from aune.workbench.model import Chain, Change, Event, Mention, Relation, State, members, to_builtins

ACCEPT, REJECT, JOIN, KEEP_APART, DESCRIBE = "accept", "reject", "join", "apart", "describe"
DEFINE, RELATE, UNRELATED = "define", "relate", "unrelated"
OPERATIONS = (ACCEPT, REJECT, JOIN, KEEP_APART, DESCRIBE, DEFINE, RELATE, UNRELATED)
NAME, NOTES, FEATURE = "name", "notes", "feature:"
"""The attributes of a chain: its name, its notes, or a feature (this prefix and the name of the feature)."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision and its reason. The version leads to its author in the log."""

    version: int
    operation: str
    about: list[str]
    reason: str
    value: str = ""
    """The new value of a feature of a mention, or of an attribute of a chain."""


def decisions(events: Iterable[tuple[int, Event]]) -> list[Decision]:
    """The events of a key that answer questions, with their versions."""
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
    """The value that an event gives to its feature or attribute."""
    if event.operation == DESCRIBE:
        values = [record["features"].get(event.about[1], "") for _, _, record in event.changes if record is not None]
    elif event.operation == DEFINE:
        chains = [msgspec.convert(record, Chain) for _, _, record in event.changes if record is not None]
        values = [chain_attributes(chain).get(event.about[0], "") for chain in chains]
    else:
        values = []
    return next(iter(values), "")


def extent_id(mention: Mention) -> str:
    """The extent of a mention in the notation of decisions.

    >>> extent_id(Mention(parts=((0, 3), (5, 7)))), extent_id(Mention(parts=((4, 4),), order=1))
    ('0-3+5-7', '4-4@1')
    """
    place = "+".join([f"{start}-{end}" for start, end in mention.parts])
    return f"{place}@{mention.order}" if mention.order else place


def reject_event(about: str, reason: str = "") -> Event:
    """The event that rejects an extent as a mention of the key."""
    return Event(id=new_id(), operation=REJECT, changes=(), reason=reason, about=(about,))


def join_event(key: State, first: str, second: str, reason: str = "") -> Event:
    """The event that merges two chains of the key; the first keeps its name, or takes the name of the second."""
    about = _first_extents(key, first, second)
    surviving, absorbed = key.chains[first], key.chains[second]
    merged = Chain(
        name=surviving.name or absorbed.name,
        notes="\n".join(filter(None, (surviving.notes, absorbed.notes))),
        features={**absorbed.features, **surviving.features},
    )
    changes: list[Change] = [("chains", first, to_builtins(merged))] if merged != surviving else []
    for name, mention in key.mentions.items():
        if mention.chain == second:
            changes.append(("mentions", name, to_builtins(msgspec.structs.replace(mention, chain=first))))
    for name, relation in key.relations.items():
        if second in (relation.source, *relation.targets):
            targets = tuple(dict.fromkeys(first if target == second else target for target in relation.targets))
            source = first if relation.source == second else relation.source
            remaining = tuple(target for target in targets if target != source)
            updated = msgspec.structs.replace(relation, source=source, targets=remaining, via=()) if remaining else None
            changes.append(("relations", name, None if updated is None else to_builtins(updated)))
    changes.append(("chains", second, None))
    return Event(id=new_id(), operation=JOIN, changes=tuple(changes), reason=reason, about=about)


def keep_apart_event(key: State, first: str, second: str, reason: str = "") -> Event:
    """The event that keeps two chains of the key apart."""
    return Event(id=new_id(), operation=KEEP_APART, changes=(), reason=reason, about=_first_extents(key, first, second))


def describe_event(key: State, about: str, feature: str, value: str, label: str = "", reason: str = "") -> Event:
    """The event that sets or removes the value of a feature of a mention of the key."""
    name = next(
        (
            name
            for name, candidate in key.mentions.items()
            if extent_id(candidate) == about and candidate.label == label
        ),
        None,
    )
    if name is None:
        raise UsageError(f"found no mention of the key at {about!r} with the label {label!r}: accept it first")
    mention = key.mentions[name]
    others = {candidate: current for candidate, current in mention.features.items() if candidate != feature}
    updated = msgspec.structs.replace(mention, features={**others, feature: value} if value else others)
    changes = ((("mentions", name, to_builtins(updated))),) if updated != mention else ()
    subject = feature_subject(about, feature, label)
    return Event(id=new_id(), operation=DESCRIBE, changes=changes, reason=reason, about=subject)


def feature_subject(place: str, feature: str, label: str) -> tuple[str, ...]:
    return (place, feature, label) if label else (place, feature)


def define_event(key: State, attribute: str, chain: str, value: str, reason: str = "") -> Event:
    """The event that sets or removes the name, the notes or a feature of a chain of the key."""
    if attribute not in (NAME, NOTES) and not (attribute.startswith(FEATURE) and attribute != FEATURE):
        raise UsageError(f"found {attribute!r} of an entity, expected {NAME}, {NOTES} or {FEATURE} and the name of one")
    about = (attribute, *_first_extents(key, chain))
    updated = with_attributes(key.chains[chain], {attribute: value})
    changes = (("chains", chain, to_builtins(updated)),) if updated != key.chains[chain] else ()
    return Event(id=new_id(), operation=DEFINE, changes=changes, reason=reason, about=about)


def with_attributes(chain: Chain, changes: Mapping[str, str]) -> Chain:
    """A chain with changed attributes; an empty value removes an attribute."""
    attributes = {**chain_attributes(chain), **changes}
    features = {
        attribute.removeprefix(FEATURE): content
        for attribute, content in sorted(attributes.items())
        if attribute.startswith(FEATURE)
    }
    return Chain(
        name=attributes.get(NAME, ""),
        notes=attributes.get(NOTES, ""),
        features={name: value for name, value in features.items() if value},
    )


def chain_attributes(chain: Chain) -> dict[str, str]:
    """The attributes of a chain that have a value.

    >>> chain_attributes(Chain(name="Ann", features={"being": "person"}))
    {'name': 'Ann', 'feature:being': 'person'}
    """
    attributes = {
        NAME: chain.name,
        NOTES: chain.notes,
        **{FEATURE + name: content for name, content in chain.features.items()},
    }
    return {attribute: value for attribute, value in attributes.items() if value}


def relate_event(key: State, kind: str, source: str, targets: Sequence[str], reason: str = "") -> Event:
    """The event that adds a relation between chains, or mentions, of the key."""
    about = (kind, *_end_extents(key, source, *targets))
    new = new_id()
    relation = to_builtins(Relation(kind=kind, source=source, targets=tuple(targets)))
    return Event(id=new, operation=RELATE, changes=(("relations", f"r-{new}", relation),), reason=reason, about=about)


def unrelate_event(key: State, kind: str, source: str, targets: Sequence[str], reason: str = "") -> Event:
    """The event that rejects a relation between chains, or mentions, of the key."""
    about = (kind, *_end_extents(key, source, *targets))
    return Event(id=new_id(), operation=UNRELATED, changes=(), reason=reason, about=about)


def _end_extents(key: State, *ends: str) -> tuple[str, ...]:
    """The extents of mentions, or of the first mentions of chains."""
    if all(end in key.mentions for end in ends):
        return tuple(extent_id(key.mentions[end]) for end in ends)
    return _first_extents(key, *ends)


def _first_extents(key: State, *chains: str) -> tuple[str, ...]:
    by_chain = members(key)
    if empty := [chain for chain in chains if not by_chain.get(chain)]:
        raise UsageError(f"found the chain {empty[0]!r}, which has no mention in the key: choose another")
    return tuple(extent_id(key.mentions[by_chain[chain][0]]) for chain in chains)


def new_id() -> str:
    return str(uuid.uuid4())
