"""Apply events to a state, with inverse changes for undo; an invalid event is refused with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

import msgspec

from aune.workbench.model import RECORDS, Change, Event, Mention, Record, Relation, State, Text, to_builtins

MAX_CHANGES = 100_000
MAX_PROBLEMS = 20


def fold(state: State, event: Event) -> tuple[State, tuple[Change, ...]]:
    """The state after an event, and the changes that undo the event."""
    tables: dict[str, dict[str, Record]] = {
        "mentions": dict(state.mentions), "chains": dict(state.chains), "relations": dict(state.relations),
    }  # fmt: skip
    back: list[Change] = []
    for table, name, record in event.changes:
        before = tables[table].get(name)
        back.append((table, name, None if before is None else to_builtins(before)))
        if record is None:
            tables[table].pop(name, None)
        else:
            tables[table][name] = msgspec.convert(record, RECORDS[table])
    return State(**tables), tuple(reversed(back))  # type: ignore[arg-type]


def fold_all(state: State, events: Iterable[Event]) -> State:
    """The state after several events."""
    for event in events:
        state, _ = fold(state, event)
    return state


def event_problems(text: Text, state: State, event: Event) -> list[str]:
    """The problems of an event on a state; empty if it can be applied."""
    if len(event.changes) > MAX_CHANGES:
        return [f"found {len(event.changes)} changes, expected at most {MAX_CHANGES}: send fewer at a time"]
    problems = [problem for change in event.changes for problem in _change_problems(text, change)]
    if not problems:
        after, _ = fold(state, event)
        problems = list(_dangling_references(text, state, after, event))
    return problems[:MAX_PROBLEMS]


def state_problems(text: Text, state: State) -> list[str]:
    """The problems of a whole state: mentions outside the text, and references to missing records."""
    misplaced = (problem for name, mention in state.mentions.items() for problem in _part_problems(text, name, mention))
    return [*islice(chain(misplaced, _missing_ends(text, state, state.mentions, state.relations)), MAX_PROBLEMS)]


def _change_problems(text: Text, change: Change) -> Iterator[str]:
    """The problems of a single change, without regard to the state."""
    table, name, record = change
    if table not in RECORDS:
        yield f"found the table {table!r}, expected one of {', '.join(RECORDS)}"
    elif not 0 < len(name) <= 100:
        yield f"found the id {name[:20]!r} in {table}, expected 1 to 100 characters"
    elif record is not None:
        try:
            converted = msgspec.convert(record, RECORDS[table])
        except msgspec.ValidationError as error:
            yield f"{table} {name}: {error}"
            return
        if isinstance(converted, Mention):
            yield from _part_problems(text, name, converted)
        if isinstance(converted, Relation) and not converted.targets:
            yield f"relations {name}: found no target, expected at least one"


def _part_problems(text: Text, name: str, mention: Mention) -> Iterator[str]:
    """The problems of the parts of a mention: they must lie in the text, in order, and only a sole one may be empty."""
    last = 0
    if not mention.parts:
        yield f"mentions {name}: found no part, expected one or more"
    for start, end in mention.parts:
        if not last <= start <= end <= len(text.characters) or (start == end and len(mention.parts) > 1):
            yield (
                f"mentions {name}: found the part {start} to {end}, "
                f"expected parts in order between {last} and {len(text.characters)}, none of several empty"
            )
        last = max(end, last)
    if not text.has_chains and not mention.label:
        yield f"mentions {name}: found no label, expected a type or a tag"


def _dangling_references(text: Text, before: State, after: State, event: Event) -> Iterator[str]:
    """References to missing records, and chains that have become empty."""
    changed = {table: {name for place, name, _ in event.changes if place == table} for table in RECORDS}
    ends = "chains" if text.has_chains else "mentions"
    gone = {name for name in changed[ends] if name not in getattr(after, ends)}
    mentions = _affected_records(after.mentions, changed["mentions"], gone, lambda mention: (mention.chain,))
    relations = _affected_records(
        after.relations, changed["relations"], gone, lambda relation: (relation.source, *relation.targets)
    )
    yield from _missing_ends(text, after, mentions, relations)
    former_chains = {mention.chain for name in changed["mentions"] if (mention := before.mentions.get(name))}
    yield from _empty_chains(after, (former_chains | changed["chains"]) & after.chains.keys())


def _missing_ends(text: Text, state: State, mentions: Iterable[str], relations: Iterable[str]) -> Iterator[str]:
    """Problems of mentions and relations that refer to a missing chain or mention."""
    for name in mentions:
        if (named := state.mentions[name].chain) is not None and named not in state.chains:
            yield f"mentions {name}: found the chain {named!r}, which is not there: add it in the same event"
    kind, table = ("chain", state.chains) if text.has_chains else ("mention", state.mentions)
    for name in relations:
        relation = state.relations[name]
        for named in (relation.source, *relation.targets):
            if named not in table:
                yield f"relations {name}: found the {kind} {named!r}, which is not there: add it, or drop the relation"


def _affected_records(table: Any, changed: set[str], gone: set[str], chains: Any) -> list[str]:
    """The records that an event changed, and those whose chains it may have removed."""
    if not gone:
        return sorted(changed & table.keys())
    return [name for name, record in table.items() if name in changed or not gone.isdisjoint(chains(record))]


def _empty_chains(state: State, chains: set[Any]) -> Iterator[str]:
    """Problems of chains without a mention, a relation, a name and notes."""
    bare = {name for name in chains if not state.chains[name].name and not state.chains[name].notes}
    if bare:
        sizes = Counter(mention.chain for mention in state.mentions.values())
        tied = {named for relation in state.relations.values() for named in (relation.source, *relation.targets)}
        for name in sorted(bare - sizes.keys() - tied):
            yield f"chains {name}: found no mention, relation, name or notes: remove it in the same event"
