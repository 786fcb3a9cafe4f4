"""What annotators of entities said, position by position, and the spans themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def judgements(documents: Sequence[Any]) -> list[list[str | None]]:
    """A row per position of the text: B- and the label where an outermost entity begins, I- inside, and O outside.

    Most positions are outside, and all annotators know it, so observed agreement is high and only what is beyond
    chance says something; the F of pairs (`--measures`) and γ look at the entities alone.
    """
    length = max((document.length for document in documents if document is not None), default=0)
    columns = [[None] * length if document is None else _tags(document, length) for document in documents]
    return [list(row) for row in zip(*columns, strict=True)]


def sentences(documents: Sequence[Any]) -> list[int]:
    """The number of the sentence of each of those positions, as the first annotator who has any divides them."""
    length = max((document.length for document in documents if document is not None), default=0)
    starts = next(
        (document.sentences for document in documents if document is not None and document.sentences is not None),
        np.zeros(1),
    )
    found: list[int] = np.searchsorted(starts, np.arange(length), side="right").tolist()
    return found


def _tags(document: Any, length: int) -> list[str | None]:
    tags: list[str | None] = ["O"] * length
    for start, end, label in sorted(spans(document), key=lambda span: (span[1] - span[0], span[2]), reverse=True):
        if all(tag == "O" for tag in tags[start:end]):
            tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return tags


def spans(document: Any) -> list[tuple[int, int, str]]:
    """The entities as (start, end, label), for γ."""
    return [(start, end, label) for start, end, label in document.triples() if end > start]
