"""JSON lines of texts with spans: a document per line.

    {"id": "d1", "text": "Laurent Blanc joue", "spans": [{"start": 0, "end": 13, "label": "pers.ind"}]}
    {"id": "d2", "tokens": ["Laurent", "Blanc"], "spans": [[0, 2, "pers.ind"]]}

Spans are over characters where there is a `text`, over tokens otherwise. They stand under `spans` (Prodigy), `entities`
or `ents` (spaCy), as objects or as [start, end, label]; `label` may be a list, for several labels over the same text,
and `segments` ([[0, 4], [9, 12]]) gives the parts of a span in pieces. `id`, `doc_id`, `doc_key` or the number of the
line names the document. A JSON list of lists of spans (nervaluate's input), one list per document, is read too; there
ends are usually inclusive: say so with `--ends inclusive`.

Carries text, tokens, pieces and nesting.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.tasks.entities.model import LISTS, Document, Segments, Span, document
from aune.tasks.entities.typology import TypologyName

Ends: TypeAlias = Annotated[Literal["exclusive", "inclusive"], "whether the end of a span is after it or in it"]
NAMES = ("id", "doc_id", "doc_key")
SCAN = json.JSONDecoder().raw_decode
LARGEST = 2**40  # an offset beyond this is no offset


def read(source: Source, *, ends: Ends = "exclusive", typology: TypologyName = "") -> Iterator[Document]:
    for number, name, record, line in _records(source):
        if isinstance(record, list):
            record = {"spans": record}
        if not isinstance(record, dict) or not any(name in record for name in LISTS):
            source.problem(number, 1, 'found no spans, expected an object with "spans": add them, if only []')
            continue
        text, tokens = record.get("text"), record.get("tokens")
        under = next(name for name in LISTS if name in record)
        given = record[under]
        size = len(text) if isinstance(text, str) else len(tokens) if isinstance(tokens, list) else None
        if not isinstance(given, list):
            source.problem(number, 1, f"found {_shown(given)}, expected a list of spans: mend it")
            continue
        extra = 1 if ends == "inclusive" else 0
        places = zip(given, chain(_columns(line, under), repeat(1)), strict=False)
        spans = [span for item, column in places for span in _spans(source, number, column, item, extra, size)]
        named = next((str(record[key]) for key in NAMES if key in record), name)
        words = [_word(token) for token in tokens] if isinstance(tokens, list) else None
        yield document(
            named, spans, length=size or 0, unit="character" if isinstance(text, str) else "token",
            text=text if isinstance(text, str) else None, words=words.copy if words is not None else None,
            typology=typology, path=source.name, line=number,
        )  # fmt: skip


def _records(source: Source) -> Iterator[tuple[int, str, Any, str]]:
    """The JSON values of a source with their line numbers, names and lines: one per line, or the items of one list."""
    decoder = msgspec.json.Decoder()
    if source.text.lstrip().startswith("["):
        try:
            for number, item in enumerate(decoder.decode(source.text), 1):
                yield 1, str(number), item, ""
        except (msgspec.DecodeError, RecursionError) as error:
            source.problem(1, 1, f"found broken JSON ({error}), expected a list of documents: mend it")
        return
    for number, line in source.lines():
        if line.strip():
            try:
                yield number, str(number), decoder.decode(line), line
            except (msgspec.DecodeError, RecursionError) as error:
                source.problem(number, 1, f"found broken JSON ({error}), expected a document per line: mend it")


def _columns(line: str, name: str) -> list[int]:
    """Where the items of the list of that name begin in a line of JSON, from 1; nothing where that cannot be seen."""
    try:
        return list(_item_columns(line, name)) if line else []
    except (ValueError, IndexError, RecursionError):
        return []


def _item_columns(line: str, name: str) -> Iterator[int]:
    place = line.index("{")
    while True:
        key, colon = SCAN(line, _next(line, place + 1))
        value = _next(line, _next(line, colon) + 1)
        if key == name:
            break
        place = _next(line, SCAN(line, value)[1])
    place = _next(line, value + 1)
    while line[place] != "]":
        yield place + 1
        after = _next(line, SCAN(line, place)[1])
        place = _next(line, after + 1) if line[after] == "," else after


def _next(line: str, place: int) -> int:
    """The first place from this one on that is not blank."""
    while line[place] in " \t":
        place += 1
    return place


def _word(token: Any) -> str:
    return str(token.get("text", "")) if isinstance(token, Mapping) else str(token)


def _spans(source: Source, number: int, column: int, item: Any, extra: int, size: int | None) -> list[Span]:
    """The spans of one item: one for each of its labels."""
    segments: Segments = ()
    start: Any
    end: Any
    label: Any
    if isinstance(item, dict):
        start, end = item.get("start"), item.get("end")
        label = item.get("label", item.get("labels", item.get("type")))
        parts = item.get("segments") or []
        if not isinstance(parts, list) or not all(_is_segment(part, extra) for part in parts):
            source.problem(
                number, column, f"found the segments {_shown(parts)}, expected such as [[0, 4], [9, 12]]: mend them"
            )
            return []
        if parts:
            segments = tuple(sorted((part[0], part[1] + extra) for part in parts))
            start, end = segments[0][0], max(part[1] for part in segments) - extra
    elif isinstance(item, list) and len(item) == 3:
        start, end, label = item
    else:
        source.problem(number, column, f"found {_shown(item)}, expected a span with start, end and label: mend it")
        return []
    labels = label if isinstance(label, list) else [label]
    if (
        not _is_offset(start)
        or not _is_offset(end)
        or not labels
        or not all(isinstance(one, str) and one for one in labels)
    ):
        source.problem(number, column, f"found {_shown(item)}, expected whole numbers and a label: mend the span")
        return []
    end += extra
    if end < start or (size is not None and end > size):
        where = f"0 to {size}" if size is not None else "0 on"
        source.problem(
            number, column, f"found the span {start} to {end}, expected one inside {where}: mend the offsets"
        )
        return []
    return [Span(start, end, one, 0, segments if len(segments) > 1 else (), number, column) for one in labels]


def _is_offset(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST


def _is_segment(part: Any, extra: int) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(map(_is_offset, part)) and part[0] < part[1] + extra


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


def sniff(head: str) -> bool:
    start = head.lstrip()
    if start.startswith("["):
        return start[1:].lstrip().startswith(("[", "{", "]"))
    return start.startswith("{") and any(f'"{name}"' in start for name in LISTS) and '"mentions"' not in start


def write(documents: Iterable[Document]) -> Iterator[str]:
    for found in documents:
        record: dict[str, Any] = {"id": found.id}
        if found.unit == "character":
            record["text"] = found.text or " " * found.length
        else:
            record["tokens"] = list(found.tokens or ["_"] * found.length)
        record["spans"] = [
            {"start": start, "end": end, "label": label}
            | ({"segments": [list(part) for part in found.segments[index]]} if index in found.segments else {})
            for index, (start, end, label) in enumerate(found.triples())
        ]
        yield json.dumps(record, ensure_ascii=False) + "\n"


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset({"text", "tokens", "pieces", "nesting"}),
    suffixes=(".jsonl", ".json"),
    boundaries=JSON_LINES,
)
