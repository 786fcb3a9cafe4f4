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
    tags_by_document = [None if document is None else _tags(document) for document in documents]
    words = sorted({word for tags in tags_by_document if tags is not None for word in tags})
    return [[None if tags is None else tags.get(word) for tags in tags_by_document] for word in words]


CUT_OTHERWISE = "words that annotators segment differently"
WITHOUT_TAG = "words without a tag from one annotator"


def count_unjudged(documents: Sequence[Any]) -> dict[str, int]:
    """How many words of a document κ leaves out, because an annotator cuts them otherwise or gives them no tag."""
    tags_by_document = [_tags(document) for document in documents if document is not None]
    every: set[tuple[int, int, int]] = set().union(*tags_by_document)
    shared = every.intersection(*tags_by_document) if tags_by_document else every
    untagged = [word for word in shared if len({tags[word] is None for tags in tags_by_document}) > 1]
    return {CUT_OTHERWISE: len(every - shared), WITHOUT_TAG: len(untagged)}


def sentences(documents: Sequence[Any]) -> list[int]:
    """The number of the sentence of each of those words, as the first annotator who has the text divides it."""
    words_by_document = [list(_tags(document)) for document in documents if document is not None]
    first = next(document for document in documents if document is not None)
    starts = [words_by_document[0][word][0] for word in first.sentences.tolist() if word < len(words_by_document[0])]
    words = sorted({word for annotated in words_by_document for word in annotated})
    numbers: list[int] = np.searchsorted(starts, [start for start, _, _ in words], side="right").tolist()
    return numbers


def _tags(document: Any) -> dict[tuple[int, int, int], str | None]:
    """The tag of each word, by the characters of its token and its number in the token."""
    column = next((document.columns[name] for name in COLUMNS if name in document.columns), None)
    tags = column.values() if column is not None else [""] * len(document)
    tokens = (document.words if document.tokens is None else document.tokens).values()
    owner = range(len(tokens)) if document.owner is None else document.owner.tolist()
    ends = [0, *accumulate(len(token.replace(" ", "")) for token in tokens)]
    by_word: dict[tuple[int, int, int], str | None] = {}
    number, last = 0, -1
    for token, tag in zip(owner, tags, strict=True):
        number, last = (number + 1 if token == last else 0), token
        by_word[ends[token], ends[token + 1], number] = None if tag in NOTHING else tag
    return by_word
