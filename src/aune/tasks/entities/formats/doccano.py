"""doccano's JSON lines of labelled texts: a document per line.

    {"id": 1, "text": "EU rejects German call", "label": [[0, 2, "ORG"], [11, 17, "MISC"]]}
    {"id": 2, "text": "Ann Lee ran", "entities": [{"id": 7, "start_offset": 0, "end_offset": 7, "label": "PER"}]}

The spans stand under `label`, `labels`, `entities` or `annotations`. Older exports name who made each span (`user`):
a file with several of them is a response of each, and as a key it needs the name of one (`--annotator 3
--response-annotator 2` compares two). A text without a span of theirs has no entity. A label that is a number stays the
number: the export does not contain its name. `relations` link spans by their ids (`from_id`, `to_id`, `type`); spans of
texts with relations are written as objects with ids. Lines of a text are sentences.

Carries text and relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.annotators import Annotator, choose_annotator, note_left_out
from aune.syntax.field_names import DocumentIdField, DocumentTextField, FieldName, LabelsField, rename_fields
from aune.syntax.field_roles import FIELD_AMBIGUOUS, SUBJECTS, find_rival_list
from aune.syntax.jsonlines import Record, Shape, locate, records, shorten_json, to_json_line
from aune.tasks.entities.formats._relations import read_relations
from aune.tasks.entities.formats._writing import character_document, placed_spans, refuse, text_of
from aune.tasks.entities.model import Document, Span, SpansField
from aune.typologies.typology import TypologyName

FIELDS = ("label", "labels", "entities", "annotations")
LABELS = ("label",)
MOST_DIGITS = 16  # of the number of a span
SPAN_LISTS = re.compile(r'"labels?"\s*:\s*\[\s*(?:\[\s*\d+\s*,\s*\d+\s*,|\]\s*[,}])')
SPAN_OBJECTS = re.compile(r'"(?:labels?|entities|annotations)"\s*:\s*\[\s*\{[^{}]*"start_offset"')
DATA_TEXT = re.compile(r'"data"\s*:\s*"')
OTHER_FIELDS = ('"tokens"', '"spans"', '"ents"', '"data": {', '"data":{')
"""Fields of JSON lines of other kinds."""


class DoccanoFields(msgspec.Struct):
    """A text as doccano exports it."""

    text: str
    id: str | int | None = None
    label: list[Any] | None = None
    labels: list[Any] | None = None
    entities: list[Any] | None = None
    annotations: list[Any] | None = None
    relations: list[Any] | None = None


SHAPE = Shape(DoccanoFields, "`text` and `label`")


def read(
    source: Source, *, annotator: Annotator = "", typology: TypologyName = "", spans_field: SpansField = (),
    labels_field: LabelsField = (), text_field: DocumentTextField = (), id_field: DocumentIdField = (),
) -> Iterator[Document]:  # fmt: skip
    choices = [
        FieldName("spans_field", spans_field, "label", FIELDS, SUBJECTS["entities"]),
        FieldName("text_field", text_field or _usual_text(source), "text", ("text",)),
        FieldName("id_field", id_field, "id", ("id",)),
    ]  # fmt: skip
    texts = [
        (record, fields)
        for record in rename_fields(source, records(source), choices)
        if (fields := SHAPE.decode(source, record)) is not None and not _has_rival(source, record, fields)
    ]
    annotators: dict[str, tuple[int, int]] = {}
    for record, fields in texts:
        for place, item in enumerate(_items(fields)[1]):
            if (user := _user(item)) and user not in annotators:
                annotators[user] = locate(record, f"{_items(fields)[0]}[{place}]")
    chosen = choose_annotator(source, annotators, annotator)
    if chosen is None:
        return
    for record, fields in texts:
        yield _document(source, record, fields, chosen, typology, labels_field or LABELS)


def _usual_text(source: Source) -> tuple[str, ...]:
    """What releases of doccano before 1.5 call the text, where a file is of one."""
    return ("text", "data") if '"data"' in source.head and '"text"' not in source.head else ()


def _has_rival(source: Source, record: Record, fields: DoccanoFields) -> bool:
    """Whether a text has other spans beside those that are read; they are reported."""
    used = _items(fields)[0]
    rival = find_rival_list(record.text, "entities", (used, "relations"))
    rival = rival or next((name for name in FIELDS if name != used and getattr(fields, name)), None)
    if rival and used:
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(record, rival), found=f"both `{used}` and `{rival}`",
            expected="the spans of one side", remedies=["write each side into a file of its own"],
        )  # fmt: skip
    return bool(rival and used)


def _items(fields: DoccanoFields) -> tuple[str, list[Any]]:
    """The field with the spans, and them."""
    name = next((name for name in FIELDS if getattr(fields, name) is not None), "")
    return name, getattr(fields, name) if name else []


def _user(item: Any) -> str:
    return str(item["user"]) if isinstance(item, dict) and isinstance(item.get("user"), str | int) else ""


def _document(
    source: Source, record: Record, fields: DoccanoFields, chosen: str, typology: str, labels: Sequence[str]
) -> Document:
    name, items = _items(fields)
    if not name:
        source.add_problem(
            "field.missing", record.line, record.column, found="no spans", expected='an object with "label"',
            remedies=["add it, if only []"],
        )  # fmt: skip
    spans: list[Span] = []
    numbers: list[int | None] = []
    for place, item in enumerate(items):
        span = None
        if not chosen or _user(item) == chosen:
            span = _span(source, record, f"{name}[{place}]", _triple(item, labels), len(fields.text))
        numbers.append(None if span is None else len(spans))
        if span is not None:
            identifier = item.get("id") if isinstance(item, dict) else None
            spans.append(span._replace(id="" if identifier is None else str(identifier)))
    links = read_relations(fields.relations or (), items, numbers)
    if links.unread:
        note_left_out(source, Counter({"relations between what is no span": links.unread}))
    identifier = str(record.number if fields.id is None else fields.id)
    return character_document(
        identifier, spans, fields.text, typology, source.name, record.line, relations=links.relations
    )


def _triple(item: Any, labels: Sequence[str]) -> Any:
    """Start, end and label of a span that is an object; any other as it is."""
    if not isinstance(item, dict):
        return item
    return [item.get("start_offset"), item.get("end_offset"), next((item[n] for n in labels if n in item), None)]


def _span(source: Source, record: Record, path: str, item: Any, size: int) -> Span | None:
    if (
        not (isinstance(item, list) and len(item) == 3 and all(type(place) is int for place in item[:2]))
        or not (type(item[2]) is int or isinstance(item[2], str))
        or item[2] == ""
    ):
        expected = 'a span such as [0, 4, "PER"], or with start_offset, end_offset and label'
        source.add_problem(
            "mention.malformed", *locate(record, path), found=shorten_json(item), expected=expected,
            remedies=["correct it"],
        )  # fmt: skip
        return None
    start, end, label = item
    if not 0 <= start < end <= size:
        source.add_problem(
            "mention.outside-text", *locate(record, path), found=f"the span {start} to {end}",
            expected=f"one inside 0 to {size}", remedies=["correct the offsets"],
        )  # fmt: skip
        return None
    return Span(start, end, str(label), line=record.line)


def sniff(head: str) -> bool:
    start = head.lstrip().removeprefix("[").lstrip()
    names = '"text"' in start or DATA_TEXT.search(start) is not None
    if not start.startswith("{") or not names or any(name in start for name in OTHER_FIELDS):
        return False
    return SPAN_LISTS.search(start) is not None or SPAN_OBJECTS.search(start) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        text = text_of(document)
        if text is None:
            refuse("doccano", "a text without its words", document)
        placed = list(placed_spans(document, "doccano"))
        record: dict[str, Any] = {"id": document.id, "text": text}
        if document.relations:
            ids = span_ids(document)
            record["entities"] = [
                {"id": name, "start_offset": start, "end_offset": end, "label": span.label}
                for name, (span, start, end) in zip(ids, placed, strict=True)
            ]
            record["relations"] = [
                {"id": number, "from_id": ids[relation.source], "to_id": ids[relation.target], "type": relation.kind}
                for number, relation in enumerate(document.relations)
            ]
        else:
            record["label"] = [[start, end, span.label] for span, start, end in placed]
        yield to_json_line(record) + "\n"


def span_ids(document: Document) -> list[int]:
    """A number for each span: its own where all have different ones, as doccano gives them, else that in the list."""
    names = [document.ids.get(number, "") for number in range(len(document))]
    is_numbered = all(name.isdecimal() and len(name) < MOST_DIGITS for name in names) and len(set(names)) == len(names)
    return list(map(int, names)) if is_numbered else list(range(len(names)))


FORMAT = Format(read, sniff, write, carries=frozenset({"text", "relations"}), suffixes=(".jsonl",))
