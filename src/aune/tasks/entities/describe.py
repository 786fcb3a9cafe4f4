"""The profile of a corpus: the number of entities by kind, their lengths and their nesting.

An entity with two labels (metonymy) is one entity and two type slots. The thesis counts both: entities in table 3.4
(5,933 in the test of ETAPE) and slots in 4.3 (5,954).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from aune.numeric.arrays import Ints
from aune.tasks.entities.model import Document, Segments
from aune.typologies.typology import typology


def describe(documents: Sequence[Document]) -> dict[str, Any]:
    """Counts of documents, sentences, tokens, entities, components and labels, with nesting and length.

    >>> from aune.tasks.entities.model import documents
    >>> profile = describe(documents([(0, 4, "org"), (2, 3, "loc")]))
    >>> profile["entities"], profile["nested"], profile["mean length"]
    (2, 1, 2.5)
    """
    lengths = (
        np.concatenate([document.spans[:, 1] - document.spans[:, 0] for document in documents])
        if documents
        else np.zeros(0)
    )
    labels: Counter[str] = Counter()
    components = nested = entities = parts = 0
    for text in documents:
        counts = np.bincount(text.labels, minlength=len(text.names))
        labels.update(dict(zip(text.names, counts.tolist(), strict=True)))
        components += sum(
            int(n) for name, n in zip(text.names, counts, strict=True) if name in typology(text.typology).components
        )
        part = np.asarray([name in typology(text.typology).components for name in text.names], bool)[text.labels]
        entities += len(_extents(text, np.flatnonzero(~part)))
        parts += len(_extents(text, np.flatnonzero(part)))
        reach = np.maximum.accumulate(text.spans[:, 1]) if len(text) else text.labels
        nested += int((text.spans[1:, 0] < reach[:-1]).sum())
    units = {document.unit for document in documents}
    return {
        "documents": len(documents),
        "sentences": sum(len(document.sentences) if document.sentences is not None else 1 for document in documents),
        f"{units.pop() if len(units) == 1 else 'position'}s": sum(document.length for document in documents),
        "entities": entities,
        "type slots": len(lengths) - components,
        "components": parts,
        "component slots": components,
        "nested": nested,
        "in pieces": sum(len(document.segments) for document in documents),
        "mean length": float(lengths.mean()) if len(lengths) else None,
        "longest": int(lengths.max()) if len(lengths) else None,
        **link_counts(documents),
        **{f"labelled {name}": number for name, number in sorted(labels.items(), key=lambda item: (-item[1], item[0]))},
    }


def _extents(document: Document, which: Ints) -> set[tuple[int, int, Segments]]:
    """The distinct stretches of text that some spans cover."""
    return {(*document.spans[number].tolist(), document.segments.get(number, ())) for number in which.tolist()}


def link_counts(documents: Sequence[Document]) -> dict[str, int]:
    """The numbers of features of entities, of relations and of features of relations, where there are any."""
    amounts = {
        "features": sum(len(features) for document in documents for features in document.features.values()),
        "relations": sum(len(document.relations) for document in documents),
        "features of relations": sum(
            len(relation.features) for document in documents for relation in document.relations
        ),
    }
    return {name: number for name, number in amounts.items() if number}


def holdings(documents: Sequence[Document]) -> dict[str, int]:
    """What the documents contain beyond flat spans, by the names used in `Format.carries`."""
    nested = 0
    for text in documents:
        reach = np.maximum.accumulate(text.spans[:, 1]) if len(text) else text.labels
        nested += int((text.spans[1:, 0] < reach[:-1]).sum())
    amounts = {
        "tokens": sum(len(document.tokens) for document in documents if document.tokens is not None),
        "text": sum(document.text is not None for document in documents),
        "sentences": sum(
            len(document.sentences)
            for document in documents
            if document.sentences is not None and len(document.sentences) > 1
        ),
        "nesting": nested,
        "pieces": sum(len(document.segments) for document in documents),
        "alternatives": sum(len(others) for document in documents for others in document.others.values()),
        "other keys": sum(len(document.other_keys) for document in documents),
        "mentions": sum(len(entity.mentions) for document in documents for entity in document.referents or ()),
        **link_counts(documents),
    }
    return {name: number for name, number in amounts.items() if number}
