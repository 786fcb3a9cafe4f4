"""The judgements of entity annotators, position by position, and the spans themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from aune.alignment.annotator_texts import count_case_differences, count_text_differences
from aune.tasks.entities.comparison import check_units
from aune.tasks.entities.model import Document, Segments, referent_label, spans_of

OUTSIDE = "O"
CROSSING = "×"


class Node(NamedTuple):
    """A labelled stretch of text; nodes sort in tree order, with enclosing nodes before those that they enclose."""

    start: int
    before: int
    """Minus the end, so that the longer of two nodes comes first."""
    depth: int
    label: str
    segments: Segments


def judgements(documents: Sequence[Any]) -> list[list[str | None]]:
    """A row per position of the text, with all nodes that cover it, the outermost first.

    Each node has its label after B- where it begins and after I- elsewhere, as in `B-func.ind > B-kind`; a position
    outside all nodes is O. Nodes over the same text are in the order of their depth, so that two annotators agree
    only where they have the same labels at the same places of the tree. Most positions are outside and easy to judge,
    so observed agreement is high, and agreement beyond chance is the relevant value. The F of pairs (`--measures`)
    and γ consider the entities alone.
    """
    length = max((document.length for document in documents if document is not None), default=0)
    columns = [[None] * length if document is None else _tags(document, length) for document in documents]
    return [list(row) for row in zip(*columns, strict=True)]


def count_differences(documents: Sequence[Any]) -> dict[str, int]:
    """Differences that hinder the comparison of a document (text, case of labels); other units are refused."""
    annotated = [document for document in documents if document is not None]
    check_units([(annotated[0], document) for document in annotated[1:]])
    texts = [(document.tokens or document.text) and (document.tokens, document.text) for document in annotated]
    labels = [{document.names[number] for number in document.labels.tolist()} for document in annotated]
    return {**count_text_differences([text or None for text in texts]), **count_case_differences(labels)}


def sentences(documents: Sequence[Any]) -> list[int]:
    """The sentence number of each of these positions, as divided by the first annotator who has sentences."""
    length = max((document.length for document in documents if document is not None), default=0)
    starts = next(
        (document.sentences for document in documents if document is not None and document.sentences is not None),
        np.zeros(1),
    )
    numbers: list[int] = np.searchsorted(starts, np.arange(length), side="right").tolist()
    return numbers


def _tags(document: Document, length: int) -> list[str | None]:
    tags: list[list[str]] = [[] for _ in range(length)]
    for node in _mark_crossing(sorted(set(_nodes(document)))):
        prefix = "B-"
        for start, end in node.segments or ((node.start, -node.before),):
            for position in range(start, end):
                tags[position].append(prefix + node.label)
                prefix = "I-"
    return [" > ".join(position_tags) or OUTSIDE for position_tags in tags]


def _nodes(document: Document) -> Iterator[Node]:
    """The spans of a document that cover text; of ACE, the mentions with their attributes and those of their entity."""
    if document.referents is None:
        seen: set[tuple[Any, ...]] = set()
        for span in sorted(spans_of(document), key=lambda span: span.depth):
            content = (span.start, span.end, span.label, span.segments)
            if span.end > span.start and content not in seen:
                yield Node(span.start, -span.end, span.depth, span.label, span.segments)
            seen.add(content)
        return
    for entity in document.referents:
        first = min((mention[:2] for mention in entity.mentions), default=(0, 0))
        for mention in entity.mentions:
            about = (entity.kind, mention.type, mention.role, mention.style)
            label = f"{referent_label(entity)} {'/'.join(about)} #{first[0]}:{first[1]}"
            yield Node(mention.start, -mention.end, 0, label, ())


def _mark_crossing(nodes: Iterable[Node]) -> Iterator[Node]:
    """The same nodes, marked if they end inside a later one; otherwise two crossing nodes would look nested."""
    ordered = list(nodes)
    for number, node in enumerate(ordered):
        end = -node.before
        later = (other for other in ordered[number + 1 :])
        crosses = False
        for other in later:
            if other.start >= end:
                break
            crosses = crosses or (other.start > node.start and -other.before > end)
        yield node._replace(label=node.label + CROSSING) if crosses else node


def spans(document: Any) -> list[tuple[int, int, str]]:
    """The entities as (start, end, label), for γ."""
    return [(start, end, label) for start, end, label in document.triples() if end > start]
