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

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax.jsonlines import Record, Shape, kind, located, records, shown, written
from aune.tasks.speech.formats._markup import Markup, plain_utterance, sample
from aune.tasks.speech.formats._writing import refuse
from aune.tasks.speech.model import NO_ATTRIBUTES, Document, Entity, Utterance, utterances

TextField = Annotated[tuple[str, ...], "the fields that may hold the text; text, words, transcript… if none is named"]
IdField = Annotated[tuple[str, ...], "the fields that may hold the utterance's name; id, utt_id… if none is named"]
DocumentField = Annotated[tuple[str, ...], "the fields that may tell the recording; document, story… if none is named"]
TEXT = ("text", "words", "transcript", "transcription", "sentence", "pred_text", "hypothesis", "reference")
ID = ("id", "utt_id", "utterance_id", "utt", "uid", "key", "audio_filepath", "audio", "path", "file")
RECOGNISED = ("pred", "hyp")  # how the names of fields begin whose text is a recogniser's
TIMES = ("start_time", "end_time")
SHAPES = {"entities": "[start, end, type]", "times": "[begin, end]"}
RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "a text, such as `text`")
DOCUMENT = ("document", "doc", "story", "recording", "session_id", "session")


class Fields(NamedTuple):
    """The fields that may hold the text of an utterance, its name, and the recording it is from."""

    text: Sequence[str]
    id: Sequence[str]
    document: Sequence[str]


def read(
    source: Source,
    *,
    text_field: TextField = (),
    id_field: IdField = (),
    document_field: DocumentField = (),
    markup: Markup = "none",
) -> Iterator[Utterance]:
    fields = Fields(text_field or TEXT, id_field or ID, document_field or DOCUMENT)
    if markup == "none" and (together := _together(source, fields)):
        yield from together
        return
    foreign: Counter[str] = Counter()
    plain: dict[tuple[str, ...], tuple[str, str] | None] = {}
    for record in records(source):
        values = RECORD.decoded(source, record)
        if values is not None and markup == "none":
            names = tuple(values)
            if names not in plain:
                plain[names] = _plain_fields(names, fields)
            if (simple := plain[names]) and type(values[simple[0]]) is type(values[simple[1]]) is str:
                yield _plain_utterance(values, *simple, record.line)
                continue
        one = _utterance(source, record, values, fields, markup, foreign) if values is not None else None
        if one is not None:
            yield one
    for name, count in foreign.items():
        source.note(name, partial(_other_shape, name), {name: count})


def _together(source: Source, fields: Fields) -> list[Utterance] | None:
    """The utterances of a source whose records all have the same few fields, as nearly all do; None for any other."""
    records = RECORD.together(source)
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
    source: Source, record: Record, values: Mapping[str, Any], fields: Fields, markup: str, foreign: Counter[str]
) -> Utterance | None:
    """The utterance that an object describes, or None when a problem was told; `foreign` counts what is not read."""
    field = _text_field(source, record, values, fields.text)
    if field is None:
        return None
    text, line = values[field], record.line
    named, document = (
        next((name for name in names if isinstance(values.get(name), str | int)), None)
        for names in (fields.id, fields.document)
    )
    name = str(values[named]) if named is not None else str(line)
    span = _segment(values)
    taken = (field, named, *(TIMES if span else ()))
    attributes = {key: str(value) for key, value in values.items()
                  if isinstance(value, str | int | float) and key not in taken}  # fmt: skip
    if document is not None:
        attributes["document"] = str(values[document])
    if isinstance(text, str):
        one = plain_utterance(source, name, text, line, markup, attributes or NO_ATTRIBUTES)
    else:
        one = Utterance(name, text, attributes or NO_ATTRIBUTES, line=line)
    if span:
        one = one._replace(span=span)
    if field.startswith(RECOGNISED) and any(name in values for name in TEXT if not name.startswith(RECOGNISED)):
        return one  # entities and times are those of what was said
    return _annotated(source, record, values, one, foreign)


def _text_field(source: Source, record: Record, values: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of some fields that is there, if it holds a text; None when a problem was told."""
    field = next((name for name in names if name in values), None)
    if field is None:
        what = f"found no text, expected a field {', '.join(names)}: name it with --text-field"
        source.problem(record.line, record.column, what)
        return None
    if not isinstance(values[field], str) and not _is_words(values[field]):
        what = f"found {kind(values[field])} in {field!r}, expected a string or a list of words: mend the field"
        source.problem(*located(record, field), what)
        return None
    return field


def _annotated(
    source: Source, record: Record, values: Mapping[str, Any], utterance: Utterance, foreign: Counter[str]
) -> Utterance:
    """The utterance with its entities and times."""
    entities, times = values.get("entities"), values.get("times")
    if entities is not None and all(map(_looks_like_entity, _listed(entities))):
        utterance = utterance._replace(
            entities=utterance.entities + _entities(source, record, entities, len(utterance.words))
        )
    elif entities is not None:
        foreign["entities"] += 1
    if times is not None and all(map(_is_pair, _listed(times))):
        utterance = utterance._replace(times=_times(source, record, times, len(utterance.words)))
    elif times is not None:
        foreign["times"] += 1
    return utterance


def _is_words(text: Any) -> bool:
    return isinstance(text, list) and all(isinstance(word, str) and word.strip() for word in text)


def _segment(values: Mapping[str, Any]) -> tuple[float, float] | None:
    """When the utterance begins and ends, where two numbers say so."""
    begin, end = (values.get(name) for name in TIMES)
    return (float(begin), float(end)) if _is_pair([begin, end]) and begin <= end else None  # type: ignore[arg-type,operator]


def _listed(value: Any) -> list[Any]:
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
    found = []
    for place, item in enumerate(items):
        start, end, label = _bounds(item)
        if 0 <= start < end <= words:
            found.append(Entity(start, end, label))
        else:
            expected = f"expected [start, end, type] within the {words} words: mend the entity"
            source.problem(*located(record, f"entities[{place}]"), f"found the entity {shown(item)}, {expected}")
    return tuple(found)


def _times(source: Source, record: Record, pairs: Any, words: int) -> list[tuple[float, float]] | None:
    if len(pairs) != words:
        expected = f"expected [begin, end] for each of the {words} words: mend them"
        source.problem(*located(record, "times"), f"found {len(pairs)} times, {expected}")
        return None
    late = next((place for place, (begin, end) in enumerate(pairs) if end < begin), None)
    if late is not None:
        what = f"found the times {shown(pairs[late])}, expected the begin before the end: mend them"
        source.problem(*located(record, f"times[{late}]"), what)
        return None
    return [(float(begin), float(end)) for begin, end in pairs]


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(time) in (int, float) for time in pair)


def sniff(head: str) -> bool:
    lines = sample(head)
    return bool(lines) and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)


def write(documents: Sequence[Document]) -> Iterator[str]:
    for one in utterances(documents):
        record: dict[str, Any] = {"id": one.id, "words": list(one.words)}
        if one.entities:
            record["entities"] = [list(entity) for entity in one.entities]
        if one.times is not None and len(one.times) == len(one.words):
            record["times"] = [list(time) for time in one.times]
        if one.span is not None:
            record |= zip(TIMES, one.span, strict=True)
        if taken := sorted({"text", *record} & one.attributes.keys()):
            refuse("manifest", f"the field {taken[0]!r}, which is the utterance's own", one)
        if not _is_words(record["words"]):
            refuse("manifest", "an empty word", one)
        yield written(record | dict(one.attributes)) + "\n"


CARRIES = frozenset(
    {"words", "names", "capitals in names", "entities", "times", "fields", "speakers", "labels", "documents"}
)
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".jsonl", ".json"), boundaries=JSON_LINES)
