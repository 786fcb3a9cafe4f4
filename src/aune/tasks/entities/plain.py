"""Entities as people hold them in Python, in one shape: names with spans, or with sentences of tags.

Accepted on purpose: `(start, end, label)`, tags, `(word, tag)` pairs, sentences of these, dicts of spans (nervaluate's
lists of lists too), records (`{"tokens": …, "ner_tags": …}`, `{"text": …, "spans": …}`), dicts from names to them, rows
of data frames, and spaCy's `Doc`s. Whatever could mean two things is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from aune.core.errors import UsageError
from aune.core.shapes import NAMES, SENTENCES, are, column, docs_in, grouped, listed, name_of, plain, quoted, refused
from aune.tasks.entities.tags import OUTSIDE, PREFIXES

LISTS = ("spans", "entities", "ents")  # where records keep their spans
TAGS = ("ner_tags", "tags", "ner", "labels")  # where they keep their tags
TAG = ("tag", "ner_tag", "ner", "label")
WORD = ("word", "token", "form", "text")
LABELS = ("label", "labels", "type", "entity_group")  # where spans keep their label
PIECES = (
    "expected entities, not pieces of words: run the pipeline with aggregation_strategy='simple', "
    "which gives entity_group"
)
LABEL = ("label", "entity_group")  # what Python's spans call it
EXPECTED = "entities, such as [(0, 2, 'PER')], or tags, such as [['B-PER', 'I-PER', 'O'], ['B-LOC']]"


class Text(NamedTuple):
    """One document: spans, or tags."""

    name: str
    spans: Sequence[Any] | None = None
    sentences: Sequence[Sequence[str]] | None = None
    """Tags, sentence by sentence."""
    words: list[str] | None = None
    text: str | None = None
    inclusive: bool | None = False
    """Whether the end of a span is its last position; None where that must be said."""
    starts: Sequence[int] | None = None
    """The first words of sentences, where spans are given."""


def texts(given: Any) -> list[Text]:
    """The texts in what somebody gave."""
    given = plain(given)
    if docs := docs_in(given):
        return _of_docs(docs)
    if isinstance(given, Mapping):
        if _is_record(given):
            return [_of_record("document", given)]
        if _is_span(given):
            return [Text("document", [given])]
        return [_of(str(name), plain(value)) for name, value in given.items()]
    items = listed(given, lambda found: refused(found, EXPECTED))
    if items and are(items, Mapping) and all(map(_is_record, items)):
        return [_of_record(str(number), item) for number, item in enumerate(items, 1)]
    if items and are(items, Mapping):
        return _of_rows(items)
    if items and are(items, list) and any(items) and all(_are_dicts(item) for item in items):  # as nervaluate has them
        inclusive = None if any("entity_group" in span for item in items for span in item) else True
        return [Text(str(number), item, inclusive=inclusive) for number, item in enumerate(items, 1)]
    return [_of("document", items)]


def _are_dicts(spans: Any) -> bool:
    return all(isinstance(span, Mapping) and _is_span(span) for span in spans)


def _is_span(given: Mapping[str, Any]) -> bool:
    return {"start", "end"} <= set(given) and label_of(given) is not None


def label_of(span: Mapping[str, Any]) -> Any:
    """The label of a span, as people or pipelines of Hugging Face write it."""
    if "entity" in span and "start" in span and not any(name in span for name in LABEL):
        raise UsageError(f"found {quoted(dict(span))}, {PIECES}")
    return next((span[name] for name in LABEL if name in span), None)


def _is_record(given: Any) -> bool:
    return isinstance(given, Mapping) and (
        any(name in given for name in LISTS) or ("tokens" in given and any(name in given for name in TAGS))
    )


def _of(name: str, given: Any) -> Text:
    """One document that is not known to be a record."""
    if isinstance(given, Mapping):
        if not _is_record(given):
            raise refused(given, EXPECTED, "a document is a list of entities, or {'tokens': …, 'ner_tags': …}")
        return _of_record(name, given)._replace(name=name)
    items = listed(given, lambda found: refused(found, EXPECTED))
    kinds = set(map(type, items))
    if not items or kinds == {str}:
        return Text(name, sentences=[_tags(items)] if items else [], spans=None if items else [])
    if kinds <= {list, tuple}:
        return _of_lists(name, items)
    if all(hasattr(kind, "_fields") for kind in kinds):  # a `Span` or a `Referent` knows what it is
        return Text(name, items)
    items = [plain(item) for item in items]
    if are(items, list, tuple):
        return _of_lists(name, items)
    if are(items, int, float):
        raise _numbers(items)
    if any(isinstance(item, str) for item in items):
        raise refused(items, EXPECTED, "items are all tags, or all entities")
    return Text(name, items)


def _of_lists(name: str, items: Sequence[Any]) -> Text:
    """Entities, sentences of tags, words with tags, or sentences of words with tags."""
    within = set(map(type, chain.from_iterable(items)))
    if within <= {str}:
        return _of_strings(name, items)
    if all(map(_is_pair, chain.from_iterable(items))) and within <= {tuple, list}:
        sentences = [_split(sentence) for sentence in items]
        words = list(chain.from_iterable(words for words, _ in sentences))
        return Text(name, sentences=[tags for _, tags in sentences], words=words)
    if any(not _is_entity(item) for item in items):
        raise _no_entities(items)
    return Text(name, items)


def _of_strings(name: str, items: Sequence[Sequence[str]]) -> Text:
    """Sentences of tags, or words with tags: the tags themselves tell."""
    pairs = all(map(_is_pair, items))
    if pairs and any(isinstance(item, tuple) for item in items) and all(map(is_tag, chain.from_iterable(items))):
        raise refused(list(items), EXPECTED, "words that look like tags: write sentences of tags as lists")
    if pairs and not all(is_tag(word) for word, _ in items):
        words, tags = _split(items)
        return Text(name, sentences=[tags], words=words)
    return Text(name, sentences=[_tags(item) for item in items])


def _is_pair(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2 and are(given, str)


def _split(pairs: Sequence[Any]) -> tuple[list[str], list[str]]:
    return [word for word, _ in pairs], _tags([tag for _, tag in pairs])


def is_tag(text: str) -> bool:
    prefix, dash, label = text.partition("-")
    return text in OUTSIDE or (prefix in PREFIXES and (bool(label) or not dash))


def _tags(items: Sequence[Any]) -> list[str]:
    return items if isinstance(items, list) else list(items)


def _is_entity(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) >= 3 and are(item[:2], int) and not isinstance(item[2], int)


def _no_entities(items: Sequence[Any]) -> UsageError:
    wrong = next(item for item in items if not _is_entity(item))
    hint = ""
    if (
        isinstance(wrong, list | tuple)
        and wrong
        and are(wrong, int, float)
        and (len(wrong) != 2 or isinstance(wrong, list))
    ):
        return _numbers(items)
    if isinstance(wrong, list | tuple) and len(wrong) == 3 and isinstance(wrong[0], str) and are(wrong[1:], int):
        hint = "the label comes last; of seqeval's (label, first, last) make (first, last + 1, label)"
    elif any(isinstance(item, list) and item and _is_entity(item[0]) for item in items):
        hint = "several documents are a dict, {'name': [(0, 2, 'PER')], …}"
    return refused(wrong, f"(start, end, label) among {EXPECTED}", hint)


def _numbers(items: Sequence[Any]) -> UsageError:
    return refused(list(items), EXPECTED, "what numbers stand for is not known here; give [names[n] for n in row]")


def _of_record(name: str, record: Mapping[str, Any]) -> Text:
    """A document as JSON lines and data sets have them."""
    name = name_of(record, name)
    tokens, text = plain(record.get("tokens")), record.get("text")
    words = None if tokens is None else _words(name, tokens)
    spans = next((plain(record[field]) for field in LISTS if field in record), None)
    tags = next((plain(record[field]) for field in TAGS if field in record), None)
    if spans is not None:
        found = listed(spans, lambda given: refused(given, "a list of entities"))
        return Text(name, found, words=words, text=text if isinstance(text, str) else None)
    given = listed(tags, lambda found: refused(found, "a list of tags"))
    if given and not are(given, str):
        raise _numbers(given)
    if words is None or len(words) != len(given):
        raise UsageError(
            f"document {name!r}: found {len(given)} tags for {len(words or ())} tokens, expected as many: mend it"
        )
    return Text(name, sentences=[given], words=words)


def _words(name: str, tokens: Any) -> list[str]:
    words = listed(tokens, lambda found: refused(found, f"a list of words as the tokens of document {name!r}"))
    if not are(words, str):
        raise refused(words, f"strings as the words of document {name!r}")
    return words


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> list[Text]:
    """Rows of an entity each, or of a word each."""
    if all(map(_is_span, rows)):
        return [Text(name, own) for name, own in grouped(rows, NAMES, "document").items()]
    word, tag = column(rows, WORD), column(rows, TAG)
    if tag is None:
        raise refused(
            list(rows), "rows with 'start', 'end' and 'label', or with 'word' and 'tag' (and 'sentence', 'document')",
            "rename the columns",
        )  # fmt: skip
    found = []
    for name, own in grouped(rows, NAMES, "document").items():
        sentences = list(grouped(own, SENTENCES, "").values())
        tags = [[row[tag] for row in sentence] for sentence in sentences]
        if not are(chain.from_iterable(tags), str):
            raise _numbers(tags[0])
        words = None if word is None else _words(name, [row[word] for sentence in sentences for row in sentence])
        found.append(Text(name, sentences=tags, words=words))
    return found


def _of_docs(docs: Mapping[str, Any]) -> list[Text]:
    """The entities of spaCy's `Doc`s, or the spans in their groups (but for chains)."""
    groups = [[group for label, group in doc.spans.items() if not label.startswith("coref")] for doc in docs.values()]
    if any(doc.ents for doc in docs.values()) and any(len(group) for own in groups for group in own):
        label = next(label for doc in docs.values() for label, group in doc.spans.items() if len(group))
        raise UsageError(
            f"found entities in doc.ents and in doc.spans[{quoted(label)}], expected one of the two: give "
            "{'name': [(span.start, span.end, span.label_) for span in doc.ents], …}"
        )
    found = []
    for (name, doc), others in zip(docs.items(), groups, strict=True):
        spans = [(span.start, span.end, span.label_) for group in [doc.ents, *others] for span in group]
        starts = [sent.start for sent in doc.sents] if doc.has_annotation("SENT_START") else [0]
        found.append(Text(name, spans, words=[token.text for token in doc], starts=starts))
    return found
