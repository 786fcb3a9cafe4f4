"""JSON lines of entities with their mentions, for `ace_value`: a document per line.

    {"id": "d1", "entities": [{"type": "PER", "subtype": "Individual", "class": "SPC",
      "mentions": [{"start": 0, "end": 2, "type": "NAM", "role": "PER"}]}]}

Spans are half-open, over tokens, or over characters where `"unit": "character"` says so; both sides count the same.
`subtype`, `class` (SPC), the mentions' `type` (NAM), `role` and `style` (LITERAL) may be left out. For the other
measures each mention is an entity labelled type.subtype. A record with the entities of both sides, such as
`predicted_entities` too, is refused until `spans_field` and `response_spans_field` name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from aune.contract.format import JSON_LINES, Format
from aune.reading.source import Source
from aune.syntax.field_roles import FIELD_AMBIGUOUS, ROLE_NAME, SUBJECTS, FieldChoice, choose_field
from aune.syntax.jsonlines import Record, Shape, locate, records, to_json_line
from aune.tasks.entities.formats._writing import refuse
from aune.tasks.entities.model import MAX_POSITION, Document, Mention, Referent, Span, SpansField, Unit, make_document
from aune.tasks.entities.pairing.referents import split_labels
from aune.typologies.typology import TypologyName


class MentionRecord(msgspec.Struct):
    """A mention as JSON has it."""

    start: int
    end: int
    type: str = "NAM"
    role: str = ""
    style: str = "LITERAL"


class EntityRecord(msgspec.Struct, rename={"kind": "class"}):
    """An entity as JSON has it."""

    type: str
    mentions: list[MentionRecord]
    subtype: str = ""
    kind: str = "SPC"


class DocumentRecord(msgspec.Struct):
    """A document as JSON has it."""

    entities: list[EntityRecord]
    id: str = ""
    unit: Unit = "token"


DOCUMENT = Shape(DocumentRecord, "`entities` with their mentions")
FIELDS: Shape[dict[str, Any]] = Shape(dict[str, Any], "`entities` with their mentions")


def read(source: Source, *, typology: TypologyName = "", spans_field: SpansField = ()) -> Iterator[Document]:
    for line in records(source):
        number = line.line
        record = _decode(source, line, spans_field)
        if record is None:
            continue
        referents, spans = [], []
        for place, entity in enumerate(record.entities):
            mentions = [
                Mention(mention.start, mention.end, mention.type, mention.role, mention.style)
                for mention in entity.mentions
            ]
            bad = next((i for i, item in enumerate(mentions) if not 0 <= item.start < item.end <= MAX_POSITION), None)
            if bad is not None:
                source.add_problem(
                    "mention.reversed", *locate(line, f"entities[{place}].mentions[{bad}]"),
                    found=f"the mention {mentions[bad].start} to {mentions[bad].end}",
                    expected=f"a start before its end, within 0 to {MAX_POSITION}", remedies=["mend the offsets"],
                )  # fmt: skip
                continue
            referents.append(Referent(entity.type, entity.subtype, entity.kind, tuple(mentions)))
            label = f"{entity.type}.{entity.subtype}" if entity.subtype else entity.type
            spans += [Span(mention.start, mention.end, label, line=number) for mention in mentions]
        yield make_document(
            record.id or str(line.number),
            spans,
            unit=record.unit,
            referents=tuple(referents),
            typology=typology,
            path=source.name,
            line=number,
        )


def _decode(source: Source, line: Record, wanted: Sequence[str]) -> DocumentRecord | None:
    """A record with the entities of one side."""
    if not wanted and not ROLE_NAME.search(line.text):
        return DOCUMENT.decode(source, line)
    fields = FIELDS.decode(source, line)
    if fields is None:
        return None
    if wanted:
        choice = FieldChoice(next((name for name in wanted if name in fields), None))
    else:
        choice = choose_field(fields, ("entities",), SUBJECTS["entities"])
    if choice.rivals:
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(line, choice.rivals[1]),
            found=f"both `{choice.rivals[0]}` and `{choice.rivals[1]}`", expected="one of them",
            remedies=[choice.remedy("spans_field")],
        )  # fmt: skip
        return None
    chosen = {name: value for name, value in fields.items() if name != "entities"}
    if choice.name is not None:
        chosen["entities"] = fields[choice.name]
    return DOCUMENT.decode(source, line._replace(text=msgspec.json.encode(chosen).decode()))


def sniff(head: str) -> bool:
    return head.lstrip().startswith("{") and '"entities"' in head and '"mentions"' in head


def write(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        entities: list[dict[str, Any]] = [
            {
                "type": entity.type, "subtype": entity.subtype, "class": entity.kind,
                "mentions": [mention._asdict() for mention in entity.mentions],
            }
            for entity in _referents(document)
        ]  # fmt: skip
        if not document.id:
            refuse("ace_jsonl", "a document without a name", document)
        unit = {} if document.unit == "token" else {"unit": document.unit}
        yield to_json_line({"id": document.id, **unit, "entities": entities}) + "\n"


def _referents(document: Document) -> Sequence[Referent]:
    """The entities of a document; without mentions of their own, each span is an entity that is named once."""
    if document.referents is not None:
        return document.referents
    return [
        Referent(*split_labels([label]), mentions=(Mention(start, end),)) for start, end, label in document.triples()
    ]


FORMAT = Format(read, sniff, write, carries=frozenset({"mentions"}), suffixes=(".ace.jsonl",), boundaries=JSON_LINES)
