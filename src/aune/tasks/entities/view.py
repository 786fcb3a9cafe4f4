"""Texts with their nested entities; errors are those of the pairing of SER."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from aune.contract.views import Confusion, Span, View
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.measures.ser import costs_of, pair_slots
from aune.tasks.entities.model import Document
from aune.tasks.entities.pairing.span_columns import SpanColumns
from aune.tasks.entities.pairing.spans import KINDS

WORD = re.compile(r"\S+")


def view(comparison: Comparison) -> Iterator[View]:
    """One view per document."""
    twins, errors = _partners_and_errors(comparison)
    sides = [_spans(comparison, which, twins[which], errors[which]) for which in (0, 1)]
    for number, (key, response) in enumerate(comparison.pairs):
        source = key if key.tokens is not None or key.text is not None else response
        words, places = _words(source, max(key.length, response.length))
        starts = next(
            (
                document.sentences
                for document in (key, response)
                if document.sentences is not None and len(document.sentences)
            ),
            [0],
        )
        spans = [_over_words(side.get(number, []), places) for side in sides]
        sentences = sorted({_word_at(int(start), places) for start in starts})
        yield View(key.id, words, sentences, key=spans[0], response=spans[1], places=places)


def _partners_and_errors(comparison: Comparison) -> tuple[list[dict[int, int]], list[dict[int, str]]]:
    """The partner of each span of both sides, and its error."""
    pairs = pair_slots(comparison, costs_of(comparison))
    missed, inserted = comparison.unpaired_spans(pairs)
    left, right, kinds = pairs.key.tolist(), pairs.response.tolist(), pairs.kind.tolist()
    key_errors = {index: KINDS[kind] for index, kind in zip(left, kinds, strict=True) if kind}
    response_errors = {index: KINDS[kind] for index, kind in zip(right, kinds, strict=True) if kind}
    key_errors |= dict.fromkeys(missed.tolist(), "omission")
    response_errors |= dict.fromkeys(inserted.tolist(), "insertion")
    return [dict(zip(left, right, strict=True)), dict(zip(right, left, strict=True))], [key_errors, response_errors]


def _spans(comparison: Comparison, which: int, twins: dict[int, int], errors: dict[int, str]) -> dict[int, list[Span]]:
    """The spans of a side by document."""
    side: SpanColumns = (comparison.key, comparison.response)[which]
    by_document: dict[int, list[Span]] = {}
    columns = (side.start.tolist(), side.end.tolist(), side.label.tolist(), side.document.tolist())
    offsets = comparison.offsets.tolist()
    for index, (start, end, label, document) in enumerate(zip(*columns, strict=True)):
        begin, after = start - offsets[document], end - offsets[document]
        twin = twins.get(index, -1)
        part = bool(comparison.labels.component[label])
        span = Span(begin, after, -1, comparison.names[label], twin, errors.get(index, ""), part)
        by_document.setdefault(document, []).append(span)
    return by_document


def _words(source: Document, length: int) -> tuple[Sequence[str], list[int]]:
    """The words of a document and, if positions are characters, the position at which each begins."""
    if source.tokens is not None:
        return source.tokens, []
    if source.text is not None and source.unit == "character":
        matches = list(WORD.finditer(source.text))
        return [match.group() for match in matches], [match.start() for match in matches]
    return [str(place) for place in range(length)], []


def _word_at(position: int, places: Sequence[int]) -> int:
    if not places:
        return position
    from bisect import bisect_right  # noqa: PLC0415

    return max(0, bisect_right(places, position) - 1)


def _over_words(spans: Sequence[Span], places: Sequence[int]) -> list[Span]:
    """Spans over words, converted from spans over characters."""
    if not places:
        return list(spans)
    return [
        span._replace(start=_word_at(span.start, places), end=_word_at(max(span.start, span.end - 1), places) + 1)
        for span in spans
    ]


def confusion(comparison: Comparison) -> Confusion:
    """The labels of the key by the labels of the response."""
    pairs = pair_slots(comparison, costs_of(comparison))
    right = Counter(comparison.key.label[pairs.key[pairs.kind == 0]].tolist())
    return Confusion("key_label", "response_label", {comparison.names[label]: times for label, times in right.items()})
