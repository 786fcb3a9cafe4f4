r"""Lists of entities as language models write them: a raw answer per document, as JSON or as a Python literal.

    {"id": "d1", "answer": "```json\n[{\"text\": \"Laurent Blanc\", \"label\": \"PER\"}]\n```"}
    {"id": "d2", "answer": "[['Lyon', 'LOC', 4, 4]]"}
    {"id": "d3", "answer": "{'PER': ['Ann', 'Bo'], 'LOC': []}"}

An item is an object with a string (`text`, `entity`, `string`, `mention`, `span`, `name` or `word`) and a label
(`label`, `type`, `entity_type`, `category`, `tag` or `class`), perhaps with `start` and `end`; a list `[string, label]`
or `[string, label, first, last]`; or a string in the list of its type. A fence or prose around the list is taken off
and counted. A list that was cut off keeps its complete items; nothing is made up, and nothing is evaluated. Strings are
placed on the key's text: see `--place`, and `--unplaced` for what becomes of those that it does not have. Numbers given
with strings are tried as characters, tokens, bytes and UTF-16 units, and a string that is not where they point goes to
its nearest place.

Carries strings and labels; it cannot be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax import answers
from aune.syntax.answers import Answer, AnswerField, Cut, Model, Reading, Unreadable, items_of, shown, whole
from aune.tasks.entities.model import Document, Listed, document

STRINGS = ("text", "entity", "string", "mention", "span", "name", "word")
LABELS = ("label", "type", "entity_type", "category", "tag", "class")
STARTS, ENDS = ("start", "start_char", "begin", "first", "from"), ("end", "end_char", "stop", "last", "to")
LARGEST = 2**40  # a number beyond this is no position


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    for given, listed, lost in answers.listings(source, answer, model, unreadable, _is_listing, _listed):
        bare = document(given.document, [], path=source.name, line=given.line)
        yield replace(bare, listed=tuple(listed), lost=lost)


def _is_listing(value: Any) -> bool:
    """Whether a value can be a list of entities: of objects, of lists that begin with a string, or by type."""
    items = whole(value)
    if isinstance(items, dict):
        return all(isinstance(whole(inner), list) for inner in items.values()) or _item(items) is not None
    return all(
        isinstance(item, dict | Cut) or (isinstance(item, list) and item and isinstance(item[0], str)) for item in items
    )


def _listed(value: Any, answer: Answer, reading: Reading) -> tuple[list[Listed], int]:
    """The entities of a list, and how many were cut off."""
    content = whole(value)
    if isinstance(content, dict) and _item(content) is None:
        return _by_type(value, answer, reading)
    items, lost = ([content], 0) if isinstance(content, dict) else items_of(value)
    found = []
    for item in items:
        read_item = _item(item)
        if read_item is None:
            reading.refuse(answer, f"found {shown(repr(item))}, expected a string and a label")
            lost += reading.unreadable == "skip"
        else:
            found.append(read_item._replace(line=answer.line, column=answer.column))
    return found, lost


def _by_type(value: Any, answer: Answer, reading: Reading) -> tuple[list[Listed], int]:
    """Lists of strings by type; or the one list under a name such as `entities`."""
    found: list[Listed] = []
    lost = int(isinstance(value, Cut) and value.begun)
    for label, inner in whole(value).items():
        items, cut = items_of(inner)
        lost += cut
        if all(isinstance(item, str) for item in items):
            found += [Listed(item, label, group=label, line=answer.line, column=answer.column) for item in items]
        else:
            more, cut = _listed(items, answer, reading)
            found += more
            lost += cut
    return found, lost


def _item(item: Any) -> Listed | None:
    """An entity, from an object or a list; None for anything else."""
    if isinstance(item, Mapping):
        string, label = _first(item, STRINGS), _first(item, LABELS)
        places = (_first(item, STARTS), _first(item, ENDS))
    elif isinstance(item, list) and len(item) in (2, 4):
        string, label, *rest = item
        places = (rest[0], rest[1]) if rest else (None, None)
    else:
        return None
    if not isinstance(string, str) or not isinstance(label, str) or not string.strip() or not label.strip():
        return None
    claimed = tuple(place for place in places if isinstance(place, int) and 0 <= place < LARGEST)
    return Listed(string, label.strip(), (claimed[0], claimed[1]) if len(claimed) == 2 else None)


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if name in item), None)


def _sniff(head: str) -> bool:
    return answers.has_answers(head, lambda answer: answers.found_listing(answer, _is_listing) is not None)


FORMAT = Format(read, _sniff, perhaps=answers.perhaps_answers, boundaries=JSON_LINES)
