"""SegLST: a JSON list of segments, as meeteval and the CHiME challenges use it.

    [{"session_id": "s1", "speaker": "ann", "start_time": 0.5, "end_time": 2.0, "words": "good morning"}]

Segments have no names, and key and response may be cut differently: the segments of a session (or of each speaker of
it, with `group speaker`) are put together in the order of their times and are one document. With `group meeting` a
session keeps its segments, their speakers and their times, for `cp_wer` and `tcp_wer`. Segments with the words of
both sides, such as `words` and `hypothesis`, are refused until `text_field` and `response_text_field` name them.
Carries words and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.field_names import DocumentIdField, FieldName, rename_fields
from aune.syntax.jsonlines import Record, Shape, locate, records, to_json_line
from aune.syntax.numbers import parse_number
from aune.tasks.speech.formats._segments import Group
from aune.tasks.speech.formats._writing import plain_text
from aune.tasks.speech.model import Document, Recording, Utterance, utterances
from aune.tasks.speech.text_roles import REFERENCE_NAME, RESPONSE_NAME, TextField, report_two_roles, text_roles


class Segment(msgspec.Struct):
    """A segment as JSON has it; without times the order of the file stands."""

    session_id: str | int
    words: str
    speaker: Any = ""
    start_time: Any = 0.0
    end_time: Any = None


SEGMENT = Shape(Segment, "`session_id` and `words`")
FIELDS: Shape[dict[str, Any]] = Shape(dict[str, Any], "`session_id` and `words`")
ROLE_FIELD = re.compile(rf'"(?:{REFERENCE_NAME.pattern}|{RESPONSE_NAME.pattern})"\s*:', re.IGNORECASE)


def read(
    source: Source, *, group: Group = "session", text_field: TextField = (), id_field: DocumentIdField = ()
) -> Iterator[Document]:
    rows = rename_fields(source, records(source), [FieldName("id_field", id_field, "session_id", ("session_id",))])
    if group == "meeting":
        yield from _meetings(source, rows, text_field)
        return
    texts: dict[tuple[str, str], list[tuple[float, int, str]]] = {}
    lines: dict[tuple[str, str], int] = {}
    if source.text.lstrip()[:1] not in ("[", ""):
        expected, remedies = "[{…}, …] with a segment in each pair of braces", ["mend the file"]
        source.add_problem("json.no-list", 1, 1, found="no list", expected=expected, remedies=remedies)
        return
    for record in rows:
        segment = _decode_segment(source, record, text_field)
        if segment is not None:
            key = str(segment.session_id), str(segment.speaker) if group == "speaker" else ""
            texts.setdefault(key, []).append((_seconds(segment.start_time), record.number, segment.words))
            lines.setdefault(key, record.line)
    for (session, speaker), parts in texts.items():
        words = [word for _, _, text in sorted(parts) for word in text.split()]
        attributes = {"document": session} | ({"speaker": speaker} if speaker else {})
        name = f"{session}/{speaker}" if speaker else session
        yield Utterance(name, words, attributes, line=lines[session, speaker])


def _meetings(source: Source, rows: Iterable[Record], text_field: Sequence[str]) -> Iterator[Recording]:
    """Sessions whose segments keep their speakers and times."""
    sessions: dict[str, list[Utterance]] = {}
    for record in rows:
        segment = _decode_segment(source, record, text_field)
        if segment is None:
            continue
        session = str(segment.session_id)
        parts = sessions.setdefault(session, [])
        span = None if segment.end_time is None else (_seconds(segment.start_time), _seconds(segment.end_time))
        if span and span[1] < span[0]:
            actual, expected = f"a segment from {span[0]} to {span[1]}", "it to end after its start"
            source.add_problem("time.reversed", record.line, 1, found=actual, expected=expected, remedies=["mend it"])
            continue
        attributes = {"document": session, "speaker": str(segment.speaker)}
        parts.append(Utterance(f"{session}/{len(parts) + 1}", segment.words, attributes, span=span, line=record.line))
    for session, parts in sessions.items():
        yield Recording(
            session, tuple(sorted(parts, key=lambda part: part.span[0] if part.span else 0.0)), parts[0].line
        )


def _decode_segment(source: Source, record: Record, text_field: Sequence[str]) -> Segment | None:
    """A segment whose times are numbers, as JSON or as text, or are not there."""
    segment = SEGMENT.decode(source, _with_one_text(source, record, text_field))
    for time in (segment.start_time, segment.end_time) if segment else ():
        if time is not None and parse_number(str(time)) is None:
            actual, remedies = f"the time {str(time)[:40]!r}", ["mend it", "leave it out"]
            source.add_problem(
                "time.malformed", record.line, 1, found=actual, expected="seconds such as 1.5", remedies=remedies
            )
            return None
    return segment


def _with_one_text(source: Source, record: Record, wanted: Sequence[str]) -> Record:
    """The record with the words of one side, under their usual name; one with those of both sides is reported."""
    if not wanted and not ROLE_FIELD.search(record.text):
        return record
    fields = FIELDS.decode(source, record) or {}
    name = next((name for name in wanted if name in fields), None)
    if name is not None:
        return record._replace(text=to_json_line({**fields, "words": fields[name]}))
    if wanted:
        source.add_problem(
            "field.missing", record.line, record.column, found=f"no field {' or '.join(map(repr, wanted))}",
            expected="the words of a segment there", remedies=["name the field with the words"],
        )  # fmt: skip
    elif roles := text_roles(fields):
        report_two_roles(source, *locate(record, roles.response), roles)
    return record


def _seconds(time: Any) -> float:
    return parse_number(str(time)) or 0.0


def sniff(head: str) -> bool:
    return head.lstrip().startswith("[") and '"session_id"' in head and '"words"' in head


def write(documents: Sequence[Document]) -> Iterator[str]:
    """A session for each document: its utterances must not be mixed with those of another when they are read again."""
    segments = [
        {
            "session_id": document.id,
            "speaker": utterance.attributes.get("speaker", ""),
            "start_time": utterance.span[0] if utterance.span else 0.0,
            "end_time": utterance.span[1] if utterance.span else 0.0,
            "words": plain_text(utterance, "seglst"),
        }
        for document in documents
        for utterance in utterances([document])
    ]
    yield "[" + ",\n ".join(map(to_json_line, segments)) + "]\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words", "names", "capitals in names", "documents"}))
