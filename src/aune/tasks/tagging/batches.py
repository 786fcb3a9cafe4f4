"""Batches of a training loop, counted directly from lists of tags or of words with tags, the most common case.

Only totals are computed, so that a batch takes a fraction of the time of a comparison. Any input other than sentences
of the same words with one tag each is left to the comparison, and so is any input that must be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import eq, itemgetter
from typing import Any

from aune.contract.task import Batch
from aune.reading.python_inputs import is_list_of
from aune.tasks.tagging.model import NO_TAG

TAGS_ALONE = {question: frozenset({"tag"}) for question in (
    "columns that speak", "columns of the key", "columns of the response",
)}  # fmt: skip


def accuracy(key: Any, response: Any) -> Batch | None:
    """The counts of accuracy: how many words have the expected tag."""
    if not (is_list_of(key, list) and is_list_of(response, list)):
        return None
    lengths = list(map(len, key))
    if lengths != list(map(len, response)):
        return None
    key_side, response_side = (_tags(list(chain.from_iterable(side))) for side in (key, response))
    if not key_side or not response_side or key_side[0] != response_side[0]:
        return None
    if not key_side[0] and set(lengths) == {2}:  # two strings may be a word and its tag
        return None
    sides = {"key": set(key_side[1]), "response": set(response_side[1])}
    if not all(map(_is_one_tag, sides["key"] | sides["response"])):
        return None
    words, right = len(key_side[1]), sum(map(eq, key_side[1], response_side[1]))
    facts: dict[Any, int] = {("tag", side, tag): 1 for side, tags in sides.items() for tag in tags}
    return Batch(1, (right, words, words), {**facts, ("cases",): words, ("no head",): words}, seen=TAGS_ALONE)


def _tags(items: Sequence[Any]) -> tuple[list[str], list[str]] | None:
    """The words, if any were given, and their tags; None for any other input."""
    kinds = set(map(type, items))
    if kinds == {str}:
        return [], list(items)
    if kinds != {tuple} or set(map(len, items)) != {2}:
        return None
    words, tags = list(map(itemgetter(0), items)), list(map(itemgetter(1), items))
    plain = {*map(type, words), *map(type, tags)} == {str} and all(map(str.strip, set(words)))
    return (words, tags) if plain else None


def _is_one_tag(text: str) -> bool:
    return text not in NO_TAG and "|" not in text and text.split() == [text]
