"""What annotators of tags said, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

COLUMNS = ("tag", "upos", "xpos")
NOTHING = ("", "_")


def judgements(documents: Sequence[Any]) -> list[list[str | None]]:
    """A row per word that anyone has, in the order of the text; its value is the tag.

    Words are the same when they are the same one of the same token, and tokens when they stand in the same place of the
    text, counted in characters without blanks: what an annotator cut otherwise was not judged by that one.
    """
    said = [None if document is None else _tags(document) for document in documents]
    words = sorted({word for one in said if one is not None for word in one})
    return [[None if one is None else one.get(word) for one in said] for word in words]


def sentences(documents: Sequence[Any]) -> list[int]:
    """The number of the sentence of each of those words, as the first annotator who has the text divides it."""
    said = [list(_tags(document)) for document in documents if document is not None]
    first = next(document for document in documents if document is not None)
    starts = [said[0][word][0] for word in first.sentences.tolist() if word < len(said[0])]
    words = sorted({word for one in said for word in one})
    found: list[int] = np.searchsorted(starts, [start for start, _, _ in words], side="right").tolist()
    return found


def _tags(document: Any) -> dict[tuple[int, int, int], str | None]:
    """The tag of each word, by the characters of its token and its number in the token."""
    column = next((document.columns[name] for name in COLUMNS if name in document.columns), None)
    tags = column.values() if column is not None else [""] * len(document)
    tokens = (document.words if document.tokens is None else document.tokens).values()
    owner = range(len(tokens)) if document.owner is None else document.owner.tolist()
    ends = [0, *accumulate(len(token.replace(" ", "")) for token in tokens)]
    found: dict[tuple[int, int, int], str | None] = {}
    number, last = 0, -1
    for token, tag in zip(owner, tags, strict=True):
        number, last = (number + 1 if token == last else 0), token
        found[ends[token], ends[token + 1], number] = None if tag in NOTHING else tag
    return found
