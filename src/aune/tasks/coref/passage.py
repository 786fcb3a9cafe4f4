"""A passage with a given number of mentions, to compare texts of equal length (Popescu-Belis 1999, §6.2: LPG.eq)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aune.tasks.coref.mentions.preparation import select_mentions
from aune.tasks.coref.model import Document


def passage(document: Document, mentions: int, like: Document | None = None) -> Document:
    """The first sentences of a document, up to the one after which the number of mentions is closest to `mentions`.

    `like` is the key whose mentions are counted, so that a response is cut where its key is. A text without sentences
    ends with the last requested mention. Mentions that extend beyond the end are left out.

    >>> from aune.tasks.coref.model import documents
    >>> passage(documents([{1, 3}, {2, 4}])[0], 3).clusters()
    [[(1, 2), (3, 4)], [(2, 3)]]
    """
    end = _end(document if like is None else like, mentions)
    beginning = select_mentions(document, document.spans[:, 1] <= end)
    if document.tokens is None:
        return beginning
    places = np.arange(len(document.tokens)) if document.positions is None else document.positions
    count = int((places < end).sum())
    return replace(
        beginning,
        tokens=list(document.tokens[:count]),
        positions=None if document.positions is None else document.positions[:count],
        sentences=None if document.sentences is None else [first for first in document.sentences if first < count],
    )


def _end(key: Document, mentions: int) -> int:
    """The position where the passage ends: the sentence end closest to the number of mentions; of two, the first."""
    last = np.sort(key.spans[:, 1])
    if key.tokens is None or not key.sentences or len(key.sentences) < 2:
        return int(last[: mentions or None][-1]) if len(last) and mentions else 0
    after = np.array([*key.sentences[1:], len(key.tokens)])
    if key.positions is not None:
        after = np.append(key.positions, key.positions[-1] + 1)[after]
    inside = np.searchsorted(last, after, "right")
    return int(after[np.argmin(np.abs(inside - mentions))])
