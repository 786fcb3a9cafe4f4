"""The data model of annotations: texts, states made of records, and events that change records.

Positions are code points of the text's characters, and spans are half-open. Records are immutable: an event replaces
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

Part: TypeAlias = tuple[int, int]
Change: TypeAlias = tuple[str, str, dict[str, Any] | None]
"""A table, the id of a record, and the new record: None if it is deleted."""


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A text to annotate."""

    id: str
    characters: str
    tokens: list[int] = []
    """The half-open character ranges of the words, as a flat list: [start, end, start, end, …]."""
    sentences: list[int] = []
    """The first token of every sentence."""
    task: Literal["coref", "entities", "tagging", "anaphora"] = "coref"
    typology: str = ""

    @property
    def has_chains(self) -> bool:
        """Whether its mentions are grouped into chains; otherwise they have labels."""
        return self.task == "coref"

    def words(self) -> Iterator[Part]:
        """The character range of every token."""
        return zip(self.tokens[::2], self.tokens[1::2], strict=True)


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a table."""


class Mention(Record, frozen=True, kw_only=True):
    """An expression of the text. Several parts form a discontinuous mention; one empty part is a zero."""

    parts: tuple[Part, ...]
    order: int = 0
    """The rank of a zero among those at the same position."""
    chain: str | None = None
    """The id of its chain; None if it is not grouped yet."""
    features: dict[str, str] = {}
    label: str = ""
    """The type of an entity, the tag of a word, or the kind of a pronoun; '' in tasks with chains."""

    @property
    def start(self) -> int:
        return self.parts[0][0]

    @property
    def end(self) -> int:
        return self.parts[-1][1]

    @property
    def is_zero(self) -> bool:
        return self.start == self.end


class Chain(Record, frozen=True, kw_only=True):
    """An entity of the text: its name, notes and features. Its mentions refer to it."""

    name: str = ""
    notes: str = ""
    features: dict[str, str] = {}


class Relation(Record, frozen=True, kw_only=True):
    """A link other than identity from a chain to others; in tasks without chains, from a mention to others."""

    kind: str
    source: str
    targets: tuple[str, ...]
    via: tuple[str, ...] = ()
    """The mentions through which a file expresses the relation: one of the source, then one of each target; or none."""


class State(msgspec.Struct, frozen=True):
    """One annotation of a text: three tables of records, by id."""

    mentions: dict[str, Mention] = {}
    chains: dict[str, Chain] = {}
    relations: dict[str, Relation] = {}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One action of a user."""

    id: str
    operation: str
    changes: tuple[Change, ...]
    undoes: int | None = None
    """The version that is undone."""
    redoes: int | None = None
    """The undone version that is redone."""
    reason: str = ""
    about: tuple[str, ...] = ()
    """The subject of a decision in an adjudication: see `adjudication.py`."""


RECORDS: Mapping[str, type[Record]] = {"mentions": Mention, "chains": Chain, "relations": Relation}
EMPTY = State()


def mention_sort_key(mention: Mention) -> tuple[Any, ...]:
    """The sort key of mentions: by start, longest first, zeros by their order."""
    return mention.start, -mention.end, mention.order, mention.parts


def in_text_order(mentions: Mapping[str, Mention]) -> list[str]:
    """The ids of mentions in text order."""
    return sorted(mentions, key=lambda name: (*mention_sort_key(mentions[name]), name))


def members(state: State) -> dict[str, list[str]]:
    """The mentions of every chain in text order; empty for a chain without mentions."""
    by_chain: dict[str, list[str]] = {chain: [] for chain in state.chains}
    for name in in_text_order(state.mentions):
        chain = state.mentions[name].chain
        if chain is not None:
            by_chain[chain].append(name)
    return by_chain


def restrict_to_chains(state: State, chains: Collection[str]) -> State:
    """The mentions of some chains, with these chains and the relations between them, as a state."""
    selected = set(chains)
    return State(
        {name: record for name, record in state.mentions.items() if record.chain in selected},
        {name: record for name, record in state.chains.items() if name in selected},
        {name: record for name, record in state.relations.items() if {record.source, *record.targets} <= selected},
    )


def mention_text(text: Text, mention: Mention) -> str:
    """The characters of a mention, its parts joined by an ellipsis; ∅ for a zero.

    >>> mention_text(Text(id="t", characters="my big dog"), Mention(parts=((0, 2), (7, 10))))
    'my … dog'
    """
    return "∅" if mention.is_zero else " … ".join(text.characters[start:end] for start, end in mention.parts)


def to_builtins(record: Any) -> Any:
    """A record, a state or an event as JSON data."""
    return msgspec.json.decode(msgspec.json.encode(record))
