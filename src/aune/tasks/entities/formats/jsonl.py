"""JSON lines of texts with spans: a document per line.

    {"id": "d1", "text": "Laurent Blanc joue", "spans": [{"start": 0, "end": 13, "label": "pers.ind"}]}
    {"id": "d2", "tokens": ["Laurent", "Blanc"], "spans": [[0, 2, "pers.ind"]]}

Spans are over characters where there is a `text`, over tokens otherwise; `unit` says which where there is neither. They
stand under `spans` (Prodigy), `entities` or `ents` (spaCy), as objects or as [start, end, label]; `label` may be a
list, for several labels over the same text, `segments` ([[0, 4], [9, 12]]) gives the parts of a span in pieces, and
`depth` how many spans enclose it, which orders those over the same text. `sentences` lists the first position of each.
`id`, `doc_id`, `doc_key` or the number of the line names the document. A JSON list of lists of spans, one list per
document, is read too: nervaluate's input, where ends are usually inclusive (say so with `--ends inclusive`), or the
output of a pipeline of Hugging Face, where `entity_group` is the label.

Carries text, tokens, sentences, pieces and nesting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from aune.core.corpus import Source
from aune.core.parts import overlap
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.syntax.jsonlines import Record, Shape, item_places, located, records, shown, written
from aune.syntax.jsonplaces import Value, placed, relisted
from aune.tasks.entities.formats._splicing import Pair, changes, content, left_over, spliced_file
from aune.tasks.entities.formats._writing import refuse
from aune.tasks.entities.model import FARTHEST, Document, Segments, Span, Unit, document, spans_of
from aune.tasks.entities.plain import LABELS, LISTS, PIECES
from aune.tasks.entities.typology import TypologyName

Ends: TypeAlias = Annotated[Literal["exclusive", "inclusive"], "whether the end of a span is after it or in it"]


class Text(msgspec.Struct):
    """A document as JSON has it."""

    id: str | int | None = None
    doc_id: str | int | None = None
    doc_key: str | int | None = None
    text: str | None = None
    tokens: list[Any] | None = None
    spans: list[Any] | None = None
    entities: list[Any] | None = None
    ents: list[Any] | None = None
    sentences: list[int] | None = None
    unit: Unit | None = None


TEXT = Shape(Text, '"spans", if only []')
SPANS: Shape[list[Any]] = Shape(list[Any], "spans")


def read(source: Source, *, ends: Ends = "exclusive", typology: TypologyName = "") -> Iterator[Document]:
    for record in records(source):
        fields = _fields(source, record)
        if fields is not None:
            yield _document(source, record, fields, int(ends == "inclusive"), typology)


def _fields(source: Source, record: Record) -> Text | None:
    """What a record says; a bare list is one of spans."""
    if record.text.startswith("["):
        items = SPANS.decoded(source, record)
        unit: Unit | None = "character" if '"entity_group"' in source.head else None  # as pipelines count
        return None if items is None else Text(spans=items, unit=unit)
    fields = TEXT.decoded(source, record)
    if fields is not None and all(getattr(fields, name) is None for name in LISTS):
        what = 'found no spans, expected an object with "spans": add them, if only []'
        source.problem(record.line, record.column, what)
        return None
    return fields


def _document(source: Source, record: Record, fields: Text, extra: int, typology: str) -> Document:
    under = next(name for name in LISTS if getattr(fields, name) is not None)
    text = fields.text
    size = len(text) if text is not None else len(fields.tokens) if fields.tokens is not None else None
    path = "" if record.text.startswith("[") else under
    columns = [record.column + start for start, _ in item_places(record, path)] if typology else []
    listed = _Listed(source, record, path, extra, size, columns)
    spans = [span for place, item in enumerate(getattr(fields, under)) for span in listed.spans(place, item)]
    name = next((str(name) for name in (fields.id, fields.doc_id, fields.doc_key) if name is not None), None)
    words = [_word(token) for token in fields.tokens] if fields.tokens is not None and text is None else None
    return document(
        str(record.number) if name is None else name, spans, length=size or 0,
        unit="character" if text is not None else "token" if words is not None else fields.unit or "token",
        text=text, words=words.copy if words is not None else None,
        sentences=_sentences(source, record, fields.sentences, size),
        typology=typology, path=source.name, line=record.line,
    )  # fmt: skip


def _sentences(source: Source, record: Record, starts: Sequence[int] | None, size: int | None) -> Any:
    if starts is None:
        return None
    if any(not 0 <= start < max(size or FARTHEST, 1) for start in starts):
        what = "found a sentence that starts outside the text, expected first positions: mend them"
        source.problem(*located(record, "sentences"), what)
        return None
    return np.asarray(sorted({0, *starts}), np.int64)


def _word(token: Any) -> str:
    return str(token.get("text", "")) if isinstance(token, Mapping) else str(token)


class _Listed(NamedTuple):
    """A list of spans in a record."""

    source: Source
    record: Record
    path: str
    """Where the list stands in the record."""
    extra: int
    size: int | None
    columns: Sequence[int]
    """Where the items begin, when somebody wants to know: `aune validate` does under a typology."""

    def tell(self, place: int, message: str) -> list[Span]:
        self.source.problem(*located(self.record, f"{self.path}[{place}]"), message)
        return []

    def spans(self, place: int, item: Any) -> list[Span]:
        """The spans of one item: one for each of its labels."""
        fields = dict(zip(("start", "end", "label"), item, strict=True)) if _is_triple(item) else item
        if not isinstance(fields, dict):
            return self.tell(place, f"found {shown(item)}, expected a span with start, end and label: mend it")
        label: Any = next((fields[name] for name in LABELS if name in fields), None)
        if label is None and "entity" in fields:
            return self.tell(place, f"found {shown(item)}, {PIECES}")
        said: Callable[..., Any] = fields.get
        segments = self._segments(place, said("segments") or [])
        if segments is None:
            return []
        start, end, depth = said("start"), said("end"), said("depth", 0)
        if segments:
            start, end = segments[0][0], segments[-1][1] - self.extra
        labels = label if isinstance(label, list) else [label]
        named = bool(labels) and all(isinstance(one, str) and one for one in labels)
        if not (_is_offset(start) and _is_offset(end) and _is_offset(depth) and named):
            what = "expected whole numbers as start and end, and a label"
            return self.tell(place, f"found {shown(item)}, {what}: mend the span")
        end += self.extra
        if end == start:
            what = f"found the empty span {shown(item)}, expected text in it"
            return self.tell(place, f"{what}: mend its end, or use --ends inclusive where ends are last positions")
        last = FARTHEST if self.size is None else self.size
        if not start < end <= last:
            return self.tell(
                place, f"found the span {start} to {end}, expected one inside 0 to {last}: mend the offsets"
            )
        pieces = segments if len(segments) > 1 else ()
        column = self.columns[place] if self.columns else self.record.column
        return [Span(start, end, one, depth, pieces, self.record.line, column) for one in labels]

    def _segments(self, place: int, parts: Any) -> Segments | None:
        """The pieces of a span; None when a problem was told."""
        if not isinstance(parts, list) or not all(_is_segment(part, self.extra) for part in parts):
            self.tell(place, f"found the segments {shown(parts)}, expected such as [[0, 4], [9, 12]]: mend them")
            return None
        segments = tuple(sorted((start, end + self.extra) for start, end in parts))
        if overlap(segments):
            self.tell(place, f"found the segments {shown(parts)}, expected pieces that do not overlap: mend them")
            return None
        return segments


def _is_triple(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3


def _is_offset(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**40


def _is_segment(part: Any, extra: int) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(map(_is_offset, part)) and part[0] < part[1] + extra


def sniff(head: str) -> bool:
    start = head.lstrip()
    first = start.removeprefix("[").lstrip()
    if first != start and first.startswith(("[", "]")):
        return True
    return first.startswith("{") and any(f'"{name}"' in start for name in LISTS) and '"mentions"' not in start


def write(documents: Iterable[Document]) -> Iterator[str]:
    for found in documents:
        record: dict[str, Any] = {"id": found.id}
        if found.text is not None:
            record["text"] = found.text
        elif found.tokens is not None:
            record["tokens"] = list(found.tokens)
        else:
            record["unit"] = found.unit
        if found.sentences is not None and len(found.sentences) > 1:
            record["sentences"] = found.sentences.tolist()
        if "" in found.names:
            refuse("jsonl", "an entity without a label", found)
        record["spans"] = [_item(span) for span in spans_of(found)]
        yield written(record) + "\n"


def _item(span: Span) -> dict[str, Any]:
    segments = {"segments": [list(part) for part in span.segments]} if span.segments else {}
    return {
        "start": span.start,
        "end": span.end,
        "label": span.label,
        **segments,
        **({"depth": span.depth} if span.depth else {}),
    }


def splice(
    source: Source, documents: Sequence[Document], *, ends: Ends = "exclusive", typology: TypologyName = ""
) -> bytes:
    """The file with other spans: items that stay keep their characters, new ones come last."""

    def made(pairs: Sequence[Pair], thorough: bool) -> bytes:
        edits, starts = Edits(source), Lines(source.text).starts
        for record, pair in zip(records(source), pairs, strict=True):
            removed, added = changes(*pair)
            if removed or added:
                under = next((name for name in LISTS if _has(record, name)), "")
                value = placed(record.text)
                value = value.fields[under] if under else value
                items = _relisted(source, record, value, under, int(ends == "inclusive"), removed, added)
                place = starts[record.line - 1] + record.column - 1
                edits.replace(place + value.start, place + value.end, relisted(record.text, value, items, ", "))
        return edits.applied()

    return spliced_file(source, documents, partial(read, ends=ends, typology=typology), made)


def _has(record: Record, name: str) -> bool:
    return record.text.startswith("{") and getattr(TEXT.decoder.decode(record.text), name) is not None


def _relisted(
    source: Source, record: Record, value: Value, under: str, extra: int, removed: list[Span], added: list[Span]
) -> list[tuple[int | None, str]]:
    """The items of the list after the change: each with its number before, if it was there, and its text."""
    gone = Counter(map(content, removed))
    listed = _Listed(source, record, under, extra, None, [])
    items: list[tuple[int | None, str]] = []
    bare = False
    for number, item in enumerate(value.items):
        text = record.text[item.start : item.end]
        fields = msgspec.json.decode(text)
        bare = isinstance(fields, list)
        spans = listed.spans(number, fields)
        left = left_over(spans, gone)
        if len(left) == len(spans):
            items.append((number, text))
        else:
            items += [(None, _as_item(span, bare, extra)) for span in left]
    return items + [(None, _as_item(span, bare and not span.segments, extra)) for span in added]


def _as_item(span: Span, bare: bool, extra: int) -> str:
    parts = tuple((start, end - extra) for start, end in span.segments)
    moved = span._replace(end=span.end - extra, segments=parts)
    return written([moved.start, moved.end, moved.label] if bare else _item(moved))


CARRIES = frozenset({"text", "tokens", "sentences", "pieces", "nesting"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".jsonl", ".json"), splice=splice, boundaries=JSON_LINES)
