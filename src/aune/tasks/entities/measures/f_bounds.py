"""Bounds of F: what precision, recall and F can be at least and at most, when entities are strings without places.

A response that lists strings does not say which occurrence of a string it means. The n equal strings of one label take
n distinct places out of the k that the text has, g of which the key labels so; hence

    max(0, min(n, k) − (k − g))  ≤  correct  ≤  min(n, k, g)

and the bounds of precision, recall and F follow, since what is given and what is expected does not change. They are
exact for strings that do not share places. The score of any placement lies between them. A response with positions
leaves nothing open: both bounds are its score.

Source: aune. Edges: undefined where nothing is given (precision) or expected (recall).

>>> from aune.tasks.entities.model import StringEntity, Span, make_document
>>> words = "Paris loves Paris".split()
>>> key = make_document("d", [Span(0, 1, "LOC")], length=3, words=words.copy)
>>> from dataclasses import replace
>>> MEASURE([key], [replace(make_document("d", []), listed=(StringEntity("Paris", "LOC"),))], place="interval").f1_high
1.0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, f_score, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.realignment import count_bounds


class Counts(NamedTuple):
    """The fewest and the most that can be right, what was given and what was expected."""

    least: Column
    most: Column
    given: Column
    expected: Column


class Score(NamedTuple):
    """Every value at least and at most."""

    precision_low: Column
    precision_high: Column
    recall_low: Column
    recall_high: Column
    f1_low: Column
    f1_high: Column


def count(comparison: Comparison) -> Counts:
    unplaced = comparison.signed.get("unplaced", "count")
    bounds = [count_bounds(key, response, unplaced) for key, response in comparison.pairs]
    rows = np.asarray(bounds, np.int64).reshape(-1, 4)
    return Counts(*rows.T)


def score(counts: Counts) -> Score:
    low, high = ratio(counts.least, counts.given), ratio(counts.most, counts.given)
    recall_low, recall_high = ratio(counts.least, counts.expected), ratio(counts.most, counts.expected)
    return Score(low, high, recall_low, recall_high, f_score(recall_low, low), f_score(recall_high, high))


MEASURE = Measure(
    count,
    score,
    main="f1_high",
    units="document_units",
    undefined={
        **dict.fromkeys(("precision_low", "precision_high", "f1_low", "f1_high"), "the response lists no entity"),
        **dict.fromkeys(("recall_low", "recall_high"), "the key has no entity"),
    },
)
