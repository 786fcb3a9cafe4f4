"""JSON lines of texts with spans: a document per line.

    {"id": "d1", "text": "Laurent Blanc joue", "spans": [{"start": 0, "end": 13, "label": "pers.ind"}]}
    {"id": "d2", "tokens": ["Laurent", "Blanc"], "spans": [[0, 2, "pers.ind"]]}

Spans are over characters where there is a `text`, over tokens otherwise; `unit` says which where there is neither. They
stand under `spans` (Prodigy), `entities` or `ents` (spaCy), as objects or as [start, end, label]; `label` may be a
list, for several labels over the same text, `segments` ([[0, 4], [9, 12]]) gives the parts of a span in pieces, and
`depth` how many spans enclose it, which orders those over the same text. `sentences` lists the first position of each.
Features of a span are its object `features`, and its other fields with a text or a number. `relations` link spans by
their numbers in the list (`{"from": 0, "to": 2, "label": "founder"}`), by ids (`from_id`, `to_id`) or as in Prodigy.
`id`, `doc_id`, `doc_key` or the number of the line names the document. Of a key with several right answers, a span has
`"optional": true` where it may be missing, and `alternatives`, each a span or a list of spans that may stand in its
place; `other_keys` are lists of spans, other answers for the whole text. A JSON list of lists of spans, one list per
document, is read too: nervaluate's input, where ends are usually inclusive (say so with `--ends inclusive`), or the
output of a pipeline of Hugging Face, where `entity_group` is the label.

Prodigy's tasks may have no spans, which is an annotation without any; rejected and ignored ones are left out and
counted. Several annotators (`_annotator_id`, else `_session_id`) are several responses, as in `doccano`. Argilla's
records have `annotation` and `prediction`, or in version 2 the `responses` of several people to a question, which
`spans_field` names where there are several; those that nobody annotated are left out. Relations between tokens that end
no span are counted and not read.

Other names of fields are given by `id_field`, `text_field`, `spans_field` and `labels_field` (in a span). A file with
the spans of the key and of a response is refused until `spans_field` says which are meant:
`--spans-field spans --response-spans-field predicted_spans` scores one file against itself.

Carries text, tokens, sentences, pieces, nesting, alternatives, other keys, features, relations and features of
relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from aune.contract.format import JSON_LINES, Format, is_json_lines
from aune.errors import Remedy, UsageError
from aune.numeric.ranges import have_overlap
from aune.reading.source import Source
from aune.syntax.annotators import Annotator, choose_annotator, note_left_out, note_unannotated
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.syntax.field_names import DocumentIdField, DocumentTextField, FieldName, LabelsField, rename_fields
from aune.syntax.field_roles import FIELD_AMBIGUOUS, ROLE_NAME, SUBJECTS, FieldChoice, choose_field, field_role
from aune.syntax.json_positions import Value, locate_values, replace_items
from aune.syntax.jsonlines import Record, Shape, item_places, locate, records, shorten_json, to_json_line
from aune.syntax.quotations import check_quotation
from aune.tasks.entities.formats._argilla import ArgillaRecord, argilla_responses, is_argilla
from aune.tasks.entities.formats._relations import (
    feature_object,
    read_features,
    read_relations,
    relation_object,
    relation_objects,
)
from aune.tasks.entities.formats._splicing import (
    Pair,
    changes,
    featured_content,
    remaining_spans,
    span_content,
    splice_file,
)
from aune.tasks.entities.formats._writing import refuse
from aune.tasks.entities.model import (
    MAX_POSITION,
    Document,
    Relation,
    Segments,
    Span,
    SpansField,
    Unit,
    make_document,
    spans_of,
)
from aune.tasks.entities.python_inputs import LABELS, LISTS, USE_AGGREGATION, WHOLE_ENTITIES
from aune.typologies.typology import TypologyName

Ends: TypeAlias = Annotated[Literal["exclusive", "inclusive"], "whether the end of a span is after it or in it"]


class DocumentFields(msgspec.Struct):
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
    relations: list[Any] | None = None
    other_keys: list[list[Any]] | None = None
    answer: str | None = None
    input_hash: int | None = msgspec.field(default=None, name="_input_hash")
    annotator_id: str | None = msgspec.field(default=None, name="_annotator_id")
    session_id: str | None = msgspec.field(default=None, name="_session_id")


class SpanStyle(NamedTuple):
    """How spans are written."""

    extra: int
    """1 where the end of a span is its last position, else 0."""
    labels: Sequence[str] = LABELS
    """The fields that may have the label."""


class SpanRecord(NamedTuple):
    """A record, and the list of its spans that is meant."""

    fields: DocumentFields
    under: str
    """The name of the field with the list; empty for a record that is a list."""
    items: list[Any]

    @property
    def annotator(self) -> str:
        """Who made the spans, where a tool says so (Prodigy)."""
        return self.fields.annotator_id or self.fields.session_id or ""


NOT_FEATURES = frozenset((
    "start", "end", "segments", "depth", "optional", "alternatives", "features", "id", "text", "word", "index",
    "token_start", "token_end", *LABELS,
))  # fmt: skip
"""Fields of a span that are no features of it."""
NUMBERED_ENDS = frozenset(("from", "tail", "source"))
"""Fields of relations that name their ends by numbers of spans."""
ARGILLA = "responses"
"""Where the spans of Argilla 2 are, in a form of their own."""
PRODIGY_SIGNS = ('"_task_hash"', '"_input_hash"', '"_view_id"')
PRODIGY_VIEW = re.compile(r'"_view_id"\s*:\s*"(?:ner|spans|rel)\w*"')
ANNOTATOR_SIGNS = re.compile(r'"_(?:annotator|session)_id"\s*:\s*"|"(?:\w+\.)?responses"\s*:')
UNACCEPTED = ("reject", "ignore")
"""What annotators of Prodigy answer to a text that they do not accept as it is marked."""
ARGILLA_SIGN = '"annotation_agent"'
OTHER_TOOLS = ("mentions", "start_offset", "from_name", "annotation_id")
"""Fields that the formats of other tools have inside theirs."""
ROLE_SPANS = re.compile(r'"(?:\w+_)?(?:spans|entities|ents)(?:_\w+)?"\s*:\s*\[')
TEXT_FIELDS, ID_FIELDS = ("text", "tokens"), ("id", "doc_id", "doc_key")
DOCUMENT = Shape(DocumentFields, '"spans", if only []')
SPANS: Shape[list[Any]] = Shape(list[Any], "spans")


def read(
    source: Source,
    *,
    ends: Ends = "exclusive",
    typology: TypologyName = "",
    spans_field: SpansField = (),
    labels_field: LabelsField = (),
    text_field: DocumentTextField = (),
    id_field: DocumentIdField = (),
    annotator: Annotator = "",
) -> Iterator[Document]:
    has_annotators = ANNOTATOR_SIGNS.search(source.head) is not None
    rows = _rows(source, spans_field, _choices(text_field, id_field))
    if annotator or has_annotators:
        chosen = list(rows)
        places: dict[str, tuple[int, int]] = {}
        for record, span_record in chosen:
            if name := span_record.annotator:
                places.setdefault(name, (record.line, record.column))
        wanted = choose_annotator(source, places, annotator)
        rows = iter([] if wanted is None else [row for row in chosen if row[1].annotator in ("", wanted)])
        has_annotators = len(places) > 1
    for record, span_record in rows:
        if span_record.fields.answer in UNACCEPTED:
            note_left_out(source, Counter({f"texts with the answer {span_record.fields.answer}": 1}))
            continue
        style = SpanStyle(int(ends == "inclusive"), labels_field or LABELS)
        yield _document(source, record, span_record, style, typology, by_input=has_annotators)


def _choices(text_field: Sequence[str], id_field: Sequence[str]) -> list[FieldName]:
    """The fields of text and name that the user names."""
    return [
        FieldName("text_field", text_field, lambda value: "tokens" if isinstance(value, list) else "text", TEXT_FIELDS),
        FieldName("id_field", id_field, "id", ID_FIELDS),
    ]


def _rows(
    source: Source, spans_field: Sequence[str], choices: Sequence[FieldName], *, keep_places: bool = False
) -> Iterator[tuple[Record, SpanRecord]]:
    for record in rename_fields(source, records(source), choices, keep_places=keep_places):
        if is_argilla(record.text) and (responses := argilla_responses(msgspec.json.decode(record.text))) is not None:
            yield from _argilla_rows(source, record, responses, spans_field)
            continue
        span_record = _span_record(source, record, spans_field)
        if span_record is not None:
            yield record, span_record


def _argilla_rows(
    source: Source, record: Record, argilla: ArgillaRecord, spans_field: Sequence[str]
) -> Iterator[tuple[Record, SpanRecord]]:
    """The answers to one question of a record of Argilla 2, one for each annotator."""
    questions = sorted({response.question for response in argilla.responses})
    question = next((name for name in spans_field if name in questions), questions[0] if len(questions) == 1 else None)
    if argilla.text is None:
        source.add_problem(
            "field.missing", record.line, record.column, found="no text in the fields", expected="one",
            remedies=[Remedy("name it", (("text_field", "NAME"),))],
        )  # fmt: skip
    elif question is None and questions:
        source.add_problem(
            FIELD_AMBIGUOUS, record.line, record.column, found=f"answers to {', '.join(questions)}",
            expected="those to one question", remedies=[Remedy("name it", (("spans_field", questions[0]),))],
        )  # fmt: skip
    elif not questions:
        note_unannotated(source, record.line)
    else:
        for response in argilla.responses:
            if response.question == question:
                fields = DocumentFields(id=argilla.id, text=argilla.text, annotator_id=response.annotator)
                yield record, SpanRecord(fields, ARGILLA, response.spans)


def _span_record(source: Source, record: Record, spans_field: Sequence[str]) -> SpanRecord | None:
    """What a record says; a bare list is one of spans."""
    if record.text.startswith("["):
        items = SPANS.decode(source, record)
        unit: Unit | None = "character" if '"entity_group"' in source.head else None  # as pipelines count
        return None if items is None else SpanRecord(DocumentFields(unit=unit), "", items)
    fields = DOCUMENT.decode(source, record)
    if fields is None:
        return None
    values: dict[str, Any] = {name: items for name in LISTS if (items := getattr(fields, name)) is not None}
    is_empty_task = not values and not spans_field and any(sign in record.text for sign in PRODIGY_SIGNS)
    if spans_field or len(values) != 1 or ROLE_NAME.search(record.text):
        every = msgspec.json.decode(record.text)
        values = {name: value for name, value in every.items() if isinstance(value, list) and not _are_strings(value)}
        if ARGILLA_SIGN in record.text and not spans_field:
            if every.get("annotation") is None:
                note_unannotated(source, record.line)
                return None
            values = {name: values[name] for name in ("annotation", "prediction") if values.get(name)}
            values = values or {"annotation": []}
    if is_empty_task and not any(field_role(name, SUBJECTS["entities"]) for name in values):
        return SpanRecord(fields, "", [])
    choice = _choose_list(values, spans_field)
    if choice.rivals:
        source.add_problem(
            FIELD_AMBIGUOUS,
            *locate(record, choice.rivals[1]),
            found=f"both `{choice.rivals[0]}` and `{choice.rivals[1]}`",
            expected="one of them",
            remedies=[choice.remedy("spans_field")],
        )
        return None
    if choice.name is None:
        expected = f'an object with "{(*spans_field, LISTS[0])[0]}"'
        remedy = "add them, if only []"
        source.add_problem(
            "field.missing", record.line, record.column, found="no spans", expected=expected, remedies=[remedy]
        )
        return None
    return SpanRecord(fields, choice.name, values[choice.name])


def _choose_list(values: Mapping[str, list[Any]], spans_field: Sequence[str]) -> FieldChoice:
    """Which of the lists of a record is meant: the one that is named, or the only one that can be."""
    if spans_field:
        return FieldChoice(next((name for name in spans_field if name in values), None))
    if "annotation" in values:  # Argilla's
        return FieldChoice(None, ("annotation", "prediction")) if "prediction" in values else FieldChoice("annotation")
    choice = choose_field(values, LISTS, SUBJECTS["entities"])
    others = [name for name in LISTS if name in values and choice.name and values[name] != values[choice.name]]
    return FieldChoice(None, (choice.name, others[0])) if choice.name and others else choice


def _are_strings(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, str) for value in values)


def _document(
    source: Source, record: Record, span_record: SpanRecord, style: SpanStyle, typology: str, *, by_input: bool
) -> Document:
    """A document; `by_input` names those of several annotators after the text, which Prodigy numbers."""
    fields, path, items = span_record
    text = fields.text
    size = len(text) if text is not None else len(fields.tokens) if fields.tokens is not None else None
    columns = [record.column + start for start, _ in item_places(record, path)] if typology and path else []
    listed = _SpanList(source, record, path, style, size, columns)
    numbers: list[int | None] = []
    spans = listed.all_spans(items, numbers)
    links = read_relations(fields.relations or (), items, numbers)
    if links.unread:
        note_left_out(source, Counter({"relations between what is no span": links.unread}))
    _check_quotations(source, record, fields, items, style.extra)
    others = [
        make_document("", _SpanList(source, record, f"other_keys[{number}]", style, size, []).all_spans(key))
        for number, key in enumerate(fields.other_keys or ())
    ]
    names = (fields.id, fields.doc_id, fields.doc_key, fields.input_hash if by_input else None)
    name = next((str(name) for name in names if name is not None), None)
    words = [_word(token) for token in fields.tokens] if fields.tokens is not None and text is None else None
    document = make_document(
        str(record.number) if name is None else name, spans, length=size or 0,
        unit="character" if text is not None else "token" if words is not None else fields.unit or "token",
        text=text, words=words.copy if words is not None else None,
        sentences=_sentences(source, record, fields.sentences, size),
        typology=typology, path=source.name, line=record.line, relations=links.relations,
    )  # fmt: skip
    return replace(document, other_keys=tuple(map(document.with_spans_of, others))) if others else document


def _check_quotations(source: Source, record: Record, fields: DocumentFields, items: Sequence[Any], extra: int) -> None:
    """A note on spans that quote other words than the text has at their places."""
    if fields.text is None and fields.tokens is None:
        return
    for item in items:
        quoted = item.get("text") if isinstance(item, dict) else None
        if not isinstance(quoted, str) or item.get("segments"):
            continue
        start, end = item.get("start"), item.get("end")
        if not (_is_offset(start) and _is_offset(end)):
            continue  # reported elsewhere
        covered = fields.text[start : end + extra] if fields.text is not None else None
        if covered is None:
            covered = " ".join(map(_word, (fields.tokens or [])[start : end + extra]))
        check_quotation(source, quoted, covered, record.line)


def _sentences(source: Source, record: Record, starts: Sequence[int] | None, size: int | None) -> Any:
    if starts is None:
        return None
    if any(not 0 <= start < max(size or MAX_POSITION, 1) for start in starts):
        source.add_problem(
            "sentence.outside-text",
            *locate(record, "sentences"),
            found="a sentence that starts outside the text",
            expected="first positions",
            remedies=["mend them"],
        )
        return None
    return np.asarray(sorted({0, *starts}), np.int64)


def _word(token: Any) -> str:
    return str(token.get("text", "")) if isinstance(token, Mapping) else str(token)


class _SpanList(NamedTuple):
    """A list of spans in a record."""

    source: Source
    record: Record
    path: str
    """Where the list stands in the record."""
    style: SpanStyle
    size: int | None
    columns: Sequence[int]
    """Where the items begin, when somebody wants to know: `aune validate` does under a typology."""

    def refuse(self, code: str, place: int, *, found: str, expected: str, remedy: str) -> list[Span]:
        """Report a problem of an item, which then has no spans."""
        where = locate(self.record, f"{self.path}[{place}]")
        self.source.add_problem(code, *where, found=found, expected=expected, remedies=[remedy])
        return []

    def all_spans(self, items: Sequence[Any], numbers: list[int | None] | None = None) -> list[Span]:
        """The spans of all items, with what may stand in their places; `numbers` receives the first of each item."""
        spans: list[Span] = []
        for place, item in enumerate(items):
            item_spans = self.spans(place, item)
            if numbers is not None:
                numbers.append(len(spans) if item_spans else None)
            has_others = isinstance(item, dict) and (item.get("optional") or item.get("alternatives"))
            spans += self._with_others(place, item, item_spans) if has_others else item_spans
        return spans

    def _with_others(self, place: int, item: Mapping[str, Any], spans: list[Span]) -> list[Span]:
        """The spans of an item with what a key may as well have in their place."""
        optional, alternatives = item.get("optional") or False, item.get("alternatives") or []
        if optional is not True and optional is not False:
            return self.refuse("mention.malformed", place, found=f"{shorten_json(optional)} as `optional`",
                               expected="true or false", remedy="mend it")  # fmt: skip
        if not isinstance(alternatives, list) or (alternatives and len(spans) > 1):
            return self.refuse("mention.malformed", place, found=f"the alternatives {shorten_json(alternatives)}",
                               expected="a list of spans, for a span with one label", remedy="mend them")  # fmt: skip
        others: list[tuple[Span, ...]] = [()] if optional else []
        for alternative in alternatives:
            parts = alternative if isinstance(alternative, list) and not _is_bare_span(alternative) else [alternative]
            if any(isinstance(part, dict) and ("alternatives" in part or "optional" in part) for part in parts):
                return self.refuse("mention.malformed", place, found="alternatives within an alternative",
                                   expected="spans", remedy="list them all beside one another")  # fmt: skip
            listed = [self.spans(place, part) for part in parts]
            if all(listed):
                others.append(tuple(span for part_spans in listed for span in part_spans))
        return [span._replace(others=tuple(others)) for span in spans]

    def spans(self, place: int, item: Any) -> list[Span]:
        """The spans of one item: one for each of its labels."""
        fields = dict(zip(("start", "end", "label"), item, strict=True)) if _is_triple(item) else item
        if not isinstance(fields, dict):
            expected = "a span with start, end and label"
            return self.refuse(
                "mention.malformed", place, found=shorten_json(item), expected=expected, remedy="mend it"
            )
        label: Any = next((fields[name] for name in self.style.labels if name in fields), None)
        if label is None and "entity" in fields:
            return self.refuse("mention.malformed", place, found=shorten_json(item), expected=WHOLE_ENTITIES,
                               remedy=USE_AGGREGATION)  # fmt: skip
        get_field: Callable[..., Any] = fields.get
        segments = self._segments(place, get_field("segments") or [])
        if segments is None:
            return []
        start, end, depth = get_field("start"), get_field("end"), get_field("depth", 0)
        if segments:
            start, end = segments[0][0], segments[-1][1] - self.style.extra
        labels = label if isinstance(label, list) else [label]
        named = bool(labels) and all(isinstance(span_label, str) and span_label for span_label in labels)
        if not (_is_offset(start) and _is_offset(end) and _is_offset(depth) and named):
            expected = "whole numbers as start and end, and a label"
            return self.refuse("mention.malformed", place, found=shorten_json(item), expected=expected,
                               remedy="mend the span")  # fmt: skip
        end += self.style.extra
        if end == start:
            self.source.add_problem(
                "mention.empty", *locate(self.record, f"{self.path}[{place}]"),
                found=f"the empty span {shorten_json(item)}", expected="text in it",
                remedies=["mend its end", Remedy("read ends as last positions", (("ends", "inclusive"),))],
            )  # fmt: skip
            return []
        last = MAX_POSITION if self.size is None else self.size
        if not start < end <= last:
            return self.refuse("mention.outside-text", place, found=f"the span {start} to {end}",
                               expected=f"one inside 0 to {last}", remedy="mend the offsets")  # fmt: skip
        pieces = segments if len(segments) > 1 else ()
        column = self.columns[place] if self.columns else self.record.column
        features = read_features(fields, {*NOT_FEATURES, *self.style.labels}) if len(fields) > 3 else ()
        name = str(fields["id"]) if isinstance(fields.get("id"), str | int) else ""
        return [
            Span(start, end, span_label, depth, pieces, self.record.line, column, (), features, name)
            for span_label in labels
        ]

    def _segments(self, place: int, parts: Any) -> Segments | None:
        """The pieces of a span; None when a problem was reported."""
        if not isinstance(parts, list) or not all(_is_segment(part, self.style.extra) for part in parts):
            self.refuse("mention.malformed", place, found=f"the segments {shorten_json(parts)}",
                        expected="such as [[0, 4], [9, 12]]", remedy="mend them")  # fmt: skip
            return None
        segments = tuple(sorted((start, end + self.style.extra) for start, end in parts))
        if have_overlap(segments):
            self.refuse("mention.overlapping", place, found=f"the segments {shorten_json(parts)}",
                        expected="pieces that do not overlap", remedy="mend them")  # fmt: skip
            return None
        return segments


def _is_triple(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3


def _is_bare_span(item: list[Any]) -> bool:
    """Whether a list is a span, and not a list of spans."""
    return _is_triple(item) and isinstance(item[0], int)


def _is_offset(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**40


def _is_segment(part: Any, extra: int) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(map(_is_offset, part)) and part[0] < part[1] + extra


def sniff(head: str) -> bool:
    start = head.lstrip()
    first = start.removeprefix("[").lstrip()
    if first != start and first.startswith(("[", "]")):
        return True
    has_spans = (
        any(f'"{name}"' in start for name in LISTS) or ARGILLA_SIGN in start or ROLE_SPANS.search(start) is not None
    )
    has_spans = has_spans or PRODIGY_VIEW.search(start) is not None or is_argilla(start)
    others = any(f'"{name}"' in start for name in OTHER_TOOLS)
    return first.startswith("{") and has_spans and not others


def _is_cuttable(head: bytes) -> bool:
    """Whether pieces can be read alone: not where only the whole file shows how many annotators it has."""
    return is_json_lines(head) and ANNOTATOR_SIGNS.search(head.decode(errors="replace")) is None


def write(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        record: dict[str, Any] = {"id": document.id}
        if document.text is not None:
            record["text"] = document.text
        elif document.tokens is not None:
            record["tokens"] = list(document.tokens)
        else:
            record["unit"] = document.unit
        if document.sentences is not None and len(document.sentences) > 1:
            record["sentences"] = document.sentences.tolist()
        if "" in document.names:
            refuse("jsonl", "an entity without a label", document)
        record["spans"] = [_item(span) for span in spans_of(document)]
        if document.relations:
            record["relations"] = relation_objects(document)
        if document.other_keys:
            record["other_keys"] = [list(map(_item, spans_of(other))) for other in document.other_keys]
        yield to_json_line(record) + "\n"


def _item(span: Span) -> dict[str, Any]:
    segments = {"segments": [list(part) for part in span.segments]} if span.segments else {}
    alternatives = [_item(spans[0]) if len(spans) == 1 else list(map(_item, spans)) for spans in span.others if spans]
    return {
        "start": span.start,
        "end": span.end,
        "label": span.label,
        **segments,
        **({"id": span.id} if span.id else {}),
        **({"features": feature_object(span.features)} if span.features else {}),
        **({"depth": span.depth} if span.depth else {}),
        **({"optional": True} if () in span.others else {}),
        **({"alternatives": alternatives} if alternatives else {}),
    }


def splice(
    source: Source,
    documents: Sequence[Document],
    *,
    ends: Ends = "exclusive",
    typology: TypologyName = "",
    spans_field: SpansField = (),
    labels_field: LabelsField = (),
    text_field: DocumentTextField = (),
    id_field: DocumentIdField = (),
    annotator: Annotator = "",
) -> bytes:
    """The file with other spans: items that stay keep their characters, new ones come last."""
    style, choices = SpanStyle(int(ends == "inclusive"), labels_field or LABELS), _choices(text_field, id_field)

    def write_changes(pairs: Sequence[Pair], thorough: bool) -> bytes:
        edits, starts = Edits(source), Lines(source.text).starts
        rows = [
            (record, row) for record, row in _rows(source, spans_field, choices, keep_places=True)
            if row.fields.answer not in UNACCEPTED and (not annotator or row.annotator in ("", annotator))
        ]  # fmt: skip
        usual_field = next((row.under for _, row in rows if row.under), "spans")
        for (record, span_record), pair in zip(rows, pairs, strict=True):
            if span_record.under == ARGILLA and is_argilla(record.text):
                raise UsageError(f"{source.name}: answers of Argilla cannot be replaced in the file: write a new one")
            place = starts[record.line - 1] + record.column - 1
            for edit in _record_edits(source, record, span_record, style, pair, usual_field):
                edits.replace(place + edit.start, place + edit.end, edit.text)
        return edits.apply()

    reader = partial(
        read, ends=ends, typology=typology, spans_field=spans_field, labels_field=labels_field, text_field=text_field,
        id_field=id_field, annotator=annotator,
    )  # fmt: skip
    return splice_file(source, documents, reader, write_changes)


class _RecordEdit(NamedTuple):
    """A change to the text of a record."""

    start: int
    end: int
    text: str


def _record_edits(
    source: Source, record: Record, span_record: SpanRecord, style: SpanStyle, pair: Pair, usual_field: str
) -> Iterator[_RecordEdit]:
    """What changes in a record: its list of spans, and that of its relations."""
    removed, added = changes(*pair, featured_content)
    value = locate_values(record.text)
    under = span_record.under
    listed = _SpanList(source, record, under, style, None, [])
    spans_value = value.fields[under] if under else value if record.text.startswith("[") else None
    items = _changed_items(listed, spans_value, removed, added)
    if (removed or added) and spans_value is not None:
        text = replace_items(record.text, spans_value, items, ", ")
        yield _RecordEdit(spans_value.start, spans_value.end, text)
    elif added:  # a record without a list of spans gets one
        spans = ", ".join(text for _, text in items)
        yield _RecordEdit(value.end - 1, value.end - 1, f', "{usual_field}": [{spans}]')
    relations = _changed_relations(listed, span_record, pair, items)
    if relations is None or record.text.startswith("["):
        return
    if relations_value := value.fields.get("relations"):
        text = replace_items(record.text, relations_value, relations, ", ")
        yield _RecordEdit(relations_value.start, relations_value.end, text)
    elif relations:
        yield _RecordEdit(value.end - 1, value.end - 1, f', "relations": [{", ".join(text for _, text in relations)}]')


def _changed_items(
    listed: _SpanList, value: Value | None, removed: list[Span], added: list[Span]
) -> list[tuple[int | None, str]]:
    """The items of the list after the change: each with its number before, if it was there, and its text."""
    removed_counts = Counter(map(featured_content, removed))
    style, record = listed.style, listed.record
    items: list[tuple[int | None, str]] = []
    bare = False
    for number, item in enumerate(value.items if value is not None else ()):
        text = record.text[item.start : item.end]
        fields = msgspec.json.decode(text)
        bare = isinstance(fields, list)
        spans = listed.spans(number, fields)
        remaining = remaining_spans(spans, removed_counts, featured_content)
        if len(remaining) == len(spans):
            items.append((number, text))
        else:
            items += [(None, _as_item(span, bare, style)) for span in remaining]
    return items + [(None, _as_item(span, bare and not span.segments, style)) for span in added]


def _changed_relations(
    listed: _SpanList, span_record: SpanRecord, pair: Pair, items: Sequence[tuple[int | None, str]]
) -> list[tuple[int | None, str]] | None:
    """The items of the list of relations after the change, as `_changed_items`; None if nothing changes.

    Relations that name places or ids stay as they are; those that name spans by their numbers get the new numbers.
    """
    new = pair[1]
    old_items = span_record.fields.relations or []
    if not old_items and not new.relations:
        return None
    old_places, new_places = (
        _item_places(listed, span_record.items),
        _item_places(listed, [msgspec.json.decode(text) for _, text in items]),
    )
    contents = [span_content(span) for span in spans_of(new)]
    wanted = Counter(
        (kind, contents[source], contents[target], features) for kind, source, target, features in new.relations
    )
    values = locate_values(listed.record.text).fields
    result: list[tuple[int | None, str]] = []
    for number, item in enumerate(old_items):
        value = values["relations"].items[number]
        text = listed.record.text[value.start : value.end]
        content = _relation_content(listed, span_record.items, item)
        if content is None:
            result.append((number, text))
        elif wanted[content] > 0:
            wanted[content] -= 1
            is_moved = [old_places[end] for end in content[1:3]] != [new_places[end] for end in content[1:3]]
            if is_moved and NUMBERED_ENDS & item.keys():
                result.append((None, _relation_text(content, new_places)))
            else:
                result.append((number, text))
    result += [(None, _relation_text(content, new_places)) for content in wanted.elements()]
    return None if [number for number, _ in result] == list(range(len(old_items))) else result


def _item_places(listed: _SpanList, items: Sequence[Any]) -> dict[tuple[object, ...], int]:
    """The number of the first item with a span, by what makes it the same."""
    numbers: list[int | None] = []
    spans = listed.all_spans(items, numbers)
    places: dict[tuple[object, ...], int] = {}
    for place, number in enumerate(numbers):
        if number is not None:
            places.setdefault(span_content(spans[number]), place)
    return places


def _relation_content(listed: _SpanList, items: Sequence[Any], item: Any) -> tuple[Any, ...] | None:
    """What makes a relation of a record the same after a change: its kind, its spans, and its features."""
    numbers: list[int | None] = []
    spans = listed.all_spans(items, numbers)
    relations, unread = read_relations([item], items, numbers)
    if unread:
        return None
    [(kind, source, target, features)] = relations
    return kind, span_content(spans[source]), span_content(spans[target]), features


def _relation_text(content: tuple[Any, ...], places: Mapping[tuple[object, ...], int]) -> str:
    kind, source, target, features = content
    return to_json_line(relation_object(Relation(kind, places[source], places[target], features)))


def _as_item(span: Span, bare: bool, style: SpanStyle) -> str:
    parts = tuple((start, end - style.extra) for start, end in span.segments)
    moved = span._replace(end=span.end - style.extra, segments=parts)
    if bare:
        return to_json_line([moved.start, moved.end, moved.label])
    named = "label" if "label" in style.labels else style.labels[0]
    return to_json_line({named if name == "label" else name: value for name, value in _item(moved).items()})


CARRIES = frozenset((
    "text", "tokens", "sentences", "pieces", "nesting", "alternatives", "other keys", "features", "relations",
    "features of relations",
))  # fmt: skip
FORMAT = Format(
    read,
    sniff,
    write,
    carries=CARRIES,
    suffixes=(".jsonl", ".json"),
    splice=splice,
    boundaries=JSON_LINES._replace(is_cuttable=_is_cuttable),
)
