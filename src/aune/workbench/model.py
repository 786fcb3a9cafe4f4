"""What is annotated and what annotations say: texts, states made of records, and events that change records.

Everything counts in code points of the text's characters, and spans are half-open. Records never change: an event says
what a record becomes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

Part: TypeAlias = tuple[int, int]
Change: TypeAlias = tuple[str, str, dict[str, Any] | None]
"""A table, the id of a record, and what the record becomes: None when it goes."""


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """What is annotated."""

    id: str
    characters: str
    tokens: list[int] = []
    """The half-open character ranges of the words, one after the other: [start, end, start, end, …]."""
    sentences: list[int] = []
    """The first token of every sentence."""
    task: Literal["coref", "entities", "tagging", "anaphora"] = "coref"
    typology: str = ""

    @property
    def has_chains(self) -> bool:
        """Whether its mentions are grouped as chains; they have labels otherwise."""
        return self.task == "coref"

    def words(self) -> Iterator[Part]:
        """The character range of every token."""
        return zip(self.tokens[::2], self.tokens[1::2], strict=True)


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a table holds."""


class Mention(Record, frozen=True, kw_only=True):
    """An expression of the text. Several parts are a discontinuous one, one empty part is a zero."""

    parts: tuple[Part, ...]
    order: int = 0
    """Ranks zeros that stand at one place."""
    chain: str | None = None
    """The chain it is in; None while it is marked but not grouped."""
    features: dict[str, str] = {}
    label: str = ""
    """The type of an entity, the tag of a word, or what a pronoun is; '' where chains are annotated."""

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
    """An entity of the text: what people call it and say about it. Its mentions name it."""

    name: str = ""
    notes: str = ""
    features: dict[str, str] = {}


class Relation(Record, frozen=True, kw_only=True):
    """A link other than identity from a chain to others; from a mention to others where there are no chains."""

    kind: str
    source: str
    targets: tuple[str, ...]
    via: tuple[str, ...] = ()
    """The mentions through which a file ties them: one of the source, then one of each target; or none."""


class State(msgspec.Struct, frozen=True):
    """One annotation of a text: three tables of records by their ids."""

    mentions: dict[str, Mention] = {}
    chains: dict[str, Chain] = {}
    relations: dict[str, Relation] = {}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One action of a person."""

    id: str
    operation: str
    changes: tuple[Change, ...]
    undoes: int | None = None
    """The version whose event is taken back."""
    redoes: int | None = None
    """The version whose event, taken back before, is done again."""
    reason: str = ""
    about: tuple[str, ...] = ()
    """What was decided on, where two annotations are made one: see `adjudication.py`."""


RECORDS: Mapping[str, type[Record]] = {"mentions": Mention, "chains": Chain, "relations": Relation}
EMPTY = State()


def mention_sort_key(mention: Mention) -> tuple[Any, ...]:
    """What mentions are sorted by: where they begin, the longest first, zeros by their order."""
    return mention.start, -mention.end, mention.order, mention.parts


def in_text_order(mentions: Mapping[str, Mention]) -> list[str]:
    """The ids of mentions as a reader meets them."""
    return sorted(mentions, key=lambda name: (*mention_sort_key(mentions[name]), name))


def members(state: State) -> dict[str, list[str]]:
    """The mentions of every chain, in the order of the text; a chain that has none has an empty list."""
    by_chain: dict[str, list[str]] = {chain: [] for chain in state.chains}
    for name in in_text_order(state.mentions):
        chain = state.mentions[name].chain
        if chain is not None:
            by_chain[chain].append(name)
    return by_chain


def restrict_to_chains(state: State, chains: Collection[str]) -> State:
    """The mentions of some chains, with these chains and the relations between them."""
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
    """A record, a state or an event as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(record))
