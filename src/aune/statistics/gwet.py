"""Gwet's AC1 and AC2: agreement beyond a chance that depends on how hard the choice is, not on label frequencies.

    AC = 1 − observed disagreement / expected disagreement
    expected agreement = Σ weights / (q (q − 1)) · Σ π (1 − π)     π: the mean share of a label in a unit, q: the labels

AC1 is for labels without an order (a weight is 1 for equal labels, otherwise 0). AC2 has graded weights: for `interval`
1 − d² / greatest d², for `ordinal` by the number of pairs of ranks that two labels span. κ is low if nearly all
annotators nearly always choose the same label (its paradox); AC is not.

A unit with one value counts for the frequencies of labels, but not for agreement. The labels are all those that any
annotator used in any unit.

Sources: Gwet 2008 (AC1, its formulas 4 and 5 for several raters); Gwet 2014, chapter 4 (AC2, weights, missing values).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from aune.contract.measure import AT_MOST_ONE, NON_NEGATIVE, Column, Measure, ratio
from aune.contract.task import Judgements

REASON = "only one label was used: there is nothing to choose, or nothing was said twice"


class Gwet(NamedTuple):
    """Disagreement observed and expected, and agreement beyond chance."""

    observed: Column
    expected: Column
    ac: Column


class GwetCounts(NamedTuple):
    """Units by document."""

    agreement: Column
    """The weighted share of agreeing pairs of annotators, summed over the units with at least two values."""
    compared: Column
    units: Column
    shares: Column
    """(documents, labels): the share of each label in a unit, summed over the units with a value."""


def weights(distance: str, positions: Sequence[float] | None, size: int) -> Column:
    """The agreement of two labels, from 0 to 1.

    >>> weights("ordinal", None, 3).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.67], [0.0, 0.67, 1.0]]
    """
    if distance == "nominal" or size < 2:
        return np.eye(size)
    if distance == "ordinal":
        spans = [[comb(abs(first - second) + 1, 2) for second in range(size)] for first in range(size)]
        table = np.array(spans, float)
        return np.asarray(1 - table / table.max())
    places = np.asarray(positions, float)
    squares = (places[:, None] - places[None, :]) ** 2
    return np.asarray(1 - squares / squares.max())


def gwet_measure(distance: str = "nominal", positions: Sequence[float] | None = None, size: int = 0) -> Measure:
    """The coefficient as a measure; `positions` are the labels as numbers, for `interval`; `size` is their number."""
    table = weights(distance, positions, size)

    def count(corpus: Sequence[Judgements], labels: Sequence[Hashable]) -> GwetCounts:
        return count_gwet(corpus, labels, table)

    def score(counts: GwetCounts) -> Gwet:
        return score_gwet(counts, float(table.sum()))

    name = "gwet_ac1" if distance == "nominal" else f"gwet_ac2({distance})"
    return Measure(
        count, score, better_by_value={"observed": "lower", "expected": "lower"},
        perfect={"observed": 0.0, "expected": 0.0, "ac": 1.0},
        range={"observed": NON_NEGATIVE, "expected": NON_NEGATIVE, "ac": AT_MOST_ONE}, main="ac",
        undefined={"ac": REASON}, percent=False, label=name,
    )  # fmt: skip


def count_gwet(corpus: Sequence[Judgements], labels: Sequence[Hashable], table: Column) -> GwetCounts:
    place = {label: number for number, label in enumerate(labels)}
    agreement, compared, units = (np.zeros(len(corpus)) for _ in range(3))
    shares = np.zeros((len(corpus), len(labels)))
    for number, rows in enumerate(corpus):
        chosen = np.zeros((len(rows), len(labels)))
        for unit, row in enumerate(rows):
            for value in row:
                if value is not None:
                    chosen[unit, place[value]] += 1
        values = chosen.sum(axis=1)
        chosen, values = chosen[values > 0], values[values > 0]
        pairs = (chosen * (chosen @ table - 1)).sum(axis=1)[values > 1]
        several = values[values > 1]
        agreement[number] = (pairs / (several * (several - 1))).sum()
        compared[number], units[number] = len(several), len(values)
        shares[number] = (chosen / values[:, None]).sum(axis=0)
    return GwetCounts(agreement, compared, units, shares)


def score_gwet(counts: GwetCounts, weight: float) -> Gwet:
    agreement, compared, units, shares = counts
    labels = shares.shape[-1]
    means = ratio(shares, np.asarray(units)[..., None])
    chance = (means * (1 - means)).sum(axis=-1) * (weight / (labels * (labels - 1)) if labels > 1 else np.nan)
    observed, expected = 1 - ratio(agreement, compared), 1 - chance
    expected = np.where(np.asarray(expected) < 1e-12, 0.0, expected)
    return Gwet(observed, expected, 1 - ratio(observed, expected))
