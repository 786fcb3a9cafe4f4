"""What a document with entities loses when it is written to a file and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aune.tasks.entities.describe import holdings
from aune.tasks.entities.model import Document, Segments


def conversion_losses(before: Document, after: Document) -> dict[str, int]:
    """What a document contains and its version that was written and read back does not, by kind, with counts.

    >>> from aune.tasks.entities.model import Span, make_document
    >>> words = ["New York", "is", "big"]
    >>> before = make_document("d", [Span(0, 1, "LOC"), Span(0, 3, "X")], words=words.copy, length=3)
    >>> after = make_document("d", [Span(0, 4, "X")], words=["New", "York", "is", "big"].copy, length=4)
    >>> conversion_losses(before, after)
    {'nesting': 1, 'tokens': 3}
    """
    missing = Counter(holdings([before])) - Counter(holdings([after]))
    if before.unit == after.unit:
        missing["tokens"] = _count_changed(before.tokens, after.tokens)
        if not missing["tokens"] and before.sentences is not None and len(before.sentences) > 1:
            after_sentences = () if after.sentences is None else after.sentences
            missing["sentences"] = len(before.sentences) - len(np.intersect1d(before.sentences, after_sentences))
        if not missing["tokens"]:
            before_extents, after_extents = (Counter(_extents(document)) for document in (before, after))
            missing["entities"] = sum((before_extents - after_extents).values()) - missing["nesting"]
            if before_extents == after_extents:
                for kind, items in LINKS.items():
                    changed = sum((Counter(items(before)) - Counter(items(after))).values())
                    missing[kind] = max(missing[kind], changed)
                missing["levels"] = sum((Counter(_levels(before)) - Counter(_levels(after))).values())
    else:
        missing["places"] = len(before)
    return {name: count for name, count in sorted(missing.items()) if count > 0}


def _feature_items(document: Document) -> list[tuple[object, ...]]:
    """The features of spans, each with the span."""
    extents = _extents(document)
    return [(extents[number], item) for number, features in document.features.items() for item in features]


def _relation_items(document: Document) -> list[tuple[object, ...]]:
    """The relations, each with the spans that it links."""
    extents = _extents(document) if document.relations else []
    return [(kind, extents[source], extents[target]) for kind, source, target, _ in document.relations]


def _relation_features(document: Document) -> list[tuple[object, ...]]:
    """The features of relations, each with its relation."""
    items = zip(_relation_items(document), document.relations, strict=True)
    return [(item, feature) for item, relation in items for feature in relation.features]


LINKS = {"features": _feature_items, "relations": _relation_items, "features of relations": _relation_features}
"""What is linked to spans, by the name of its loss."""


def _count_changed(before: Sequence[str] | None, after: Sequence[str] | None) -> int:
    """The number of tokens before, if the tokens have changed; otherwise 0."""
    return 0 if before is None or list(before) == list(after or ()) else len(before)


def _levels(document: Document) -> list[tuple[int, int, str, int]]:
    """Entities with the same words as others, each with how many levels of these lie above it."""
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    levels: dict[tuple[int, int], set[int]] = {}
    for (start, end, _), depth in zip(document.triples(), depths, strict=True):
        levels.setdefault((start, end), set()).add(depth)
    return [
        (*triple, sum(level < depth for level in levels[triple[:2]]))
        for triple, depth in zip(document.triples(), depths, strict=True)
    ]


def _extents(document: Document) -> list[tuple[int, int, str, Segments]]:
    return [(*triple, document.segments.get(place, ())) for place, triple in enumerate(document.triples())]
