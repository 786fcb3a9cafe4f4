"""Label Studio's JSON: a list of tasks, each with the annotations of several people; or JSON-MIN, CSV or TSV.

    [{"id": 1, "data": {"text": "Ann Lee ran"}, "annotations": [{"completed_by": 3, "result": [
        {"type": "labels", "value": {"start": 0, "end": 7, "text": "Ann Lee", "labels": ["PER"]}}]}]}]

A file with annotations of several people is a response of each; as a key it needs the name of one (`--annotator
ann@example.org --response-annotator 3` compares two). Predictions are read where there is no annotation, or where the
name of their model is given. A cancelled annotation is left out, and of several by one person the last one is read. A
task that the person did not annotate is left out.

Relations link regions by their ids; those of direction `left` are turned, and `bi` is a feature of the relation. What
was answered about a region (choices, texts, numbers with its id) and its `meta` are features of it; regions of other
kinds are counted and not read. Places count characters as browsers do (an emoji is two); where that contradicts the
quoted text, they count as Python does.

The text is `data.text`, or the field that `text_field` names, or the only string.

Carries text, features and relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from aune.contract.format import Format
from aune.errors import Remedy
from aune.reading.source import Source
from aune.syntax.annotators import Annotator, choose_annotator, note_left_out, note_unannotated
from aune.syntax.field_names import DocumentIdField, DocumentTextField, FieldName, rename_fields
from aune.syntax.field_roles import FIELD_AMBIGUOUS, find_rival_list
from aune.syntax.jsonlines import Record, Shape, locate, records, shorten_json, to_json_line
from aune.syntax.quotations import check_quotation
from aune.syntax.tables import records as table_records
from aune.tasks.entities.formats._relations import UNNAMED
from aune.tasks.entities.formats._writing import character_document, placed_spans, refuse, text_of
from aune.tasks.entities.model import Document, Relation, Span
from aune.typologies.typology import TypologyName

TASK_SIGNS = re.compile(r'"(?:annotations|completions|predictions)"\s*:\s*\[|"task"\s*:\s*\{')
RESULT_SIGNS = re.compile(r'"result"\s*:\s*\[')
MIN_SIGNS = re.compile(r'"(?:annotation_id|lead_time|annotator)"\s*:')
META = "meta"
"""The name of the feature with the notes about a region."""
TABLE_SIGNS = re.compile(r"(?=[^\n]*\bannotation_id\b)(?=[^\n]*\bannotator\b)[^\n{]*\n")
"""How its exports as CSV and TSV begin."""
REGION_SIGNS = re.compile(r'"(?:\w*labels)"\s*:\s*\[')


class TaskFields(msgspec.Struct):
    """A task, or a row of JSON-MIN, whose other fields are looked at by their kind."""

    id: str | int | None = None
    data: dict[str, Any] | None = None
    annotations: list[dict[str, Any]] | None = None
    completions: list[dict[str, Any]] | None = None
    predictions: list[dict[str, Any]] | None = None
    drafts: Any = None
    annotator: Any = None
    task: Any = None
    """Of an annotation that was exported alone, to a storage: the task that it belongs to."""
    text: Any = None


class Annotation(NamedTuple):
    """The regions that one annotator made in one task."""

    annotator: str
    regions: list[Any]
    path: str
    """Where the regions stand in the record."""
    is_prediction: bool = False
    time: str = ""
    """When it was changed last, as a text that sorts."""


class LabelStudioTask(NamedTuple):
    """A task: a text with its annotations."""

    record: Record
    name: str
    text: str
    annotations: list[Annotation]


SHAPE = Shape(TaskFields, "`data` and `annotations`")


def read(
    source: Source, *, annotator: Annotator = "", text_field: DocumentTextField = (), id_field: DocumentIdField = (),
    typology: TypologyName = "",
) -> Iterator[Document]:  # fmt: skip
    left_out: Counter[str] = Counter()
    tasks = _merge_rows(
        [
            task
            for record in rename_fields(source, _records(source), [FieldName("id_field", id_field, "id", ("id",))])
            if (task := _task(source, record, text_field, left_out)) is not None
        ]
    )
    predictions_count = not any(not item.is_prediction for task in tasks for item in task.annotations)
    annotators: dict[str, tuple[int, int]] = {}
    for task in tasks:
        for item in task.annotations:
            if item.annotator not in annotators and (
                not item.is_prediction or predictions_count or item.annotator == annotator
            ):
                annotators[item.annotator] = locate(task.record, item.path)
    chosen = choose_annotator(source, annotators, annotator)
    if chosen is None:
        return
    for task in tasks:
        chosen_annotations = [item for item in task.annotations if item.annotator == chosen]
        if not chosen_annotations:
            note_unannotated(source, task.record.line)
            continue
        left_out["annotations that the same person made again"] += len(chosen_annotations) - 1
        last = max(reversed(chosen_annotations), key=lambda item: item.time)
        regions = _sort_regions(source, task, last, left_out)
        spans, numbers = _spans(source, task, last, regions)
        relations = list(_relations(regions.relations, numbers, left_out))
        yield character_document(
            task.name, spans, task.text, typology, source.name, task.record.line, relations=relations
        )
    note_left_out(source, +left_out)


def _records(source: Source) -> Iterator[Record]:
    """The tasks of a file of JSON, or the rows of a table as JSON-MIN has them."""
    if source.head.lstrip().startswith(("[", "{")) or not source.text.strip():
        yield from records(source)
        return
    for number, (line, row) in enumerate(table_records(source)[1], 1):
        yield Record(number, line, to_json_line({name: _cell(value) for name, value in row.items()}))


def _cell(text: str) -> Any:
    """A cell of a table: a list of regions, or a text."""
    if not text.startswith("[{"):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _merge_rows(tasks: Sequence[LabelStudioTask]) -> list[LabelStudioTask]:
    """The tasks, where JSON-MIN has a row for each annotation of one."""
    merged: dict[tuple[str, str], LabelStudioTask] = {}
    for task in tasks:
        first = merged.setdefault((task.name, task.text), task)
        if first is not task:
            first.annotations.extend(item._replace(path="", regions=item.regions) for item in task.annotations)
    return list(merged.values())


def _task(source: Source, record: Record, text_field: Sequence[str], left_out: Counter[str]) -> LabelStudioTask | None:
    fields = SHAPE.decode(source, record)
    if fields is None:
        return None
    if rival := find_rival_list(record.text, "entities", ("annotations", "completions", "predictions")):
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(record, rival), found=f"`{rival}`, which names a side",
            expected="the regions of one side", remedies=["write each side into a file of its own"],
        )  # fmt: skip
        return None
    row = msgspec.json.decode(record.text)
    if fields.data is None and isinstance(fields.task, dict) and isinstance(fields.task.get("data"), dict):
        fields = TaskFields(id=fields.task.get("id"), data=fields.task["data"], annotations=[row])
    left_out["drafts"] += len(fields.drafts) if isinstance(fields.drafts, list) else 0
    data = row if fields.data is None else fields.data
    text = _text(data, text_field)
    if text is None:
        where = locate(record, "data") if fields.data is not None else (record.line, record.column)
        source.add_problem(
            "field.missing", *where, found="no text", expected=f"a string in {(*text_field, 'text')[0]!r}",
            remedies=[Remedy("name the field", (("text_field", "NAME"),))],
        )  # fmt: skip
        return None
    name = str(record.number if fields.id is None else fields.id)
    if fields.data is None:
        return LabelStudioTask(record, name, text, _row_annotations(row))
    return LabelStudioTask(record, name, text, list(_annotations(fields, left_out)))


def _text(data: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The text of a task."""
    if names:
        return next((data[name] for name in names if isinstance(data.get(name), str)), None)
    if isinstance(data.get("text"), str):
        return data["text"]  # type: ignore[no-any-return]
    strings = [value for value in data.values() if isinstance(value, str)]
    return strings[0] if len(strings) == 1 else None


def _annotations(fields: TaskFields, left_out: Counter[str]) -> Iterator[Annotation]:
    name = "annotations" if fields.annotations is not None else "completions"
    for place, item in enumerate(fields.annotations or fields.completions or ()):
        if item.get("was_cancelled"):
            left_out["cancelled annotations"] += 1
        else:
            path = f"{name}[{place}].result"
            yield Annotation(_person(item.get("completed_by")), _as_list(item.get("result")), path, time=_time(item))
    for place, item in enumerate(fields.predictions or ()):
        path = f"predictions[{place}].result"
        yield Annotation(
            str(item.get("model_version") or "predictions"), _as_list(item.get("result")), path, is_prediction=True
        )


def _person(value: Any) -> str:
    """What an annotator is called: by address, else by number."""
    if isinstance(value, dict):
        value = next((value[name] for name in ("email", "username", "id") if value.get(name) not in (None, "")), "")
    return "" if value is None else str(value)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _row_annotations(row: Mapping[str, Any]) -> list[Annotation]:
    """The annotation of a row of JSON-MIN: regions under the names that the project gave them."""
    regions: list[Any] = []
    path = ""
    for name, value in row.items():
        if isinstance(value, list) and any(isinstance(item, dict) and "start" in item for item in value):
            regions += [{"value": item, "id": ""} for item in value]
            path = path or name
    return [Annotation(_person(row.get("annotator")), regions, path, time=_time(row))]


def _time(item: Mapping[str, Any]) -> str:
    return str(item.get("updated_at") or item.get("created_at") or "")


class Regions(NamedTuple):
    """The regions of an annotation by kind."""

    labelled: list[tuple[int, Mapping[str, Any], list[str]]]
    """Those with labels: their number in the annotation, the region, and the labels."""
    features: dict[str, list[tuple[str, str]]]
    """What was answered about regions, by their ids."""
    relations: list[Mapping[str, Any]]


def _sort_regions(
    source: Source, task: LabelStudioTask, annotation: Annotation, left_out: Counter[str]
) -> Regions:  # fmt: skip
    """The regions by kind; those of other kinds are counted, and malformed ones reported."""
    regions = Regions([], {}, [])
    others: list[Mapping[str, Any]] = []
    for place, region in enumerate(annotation.regions):
        value = region.get("value") if isinstance(region, dict) else None
        labels = _labels(value) if isinstance(value, dict) else []
        value = _with_places(value, task.text) if isinstance(value, dict) else value
        if isinstance(value, dict) and labels and _is_place(value.get("start")) and _is_place(value.get("end")):
            regions.labelled.append((place, {**region, "value": value}, labels))
        elif not isinstance(region, dict):
            _refuse_region(source, task, annotation, place, shorten_json(region), "a region with its value")
        elif region.get("type") == "relation":
            regions.relations.append(region)
        else:
            others.append(region)
    known = {str(region["id"]) for _, region, _ in regions.labelled if region.get("id")}
    for region in others:
        answers, name = _answers(region), str(region.get("id", ""))
        if name in known and answers:
            regions.features.setdefault(name, []).extend(answers)
        else:
            left_out[f"regions of the type {region.get('type', 'other')}"] += 1
    return regions


def _with_places(value: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    """A region of hypertext that quotes the text at its global offsets, with these as places; else as it is."""
    offsets = value.get("globalOffsets")
    if not isinstance(offsets, dict) or _is_place(value.get("start")):
        return value
    start, end = offsets.get("start"), offsets.get("end")
    is_plain = _is_place(start) and _is_place(end) and text[start:end] == value.get("text")
    return {**value, "start": start, "end": end} if is_plain else value


def _answers(region: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was answered about a region: choices, texts, numbers; each with the name of the question."""
    value = region.get("value")
    kind = str(region.get("type", ""))
    content = value.get({"textarea": "text"}.get(kind, kind)) if isinstance(value, dict) else None
    parts = content if isinstance(content, list) else [] if content is None or isinstance(content, dict) else [content]
    texts = [" / ".join(map(str, part)) if isinstance(part, list) else str(part) for part in parts]
    return [(str(region.get("from_name") or kind), text) for text in texts]


def _spans(
    source: Source, task: LabelStudioTask, annotation: Annotation, regions: Regions
) -> tuple[list[Span], dict[str, int]]:
    """The spans, one for each label of a region, and the number of the first span of each region with an id."""
    positions = _browser_positions(task.text, [region["value"] for _, region, _ in regions.labelled])
    spans: list[Span] = []
    numbers: dict[str, int] = {}
    for place, region, labels in regions.labelled:
        value, name = region["value"], str(region.get("id") or "")
        start, end = value["start"], value["end"]
        inside = 0 <= start < end < (len(task.text) + 1 if positions is None else len(positions))
        if inside and positions is not None:
            start, end = positions[start], positions[end]
        if inside and start < end:
            check_quotation(source, value.get("text"), task.text[start:end], task.record.line)
            features = (*regions.features.get(name, ()), *_meta(region))
            numbers.setdefault(name, len(spans))
            spans += [
                Span(start, end, label, line=task.record.line, features=tuple(features), id=name) for label in labels
            ]
        else:
            limits = f"one inside 0 to {len(task.text)}"
            _refuse_region(source, task, annotation, place, f"the span {start} to {end}", limits)
    return spans, numbers


def _meta(region: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The notes that annotators write about a region."""
    meta = region.get("meta")
    notes = meta.get("text") if isinstance(meta, dict) else None
    return [(META, note) for note in (notes if isinstance(notes, list) else [notes]) if isinstance(note, str) and note]


def _relations(
    items: Iterable[Mapping[str, Any]], numbers: Mapping[str, int], left_out: Counter[str]
) -> Iterator[Relation]:
    """The relations between spans, one for each label."""
    for item in items:
        source, target = (numbers.get(str(item.get(name) or "\0")) for name in ("from_id", "to_id"))
        if source is None or target is None:
            left_out["relations between what is no span"] += 1
            continue
        if item.get("direction") == "left":
            source, target = target, source
        features = (("direction", "bi"),) if item.get("direction") == "bi" else ()
        labels = [label for label in _as_list(item.get("labels")) if isinstance(label, str) and label]
        for label in labels or [UNNAMED]:
            yield Relation(label, source, target, features)


def _labels(value: Mapping[str, Any]) -> list[str]:
    """The labels of a region: `labels`, `hypertextlabels`…"""
    lists = [items for name, items in value.items() if name.endswith("labels") and isinstance(items, list)]
    return [label for items in lists for label in items if isinstance(label, str) and label]


def _is_place(value: Any) -> bool:
    return type(value) is int


def _refuse_region(
    source: Source, task: LabelStudioTask, annotation: Annotation, place: int, actual: str, expected: str
) -> None:
    code = "mention.outside-text" if actual.startswith("the span") else "mention.malformed"
    where = locate(task.record, f"{annotation.path}[{place}]")
    source.add_problem(code, *where, found=actual, expected=expected, remedies=["correct the region"])


def _browser_positions(text: str, values: Sequence[Mapping[str, Any]]) -> list[int] | None:
    """The character at each of the places that browsers count; None where the places count characters."""
    if all(sign <= "\uffff" for sign in text):
        return None
    positions = [place for place, sign in enumerate(text) for _ in range(1 + (sign > "\uffff"))] + [len(text)]
    quoted = [value for value in values if isinstance(value.get("text"), str)]
    if all(_quotes(text, value, positions) for value in quoted) or not all(
        _quotes(text, value, None) for value in quoted
    ):
        return positions
    return None


def _quotes(text: str, value: Mapping[str, Any], positions: Sequence[int] | None) -> bool:
    start, end = value["start"], value["end"]
    if positions is not None:
        start, end = (positions[place] if 0 <= place < len(positions) else len(text) for place in (start, end))
    return text[max(start, 0) : max(end, 0)].split() == str(value["text"]).split()


def sniff(head: str) -> bool:
    start = head.lstrip().removeprefix("[").lstrip()
    if not start.startswith("{"):
        return TABLE_SIGNS.match(start) is not None and '"[{""' in start
    is_task = '"data"' in start and TASK_SIGNS.search(start) is not None and RESULT_SIGNS.search(start) is not None
    return is_task or (MIN_SIGNS.search(start) is not None and REGION_SIGNS.search(start) is not None)


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Tasks with one annotation each, as Label Studio imports them."""
    opening = "["
    for document in documents:
        text = text_of(document)
        if text is None:
            refuse("label_studio", "a text without its words", document)
        regions = [*_span_regions(document, text), *_relation_regions(document)]
        yield opening + to_json_line({"id": document.id, "data": {"text": text}, "annotations": [{"result": regions}]})
        opening = ",\n "
    yield "]\n" if opening != "[" else "[]\n"


def _span_regions(document: Document, text: str) -> Iterator[dict[str, Any]]:
    """A region for each span, and one for each name of its features."""
    places = list(accumulate((1 + (sign > "\uffff") for sign in text), initial=0))
    names = _region_ids(document)
    for name, (span, start, end) in zip(names, placed_spans(document, "label_studio"), strict=True):
        extent = {"start": places[start], "end": places[end], "text": text[start:end]}
        about = {"id": name, "to_name": "text"}
        answers: dict[str, list[str]] = {}
        for feature, value in span.features:
            answers.setdefault(feature, []).append(value)
        notes = {"meta": {"text": answers.pop(META)}} if META in answers else {}
        yield {**about, "from_name": "label", "type": "labels", "value": {**extent, "labels": [span.label]}, **notes}
        for feature, values in answers.items():
            yield {**about, "from_name": feature, "type": "choices", "value": {**extent, "choices": values}}


def _relation_regions(document: Document) -> Iterator[dict[str, Any]]:
    names = _region_ids(document)
    for kind, source, target, features in document.relations:
        direction = "bi" if ("direction", "bi") in features else "right"
        ends = {"from_id": names[source], "to_id": names[target]}
        yield {**ends, "type": "relation", "direction": direction, "labels": [kind]}


def _region_ids(document: Document) -> list[str]:
    """The ids of the spans, if each has one of its own; otherwise e1, e2 …"""
    names = [document.ids.get(number, "") for number in range(len(document))]
    return names if all(names) and len(set(names)) == len(names) else [f"e{n}" for n in range(1, len(names) + 1)]


FORMAT = Format(read, sniff, write, carries=frozenset({"text", "features", "relations"}), suffixes=(".json",))
