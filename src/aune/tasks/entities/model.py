"""The data model of a text with named entities: labelled spans, which may nest and be discontinuous.

Spans may have features (attributes), and typed, directed relations may link them. Formats read and write both; measures
do not score them.

A document stores its spans as columns. Positions are token (or character) numbers from 0 and spans are half-open. A
label is a path whose parts are joined by dots (`loc.adm.town`). Several labels on one stretch are several spans.
Spans are sorted by content (start, longest first, depth, label), so that the order of a file has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import index
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract.options import HiddenAtDefault
from aune.errors import UsageError
from aune.numeric.arrays import Ints
from aune.reading.python_inputs import quote_value, ready_documents
from aune.tasks.entities.python_inputs import FieldNames, InputDocument, label_of, texts
from aune.tasks.entities.tags import Repair, Scheme, decode_tags, tag_numbers

Unit: TypeAlias = Literal["token", "character"]
Segments: TypeAlias = tuple[tuple[int, int], ...]
Features: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, sorted; a name may have several values."""
Others: TypeAlias = tuple[tuple["Span", ...], ...]
"""The alternatives of a key for a span: each is a tuple of spans, empty if the span may be missing."""
Ends: TypeAlias = Annotated[
    Literal["auto", "exclusive", "inclusive"],
    "whether the end of an entity is the position after it, or its last one (auto: in lists of lists of dicts)",
    HiddenAtDefault,
]
SpansField: TypeAlias = Annotated[
    tuple[str, ...],
    "the field of a record with the entities; spans, entities… if none is named",
    HiddenAtDefault,
]
TagsField: TypeAlias = Annotated[
    tuple[str, ...], "the field of a record with the tags; ner_tags, tags… if none is named", HiddenAtDefault
]
MAX_POSITION = 10_000_000  # limit for positions without a known text: more is a mistake, and would fill memory


class Span(NamedTuple):
    """One labelled stretch of text, as a reader returns it."""

    start: int
    end: int
    """The position after the last one."""
    label: str
    depth: int = 0
    """How many spans enclose it, if the format states it; it orders spans over the same text."""
    segments: Segments = ()
    """The half-open parts of a discontinuous span; empty for a contiguous span."""
    line: int = 0
    """The line of the file on which it opens, from 1; 0 when unknown."""
    column: int = 1
    others: Others = ()
    features: Features = ()
    id: str = ""
    """What its file calls it; '' where files have no names for spans."""


class Relation(NamedTuple):
    """A typed link from one span of a document to another, by their numbers."""

    kind: str
    source: int
    target: int
    features: Features = ()


class StringEntity(NamedTuple):
    """An entity given as a string instead of a position."""

    string: str
    label: str
    claimed: tuple[int, int] | None = None
    """The position that its author gave, in whatever unit the author counts."""
    group: str = ""
    """The list that contains it, if there are several; each list follows the order of the text."""
    is_ambiguous: bool = False
    """Whether label and string may be swapped, as in `{"Ann Lee": "PER"}`; the key decides."""
    line: int = 0
    column: int = 1


class Mention(NamedTuple):
    """One mention of an ACE entity."""

    start: int
    end: int
    """The position after the last one of its head (or of its extent where no head is given)."""
    type: str = "NAM"
    role: str = ""
    style: str = "LITERAL"


class Referent(NamedTuple):
    """An entity of the world in the sense of ACE: its type and all its mentions."""

    type: str
    subtype: str = ""
    kind: str = "SPC"
    """The class of ACE: SPC, GEN, NEG, USP."""
    mentions: tuple[Mention, ...] = ()


def referent_label(referent: Referent) -> str:
    """The label of an ACE entity as one path.

    >>> referent_label(Referent("PER", "Individual")), referent_label(Referent("PER"))
    ('PER.Individual', 'PER')
    """
    return f"{referent.type}.{referent.subtype}" if referent.subtype else referent.type


class Tags(NamedTuple):
    """One layer of the tags of a text, as its file has them."""

    codes: Ints
    """(tokens,): numbers in `names`; -1 for a token without a tag."""
    names: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """One text and its spans.
    Build it with `make_document`, `document_from_columns` or `documents`, which sort the spans.
    """

    id: str
    spans: Ints
    """(spans, 2): the first position, and the position after the last one."""
    labels: Ints
    """(spans,): numbers in `names`."""
    names: tuple[str, ...]
    """The labels, sorted."""
    length: int = 0
    """The number of positions of the text; at least the end of the last span."""
    unit: Unit = "token"
    sentences: Ints | None = None
    """The first position of every sentence, from 0."""
    sentences_before: int = 0
    """The number of sentences before it, if it is a part of a longer text."""
    depths: Ints | None = None
    segments: Mapping[int, Segments] = field(default_factory=dict)
    """The parts of the discontinuous spans, by span number."""
    words: Callable[[], Sequence[str]] | None = None
    """Returns the tokens; called only when they are needed."""
    text: str | None = None
    tags: Tags | None = None
    """The tags from which the spans were read, for `token_accuracy`."""
    lines: Ints | None = None
    columns: Ints | None = None
    """(spans,): the column of the file at which each span opens."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Properties of the whole document, such as its genre."""
    referents: tuple[Referent, ...] | None = None
    """The entities of ACE, for `ace_value`."""
    typology: str = ""
    """The typology of the labels: the name of a shipped one, or a path."""
    repaired: int = 0
    """The number of entities with illegal tags that no reader has reported."""
    listed: tuple[StringEntity, ...] | None = None
    """Entities given as strings, which have no span until they are located in a key's text."""
    lost: int = 0
    """The number of entities of a truncated answer that could not be read."""
    path: str | None = None
    line: int = 1
    others: Mapping[int, Others] = field(default_factory=dict)
    """The alternatives of a key for a span, by span number."""
    other_keys: tuple[Document, ...] = ()
    """Other right answers for the whole text, each with its own alternatives."""
    features: Mapping[int, Features] = field(default_factory=dict)
    """The features of spans, by span number."""
    relations: tuple[Relation, ...] = ()
    ids: Mapping[int, str] = field(default_factory=dict)
    """What the file calls spans, by span number."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def has_alternatives(self) -> bool:
        """Whether there are several right answers."""
        return bool(self.others or self.other_keys)

    @cached_property
    def tokens(self) -> Sequence[str] | None:
        return None if self.words is None else self.words()

    def with_spans_of(self, other: Document) -> Document:
        """The same text with the spans of another document, without tags."""
        return replace(
            self, spans=other.spans, labels=other.labels, names=other.names, length=max(self.length, other.length),
            depths=other.depths, segments=other.segments, lines=other.lines, columns=other.columns, others=other.others,
            tags=None, other_keys=(), features=other.features, relations=other.relations, ids=other.ids,
        )  # fmt: skip

    def triples(self) -> list[tuple[int, int, str]]:
        """The spans as (start, end, label)."""
        return [(s, e, self.names[n]) for (s, e), n in zip(self.spans.tolist(), self.labels.tolist(), strict=True)]

    def excerpt(self, start: int, end: int) -> str:
        """The text of a stretch; '' if the text is unknown."""
        if self.unit == "character":
            return "" if self.text is None else self.text[start:end]
        return "" if self.tokens is None else " ".join(self.tokens[start:end])


def make_document(
    id: str, unordered: Iterable[Span], *, length: int = 0, relations: Iterable[Relation] = (), **rest: Any
) -> Document:
    """A document with sorted spans, from spans in any order; relations refer to spans by their order of arrival.

    >>> spans = [Span(3, 4, "loc"), Span(0, 2, "pers")]
    >>> document = make_document("d", spans, relations=[Relation("in", 1, 0)])
    >>> document.triples(), [tuple(relation[:3]) for relation in document.relations]
    ([(0, 2, 'pers'), (3, 4, 'loc')], [('in', 0, 1)])
    """
    listed = list(unordered)
    relations = tuple(relations)
    if relations:
        order = sorted(range(len(listed)), key=lambda number: _span_sort_key(listed[number]))
        ordered = [listed[number] for number in order]
        relations = renumber_relations(relations, {old: new for new, old in enumerate(order)})
    else:
        ordered = sorted(listed, key=_span_sort_key)
    names = tuple(sorted({span.label for span in ordered}))
    numbers = {name: number for number, name in enumerate(names)}
    spans = np.fromiter(chain.from_iterable(span[:2] for span in ordered), np.int64, 2 * len(ordered)).reshape(-1, 2)
    return Document(
        id,
        spans,
        np.fromiter((numbers[span.label] for span in ordered), np.int64, len(ordered)),
        names,
        max(length, int(spans.max(initial=0))),
        depths=_column([span.depth for span in ordered]),
        segments={index: span.segments for index, span in enumerate(ordered) if span.segments},
        lines=_column([span.line for span in ordered]),
        columns=_column([span.column for span in ordered]),
        others={
            index: tuple(sorted(set(span.others), key=_alternative_order))
            for index, span in enumerate(ordered)
            if span.others
        },
        features={index: tuple(sorted(span.features)) for index, span in enumerate(ordered) if span.features},
        relations=relations,
        ids={index: span.id for index, span in enumerate(ordered) if span.id},
        **rest,
    )


def _span_sort_key(span: Span) -> tuple[Any, ...]:
    return span[0], -span[1], span[3], span[2], span[4]


def renumber_relations(relations: Iterable[Relation], numbers: Mapping[int, int]) -> tuple[Relation, ...]:
    """Relations between spans that have new numbers; those of spans without one are left out."""
    moved = (
        Relation(kind, numbers[source], numbers[target], tuple(sorted(features)))
        for kind, source, target, features in relations
        if source in numbers and target in numbers
    )
    return tuple(sorted(moved, key=lambda relation: (relation[1:3], relation.kind, relation.features)))


def _alternative_order(spans: tuple[Span, ...]) -> list[tuple[Any, ...]]:
    """A sort key for alternatives, independent of the order in the file."""
    return sorted((span.start, span.end, span.label, span.depth, span.segments) for span in spans)


def _column(values: list[int]) -> Ints | None:
    return np.asarray(values, np.int64) if any(values) else None


def spans_of(document: Document) -> list[Span]:
    """The spans of a document, in the document's order."""
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    lines = [0] * len(document) if document.lines is None else document.lines.tolist()
    columns = [1] * len(document) if document.columns is None else document.columns.tolist()
    return [
        Span(
            start, end, label, depth, document.segments.get(place, ()), line, column, document.others.get(place, ()),
            document.features.get(place, ()), document.ids.get(place, ""),
        )
        for place, ((start, end, label), depth, line, column) in enumerate(
            zip(document.triples(), depths, lines, columns, strict=True)
        )
    ]  # fmt: skip


def document_from_columns(id: str, spans: Ints, labels: Ints, names: Sequence[str], **rest: Any) -> Document:
    """A document from columns in text order without nesting, as tag sequences produce them."""
    ordered = sorted(names)
    if ordered != list(names):
        ranks = {name: rank for rank, name in enumerate(ordered)}
        labels = np.asarray([ranks[name] for name in names], np.int64)[labels]
    return Document(id, spans, labels, tuple(ordered), **rest)


def documents(
    plain: Any,
    *,
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    ends: Ends = "auto",
    spans_field: SpansField = (),
    tags_field: TagsField = (),
) -> list[Document]:
    """Documents from plain Python.

    A document is a list of `(start, end, label)` (the end is the position after the last one; a dict with these
    names, or a `Span`, is the same), a list of tags (`["B-PER", "O"]`) or of `(word, tag)` pairs, a list of sentences
    of these, a spaCy `Doc`, or a record (`{"tokens" or "text": …, "spans": […]}`, `{"tokens": …, "ner_tags": …}`).
    Several documents are a mapping from names to documents, a list of `Doc`s or records, or a list of lists of dicts
    in the format of nervaluate, where an end is the last position (`ends` sets this for other inputs). `scheme` and
    `repair` control how tags are read, as in files. `spans_field` and `tags_field` name the field of records, or the
    column of rows, that contains entities or tags; a record with those of both sides is refused without them.
    The dict of a span can give other right answers with `"optional": True` and `"alternatives"` (spans, or lists
    of spans); a record can have `other_keys`, lists of spans.

    >>> documents([(0, 2, "PER")])[0].triples()
    [(0, 2, 'PER')]
    >>> documents([["B-PER", "I-PER", "O"], ["B-LOC"]])[0].triples()
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    >>> [make_document.id for make_document in documents({"a": [], "b": ["O"]})]
    ['a', 'b']
    """
    if (ready := ready_documents(plain, Document)) is not None:
        return ready
    names = FieldNames(spans_field, tags_field)
    return [_document_from(text, scheme, repair, ends) for text in texts(plain, names)]


def _document_from(text: InputDocument, scheme: str, repair: str, ends: str) -> Document:
    words = None if text.words is None else text.words.copy
    if text.sentences is not None:
        return replace(_from_tags(text.name, text.sentences, scheme, repair), words=words)
    items = text.spans or ()
    if items and all(isinstance(item, Referent) for item in items):
        return make_document(text.name, [], referents=tuple(items))
    inclusive = text.inclusive if ends == "auto" else ends == "inclusive"
    if inclusive is None:
        raise UsageError(
            "found lists of what a pipeline gave, one for each text, expected to know what an end is: say "
            "ends='exclusive' (an end is after the entity, on both sides), or give {'name': pipeline(text), …}"
        )
    spans = [_span_with_others(item, int(inclusive)) for item in items]
    known = text.words if text.text is None else text.text
    size = MAX_POSITION if known is None else len(known)
    others = [[_span_with_others(item, int(inclusive)) for item in key] for key in text.other_keys]
    every = [*spans, *chain.from_iterable(others), *(part for span in spans for parts in span.others for part in parts)]
    if beyond := next((span for span in every if span.end > size), None):
        raise UsageError(
            f"document {text.name!r}: found {quote_value(tuple(beyond[:3]))} beyond the text, which has {size:,} "
            f"{'words' if text.text is None else 'characters'}, expected a span within it: mend it"
        )
    if text.text is not None:
        document = make_document(text.name, spans, length=len(text.text), unit="character", text=text.text)
    else:
        starts = None if text.starts is None else np.asarray(text.starts, np.int64)
        document = make_document(text.name, spans, length=len(text.words or ()), sentences=starts, words=words)
    keys = tuple(document.with_spans_of(make_document("", key)) for key in others)
    return replace(document, other_keys=keys) if keys else document


def _span_with_others(item: Any, inclusive: int) -> Span:
    """A span with its alternatives, which a dict gives under `optional` and `alternatives`."""
    span = _span_from(item, inclusive)
    if type(item) is tuple or not isinstance(item, Mapping):
        return span
    alternatives = item.get("alternatives", ())
    if not isinstance(alternatives, list | tuple):
        raise UsageError(f"found {quote_value(alternatives)} as alternatives, expected a list of spans, or of lists")
    others: list[tuple[Span, ...]] = [()] if item.get("optional") else []
    for alternative in alternatives:
        is_list = isinstance(alternative, list | tuple) and not isinstance(next(iter(alternative), 0), int)
        parts = alternative if is_list else [alternative]
        others.append(tuple(_span_from(part, inclusive) for part in parts))
    return span._replace(others=tuple(others))


def _span_from(item: Any, inclusive: int = 0) -> Span:
    """A span from a triple, a dict or a `Span`."""
    try:
        if type(item) is Span:
            return item
        if type(item) is not tuple and isinstance(item, Mapping):
            item = (item["start"], item["end"], label_of(item))
        start, end, label = item
        span = Span(index(start), index(end) + inclusive, label)
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"found {quote_value(item)}, expected (start, end, label)") from None
    if not 0 <= span.start < span.end <= MAX_POSITION or not isinstance(label, str) or not label.strip():
        hint = " (is the end the last one? say ends='inclusive')" if span.start == span.end else ""
        raise UsageError(f"found {quote_value(item)}, expected 0 ≤ start < end and a label{hint}")
    return span


def _from_tags(id: str, sentences: Sequence[Sequence[str]], scheme: str, repair: str) -> Document:
    numbers, codes = tag_numbers(chain.from_iterable(sentences), sum(map(len, sentences)))
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    starts = (np.cumsum(lengths) - lengths)[lengths > 0]
    decoding = decode_tags(codes, numbers, starts, scheme, repair)
    if decoding.unreadable:
        raise UsageError(f"found the tag {numbers[decoding.unreadable[0]]!r}, expected O or a prefix such as B- or I-")
    repaired = len(decoding.illegal)
    if repaired and repair == "error":
        first = int(decoding.illegal[0])
        raise UsageError(
            f"{id}: found {numbers[int(codes[first])]!r} at token {first}, expected tags that {decoding.scheme} allows"
        )
    return document_from_columns(
        id, decoding.spans, decoding.labels, decoding.names,
        length=len(codes), sentences=starts, repaired=repaired, tags=Tags(codes, tuple(numbers)),
    )  # fmt: skip


def sort_spans(document: Document) -> Document:
    """The document with its spans sorted by content."""
    depths = np.zeros(len(document), np.int64) if document.depths is None else document.depths
    pieces = np.zeros(len(document), np.int64)
    for rank, number in enumerate(sorted(document.segments, key=lambda number: document.segments[number]), 1):
        pieces[number] = rank
    order = np.lexsort((pieces, document.labels, depths, -document.spans[:, 1], document.spans[:, 0]))
    return _select_spans(document, order)


def _select_spans(document: Document, which: Ints) -> Document:
    """The document with only some of its spans, in this order, and the relations between them."""
    places = which.tolist()
    return replace(
        document,
        spans=document.spans[which],
        labels=document.labels[which],
        depths=None if document.depths is None else document.depths[which],
        lines=None if document.lines is None else document.lines[which],
        columns=None if document.columns is None else document.columns[which],
        segments={new: document.segments[old] for new, old in enumerate(places) if old in document.segments},
        others={new: document.others[old] for new, old in enumerate(places) if old in document.others},
        features={new: document.features[old] for new, old in enumerate(places) if old in document.features},
        relations=renumber_relations(document.relations, {old: new for new, old in enumerate(places)})
        if document.relations
        else (),
        ids={new: document.ids[old] for new, old in enumerate(places) if old in document.ids},
    )


def empty(like: Document) -> Document:
    """The same text without entities."""
    nothing = np.zeros(0, np.int64)
    return replace(
        like, spans=nothing.reshape(0, 2), labels=nothing, names=(), depths=None, segments={}, lines=None, columns=None,
        referents=None if like.referents is None else (), others={}, other_keys=(), features={}, relations=(), ids={},
        tags=None if like.tags is None else Tags(np.zeros(like.length, np.int64), ("O",)),
    )  # fmt: skip


def split_response(keys: Sequence[Document], responses: Sequence[Document]) -> list[Document] | None:
    """A response whose file lost the document boundaries, cut where the key's documents end; None for any other."""
    if len(responses) != 1 or len(keys) < 2 or responses[0].length != sum(key.length for key in keys):
        return None
    response = responses[0]
    if any(key.id == response.id and key.length == response.length for key in keys):
        return None  # the other keys have no text: it is the response to the document of its own name
    ends = np.cumsum([key.length for key in keys])
    return [
        _slice_document(response, key, int(end) - key.length, int(end)) for key, end in zip(keys, ends, strict=True)
    ]


def _slice_document(response: Document, key: Document, start: int, end: int) -> Document:
    """The part of a text between two positions; an entity over the cut leaves its part on each side."""
    inside = np.flatnonzero((response.spans[:, 1] > start) & (response.spans[:, 0] < end))
    tokens = response.tokens
    segments = {
        number: tuple((max(a, start) - start, min(b, end) - start) for a, b in parts if b > start and a < end)
        for number, parts in response.segments.items()
    }
    emptied = {number for number in inside.tolist() if number in segments and not segments[number]}
    part = _select_spans(
        replace(
            response,
            id=key.id,
            spans=np.clip(response.spans, start, end) - start,
            segments=segments,
            length=end - start,
            sentences=None,
            tags=None if response.tags is None else response.tags._replace(codes=response.tags.codes[start:end]),
            words=None if tokens is None else list(tokens[start:end]).copy,
        ),
        np.asarray([number for number in inside.tolist() if number not in emptied], np.int64),
    )
    return sort_spans(part)
