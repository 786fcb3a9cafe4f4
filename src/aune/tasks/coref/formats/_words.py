"""The words of a document: those found in running text, and those written by formats that need some."""

from __future__ import annotations

import re

import numpy as np

from aune.errors import UsageError
from aune.tasks.coref.model import Document, Ints, token_spans

WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+|[^\w\s]")
PLACEHOLDER = "_"
MOST_PLACEHOLDERS = 10_000_000


def tokenized(text: str) -> tuple[list[str], Ints]:
    """The tokens of a text and the character where each begins: words, numbers with decimals, single signs.

    A rule that looks at nothing else, so that the same text gives the same tokens in key and response.

    >>> tokens, starts = tokenized("Ann's 3.5 °C?")
    >>> tokens, starts.tolist()
    (['Ann', "'", 's', '3.5', '°', 'C', '?'], [0, 3, 4, 6, 10, 11, 12])
    """
    found = list(WORD.finditer(text))
    return [word[0] for word in found], np.fromiter((word.start() for word in found), np.int64, len(found))


def words(found: Document, format: str) -> list[str]:
    """The tokens, or a placeholder for every position up to the end of the last mention."""
    if found.tokens is not None:
        return list(found.tokens)
    needed = int(found.spans[:, 1].max()) if len(found) else 0
    if found.unit != "token" or needed > MOST_PLACEHOLDERS:
        unit = "name" if found.unit == "token" else found.unit
        raise UsageError(
            f"document {found.id!r} places its mentions by {unit} and has no tokens, "
            f"so that it cannot be written as {format}: convert it to jsonlines or partition, or read it with its text"
        )
    return [PLACEHOLDER] * needed


def word_spans(found: Document) -> list[tuple[int, int]]:
    """The first word of every mention and the one after its last."""
    return [(start, end) for start, end in token_spans(found).tolist()]


def sentence_starts(found: Document) -> list[int]:
    """The first word of every sentence; a document that knows of none is one sentence."""
    return list(found.sentences) if found.sentences else [0]


def one_line(text: str) -> str:
    """A token or a name as it can stand in a column: no tab, no line end, not nothing."""
    return " ".join(text.split()) or PLACEHOLDER
