"""JSON lines, as the manifests of NeMo, ESPnet and others: an utterance on each line.

    {"id": "u1", "text": "we met in new york", "speaker": "ann", "entities": [[3, 5, "LOC"]]}

The text is a string, or a list of words, in the first of the fields `text_field` that is there; the name in the first
of `id_field`, failing that the number of the line. `entities` are spans of words: [start, end, type] or objects
with `start`, `end` and `type` (or `label`), half-open and from 0. `times` holds [begin, end] for each word. Every other
field with a single value becomes an attribute, to break scores down by; `document_field` names the one that tells which
recording or story the utterance is from. Carries words, entities, times and fields.

A file with both what was said (`text`) and what was recognised (`pred_text`), as NeMo writes, is key and response
at once: `--text-field text --response-text-field pred_text`. Its entities and times are those of what was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from aune.core.corpus import Source
from aune.core.pieces import EVERY_LINE
from aune.core.task import Format
from aune.tasks.speech.formats._markup import Markup, plain_utterance, sample
from aune.tasks.speech.model import NO_ATTRIBUTES, Entity, Utterance, utterances

TextField = Annotated[tuple[str, ...], "the fields that may hold the text; text, words, transcript… if none is named"]
IdField = Annotated[tuple[str, ...], "the fields that may hold the utterance's name; id, utt_id… if none is named"]
DocumentField = Annotated[tuple[str, ...], "the fields that may tell the recording; document, story… if none is named"]
TEXT = ("text", "words", "transcript", "transcription", "sentence", "pred_text", "hypothesis", "reference")
ID = ("id", "utt_id", "utterance_id", "utt", "uid", "key", "audio_filepath", "audio", "path", "file")
RECOGNISED = ("pred", "hyp")  # how the names of fields begin whose text is a recogniser's
DOCUMENT = ("document", "doc", "story", "recording", "session_id", "session")


def read(
    source: Source,
    *,
    text_field: TextField = (),
    id_field: IdField = (),
    document_field: DocumentField = (),
    markup: Markup = "none",
) -> Iterator[Utterance]:
    decode = msgspec.json.Decoder().decode
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            record = decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            source.problem(line, 1, f"found no JSON ({error}), expected an object on each line: mend the line")
            continue
        if not isinstance(record, dict):
            source.problem(line, 1, f"found {_kind(record)}, expected an object: write {{…}} on each line")
            continue
        fields = text_field or TEXT, id_field or ID, document_field or DOCUMENT
        one = utterance_of(source, line, record, *fields, markup)
        if one is not None:
            yield one


def utterance_of(
    source: Source,
    line: int,
    record: Mapping[str, Any],
    text_field: Sequence[str],
    id_field: Sequence[str],
    document_field: Sequence[str],
    markup: str,
) -> Utterance | None:
    """The utterance that an object describes, or None when a problem was told."""
    field = next((name for name in text_field if name in record), None)
    if field is None:
        wanted = ", ".join(text_field)
        source.problem(line, 1, f"found no text, expected a field {wanted}: name it with --text-field")
        return None
    given = record[field]
    if isinstance(given, list) and all(isinstance(word, str) and word.strip() for word in given):
        words: list[str] | None = given
    elif isinstance(given, str):
        words = None
    else:
        what = f"found {_kind(given)} in {field!r}, expected a string or a list of words: mend the field"
        source.problem(line, 1, what)
        return None
    named = next((name for name in id_field if isinstance(record.get(name), str | int)), None)
    name = str(record[named]) if named is not None else str(line)
    document = next((found for found in document_field if isinstance(record.get(found), str | int)), None)
    attributes = {key: str(value) for key, value in record.items()
                  if isinstance(value, str | int | float) and key not in (field, named)}  # fmt: skip
    if document is not None:
        attributes["document"] = str(record[document])
    if words is None:
        one = plain_utterance(source, name, given, line, markup, attributes or NO_ATTRIBUTES)
    else:
        one = Utterance(name, words, attributes or NO_ATTRIBUTES, line=line)
    if field.startswith(RECOGNISED) and any(name in record for name in TEXT if not name.startswith(RECOGNISED)):
        return one  # entities and times are those of what was said
    if record.get("entities") is not None:
        one = one._replace(entities=one.entities + _entities(source, line, record["entities"], len(one.words)))
    if record.get("times") is not None:
        one = one._replace(times=_times(source, line, record["times"], len(one.words)))
    return one


def _entities(source: Source, line: int, given: Any, words: int) -> tuple[Entity, ...]:
    found = []
    for item in given if isinstance(given, list) else [given]:
        values: Any = item
        if isinstance(item, dict):
            values = [item.get("start"), item.get("end"), item.get("type", item.get("label"))]
        good = isinstance(values, list) and len(values) == 3 and all(type(place) is int for place in values[:2])
        if not good or not isinstance(values[2], str) or not 0 <= values[0] < values[1] <= words:
            shown = json.dumps(item, ensure_ascii=False)[:60]
            expected = f"expected [start, end, type] within the {words} words: mend the entity"
            source.problem(line, 1, f"found the entity {shown}, {expected}")
            continue
        found.append(Entity(*values))
    return tuple(found)


def _times(source: Source, line: int, given: Any, words: int) -> list[tuple[float, float]] | None:
    pairs = given if isinstance(given, list) else []
    if len(pairs) == words and all(_is_span(pair) for pair in pairs):
        return [(float(begin), float(end)) for begin, end in pairs]
    what = (
        f"found {len(pairs)} times that should be [begin, end], expected one for each of the {words} words: mend them"
    )
    source.problem(line, 1, what)
    return None


def _is_span(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(time) in (int, float) for time in pair) and (
        pair[0] <= pair[1]
    )  # fmt: skip


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def sniff(head: str) -> bool:
    lines = sample(head)
    return bool(lines) and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for one in utterances(documents):
        record: dict[str, Any] = {"id": one.id, "words": list(one.words), **one.attributes}
        if one.entities:
            record["entities"] = [list(entity) for entity in one.entities]
        if one.times is not None:
            record["times"] = [list(time) for time in one.times]
        yield json.dumps(record, ensure_ascii=False) + "\n"


FORMAT = Format(
    read, sniff, write, carries=frozenset({"words", "entities", "times", "fields"}), suffixes=(".jsonl", ".json"),
    boundaries=EVERY_LINE,
)
