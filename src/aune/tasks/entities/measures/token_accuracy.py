"""Token accuracy: the share of tokens with the right annotation.

    accuracy        = tokens with the same labels on both sides / tokens
    entity_accuracy = the same over the tokens that are inside an entity of the key

Where both files hold one tag per token, a token is right when its tag is the key's as it stands in the file, before any
repair, as in conlleval: `I-PER` for `B-PER` is wrong, even where both begin the same entity. Otherwise it is right when
the same labels cover it and the same entities begin at it, which for flat entities is to have the same IOB2 tag. Most
tokens are outside of entities, so `accuracy` is high for systems that find nothing.

Source: Tjong Kim Sang and De Meulder 2003 (conlleval's accuracy, with and without O).
Edges: undefined without tokens. `_` and `-` are O. A token that the response lacks is wrong, one that the key lacks is
not looked at. In formats with character offsets the tokens are characters. Where the length of the text is unknown it
ends with the last entity. It has no values by label.

>>> MEASURE(["B-PER", "I-PER", "O", "O"], ["B-PER", "O", "O", "O"])
entities.token_accuracy(accuracy=0.7500, entity_accuracy=0.5000)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.core.measure import Column, Measure, ratio
from aune.tasks.entities.comparison import OUTSIDE, Comparison
from aune.tasks.entities.model import Ints
from aune.tasks.entities.pairing.sides import Side, distinct


class Counts(NamedTuple):
    """Tokens, by sentence."""

    right: Column
    tokens: Column
    entity_right: Column
    entity_tokens: Column


class Score(NamedTuple):
    """Over all tokens, and over those in entities of the key."""

    accuracy: Column
    entity_accuracy: Column


def count(comparison: Comparison) -> Counts:
    if all(one.tags is not None for pair in comparison.pairs for one in pair):
        return _by_tags(comparison)
    return _by_spans(comparison)


def _by_tags(comparison: Comparison) -> Counts:
    """Tag by tag, each distinct one looked at once."""
    numbers: dict[tuple[str, str], int] = {OUTSIDE: 0}
    known: dict[tuple[str, ...], Ints] = {}
    columns: list[list[Ints]] = [[], []]
    place = []
    for (key, response), offset in zip(comparison.pairs, comparison.offsets.tolist(), strict=True):
        size = len(key.tags.codes) if key.tags else 0
        place.append(np.arange(size) + offset)
        for side, one in zip(columns, (key, response), strict=True):
            assert one.tags is not None
            if one.tags.names not in known:
                seen = [comparison.wanted.tag(name) for name in one.tags.names]
                known[one.tags.names] = np.asarray([*(numbers.setdefault(tag, len(numbers)) for tag in seen), -1])
            codes = np.append(one.tags.codes[:size], np.full(max(0, size - len(one.tags.codes)), -1))
            side.append(known[one.tags.names][codes])
    expected, given = (np.concatenate(side) for side in columns)
    sentence = np.searchsorted(comparison.sentence_starts, np.concatenate(place), "right") - 1
    entity = expected != 0
    parts = (expected == given, np.ones(len(entity)), (expected == given) & entity, entity)
    return Counts(*(np.bincount(sentence, part, len(comparison.sentence_starts)) for part in parts))


def _by_spans(comparison: Comparison) -> Counts:
    """Token by token would be slow in long texts, so the text is cut where anything changes."""
    key, response, first = comparison.key, comparison.response, comparison.sentence_starts
    lengths = np.asarray([max(one.length, other.length) for one, other in comparison.pairs], np.int64)
    ends = comparison.offsets + lengths
    changes = [one for side in (key, response) for one in (side.start, side.start + 1, side.end)]
    cuts = distinct(np.concatenate([*changes, first, comparison.offsets, ends, ends + 1]))
    document = np.searchsorted(comparison.offsets, cuts, "right") - 1
    tokens = np.where(cuts < ends[document], np.diff(np.append(cuts, cuts[-1])), 0)  # nothing between documents
    marks = np.random.default_rng(0).integers(1, 2**63, (2, max(len(comparison.names), 1)), np.uint64)
    (inside, begun), (other, other_begun) = (_annotation(side, marks, cuts) for side in (key, response))
    right = np.where((inside == other) & (begun == other_begun), tokens, 0)
    entity = np.cumsum(_steps(key, np.ones(len(key), np.int64), cuts)) > 0
    sentence = np.searchsorted(first, cuts, "right") - 1
    columns = (right, tokens, right * entity, tokens * entity)
    return Counts(*(np.bincount(sentence, column, len(first)) for column in columns))


def _annotation(side: Side, marks: NDArray[Any], cuts: Ints) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each stretch between cuts a number for the labels that cover it, and one for the entities that begin there.

    A random number per label, summed: equal sums mean equal labels, but for one chance in 2⁶⁴.
    """
    begun = np.zeros(len(cuts), np.uint64)
    np.add.at(begun, np.searchsorted(cuts, side.start), marks[1][side.label])
    return np.cumsum(_steps(side, marks[0][side.label], cuts)), begun


def _steps(side: Side, values: NDArray[Any], cuts: Ints) -> NDArray[Any]:
    """What begins less what ends at each cut."""
    steps = np.zeros(len(cuts), values.dtype)
    np.add.at(steps, np.searchsorted(cuts, side.start), values)
    np.subtract.at(steps, np.searchsorted(cuts, side.end), values)
    return steps


def score(counts: Counts) -> Score:
    return Score(ratio(counts.right, counts.tokens), ratio(counts.entity_right, counts.entity_tokens))


MEASURE = Measure(count, score, main="accuracy", units="sentence_units", undefined={
    "accuracy": "no token", "entity_accuracy": "no token inside an entity of the key",
}, aliases=("accuracy", "acc"))  # fmt: skip
