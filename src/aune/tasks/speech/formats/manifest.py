"""JSON lines, as the manifests of NeMo, ESPnet and others: an utterance on each line.

    {"id": "u1", "text": "we met in new york", "speaker": "ann", "entities": [[3, 5, "LOC"]]}

The text is a string, or a list of words, in the first of the fields `text_field` that is there; the name in the first
of `id_field`, failing that the number of the line. `entities` are spans of words: [start, end, type] or objects
with `start`, `end` and `type` (or `label`), half-open and from 0. `times` holds [begin, end] for each word,
`start_time` and `end_time` the time of the whole. Entities and times in another shape are not read, and that is said.
Every other field with a single value becomes an attribute, to break scores down by; `document_field` names the one that
tells which recording or story the utterance is from. Carries words, names, entities, times and fields.

A file with both what was said (`text`) and what was recognised (`pred_text`), as NeMo writes, is key and response
at once: `--text-field text --response-text-field pred_text`. Its entities and times are those of what was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from aune.contract.format import JSON_LINES, Format
from aune.contract.options import HiddenAtDefault
from aune.errors import Remedy
from aune.reading.source import Source
from aune.syntax.field_names import FieldName, rename_fields
from aune.syntax.jsonlines import Record, Shape, kind, locate, records, shorten_json, to_json_line
from aune.tasks.speech.formats._foreign import is_one_recording, refuse_recogniser_json
from aune.tasks.speech.formats._markup import Markup, plain_utterance, sample_lines
from aune.tasks.speech.formats._writing import refuse
from aune.tasks.speech.model import NO_ATTRIBUTES, Document, Entity, Utterance, iterate_utterances
from aune.tasks.speech.text_roles import TextField, report_two_roles, text_roles

IdField = Annotated[tuple[str, ...], "the fields that may contain the utterance's name; id, utt_id… if none is named"]
DocumentField = Annotated[tuple[str, ...], "the fields that may tell the recording; document, story… if none is named"]
EntitiesField = Annotated[
    tuple[str, ...], "the field of an utterance with its entities; entities if none is named", HiddenAtDefault
]
TEXT = ("text", "words", "transcript", "transcription", "sentence", "pred_text", "hypothesis", "reference")
ID = ("id", "utt_id", "utterance_id", "utt", "uid", "key", "audio_filepath", "audio", "path", "file", "filename")
RECOGNISED = ("pred", "hyp")  # how the names of fields begin whose text is a recogniser's
TIMES = ("start_time", "end_time")
SHAPES = {"entities": "[start, end, type]", "times": "[begin, end]"}
RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "a text, such as `text`")
TEXT_FIELD_REMEDY = Remedy("name it", (("text_field", "FIELD"),))
DOCUMENT = ("document", "doc", "story", "recording", "session_id", "session")


class Fields(NamedTuple):
    """The fields that may contain the text of an utterance, its name, and the recording it is from."""

    text: Sequence[str]
    id: Sequence[str]
    document: Sequence[str]


def read(
    source: Source,
    *,
    text_field: TextField = (),
    id_field: IdField = (),
    document_field: DocumentField = (),
    spans_field: EntitiesField = (),
    markup: Markup = "none",
) -> Iterator[Utterance]:
    if refuse_recogniser_json(source):
        return
    choice = FieldName("spans_field", spans_field, "entities", ("entities",))
    fields = Fields(text_field or TEXT, id_field or ID, document_field or DOCUMENT)
    if markup == "none" and not spans_field and (uniform := _uniform_utterances(source, fields)):
        yield from uniform
        return
    unread: Counter[str] = Counter()
    plain: dict[tuple[str, ...], tuple[str, str] | None] = {}
    for record in rename_fields(source, records(source), [choice]):
        values = RECORD.decode(source, record)
        if values is not None and not text_field and (roles := text_roles(values)):
            report_two_roles(source, *locate(record, roles.response), roles)
            return
        if values is not None and markup == "none":
            names = tuple(values)
            if names not in plain:
                plain[names] = _plain_fields(names, fields)
            if (simple := plain[names]) and type(values[simple[0]]) is type(values[simple[1]]) is str:
                yield _plain_utterance(values, *simple, record.line)
                continue
        utterance = _utterance(source, record, values, fields, markup, unread) if values is not None else None
        if utterance is not None:
            yield utterance
    for name, count in unread.items():
        source.add_note(name, partial(_other_shape, name), {name: count})


def _uniform_utterances(source: Source, fields: Fields) -> list[Utterance] | None:
    """The utterances of a source whose records all have the same few fields, as nearly all do; None for any other."""
    records = RECORD.decode_all(source)
    names = tuple(records[0]) if records else ()
    simple = _plain_fields(names, fields)
    if records is None or simple is None or set(map(tuple, records)) != {names}:
        return None
    texts, ids = ([record[field] for record in records] for field in simple)
    if set(map(type, texts)) | set(map(type, ids)) != {str}:
        return None
    lines = source.line_numbers(len(records))
    if len(names) > 2:
        return [_plain_utterance(record, *simple, line) for record, line in zip(records, lines, strict=True)]
    return [Utterance(name, text, line=line) for name, text, line in zip(ids, texts, lines, strict=True)]


def _plain_fields(names: tuple[str, ...], fields: Fields) -> tuple[str, str] | None:
    """The fields of text and name in records that have these fields, if nothing else in them has a meaning."""
    text = next((name for name in fields.text if name in names), None)
    named = next((name for name in fields.id if name in names), None)
    special = {*fields.document, *TIMES, "entities", "times"}
    if fields.text is TEXT and text_roles(dict.fromkeys(names, "")):
        return None
    if text is None or named is None or text == named or text.startswith(RECOGNISED) or special & set(names):
        return None
    return text, named


def _plain_utterance(values: Mapping[str, Any], text: str, named: str, line: int) -> Utterance:
    """What `_utterance` makes of most records, in a fraction of the time."""
    if len(values) == 2:
        return Utterance(values[named], values[text], line=line)
    attributes = {name: str(value) for name, value in values.items()
                  if isinstance(value, str | int | float) and name not in (text, named)}  # fmt: skip
    return Utterance(values[named], values[text], attributes or NO_ATTRIBUTES, line=line)


def _other_shape(name: str, counts: Mapping[str, int], line: int) -> str:
    count = counts[name]
    return f"{name!r} of {count} utterance{'s' * (count > 1)} in another shape than {SHAPES[name]}: not read"


def _utterance(
    source: Source, record: Record, values: Mapping[str, Any], fields: Fields, markup: str, unread: Counter[str]
) -> Utterance | None:
    """The utterance that an object describes, or None when a problem was told; `foreign` counts what is not read."""
    field = _text_field(source, record, values, fields.text)
    if field is None:
        return None
    text, line = values[field], record.line
    name_field, document_field = (
        next((name for name in names if isinstance(values.get(name), str | int)), None)
        for names in (fields.id, fields.document)
    )
    name = str(values[name_field]) if name_field is not None else str(line)
    span = _time_span(values)
    used_fields = (field, name_field, *(TIMES if span else ()))
    attributes = {key: str(value) for key, value in values.items()
                  if isinstance(value, str | int | float) and key not in used_fields}  # fmt: skip
    if document_field is not None:
        attributes["document"] = str(values[document_field])
    if field != "words" and _are_lines(text) and not {"entities", "times"} & values.keys():
        text = " ".join(text)  # as doccano has transcripts
    if isinstance(text, str):
        utterance = plain_utterance(source, name, text, line, markup, attributes or NO_ATTRIBUTES)
    else:
        utterance = Utterance(name, text, attributes or NO_ATTRIBUTES, line=line)
    if span:
        utterance = utterance._replace(span=span)
    if field.startswith(RECOGNISED) and any(name in values for name in TEXT if not name.startswith(RECOGNISED)):
        return utterance  # entities and times are those of what was said
    return _add_annotations(source, record, values, utterance, unread)


def _text_field(source: Source, record: Record, values: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of some fields that is there, if it holds a text; None when a problem was told."""
    field = next((name for name in names if name in values), None)
    if field is None:
        source.add_problem(
            "field.missing",
            record.line,
            record.column,
            found="no text",
            expected=f"a field {', '.join(names)}",
            remedies=[TEXT_FIELD_REMEDY],
        )
        return None
    if not isinstance(values[field], str) and not _is_words(values[field]):
        source.add_problem(
            "field.wrong-type",
            *locate(record, field),
            found=f"{kind(values[field])} in {field!r}",
            expected="a string or a list of words",
            remedies=["mend the field"],
        )
        return None
    return field


def _add_annotations(
    source: Source, record: Record, values: Mapping[str, Any], utterance: Utterance, unread: Counter[str]
) -> Utterance:
    """The utterance with its entities and times."""
    entities, times = values.get("entities"), values.get("times")
    if entities is not None and all(map(_looks_like_entity, _as_list(entities))):
        utterance = utterance._replace(
            entities=utterance.entities + _entities(source, record, entities, len(utterance.words))
        )
    elif entities is not None:
        unread["entities"] += 1
    if times is not None and all(map(_is_pair, _as_list(times))):
        utterance = utterance._replace(times=_times(source, record, times, len(utterance.words)))
    elif times is not None:
        unread["times"] += 1
    return utterance


def _is_words(text: Any) -> bool:
    return isinstance(text, list) and all(isinstance(word, str) and word.strip() for word in text)


def _are_lines(text: Any) -> bool:
    """Whether a list contains texts and not words."""
    return isinstance(text, list) and any(len(part.split()) > 1 for part in text)


def _time_span(values: Mapping[str, Any]) -> tuple[float, float] | None:
    """When the utterance begins and ends, where two numbers say so."""
    begin, end = (values.get(name) for name in TIMES)
    return (float(begin), float(end)) if _is_pair([begin, end]) and begin <= end else None  # type: ignore[arg-type,operator]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _bounds(item: Any) -> list[Any]:
    """[start, end, type] of an entity in either shape; nothing for what has neither."""
    if isinstance(item, dict):
        label = item.get("type", item.get("label"))
        return [item["start"], item["end"], label] if {"start", "end"} <= item.keys() else []
    return item if isinstance(item, list) else []


def _looks_like_entity(item: Any) -> bool:
    """Whether this is meant as [start, end, type]: other corpora keep other things under that name."""
    bounds = _bounds(item)
    return len(bounds) == 3 and all(type(place) is int for place in bounds[:2]) and isinstance(bounds[2], str)


def _entities(source: Source, record: Record, items: Any, words: int) -> tuple[Entity, ...]:
    entities = []
    for place, item in enumerate(items):
        start, end, label = _bounds(item)
        if 0 <= start < end <= words:
            entities.append(Entity(start, end, label))
        else:
            source.add_problem(
                "entity.outside-text",
                *locate(record, f"entities[{place}]"),
                found=f"the entity {shorten_json(item)}",
                expected=f"[start, end, type] within the {words} words",
                remedies=["mend the entity"],
            )
    return tuple(entities)


def _times(source: Source, record: Record, pairs: Any, words: int) -> list[tuple[float, float]] | None:
    if len(pairs) != words:
        source.add_problem(
            "time.count",
            *locate(record, "times"),
            found=f"{len(pairs)} times",
            expected=f"[begin, end] for each of the {words} words",
            remedies=["mend them"],
        )
        return None
    late = next((place for place, (begin, end) in enumerate(pairs) if end < begin), None)
    if late is not None:
        source.add_problem(
            "time.reversed",
            *locate(record, f"times[{late}]"),
            found=f"the times {shorten_json(pairs[late])}",
            expected="the begin before the end",
            remedies=["mend them"],
        )
        return None
    return [(float(begin), float(end)) for begin, end in pairs]


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(time) in (int, float) for time in pair)


def sniff(head: str) -> bool:
    lines = sample_lines(head)
    return (
        bool(lines)
        and not is_one_recording(head)
        and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for utterance in iterate_utterances(documents):
        record: dict[str, Any] = {"id": utterance.id, "words": list(utterance.words)}
        if utterance.entities:
            record["entities"] = [list(entity) for entity in utterance.entities]
        if utterance.times is not None and len(utterance.times) == len(utterance.words):
            record["times"] = [list(time) for time in utterance.times]
        if utterance.span is not None:
            record |= zip(TIMES, utterance.span, strict=True)
        if reserved := sorted({"text", *record} & utterance.attributes.keys()):
            refuse("manifest", f"the field {reserved[0]!r}, which is the utterance's own", utterance)
        if not _is_words(record["words"]):
            refuse("manifest", "an empty word", utterance)
        yield to_json_line(record | dict(utterance.attributes)) + "\n"


CARRIES = frozenset(
    {"words", "names", "capitals in names", "entities", "times", "fields", "speakers", "labels", "documents"}
)
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".jsonl", ".json"), boundaries=JSON_LINES)
