r"""Lists of entities as language models write them: a raw answer per document, as JSON or as a Python literal.

    {"id": "d1", "answer": "```json\n[{\"text\": \"Laurent Blanc\", \"label\": \"PER\"}]\n```"}
    {"id": "d2", "answer": "[['Lyon', 'LOC', 4, 4]]"}
    {"id": "d3", "answer": "{'PER': ['Ann', 'Bo'], 'LOC': []}"}

An item is an object with a string (`text`, `entity`, `string`, `mention`, `span`, `name`, `word`, `value`…) and a label
(`label`, `type`, `entity_type`, `category`, `tag`, `class`…), perhaps with `start` and `end`; a list `[string, label]`,
`[string, label, 0.9]` or `[string, label, first, last]`; or a string or an object in the list of its type; or
`{"Ann Lee": "PER"}`, whichever of the two the key has for a label. Items whose label means none are left out. The list
may stand under a name such as `entities`, or be what a tool was called with; objects one after the other are a list
too. A fence or prose around it is taken off and counted. A list that was cut off keeps its complete items; nothing is
made up, and nothing is evaluated. Strings are placed on the key's text: see `--place`, and `--unplaced` for those that
it does not have. Numbers given with strings are tried as characters, tokens, bytes and UTF-16 units, and a string that
is not where they point goes to its nearest place.

Carries strings and labels; it cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    leave_out_none,
    listing,
    listings,
    may_have_answers,
    shorten,
)
from aune.tasks.entities.model import Document, StringEntity, make_document

STRINGS = (
    "text", "entity", "string", "mention", "span", "name", "word", "entity_name", "entity_text", "named_entity",
    "value", "surface", "surface_form", "phrase", "term",
)  # fmt: skip
LABELS = (
    "label", "type", "entity_type", "entity_label", "entity_group", "category", "tag", "class", "ner_tag", "ner_label",
    "labels", "types",
)  # fmt: skip
STARTS = ("start", "start_char", "begin", "first", "from", "start_offset", "start_index", "start_pos", "begin_offset")
ENDS = ("end", "end_char", "stop", "last", "to", "end_offset", "end_index", "end_pos")
TAG = re.compile(r"[BIESLU]-\S+|O")  # what a word has in columns
LABEL = re.compile(r"[A-Z][A-Z_-]{1,19}|[A-Za-z][a-z]*(?:[._-][A-Za-z]+)*")  # what can be a label
CAPITALS = re.compile(r"[A-Z][A-Z_-]{1,19}")
FIELD_NAMES = {
    *STRINGS, *LABELS, *STARTS, *ENDS, "reasoning", "thought", "thoughts", "explanation", "comment", "note", "notes",
    "reason", "answer", "error", "id", "language", "summary", "status", "confidence", "message", "role", "content",
}  # fmt: skip
"""Names in an object that are no strings of the text."""
POSITION = re.compile(r"[0-9]{1,13}")
LARGEST = 2**40  # a number beyond this is no position


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    for raw_answer, listed, lost in listings(source, answer, model, unreadable, _is_listing, _is_item, _read_entities):
        bare = make_document(raw_answer.document, [], path=source.name, line=raw_answer.line)
        entities = leave_out_none(source, raw_answer, listed, lambda item: item.label)
        yield replace(bare, listed=tuple(entities), lost=lost)


def _is_listing(value: Any) -> bool:
    """Whether a value can be a list of entities: of objects, of lists that begin with a string, or by type."""
    inside = complete_value(value)
    if isinstance(inside, dict):
        values = [complete_value(inner) for inner in inside.values()]
        return _is_item(inside) or all(isinstance(value, list | None) for value in values) or _are_labelled(value)
    return isinstance(inside, list) and all(
        isinstance(item, dict | Cut) or (isinstance(item, list) and item and isinstance(item[0], str))
        for item in inside
    )


def _are_labelled(value: Any) -> bool:
    """Whether an object has a string for each name, and one of the two a label: `{"Ann Lee": "PER"}` or the reverse."""
    if not isinstance(value, dict) or not all(isinstance(inner, str) and inner.strip() for inner in value.values()):
        return False
    if not value or any(folded_name(name) in FIELD_NAMES for name in value):
        return False
    return all(map(LABEL.fullmatch, value.values())) or all(map(CAPITALS.fullmatch, value))


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and _item(value) is not None


def _read_entities(
    value: Any, answer: Answer, reading: Reading, label: str | None = None
) -> tuple[list[StringEntity], int]:
    """The entities of a list, and how many were cut off; `label` is of those that have none."""
    inside = complete_value(value)
    if isinstance(inside, dict) and not _is_item(inside):
        return _by_type(value, answer, reading)
    items, lost = ([inside], 0) if isinstance(inside, dict) else items_of(value)
    entities = []
    for item in items:
        entity = _item(item, label)
        if entity is None or (TAG.fullmatch(entity.label) and entity.label != "O"):
            expected = "a string and a label" if entity is None else "an entity (tags of words are read from columns)"
            reading.refuse(answer, shorten(repr(item)), expected)
            lost += reading.unreadable == "skip"
        else:
            entities.append(entity._replace(line=answer.line, column=answer.column))
    return entities, lost


def _by_type(value: Any, answer: Answer, reading: Reading) -> tuple[list[StringEntity], int]:
    """Lists by type: of strings, or of objects."""
    entities: list[StringEntity] = []
    lost = int(isinstance(value, Cut) and value.begun)
    if _are_labelled(value):
        return [
            StringEntity(name, label.strip(), line=answer.line, column=answer.column, is_ambiguous=True)
            for name, label in value.items()
        ], lost
    for label, inner in complete_value(value).items():
        items, cut = items_of(inner or [])
        lost += cut
        if all(isinstance(item, str) for item in items):
            entities += [
                StringEntity(item, label, group=label, line=answer.line, column=answer.column) for item in items
            ]
        else:
            more, cut = _read_entities(items, answer, reading, label)
            entities += [item._replace(group=label) for item in more]
            lost += cut
    return entities, lost


def _item(item: Any, label: str | None = None) -> StringEntity | None:
    """An entity, from an object or a list; None for anything else."""
    if isinstance(item, Mapping):
        string, label, places = _fields({folded_name(name): value for name, value in item.items()}, label)
    elif isinstance(item, list) and (len(item) in (2, 4) or (len(item) == 3 and isinstance(item[2], float))):
        string, label, *places = item  # a third one alone says how sure the model is
    else:
        return None
    if not isinstance(string, str) or not isinstance(label, str) or not string.strip() or not label.strip():
        return None
    claimed = tuple(place for place in map(_position, places) if place is not None)
    return StringEntity(string, label.strip(), (claimed[0], claimed[1]) if len(claimed) == 2 else None)


def _position(value: Any) -> int | None:
    """A number that can be a position, written as one or as a string."""
    number = int(value) if isinstance(value, str) and POSITION.fullmatch(value) else value
    return number if type(number) is int and 0 <= number < LARGEST else None


def _fields(item: Mapping[str, Any], label: Any) -> tuple[Any, Any, list[Any]]:
    """The string, the label and the places of an object. `entity` is the label where another field has the string."""
    string = _first(item, STRINGS)
    label = _first(item, LABELS) or label
    if label is None and (word := _first(item, STRINGS, but="entity")):
        string, label = word, item.get("entity")
    if isinstance(label, list) and len(label) == 1:
        [label] = label
    return string, label, [_first(item, STARTS), _first(item, ENDS)]


def _first(item: Mapping[str, Any], names: tuple[str, ...], but: str = "") -> Any:
    return next((item[name] for name in names if name in item and name != but), None)


def _sniff(head: str) -> bool:
    return has_answers(head, _has_listing)


def _has_listing(answer: str) -> bool:
    try:
        return not NO_ITEMS.fullmatch(answer) and bool(listing(answer, _is_listing, _is_item))
    except UnreadableAnswer:
        return False


FORMAT = Format(read, _sniff, could_match=may_have_answers, boundaries=JSON_LINES)
