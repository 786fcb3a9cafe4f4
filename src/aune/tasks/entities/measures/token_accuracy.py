"""Token accuracy: the share of tokens with the right annotation.

    accuracy        = tokens with the same labels on both sides / tokens
    entity_accuracy = the same over the tokens that are inside an entity of the key

A token is right when the same labels cover it and the same entities begin at it, which for flat entities is to have the
same IOB2 tag. Most tokens are outside of entities, so `accuracy` is high for systems that find nothing.

Source: Tjong Kim Sang and De Meulder 2003 (conlleval's accuracy, with and without O).
Edges: undefined without tokens. In formats with character offsets the tokens are characters. Where the length of the
text is unknown it ends with the last entity. It has no values by label.

>>> MEASURE(["B-PER", "I-PER", "O", "O"], ["B-PER", "O", "O", "O"])
entities.token_accuracy(accuracy=0.7500, entity_accuracy=0.5000)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.measure import Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.sides import Side


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
    lengths = np.asarray([max(key.length, response.length) for key, response in comparison.pairs], np.int64)
    size = int(comparison.offsets[-1] + lengths[-1])
    marks = np.random.default_rng(0).integers(1, 2**63, (2, max(len(comparison.names), 1)), np.uint64)
    inside, starts = _annotation(comparison.key, marks, size)
    same = (inside == (other := _annotation(comparison.response, marks, size))[0]) & (starts == other[1])
    real = np.ones(size, bool)
    real[(comparison.offsets + lengths)[:-1]] = False  # the gaps between documents
    entity = real & (_covered(comparison.key, size) > 0)
    first = comparison.sentence_starts

    def per_sentence(which: NDArray[Any]) -> NDArray[Any]:
        sums = np.append(0, np.cumsum(which))
        return np.diff(np.append(sums[np.minimum(first, size)], sums[-1]))

    return Counts(*map(per_sentence, (same & real, real, same & entity, entity)))


def _annotation(side: Side, marks: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each position a number for the labels that cover it, and one for the entities that begin there.

    A random number per label, summed: equal sums mean equal labels, but for one chance in 2⁶⁴.
    """
    step, begin = np.zeros(size + 1, np.uint64), np.zeros(size + 1, np.uint64)
    np.add.at(step, side.start, marks[0][side.label])
    np.subtract.at(step, side.end, marks[0][side.label])
    np.add.at(begin, side.start, marks[1][side.label])
    return np.cumsum(step)[:size], begin[:size]


def _covered(side: Side, size: int) -> NDArray[Any]:
    step = np.bincount(side.start, minlength=size + 1) - np.bincount(side.end, minlength=size + 1)
    return np.cumsum(step)[:size]


def score(counts: Counts) -> Score:
    return Score(ratio(counts.right, counts.tokens), ratio(counts.entity_right, counts.entity_tokens))


MEASURE = Measure(count, score, main="accuracy", units="sentence_units", undefined={
    "accuracy": "no token", "entity_accuracy": "no token inside an entity of the key",
})  # fmt: skip
