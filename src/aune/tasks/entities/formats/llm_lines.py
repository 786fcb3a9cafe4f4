r"""Entities as language models list them in plain text: a raw answer per document, an entity per line.

    {"id": "d1", "answer": "Laurent Blanc (PER)\nLyon (LOC)"}
    {"id": "d2", "answer": "- **Laurent Blanc** → PER"}
    {"id": "d3", "answer": "| Entity | Type |\n|---|---|\n| Lyon | LOC |"}
    {"id": "d4", "answer": "no entities"}

A line is a string with its label in parentheses at the end (or several with commas between them), or behind an arrow;
or a row of a table whose heading says which column holds the strings and which the labels. A bullet, a number, quotes
or emphasis around them are taken off. Other lines (headings, prose) are no items: they are passed over, and the answers
that have some are counted. Strings are placed on the key's text: see `--place`, and `--unplaced` for what becomes of
those that it does not have.

Carries strings and labels; it cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from aune.contract.format import JSON_LINES, Format
from aune.reading.source import Source
from aune.syntax.llm_answers import (
    NO_ITEMS,
    AnswerField,
    Model,
    Reading,
    Unreadable,
    answers,
    folded_name,
    has_answers,
    leave_out_none,
    may_have_answers,
    shorten,
)
from aune.tasks.entities.model import Document, StringEntity, make_document

LINE = re.compile(
    r"\s*(?:[-*•–]\s+|\d+[.)]\s+)?(?P<string>\S.*?)"
    r"(?:\s+\((?P<label>[^()\s][^()]*?)\)|\s*（(?P<wide>[^（）\s][^（）]*?)）"
    r"|\s*(?:->|→|=>)\s*(?P<arrow>[\w*`][\w .*`-]*?))"
    r"\s*[.,;。，；]?\s*"
)
BETWEEN = re.compile(r"(?<=[)）])\s*[,;，；、]\s*(?=\S)")
AROUND = re.compile(r"""(\*\*|__|\*|`)(?P<strong>.+)\1|["'“«「](?P<quoted>.+)["'”»」]""")
STRINGS = ("entity", "text", "string", "mention", "span", "name", "word", "named_entity", "entity_name", "entity_text")
LABELS = ("label", "type", "entity_type", "category", "tag", "class", "entity_label", "entity_class", "entity_category")


class Row(NamedTuple):
    """A line that is an item."""

    string: str
    label: str


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    reading = Reading(source, unreadable)
    for raw_answer in answers(source, answer, model):
        rows, others = _rows(raw_answer.text)
        if not rows and not any(NO_ITEMS.fullmatch(line.strip()) for line in raw_answer.text.split("\n")):
            reading.refuse(raw_answer, shorten(raw_answer.text), "lines `string (LABEL)` or `no entities`")
        reading.others += bool(rows) and others > 0
        entities = leave_out_none(source, raw_answer, rows, lambda row: row.label)
        listed = tuple(StringEntity(*row, line=raw_answer.line, column=raw_answer.column) for row in entities)
        yield replace(make_document(raw_answer.document, [], path=source.name, line=raw_answer.line), listed=listed)
    reading.emit_notes()


def _rows(text: str) -> tuple[list[Row], int]:
    """The items of an answer, and how many other lines it has."""
    rows: list[Row] = []
    others = 0
    columns: tuple[int, int] | None = None
    for line in filter(str.strip, text.split("\n")):
        cells = [_bare(cell) for cell in line.strip().strip("|").split("|")] if line.strip().startswith("|") else []
        if cells and columns is None:
            columns = _columns(cells)
            others += columns is None
        elif cells and columns is not None:
            if len(cells) > max(columns) and not all(set(cell) <= set(":-") for cell in cells):
                rows.append(Row(cells[columns[0]], cells[columns[1]]))
        elif items := _items(line):
            rows += items
        else:
            others += 1
    return [row for row in rows if row.string and row.label], others


def _items(line: str) -> list[Row]:
    """The item of a line, or several with commas between them, whose labels are written in one way.

    >>> _items("Ann (PER), Lyon (LOC)")
    [Row(string='Ann', label='PER'), Row(string='Lyon', label='LOC')]
    >>> _items("University (Berkeley), Berkeley (ORG)")
    [Row(string='University (Berkeley), Berkeley', label='ORG')]
    """
    several = [_item(part) for part in BETWEEN.split(line)]
    items = [item for item in several if item]
    if len(items) == len(several) and len({(row.label.isupper(), row.label.islower()) for row in items}) == 1:
        return items
    return [item] if (item := _item(line)) else []


def _item(written: str) -> Row | None:
    match = LINE.fullmatch(written)
    return Row(_bare(match["string"]), _bare(match["label"] or match["wide"] or match["arrow"])) if match else None


def _columns(heading: Sequence[str]) -> tuple[int, int] | None:
    """Which columns of a table hold strings and labels, from its heading."""
    names = [folded_name(cell) for cell in heading]
    strings = [place for place, name in enumerate(names) if name in STRINGS]
    labels = [place for place, name in enumerate(names) if name in LABELS]
    return (strings[0], labels[0]) if len(strings) == len(labels) == 1 else None


def _bare(written: str) -> str:
    """A string without the quotes or the emphasis around it."""
    match = AROUND.fullmatch(written.strip())
    return _bare(match["strong"] or match["quoted"]) if match else written.strip()


def _sniff(head: str) -> bool:
    return has_answers(head, lambda answer: bool(_rows(answer)[0]) or bool(NO_ITEMS.fullmatch(answer)))


FORMAT = Format(read, _sniff, could_match=may_have_answers, boundaries=JSON_LINES)
