"""The words of a document: those found in running text, and those written by formats that need some."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import accumulate
from operator import add
from typing import Any, NamedTuple

import numpy as np

from aune.errors import UsageError
from aune.tasks.coref.model import MOST_WORDS, Document, token_spans

WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+|[^\w\s]")
BLANK_SEPARATED = re.compile(r"\S+")
PLACEHOLDER = "_"


class Tokens(NamedTuple):
    """The tokens of a running text, and the characters where each begins and ends."""

    texts: list[str]
    starts: array[int]
    ends: array[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that a span of characters touches, half-open; nothing when it lies between two."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end)


def tokenize(text: str, pattern: re.Pattern[str] = WORD) -> Tokens:
    """The tokens of a text: words, numbers with decimals, single signs, unless another pattern is given.

    A rule that looks at nothing else, so that the same text gives the same tokens in key and response.

    >>> tokens = tokenize("Ann's 3.5 °C?")
    >>> tokens.texts, list(tokens.starts), tokens.span(3, 8)
    (['Ann', "'", 's', '3.5', '°', 'C', '?'], [0, 3, 4, 6, 10, 11, 12], (1, 4))
    """
    texts = pattern.findall(text)  # and again for their places: matches of all words would be the largest thing here
    starts = array("q", (word.start() for word in pattern.finditer(text)))
    return Tokens(texts, starts, array("q", map(add, starts, map(len, texts))))


def sentences_of(breaks: Iterable[int], tokens: Tokens) -> list[int]:
    """The tokens that sentences begin with, given the characters where they begin."""
    return sorted({tokens.span(place, place)[0] for place in breaks} - {len(tokens.texts)})


def document_words(document: Document, format: str) -> list[str]:
    """The tokens, or a placeholder for every position up to the end of the last mention."""
    if document.tokens is not None:
        return list(document.tokens)
    needed = int(document.spans[:, 1].max()) if len(document) else 0
    if document.unit != "token" or needed > MOST_WORDS:
        unit = "name" if document.unit == "token" else document.unit
        raise UsageError(
            f"document {document.id!r} places its mentions by {unit} and has no tokens, "
            f"so that it cannot be written as {format}: convert it to jsonlines or partition, or read it with its text"
        )
    return [PLACEHOLDER] * needed


def text_columns(text: str, pattern: re.Pattern[str] = WORD) -> dict[str, Any]:
    """The tokens of a text, where they begin, and the first of every line, by the names that `Document` gives them."""
    tokens = tokenize(text, pattern)
    lines = sentences_of((match.start() for match in re.finditer(r"(?m)^", text)), tokens)
    return {"tokens": tokens.texts, "positions": np.asarray(tokens.starts, np.int64), "sentences": lines}


def word_spans(document: Document) -> list[tuple[int, int]]:
    """The first word of every mention and the one after its last."""
    return [(start, end) for start, end in token_spans(document).tolist()]


def word_parts(document: Document, mention: int) -> list[tuple[int, int]]:
    """The same for each part of a mention."""
    parts = document.segments.get(mention) or [document.spans[mention]]
    return [(start, end) for start, end in token_spans(document, np.asarray(parts)).tolist()]


def sentence_starts(document: Document) -> list[int]:
    """The first word of every sentence; a document that knows of none is one sentence."""
    return list(document.sentences) if document.sentences else [0]


def replace_blanks(text: str) -> str:
    """A token as it can stand between blanks."""
    return "_".join(text.split()) or PLACEHOLDER


def single_line(text: str) -> str:
    """A token or a name as it can stand in a column: no tab, no line end, not nothing."""
    return " ".join(text.split()) or PLACEHOLDER


def refuse_crossing(document: Document, spans: Iterable[tuple[int, int, Hashable]], format: str) -> None:
    """Refuse what brackets of one name cannot say: they close last-in first-out, so that two that cross would nest."""
    open_ends: dict[Hashable, list[int]] = defaultdict(list)
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        ends = open_ends[name]
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and ends[-1] < end:
            raise UsageError(
                f"document {document.id!r} has mentions that cross, one of them from token {start} to {end - 1}, "
                f"so that it cannot be written as {format}: convert it to jsonlines"
            )
        ends.append(end)


def text_layout(document: Document, format: str) -> tuple[str, list[int], list[int]]:
    """A text with the document's tokens in it, and where each begins and ends."""
    if document.unit == "character" and (document.tokens is None or document.positions is None):
        size = int(document.spans[:, 1].max(initial=0))
        if size > MOST_WORDS:
            raise UsageError(
                f"document {document.id!r} has mentions up to character {size} and no text: give it its text"
            )
        return "_" * size, [], []
    tokens = document_words(document, format)
    if document.gaps is not None:
        pieces = [*(piece for pair in zip(document.gaps, tokens, strict=False) for piece in pair), document.gaps[-1]]
        bounds = [0, *accumulate(map(len, pieces))]
        return "".join(pieces), bounds[1:-1:2], bounds[2:-1:2]
    if document.unit == "character" and document.positions is not None:
        starts = document.positions.tolist()
    else:
        starts = np.cumsum([0, *(len(single_line(token)) + 1 for token in tokens)]).tolist()[:-1]
        tokens = [single_line(token) for token in tokens]
    firsts = frozenset(sentence_starts(document))
    text, size = [], 0
    for index, (token, start) in enumerate(zip(tokens, starts, strict=True)):
        gap = start - size
        text += ["\n" * gap if index in firsts else " " * gap, token]
        size = start + len(token)
    return "".join(text), starts, [start + len(token) for token, start in zip(tokens, starts, strict=True)]
