"""Convert the Python representations of entities into one form: names with spans, or with sentences of tags.

Accepted inputs: `(start, end, label)`, tags, `(word, tag)` pairs, sentences of these, dicts of spans (and nervaluate's
lists of lists), records (`{"tokens": …, "ner_tags": …}`, `{"text": …, "spans": …}`), dicts from names to them, rows
of data frames, and `Doc`s of spaCy. Ambiguous input is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from aune.errors import UsageError
from aune.reading.python_inputs import (
    NAME_FIELDS,
    SENTENCE_COLUMNS,
    TagSentences,
    all_of_kind,
    as_list,
    first_column,
    group_rows,
    quote_value,
    record_name,
    refusal,
    spacy_docs,
    to_plain,
)
from aune.syntax.field_roles import SUBJECTS, choose_field
from aune.tasks.entities.tags import OUTSIDE, PREFIXES

LISTS = ("spans", "entities", "ents")  # fields of records that contain spans
TAGS = ("ner_tags", "tags", "ner", "labels")  # fields of records that contain tags
TAG = ("tag", "ner_tag", "ner", "label")
WORD = ("word", "token", "form", "text")
LABELS = ("label", "labels", "type", "entity_group")  # fields of spans that contain the label
WHOLE_ENTITIES = "entities, not pieces of words"
USE_AGGREGATION = "run the pipeline with aggregation_strategy='simple', which gives entity_group"
LABEL = ("label", "entity_group")  # the field of the label in spans from Python
EXPECTED = "entities, such as [(0, 2, 'PER')], or tags, such as [['B-PER', 'I-PER', 'O'], ['B-LOC']]"


class InputDocument(NamedTuple):
    """One document: spans, or tags."""

    name: str
    spans: Sequence[Any] | None = None
    sentences: Sequence[Sequence[str]] | None = None
    """The tags, sentence by sentence."""
    words: list[str] | None = None
    text: str | None = None
    inclusive: bool | None = False
    """Whether the end of a span is its last position; None if the input must state it."""
    starts: Sequence[int] | None = None
    """The first words of the sentences, if spans are given."""
    other_keys: Sequence[Sequence[Any]] = ()
    """Other right answers, each as a list of spans."""


class FieldNames(NamedTuple):
    """The fields of records that contain entities or tags, if the caller names them."""

    spans: Sequence[str] = ()
    tags: Sequence[str] = ()

    @property
    def field_names(self) -> Sequence[str]:
        return (*self.spans, *self.tags)


def texts(data: Any, names: FieldNames = FieldNames()) -> list[InputDocument]:  # noqa: B008 - a tuple of tuples
    """The documents of an input in Python."""
    if isinstance(data, TagSentences):
        return [InputDocument("document", sentences=[_tags(sentence) for sentence in data])]
    data = _with_one_annotation(to_plain(data), names)
    if docs := spacy_docs(data):
        return _of_docs(docs)
    if isinstance(data, Mapping):
        if _is_record(data):
            return [_of_record("document", data)]
        if _is_span(data):
            return [InputDocument("document", [data])]
        return [_document_of(str(name), to_plain(value)) for name, value in data.items()]
    items = as_list(data, lambda rejected: refusal(rejected, EXPECTED))
    if items and all_of_kind(items, Mapping) and all(map(_is_record, items)):
        return [_of_record(str(number), item) for number, item in enumerate(items, 1)]
    if items and all_of_kind(items, Mapping):
        return _of_rows(items, names.field_names)
    if (
        items and all_of_kind(items, list) and any(items) and all(_are_dicts(item) for item in items)
    ):  # the format of nervaluate
        inclusive = None if any("entity_group" in span for item in items for span in item) else True
        return [InputDocument(str(number), item, inclusive=inclusive) for number, item in enumerate(items, 1)]
    return [_document_of("document", items)]


def _with_one_annotation(data: Any, names: FieldNames) -> Any:
    """Records with only the selected field of entities or tags, under its standard name."""
    if isinstance(data, Mapping):
        if _has_text(data):
            return _one_annotation("document", data, names)
        return {
            name: _one_annotation(str(name), value, names) if isinstance(value, Mapping) and _has_text(value) else value
            for name, value in data.items()
        }
    if isinstance(data, list | tuple) and data and all_of_kind(data, Mapping) and any(map(_has_text, data)):
        return [_one_annotation(str(number), item, names) for number, item in enumerate(data, 1)]
    return data


def _has_text(value: Mapping[str, Any]) -> bool:
    """Whether this is the record of a text, rather than documents by name or a row of a table."""
    lists = [name for name, field in value.items() if _is_listing(field)]
    return bool(lists) and (any(name in value for name in (*LISTS, "text")) or "tokens" in lists or "words" in lists)


def _is_listing(value: Any) -> bool:
    return isinstance(to_plain(value), list | tuple)


def _one_annotation(name: str, record: Mapping[str, Any], names: FieldNames) -> Mapping[str, Any]:
    lists = [field for field, value in record.items() if _is_listing(value)]
    if names.field_names:
        field = next((field for field in names.field_names if field in record), None)
        if field is None:
            known = ", ".join(map(repr, lists)) or "none"
            raise UsageError(
                f"document {record_name(record, name)!r}: found no field {names.field_names[0]!r}, expected one with "
                f"entities or tags: name it (the fields with lists are {known})"
            )
    else:
        choice = choose_field(lists, (*LISTS, *TAGS), SUBJECTS["entities"])
        if choice.rivals:
            option = "spans_field" if _are_spans(record[choice.rivals[0]]) else "tags_field"
            raise UsageError(
                f"document {record_name(record, name)!r}: found {' and '.join(map(repr, choice.rivals))}, expected one "
                f"of them: {choice.remedy(option).for_python()}"
            )
        field = choice.name
        if field is None or field in (*LISTS, *TAGS):
            return record
    usual = LISTS[0] if field in names.spans or (field not in names.tags and _are_spans(record[field])) else TAGS[0]
    others = {key: value for key, value in record.items() if key not in (*LISTS, *TAGS, field)}
    return {**others, usual: record[field]}


def _are_spans(values: Any) -> bool:
    """Whether a list contains entities rather than tags."""
    return any(not isinstance(item, str) for item in to_plain(values))


def _are_dicts(spans: Any) -> bool:
    return all(isinstance(span, Mapping) and _is_span(span) for span in spans)


def _is_span(span: Mapping[str, Any]) -> bool:
    return {"start", "end"} <= set(span) and label_of(span) is not None


def label_of(span: Mapping[str, Any]) -> Any:
    """The label of a span, under any field name in use, including that of Hugging Face pipelines."""
    if "entity" in span and "start" in span and not any(name in span for name in LABEL):
        raise UsageError(f"found {quote_value(dict(span))}, expected {WHOLE_ENTITIES}: {USE_AGGREGATION}")
    return next((span[name] for name in LABEL if name in span), None)


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and (
        any(name in value for name in LISTS) or ("tokens" in value and any(name in value for name in TAGS))
    )


def _document_of(name: str, value: Any) -> InputDocument:
    """One document that is not known to be a record."""
    if isinstance(value, Mapping):
        if not _is_record(value):
            raise refusal(value, EXPECTED, "a document is a list of entities, or {'tokens': …, 'ner_tags': …}")
        return _of_record(name, value)._replace(name=name)
    items = as_list(value, lambda rejected: refusal(rejected, EXPECTED))
    kinds = set(map(type, items))
    if not items or kinds == {str}:
        return InputDocument(name, sentences=[_tags(items)] if items else [], spans=None if items else [])
    if kinds <= {list, tuple}:
        return _of_lists(name, items)
    if all(hasattr(kind, "_fields") for kind in kinds):  # a `Span` or a `Referent` has its own type
        return InputDocument(name, items)
    items = [to_plain(item) for item in items]
    if all_of_kind(items, list, tuple):
        return _of_lists(name, items)
    if all_of_kind(items, int, float):
        raise _numbers(items)
    if any(isinstance(item, str) for item in items):
        raise refusal(items, EXPECTED, "items are all tags, or all entities")
    return InputDocument(name, items)


def _of_lists(name: str, items: Sequence[Any]) -> InputDocument:
    """Entities, sentences of tags, words with tags, or sentences of words with tags."""
    within = set(map(type, chain.from_iterable(items)))
    if within <= {str}:
        return _of_strings(name, items)
    if all(map(_is_pair, chain.from_iterable(items))) and within <= {tuple, list}:
        sentences = [_split(sentence) for sentence in items]
        words = list(chain.from_iterable(words for words, _ in sentences))
        return InputDocument(name, sentences=[tags for _, tags in sentences], words=words)
    if any(not _is_entity(item) for item in items):
        raise _no_entities(items)
    return InputDocument(name, items)


def _of_strings(name: str, items: Sequence[Sequence[str]]) -> InputDocument:
    """Sentences of tags, or words with tags: the form of the tags decides."""
    pairs = all(map(_is_pair, items))
    if pairs and any(isinstance(item, tuple) for item in items) and all(map(is_tag, chain.from_iterable(items))):
        raise refusal(list(items), EXPECTED, "words that look like tags: write sentences of tags as lists")
    if pairs and not all(is_tag(word) for word, _ in items):
        words, tags = _split(items)
        return InputDocument(name, sentences=[tags], words=words)
    return InputDocument(name, sentences=[_tags(item) for item in items])


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all_of_kind(value, str)


def _split(pairs: Sequence[Any]) -> tuple[list[str], list[str]]:
    return [word for word, _ in pairs], _tags([tag for _, tag in pairs])


def is_tag(text: str) -> bool:
    prefix, dash, label = text.partition("-")
    return text in OUTSIDE or (prefix in PREFIXES and (bool(label) or not dash))


def _tags(items: Sequence[Any]) -> list[str]:
    return items if isinstance(items, list) else list(items)


def _is_entity(item: Any) -> bool:
    return (
        isinstance(item, list | tuple)
        and len(item) >= 3
        and all_of_kind(item[:2], int)
        and not isinstance(item[2], int)
    )


def _no_entities(items: Sequence[Any]) -> UsageError:
    wrong = next(item for item in items if not _is_entity(item))
    hint = ""
    if (
        isinstance(wrong, list | tuple)
        and wrong
        and all_of_kind(wrong, int, float)
        and (len(wrong) != 2 or isinstance(wrong, list))
    ):
        return _numbers(items)
    if (
        isinstance(wrong, list | tuple)
        and len(wrong) == 3
        and isinstance(wrong[0], str)
        and all_of_kind(wrong[1:], int)
    ):
        hint = "the label comes last; of seqeval's (label, first, last) make (first, last + 1, label)"
    elif any(isinstance(item, list) and item and _is_entity(item[0]) for item in items):
        hint = "several documents are a dict, {'name': [(0, 2, 'PER')], …}"
    return refusal(wrong, f"(start, end, label) among {EXPECTED}", hint)


def _numbers(items: Sequence[Any]) -> UsageError:
    return refusal(list(items), EXPECTED, "what numbers stand for is not known here; give [names[n] for n in row]")


def _of_record(name: str, record: Mapping[str, Any]) -> InputDocument:
    """A document as a record of JSON lines or of a data set."""
    name = record_name(record, name)
    tokens, text = to_plain(record.get("tokens")), record.get("text")
    words = None if tokens is None else _words(name, tokens)
    spans = next((to_plain(record[field]) for field in LISTS if field in record), None)
    tags = next((to_plain(record[field]) for field in TAGS if field in record), None)
    if spans is not None:
        items = as_list(spans, lambda values: refusal(values, "a list of entities"))
        others = [
            as_list(to_plain(key), lambda values: refusal(values, "a list of entities as another key"))
            for key in as_list(
                to_plain(record.get("other_keys", [])), lambda values: refusal(values, "a list of other keys")
            )
        ]
        known_text = text if isinstance(text, str) else None
        return InputDocument(name, items, words=words, text=known_text, other_keys=others)
    values = as_list(tags, lambda items: refusal(items, "a list of tags"))
    if values and not all_of_kind(values, str):
        raise _numbers(values)
    if words is None or len(words) != len(values):
        raise UsageError(
            f"document {name!r}: found {len(values)} tags for {len(words or ())} tokens, expected as many: mend it"
        )
    return InputDocument(name, sentences=[values], words=words)


def _words(name: str, tokens: Any) -> list[str]:
    words = as_list(tokens, lambda rejected: refusal(rejected, f"a list of words as the tokens of document {name!r}"))
    if not all_of_kind(words, str):
        raise refusal(words, f"strings as the words of document {name!r}")
    return words


def _of_rows(rows: Sequence[Mapping[str, Any]], fields: Sequence[str] = ()) -> list[InputDocument]:
    """Documents from rows with one entity each, or one word each."""
    if not fields:
        columns = [name for name, value in rows[0].items() if isinstance(value, str)]
        choice = choose_field(columns, (*TAG, "type"), SUBJECTS["entities"])
        if choice.rivals:
            raise UsageError(
                f"found the columns {' and '.join(map(repr, choice.rivals))}, expected one of them: "
                f"{choice.remedy('tags_field').for_python()}"
            )
    if all(map(_is_span, rows)):
        spans = [{**row, LABEL[0]: row[fields[0]]} for row in rows] if fields and fields[0] in rows[0] else rows
        return [InputDocument(name, group) for name, group in group_rows(spans, NAME_FIELDS, "document").items()]
    word, tag = first_column(rows, WORD), first_column(rows, [*fields] or TAG)
    if tag is None:
        raise refusal(
            list(rows), "rows with 'start', 'end' and 'label', or with 'word' and 'tag' (and 'sentence', 'document')",
            "rename the columns",
        )  # fmt: skip
    documents = []
    for name, group in group_rows(rows, NAME_FIELDS, "document").items():
        sentences = list(group_rows(group, SENTENCE_COLUMNS, "").values())
        tags = [[row[tag] for row in sentence] for sentence in sentences]
        if not all_of_kind(chain.from_iterable(tags), str):
            raise _numbers(tags[0])
        words = None if word is None else _words(name, [row[word] for sentence in sentences for row in sentence])
        documents.append(InputDocument(name, sentences=tags, words=words))
    return documents


def _of_docs(docs: Mapping[str, Any]) -> list[InputDocument]:
    """The entities of `Doc`s of spaCy, or the spans in their span groups (except coreference chains)."""
    groups = [[group for label, group in doc.spans.items() if not label.startswith("coref")] for doc in docs.values()]
    if any(doc.ents for doc in docs.values()) and any(len(group) for doc_groups in groups for group in doc_groups):
        label = next(label for doc in docs.values() for label, group in doc.spans.items() if len(group))
        raise UsageError(
            f"found entities in doc.ents and in doc.spans[{quote_value(label)}], expected one of the two: give "
            "{'name': [(span.start, span.end, span.label_) for span in doc.ents], …}"
        )
    documents = []
    for (name, doc), others in zip(docs.items(), groups, strict=True):
        spans = [(span.start, span.end, span.label_) for group in [doc.ents, *others] for span in group]
        starts = [sent.start for sent in doc.sents] if doc.has_annotation("SENT_START") else [0]
        documents.append(InputDocument(name, spans, words=[token.text for token in doc], starts=starts))
    return documents
