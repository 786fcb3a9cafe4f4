"""What aune knows of a text with named entities: labelled spans, which may nest and be in pieces.

A document is columns over its spans. Positions are token (or character) numbers from 0 and spans are half-open. A label
is a path, its parts joined by dots (`loc.adm.town`). Several labels on one stretch of text are several spans there.
Spans are sorted by content (start, longest first, depth, label), so that the order of a file changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import index
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.core.arrays import Ints
from aune.core.errors import UsageError
from aune.core.options import Quiet
from aune.core.shapes import made, quoted
from aune.tasks.entities.plain import Text, label_of, texts
from aune.tasks.entities.tags import Repair, Scheme, decoded, tag_numbers

Unit: TypeAlias = Literal["token", "character"]
Segments: TypeAlias = tuple[tuple[int, int], ...]
Ends: TypeAlias = Annotated[
    Literal["auto", "exclusive", "inclusive"],
    "whether the end of an entity is the position after it, or its last one (auto: in lists of lists of dicts)",
    Quiet,
]
FARTHEST = 10_000_000  # positions of a text that nobody has seen: more is a slip, and would take its room


class Span(NamedTuple):
    """One labelled stretch of text, as a reader finds it."""

    start: int
    end: int
    """The position after the last one."""
    label: str
    depth: int = 0
    """How many spans enclose it, where the format says so; it orders spans over the same text."""
    segments: Segments = ()
    """The half-open parts of a span in several pieces; empty for a span in one piece."""
    line: int = 0
    """Where it opens in the file, from 1; 0 when unknown."""
    column: int = 1


class Listed(NamedTuple):
    """An entity given as a string."""

    string: str
    label: str
    claimed: tuple[int, int] | None = None
    """The place that its author gave, in whatever they count."""
    group: str = ""
    """The list it stands in, where there are several: each is in the order of the text by itself."""
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
    """An entity of the world in the sense of ACE: its kind and everywhere it is mentioned."""

    type: str
    subtype: str = ""
    kind: str = "SPC"
    """ACE's class: SPC, GEN, NEG, USP."""
    mentions: tuple[Mention, ...] = ()


class Tags(NamedTuple):
    """The tags of a text as its file has them, one layer of them."""

    codes: Ints
    """(tokens,): numbers in `names`; -1 where there is none."""
    names: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """One text and its spans. Build it with `document`, `tagged` or `documents`, which put it in order."""

    id: str
    spans: Ints
    """(spans, 2): first position, and the position after the last one."""
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
    """How many sentences come before it, where it is a part of a longer text."""
    depths: Ints | None = None
    segments: Mapping[int, Segments] = field(default_factory=dict)
    """The parts of the spans in several pieces, by span number."""
    words: Callable[[], Sequence[str]] | None = None
    """Gives the tokens when somebody asks."""
    text: str | None = None
    tags: Tags | None = None
    """The tags that the spans were read from, for `token_accuracy`."""
    lines: Ints | None = None
    columns: Ints | None = None
    """(spans,): where each span opens in the file."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """What is known of the document as a whole, such as its genre."""
    referents: tuple[Referent, ...] | None = None
    """The entities of ACE, for `ace_value`."""
    typology: str = ""
    """The typology that the labels come from: a shipped one's name or a path."""
    repaired: int = 0
    """How many entities had illegal tags, where no reader has said so."""
    listed: tuple[Listed, ...] | None = None
    """Entities given as strings, which have no span until they are placed on a key's text."""
    lost: int = 0
    """How many entities of an answer that was cut off could not be read."""
    path: str | None = None
    line: int = 1

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def tokens(self) -> Sequence[str] | None:
        return None if self.words is None else self.words()

    def triples(self) -> list[tuple[int, int, str]]:
        """The spans as (start, end, label)."""
        return [(s, e, self.names[n]) for (s, e), n in zip(self.spans.tolist(), self.labels.tolist(), strict=True)]

    def quoted(self, start: int, end: int) -> str:
        """The text of a stretch; '' where the text is unknown."""
        if self.unit == "character":
            return "" if self.text is None else self.text[start:end]
        return "" if self.tokens is None else " ".join(self.tokens[start:end])


def document(id: str, unordered: Iterable[Span], *, length: int = 0, **rest: Any) -> Document:
    """A document in order, from spans in any order.

    >>> document("d", [Span(3, 4, "loc"), Span(0, 2, "pers")]).triples()
    [(0, 2, 'pers'), (3, 4, 'loc')]
    """
    ordered = sorted(unordered, key=lambda span: (span[0], -span[1], span[3], span[2], span[4]))
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
        **rest,
    )


def _column(values: list[int]) -> Ints | None:
    return np.asarray(values, np.int64) if any(values) else None


def spans_of(document: Document) -> list[Span]:
    """The spans of a document, in its order."""
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    lines = [0] * len(document) if document.lines is None else document.lines.tolist()
    columns = [1] * len(document) if document.columns is None else document.columns.tolist()
    return [
        Span(start, end, label, depth, document.segments.get(place, ()), line, column)
        for place, ((start, end, label), depth, line, column) in enumerate(
            zip(document.triples(), depths, lines, columns, strict=True)
        )
    ]


def tagged(id: str, spans: Ints, labels: Ints, names: Sequence[str], **rest: Any) -> Document:
    """A document from columns in text order without nesting, as tag sequences give them."""
    ordered = sorted(names)
    if ordered != list(names):
        ranks = {name: rank for rank, name in enumerate(ordered)}
        labels = np.asarray([ranks[name] for name in names], np.int64)[labels]
    return Document(id, spans, labels, tuple(ordered), **rest)


def documents(
    plain: Any, *, scheme: Scheme = "auto", repair: Repair = "conlleval", ends: Ends = "auto"
) -> list[Document]:
    """Documents from plain Python.

    A document is a list of `(start, end, label)` (the end is the position after the last one; a dict with these
    names, or a `Span`, is the same), a list of tags (`["B-PER", "O"]`) or of `(word, tag)` pairs, a list of sentences
    of these, a spaCy `Doc`, or a record (`{"tokens" or "text": …, "spans": […]}`, `{"tokens": …, "ner_tags": …}`).
    Several documents are a mapping from names to documents, a list of `Doc`s or records, or a list of lists of dicts,
    as nervaluate has them: there an end is the last position (`ends` says so for the others). `scheme` and `repair`
    say how tags are read, as in files.

    >>> documents([(0, 2, "PER")])[0].triples()
    [(0, 2, 'PER')]
    >>> documents([["B-PER", "I-PER", "O"], ["B-LOC"]])[0].triples()
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    >>> [document.id for document in documents({"a": [], "b": ["O"]})]
    ['a', 'b']
    """
    if (ready := made(plain, Document)) is not None:
        return ready
    return [_of_text(text, scheme, repair, ends) for text in texts(plain)]


def _of_text(text: Text, scheme: str, repair: str, ends: str) -> Document:
    words = None if text.words is None else text.words.copy
    if text.sentences is not None:
        return replace(_from_tags(text.name, text.sentences, scheme, repair), words=words)
    given = text.spans or ()
    if given and all(isinstance(item, Referent) for item in given):
        return document(text.name, [], referents=tuple(given))
    inclusive = text.inclusive if ends == "auto" else ends == "inclusive"
    if inclusive is None:
        raise UsageError(
            "found lists of what a pipeline gave, one for each text, expected to know what an end is: say "
            "ends='exclusive' (an end is after the entity, on both sides), or give {'name': pipeline(text), …}"
        )
    found = [_span(item, int(inclusive)) for item in given]
    known = text.words if text.text is None else text.text
    size = FARTHEST if known is None else len(known)
    if beyond := next((span for span in found if span.end > size), None):
        raise UsageError(
            f"document {text.name!r}: found {quoted(tuple(beyond[:3]))} beyond the text, which has {size:,} "
            f"{'words' if text.text is None else 'characters'}, expected a span within it: mend it"
        )
    if text.text is not None:
        return document(text.name, found, length=len(text.text), unit="character", text=text.text)
    starts = None if text.starts is None else np.asarray(text.starts, np.int64)
    return document(text.name, found, length=len(text.words or ()), sentences=starts, words=words)


def _span(item: Any, inclusive: int = 0) -> Span:
    """A span from a triple, a dict or a `Span`."""
    try:
        if type(item) is Span:
            return item
        if type(item) is not tuple and isinstance(item, Mapping):
            item = (item["start"], item["end"], label_of(item))
        start, end, label = item
        found = Span(index(start), index(end) + inclusive, label)
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"found {quoted(item)}, expected (start, end, label)") from None
    if not 0 <= found.start < found.end <= FARTHEST or not isinstance(label, str) or not label.strip():
        hint = " (is the end the last one? say ends='inclusive')" if found.start == found.end else ""
        raise UsageError(f"found {quoted(item)}, expected 0 ≤ start < end and a label{hint}")
    return found


def _from_tags(id: str, sentences: Sequence[Sequence[str]], scheme: str, repair: str) -> Document:
    numbers, codes = tag_numbers(chain.from_iterable(sentences), sum(map(len, sentences)))
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    starts = (np.cumsum(lengths) - lengths)[lengths > 0]
    found = decoded(codes, numbers, starts, scheme, repair)
    if found.unreadable:
        raise UsageError(f"found the tag {numbers[found.unreadable[0]]!r}, expected O or a prefix such as B- or I-")
    repaired = len(found.illegal)
    if repaired and repair == "error":
        first = int(found.illegal[0])
        raise UsageError(
            f"{id}: found {numbers[int(codes[first])]!r} at token {first}, expected tags that {found.scheme} allows"
        )
    return tagged(
        id, found.spans, found.labels, found.names,
        length=len(codes), sentences=starts, repaired=repaired, tags=Tags(codes, tuple(numbers)),
    )  # fmt: skip


def in_order(document: Document) -> Document:
    """The document with its spans sorted by content."""
    depths = np.zeros(len(document), np.int64) if document.depths is None else document.depths
    pieces = np.zeros(len(document), np.int64)
    for rank, number in enumerate(sorted(document.segments, key=lambda number: document.segments[number]), 1):
        pieces[number] = rank
    order = np.lexsort((pieces, document.labels, depths, -document.spans[:, 1], document.spans[:, 0]))
    return _picked(document, order)


def _picked(document: Document, which: Ints) -> Document:
    """The document with some of its spans, in this order."""
    return replace(
        document,
        spans=document.spans[which],
        labels=document.labels[which],
        depths=None if document.depths is None else document.depths[which],
        lines=None if document.lines is None else document.lines[which],
        columns=None if document.columns is None else document.columns[which],
        segments={new: document.segments[old] for new, old in enumerate(which.tolist()) if old in document.segments},
    )


def empty(like: Document) -> Document:
    """The same text with no entity."""
    nothing = np.zeros(0, np.int64)
    return replace(
        like, spans=nothing.reshape(0, 2), labels=nothing, names=(), depths=None, segments={}, lines=None, columns=None,
        referents=None if like.referents is None else (),
        tags=None if like.tags is None else Tags(np.zeros(like.length, np.int64), ("O",)),
    )  # fmt: skip


def fitted(keys: Sequence[Document], responses: Sequence[Document]) -> list[Document] | None:
    """A response whose file lost the document boundaries, cut where the key's documents end; None if it is not that."""
    if len(responses) != 1 or len(keys) < 2 or responses[0].length != sum(key.length for key in keys):
        return None
    whole = responses[0]
    if any(key.id == whole.id and key.length == whole.length for key in keys):
        return None  # the others hold no text: it is the answer to its namesake
    ends = np.cumsum([key.length for key in keys])
    return [_cut(whole, key, int(end) - key.length, int(end)) for key, end in zip(keys, ends, strict=True)]


def _cut(whole: Document, key: Document, start: int, end: int) -> Document:
    """What of a text lies between two positions; of an entity over the cut each side keeps its part."""
    inside = np.flatnonzero((whole.spans[:, 1] > start) & (whole.spans[:, 0] < end))
    tokens = whole.tokens
    segments = {
        number: tuple((max(a, start) - start, min(b, end) - start) for a, b in parts if b > start and a < end)
        for number, parts in whole.segments.items()
    }
    gone = {number for number in inside.tolist() if number in segments and not segments[number]}
    part = _picked(
        replace(
            whole,
            id=key.id,
            spans=np.clip(whole.spans, start, end) - start,
            segments=segments,
            length=end - start,
            sentences=None,
            tags=None if whole.tags is None else whole.tags._replace(codes=whole.tags.codes[start:end]),
            words=None if tokens is None else list(tokens[start:end]).copy,
        ),
        np.asarray([number for number in inside.tolist() if number not in gone], np.int64),
    )
    return in_order(part)
