"""Tokens that both sides annotate in the same way, for spans of any kind.

Token by token would be slow in long texts. The text is therefore cut wherever an annotation changes, and each stretch
between two cuts has a number for all labels that cover it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Ints
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.pairing.span_columns import SpanColumns, sorted_distinct


def count_agreement(comparison: Comparison) -> list[NDArray[Any]]:
    """By sentence: the tokens with equal annotations, all tokens, and the same counts for tokens in key entities."""
    key, response, first = comparison.key, comparison.response, comparison.sentence_starts
    lengths = np.asarray(
        [max(entry.length, response_inside.length) for entry, response_inside in comparison.pairs], np.int64
    )
    ends = comparison.offsets + lengths
    changes = [entry for side in (key, response) for entry in (side.start, side.start + 1, side.end)]
    cuts = sorted_distinct(np.concatenate([*changes, first, comparison.offsets, ends, ends + 1]))
    document = np.searchsorted(comparison.offsets, cuts, "right") - 1
    tokens = np.where(cuts < ends[document], np.diff(np.append(cuts, cuts[-1])), 0)  # 0 between documents
    marks = np.random.default_rng(0).integers(1, 2**63, (2, max(len(comparison.names), 1)), np.uint64)
    (key_inside, key_begun), (response_inside, response_begun) = (
        _annotation(side, marks, cuts) for side in (key, response)
    )
    right = np.where((key_inside == response_inside) & (key_begun == response_begun), tokens, 0)
    entity = np.cumsum(_steps(key, np.ones(len(key), np.int64), cuts)) > 0
    sentence = np.searchsorted(first, cuts, "right") - 1
    columns = (right, tokens, right * entity, tokens * entity)
    return [np.bincount(sentence, column, len(first)) for column in columns]


def _annotation(side: SpanColumns, marks: NDArray[Any], cuts: Ints) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each stretch between cuts, a number for the labels that cover it and one for the entities that begin there.

    Each is a sum of random numbers, one per label: equal sums mean equal labels, except with probability 2⁻⁶⁴.
    """
    begun = np.zeros(len(cuts), np.uint64)
    np.add.at(begun, np.searchsorted(cuts, side.start), marks[1][side.label])
    return np.cumsum(_steps(side, marks[0][side.label], cuts)), begun


def _steps(side: SpanColumns, values: NDArray[Any], cuts: Ints) -> NDArray[Any]:
    """The sum of what begins minus the sum of what ends, at each cut."""
    steps = np.zeros(len(cuts), values.dtype)
    np.add.at(steps, np.searchsorted(cuts, side.start), values)
    np.subtract.at(steps, np.searchsorted(cuts, side.end), values)
    return steps
