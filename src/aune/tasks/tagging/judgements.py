"""What annotators of tags said, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

COLUMNS = ("tag", "upos", "xpos")
NOTHING = ("", "_")


def judgements(documents: Sequence[Any]) -> list[list[str | None]]:
    """A row per word that anyone has, in the order of the text; its value is the tag.

    Words are the same when they stand in the same place of the text, counted in characters without blanks: a word that
    an annotator cut otherwise was not judged by that one.
    """
    said = [None if one is None else _tags(one) for one in documents]
    words = sorted({word for one in said if one is not None for word in one})
    return [[None if one is None else one.get(word) for one in said] for word in words]


def _tags(document: Any) -> dict[tuple[int, int], str | None]:
    """The tag of each word, by the characters that the word takes."""
    words = document.words.values()
    column = next((document.columns[name] for name in COLUMNS if name in document.columns), None)
    tags = column.values() if column is not None else [""] * len(words)
    ends = list(accumulate(len(word.replace(" ", "")) for word in words))
    places = zip([0, *ends[:-1]], ends, strict=True)
    return {place: None if tag in NOTHING else tag for place, tag in zip(places, tags, strict=True)}
