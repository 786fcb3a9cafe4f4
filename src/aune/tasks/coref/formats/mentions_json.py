r"""Mentions as language models list them: a raw answer per document, as JSON or as a Python literal.

    {"id": "d1", "answer": "[{\"text\": \"Marie\", \"chain\": 1}, {\"text\": \"elle\", \"chain\": 1}]"}
    {"id": "d2", "answer": "[['Marie', 1], ['elle', 1], ['Paul', 2]]"}
    {"id": "d3", "answer": "```json\n[[\"Marie\", \"elle\"], [\"Paul\"]]\n```"}

A flat list gives every mention with the name of its chain (`chain`, `cluster`, `entity`, `id` or `label`); a list of
lists of strings, or an object of them, gives the chains themselves. Strings have no positions: say with `--place` how
they are placed on the key's text, and with `--unplaced` what becomes of those that it does not have. A fence or prose
around the list is taken off and counted; a list that was cut off keeps its complete items, and nothing is made up.

Carries strings; it cannot be written.
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
from aune.tasks.coref.model import Document, Listed, document

STRINGS = ("text", "mention", "string", "span", "name")
CHAINS = ("chain", "cluster", "cluster_id", "entity", "entity_id", "id", "label")


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    for given, listed, lost in answers.listings(source, answer, model, unreadable, _is_listing, _listed):
        bare = document(given.document, [], path=source.name, line=given.line)
        yield replace(bare, listed=tuple(listed), lost=lost)


def _is_listing(value: Any) -> bool:
    """Whether a value can be a list of mentions: of objects, of pairs, or of lists of strings."""
    items = whole(value)
    if isinstance(items, dict):
        return all(map(_is_cluster, items.values()))
    return all(isinstance(item, dict | Cut) or _is_cluster(item) or _is_pair(item) for item in items)


def _is_cluster(value: Any) -> bool:
    items = whole(value)
    return isinstance(items, list) and all(isinstance(item, str) for item in items)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int)


def _listed(value: Any, answer: Answer, reading: Reading) -> tuple[list[Listed], int]:
    """The mentions of a list, and how many were cut off."""
    items = whole(value)
    if isinstance(items, dict):
        clusters = items
    elif items and all(map(_is_cluster, items)):
        clusters = {str(number): item for number, item in enumerate(items, 1)}
    else:
        return _flat(value, answer, reading)
    found: list[Listed] = []
    lost = int(isinstance(value, Cut) and value.begun)
    for chain, inner in clusters.items():
        strings, cut = items_of(inner)
        found += [Listed(string, chain, chain, answer.line, answer.column) for string in strings if string.strip()]
        lost += cut
    return found, lost


def _flat(value: Any, answer: Answer, reading: Reading) -> tuple[list[Listed], int]:
    items, lost = items_of(value)
    found = []
    for item in items:
        string, chain = _item(item)
        if string is None or chain is None or not string.strip():
            reading.refuse(answer, f"found {shown(repr(item))}, expected a string and the name of its chain")
            lost += reading.unreadable == "skip"
        else:
            found.append(Listed(string, chain, "", answer.line, answer.column))
    return found, lost


def _item(item: Any) -> tuple[str | None, str | None]:
    if isinstance(item, Mapping):
        string, chain = (next((item[name] for name in names if name in item), None) for names in (STRINGS, CHAINS))
    elif _is_pair(item):
        string, chain = item
    else:
        return None, None
    return string if isinstance(string, str) else None, str(chain) if isinstance(chain, str | int) else None


def _sniff(head: str) -> bool:
    return answers.has_answers(head, _has_listing)


def _has_listing(answer: str) -> bool:
    found = answers.found_listing(answer, _is_listing)
    return found is not None and bool(found.value)


FORMAT = Format(read, _sniff, perhaps=answers.perhaps_answers, boundaries=JSON_LINES)
