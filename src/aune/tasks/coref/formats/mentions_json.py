r"""Mentions as language models list them: a raw answer per document, as JSON or as a Python literal.

    {"id": "d1", "answer": "[{\"text\": \"Marie\", \"chain\": 1}, {\"text\": \"elle\", \"chain\": 1}]"}
    {"id": "d2", "answer": "[['Marie', 1], ['elle', 1], ['Paul', 2]]"}
    {"id": "d3", "answer": "```json\n[[\"Marie\", \"elle\"], [\"Paul\"]]\n```"}

    {"id": "d4", "answer": "{\"clusters\": [{\"entity\": \"Marie\", \"mentions\": [\"Marie\", \"elle\"]}]}"}

A flat list gives every mention with the name of its chain (`chain`, `cluster`, `entity`, `id` or `label`); a list of
lists, an object of them, or objects with `mentions` give the chains themselves. The list may stand under a name such as
`clusters`, or be what a tool was called with. Strings have no positions: say with `--place` how they are placed on the
key's text, and with `--unplaced` what becomes of those that it does not have. A fence or prose around the list is taken
off and counted; a list that was cut off keeps its complete items, and nothing is made up.

Carries strings; it cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aune.contract.format import JSON_LINES, Format
from aune.reading.source import Source
from aune.syntax.literals import Cut, complete_value, items_of
from aune.syntax.llm_answers import (
    NO_ITEMS,
    Answer,
    AnswerField,
    Model,
    Reading,
    Unreadable,
    UnreadableAnswer,
    folded_name,
    has_answers,
    listing,
    listings,
    may_have_answers,
    shorten,
)
from aune.tasks.coref.model import Document, ListedMention, make_document

STRINGS = ("text", "mention", "string", "span", "name", "word", "mention_text", "expression")
CHAINS = ("chain", "cluster", "entity", "chain_id", "cluster_id", "entity_id", "id", "label", "chain_name", "name")
MEMBERS = ("mentions", "members", "expressions", "references")
NUMBERED = re.compile(r"#?[^\W\d]*[_ -]?\d+")  # what chains are called: 1, e1, chain_1


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    for response, listed, lost in listings(source, answer, model, unreadable, _is_listing, _is_item, _listed_mentions):
        bare = make_document(response.document, [], path=source.name, line=response.line)
        yield replace(bare, listed=tuple(listed), lost=lost)


def _is_listing(value: Any) -> bool:
    """Whether a value can be a list of mentions: of objects, of pairs, or of chains."""
    inside = complete_value(value)
    if isinstance(inside, dict):
        return _is_item(inside) or all(inner is None or _chain_members(inner) is not None for inner in inside.values())
    return isinstance(inside, list) and all(
        isinstance(item, dict | Cut) or _chain_members(item) is not None or _is_pair(item) for item in inside
    )


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and _chain_members(value) is None and None not in _item(value)


def _chain_members(value: Any) -> Any:
    """The mentions of a chain that is listed whole, as strings or objects; None where a value is no chain."""
    inside = complete_value(value)
    if isinstance(inside, dict):
        named = [inner for name, inner in inside.items() if folded_name(name) in MEMBERS]
        return named[0] if len(named) == 1 and isinstance(complete_value(named[0]), list) else None
    are_strings = isinstance(inside, list) and all(isinstance(item, str | Cut) or _string(item) for item in inside)
    return value if are_strings else None


def _string(item: Any) -> str | None:
    if isinstance(item, Mapping):
        item = _first({folded_name(name): inner for name, inner in item.items()}, STRINGS)
    return item if isinstance(item, str) and item.strip() else None


def _first(item: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((item[name] for name in names if name in item), None)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int)


def _are_named(lists: Sequence[Any]) -> bool:
    """Whether lists of two strings are mentions with the names of their chains, some of which come again."""
    pairs = [item for item in lists if isinstance(item, list) and len(item) == 2 and isinstance(item[1], str)]
    names = {item[1] for item in pairs if NUMBERED.fullmatch(item[1])}
    complete = [item for item in lists if not isinstance(item, Cut)]
    return len(pairs) == len(complete) > len(names) and all(item[1] in names for item in pairs)


def _listed_mentions(value: Any, answer: Answer, reading: Reading) -> tuple[list[ListedMention], int]:
    """The mentions of a list, and how many were cut off."""
    chains = _chains(complete_value(value))
    if chains is None:
        return _flat_mentions(value, answer, reading)
    listed: list[ListedMention] = []
    lost = int(isinstance(value, Cut) and value.begun)
    for chain, members in chains:
        mentions, cut = items_of(members)
        strings = [string for mention in mentions if (string := _string(mention))]
        listed += [ListedMention(string, chain, chain, answer.line, answer.column) for string in strings]
        lost += cut
    return listed, lost


def _chains(value: Any) -> list[tuple[str, Any]] | None:
    """The chains that are listed whole, each with a name; None for a flat list of mentions."""
    if isinstance(value, dict):
        return None if _is_item(value) else [(name, _chain_members(inner) or []) for name, inner in value.items()]
    if _are_named(value):
        return None
    chains = [(str(number), _chain_members(item)) for number, item in enumerate(value, 1)]
    return chains if chains and all(members is not None for _, members in chains) else None


def _flat_mentions(value: Any, answer: Answer, reading: Reading) -> tuple[list[ListedMention], int]:
    items, lost = ([value], 0) if isinstance(value, dict) else items_of(value)
    mentions = []
    for item in items:
        string, chain = _item(item)
        if string is None or chain is None:
            reading.refuse(answer, shorten(repr(item)), "a string and the name of its chain")
            lost += reading.unreadable == "skip"
        else:
            mentions.append(ListedMention(string, chain, "", answer.line, answer.column))
    return mentions, lost


def _item(item: Any) -> tuple[str | None, str | None]:
    """A mention and the name of its chain."""
    if isinstance(item, Mapping):
        chain = _first({folded_name(name): inner for name, inner in item.items()}, CHAINS)
    elif isinstance(item, list) and len(item) == 2:
        item, chain = item
    else:
        return None, None
    return _string(item), str(chain) if isinstance(chain, str | int) else None


def _sniff(head: str) -> bool:
    return has_answers(head, _has_listing)


def _has_listing(answer: str) -> bool:
    try:
        return not NO_ITEMS.fullmatch(answer) and bool(listing(answer, _is_listing, _is_item))
    except UnreadableAnswer:
        return False


FORMAT = Format(read, _sniff, could_match=may_have_answers, boundaries=JSON_LINES)
