"""JSON lines of entities with their mentions, for `ace_value`: a document per line.

    {"id": "d1", "entities": [{"type": "PER", "subtype": "Individual", "class": "SPC",
      "mentions": [{"start": 0, "end": 2, "type": "NAM", "role": "PER"}]}]}

Spans are half-open, over tokens, or over characters where `"unit": "character"` says so; both sides count the same.
`subtype`, `class` (SPC), the mentions' `type` (NAM), `role` and `style` (LITERAL) may be left out. For the other
measures each mention is an entity labelled type.subtype.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax.jsonlines import Shape, located, records, written
from aune.tasks.entities.formats._writing import refuse
from aune.tasks.entities.model import FARTHEST, Document, Mention, Referent, Span, Unit, document
from aune.tasks.entities.pairing.referents import referents_of
from aune.tasks.entities.typology import TypologyName


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


def read(source: Source, *, typology: TypologyName = "") -> Iterator[Document]:
    for line in records(source):
        number = line.line
        record = DOCUMENT.decoded(source, line)
        if record is None:
            continue
        referents, spans = [], []
        for place, entity in enumerate(record.entities):
            mentions = [
                Mention(mention.start, mention.end, mention.type, mention.role, mention.style)
                for mention in entity.mentions
            ]
            bad = next((i for i, one in enumerate(mentions) if not 0 <= one.start < one.end <= FARTHEST), None)
            if bad is not None:
                what = f"found the mention {mentions[bad].start} to {mentions[bad].end}"
                expected = f"expected a start before its end, within 0 to {FARTHEST}: mend the offsets"
                source.problem(*located(line, f"entities[{place}].mentions[{bad}]"), f"{what}, {expected}")
                continue
            referents.append(Referent(entity.type, entity.subtype, entity.kind, tuple(mentions)))
            label = f"{entity.type}.{entity.subtype}" if entity.subtype else entity.type
            spans += [Span(mention.start, mention.end, label, line=number) for mention in mentions]
        yield document(
            record.id or str(line.number),
            spans,
            unit=record.unit,
            referents=tuple(referents),
            typology=typology,
            path=source.name,
            line=number,
        )


def sniff(head: str) -> bool:
    return head.lstrip().startswith("{") and '"entities"' in head and '"mentions"' in head


def write(documents: Iterable[Document]) -> Iterator[str]:
    for found in documents:
        entities: list[dict[str, Any]] = [
            {
                "type": one.type, "subtype": one.subtype, "class": one.kind,
                "mentions": [mention._asdict() for mention in one.mentions],
            }
            for one in referents_of(found)
        ]  # fmt: skip
        if not found.id:
            refuse("ace_jsonl", "a document without a name", found)
        unit = {} if found.unit == "token" else {"unit": found.unit}
        yield written({"id": found.id, **unit, "entities": entities}) + "\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"mentions"}), suffixes=(".ace.jsonl",), boundaries=JSON_LINES)
