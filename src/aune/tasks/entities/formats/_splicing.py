"""What splicers of entities share: documents beside those of the file, the spans that changed, tags made of spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.splicing import pair_documents
from aune.tasks.entities.model import Document, Span, spans_of

Pair: TypeAlias = tuple[Document, Document]
"""A document as it is in a file, and as it should be."""
LETTERS = {  # of an entity of one token, of the first, of those inside and of the last of several
    "IOB1": ("I", "I", "I", "I"), "IOB2": ("B", "B", "I", "I"), "IOE1": ("I", "I", "I", "I"),
    "IOE2": ("E", "I", "I", "E"), "BIOES": ("S", "B", "I", "E"), "BILOU": ("U", "B", "I", "L"),
    "IO": ("I", "I", "I", "I"),
}  # fmt: skip


def splice_file(
    source: Source,
    documents: Sequence[Document],
    read: Callable[[Source], Iterable[Document]],
    splice_pairs: Callable[[Sequence[Pair], bool], bytes],
) -> bytes:
    """A file that says what these documents say instead of its own, as `made(pairs, thorough)` writes it.

    It has the fewest changes, or more (thoroughly) where neighbours would not fit.
    """
    pairs = list(pair_documents(source, list(read(source)), documents, _text))
    if not pairs:
        return Edits(source).apply()  # nothing is in it, and nothing is to be
    for thorough in (False, True):
        data = splice_pairs(pairs, thorough)
        result = Source(source.name, data, source.path)
        if [reread.triples() for reread in read(result)] == [
            document.triples() for document in documents
        ] and not result.problems:
            return data
    raise UsageError(f"{source.name}: the entities cannot be put into this file: write a new one")


def _text(document: Document) -> tuple[str, str | None, list[str] | None]:
    """What two versions of a document must have in common."""
    return document.unit, document.text, None if document.tokens is None else list(document.tokens)


def changes(
    before: Document, after: Document, content: Callable[[Span], tuple[object, ...]] | None = None
) -> tuple[list[Span], list[Span]]:
    """The spans that are only in the one, and those that are only in the other, by what `content` compares."""
    content = content or span_content
    old, new = spans_of(before), spans_of(after)
    return (
        remaining_spans(old, Counter(map(content, new)), content),
        remaining_spans(new, Counter(map(content, old)), content),
    )


def span_content(span: Span) -> tuple[object, ...]:
    """What makes a span the same in another file."""
    return span.start, span.end, span.label, span.segments


def featured_content(span: Span) -> tuple[object, ...]:
    """What makes a span the same in a file that has features."""
    return *span_content(span), tuple(sorted(span.features))


def remaining_spans(
    spans: Iterable[Span],
    gone: Counter[tuple[object, ...]],
    content: Callable[[Span], tuple[object, ...]] = span_content,
) -> list[Span]:
    """The spans that stay when some, which are counted down, go."""
    remaining = []
    for span in spans:
        key = content(span)
        gone[key] -= 1
        if gone[key] < 0:
            remaining.append(span)
    return remaining


def changed_tags(pair: Pair, scheme: str, breaks: set[int], form: str, thorough: bool) -> Iterator[tuple[int, str]]:
    """The tags of a document that change, by token; all of them, thoroughly, where an entity is new."""
    before, after = (tags_of(document, scheme, breaks, form) for document in pair)
    every = thorough and bool(changes(*pair)[1])
    for token, (was, tag) in enumerate(zip(before, after, strict=True)):
        if was != tag or every:
            yield token, tag


def tags_of(document: Document, scheme: str, breaks: set[int], form: str) -> list[str]:
    """The tags of flat spans in a scheme; `breaks` are the tokens before which no entity goes on.

    >>> from aune.tasks.entities.model import make_document
    >>> given = make_document("d", [Span(0, 2, "A"), Span(2, 3, "A")], length=4)
    >>> [" ".join(tags_of(given, scheme, {0}, "conll")) for scheme in ("IOB1", "IOE1", "BIOES")]
    ['I-A I-A B-A O', 'I-A E-A I-A O', 'B-A E-A S-A O']
    """
    tags = ["O"] * document.length
    triples = document.triples()
    single, first, inside, last = LETTERS[scheme]
    for place, (start, end, label) in enumerate(triples):
        before = triples[place - 1] if place else (0, 0, "")
        after = triples[place + 1] if place + 1 < len(triples) else (-1, -1, "")
        if before[1] > start or document.segments.get(place) or any(start < token < end for token in breaks):
            raise UsageError(
                f"{form} holds entities of one piece that do not overlap: {label!r} at tokens {start} to {end - 1} "
                f"of document {document.id!r} is none"
            )
        letters = [single] if end - start == 1 else [first, *[inside] * (end - start - 2), last]
        if scheme == "IOB1" and before[1] == start and before[2] == label and start not in breaks:
            letters[0] = "B"
        if scheme == "IOE1" and after[0] == end and after[2] == label and end not in breaks:
            letters[-1] = "E"
        tags[start:end] = [f"{letter}-{label}" for letter in letters]
    return tags
