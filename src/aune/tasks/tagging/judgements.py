"""The judgements of tag annotators, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Any, TypeAlias

import numpy as np

from aune.alignment.annotator_texts import count_case_differences, count_text_differences
from aune.errors import UsageError
from aune.tasks.tagging.model import alternatives, first_filled_column
from aune.tasks.tagging.python_inputs import COLUMNS

Place: TypeAlias = tuple[int, int, int]
"""The first character of a word's token, the one after the last, and the number of the word in its token."""
JudgedColumn: TypeAlias = Annotated[
    str, "the column that is compared: tag, upos, xpos, feats, lemma, or the first that is there (auto)"
]


def judgements(documents: Sequence[Any], *, column: JudgedColumn = "auto") -> list[list[str | None]]:
    """A row per word that any annotator has, in the order of the text; its value is the tag.

    Words correspond if they have the same number in the same token; tokens correspond if they cover the same
    characters of the text, not counting blanks. A word that an annotator cut differently has no judgement by that one.
    """
    tags_by_document = _tags_by_document(documents, column)
    words = sorted({word for tags in tags_by_document if tags is not None for word in tags})
    return [[None if tags is None else tags.get(word) for tags in tags_by_document] for word in words]


def count_differences(documents: Sequence[Any]) -> dict[str, int]:
    """Differences that hinder the comparison of a document: other texts (apart from blanks), tags in another case."""
    annotated = [document for document in documents if document is not None]
    texts = ["".join("".join(_tokens(document)).split()) for document in annotated]
    tags = [{tag for tag in by_word.values() if tag} for by_word in _tags_by_document(annotated, "auto") if by_word]
    return {**count_text_differences(texts), **count_case_differences(tags)}


def _tokens(document: Any) -> list[str]:
    tokens: list[str] = (document.words if document.tokens is None else document.tokens).values()
    return tokens


CUT_OTHERWISE = "words that annotators segment differently"
WITHOUT_TAG = "words without a tag from one annotator"


def count_unjudged(documents: Sequence[Any], *, column: JudgedColumn = "auto") -> dict[str, int]:
    """How many words of a document κ leaves out, because an annotator cut them differently or gave them no tag."""
    tags_by_document = [tags for tags in _tags_by_document(documents, column) if tags is not None]
    every: set[Place] = set().union(*tags_by_document)
    shared = every.intersection(*tags_by_document) if tags_by_document else every
    untagged = [word for word in shared if len({tags[word] is None for tags in tags_by_document}) > 1]
    return {CUT_OTHERWISE: len(every - shared), WITHOUT_TAG: len(untagged)}


def sentences(documents: Sequence[Any]) -> list[int]:
    """The sentence number of each of these words, as divided by the first annotator who has the text."""
    words_by_document = [list(_tags(document, None)) for document in documents if document is not None]
    first = next(document for document in documents if document is not None)
    starts = [words_by_document[0][word][0] for word in first.sentences.tolist() if word < len(words_by_document[0])]
    words = sorted({word for annotated in words_by_document for word in annotated})
    numbers: list[int] = np.searchsorted(starts, [start for start, _, _ in words], side="right").tolist()
    return numbers


def _tags_by_document(documents: Sequence[Any], column: str) -> list[dict[Place, str | None] | None]:
    """The tags of each annotator, in the same column if they have it."""
    names = judged_columns(documents, column)
    return [
        None if document is None else _tags(document, name) for document, name in zip(documents, names, strict=True)
    ]


def judged_columns(documents: Sequence[Any], column: str) -> list[str | None]:
    """The column in which each annotator's words are judged."""
    annotated = [document for document in documents if document is not None]
    if column == "auto":
        filled = {name for document in annotated if (name := first_filled_column(document))}
        column = next((name for name in COLUMNS[:3] if name in filled), "tag")
        names = [column if column in document.columns else first_filled_column(document) for document in annotated]
    else:
        if lacking := next((each for each in annotated if len(each) and column not in each.columns), None):
            available = ", ".join(sorted(lacking.columns))
            raise UsageError(f"--column {column}: an annotator has only {available}: name a column of all")
        names = [column if len(document) else None for document in annotated]
    chosen = iter(names)
    return [None if document is None else next(chosen) for document in documents]


def _tags(document: Any, name: str | None) -> dict[Place, str | None]:
    """The tag of each word in a column, by its place."""
    tags = document.columns[name].values() if name else [""] * len(document)
    texts = ("|".join(sorted(set(alternatives(tag, name or "tag")))) or None for tag in tags)
    return dict(zip(word_places(document), texts, strict=True))


def word_places(document: Any) -> list[Place]:
    """The place of each word: the characters of its token, without blanks, and its number in the token."""
    tokens = _tokens(document)
    owner = range(len(tokens)) if document.owner is None else document.owner.tolist()
    ends = [0, *accumulate(len(token.replace(" ", "")) for token in tokens)]
    places = []
    number, last = 0, -1
    for token in owner:
        number, last = (number + 1 if token == last else 0), token
        places.append((ends[token], ends[token + 1], number))
    return places
