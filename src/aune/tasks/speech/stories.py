"""Means over stories: every document weighs the same, whatever its length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from aune.core.measure import Column, ratio
from aune.core.rows import coded, group_sums
from aune.tasks.speech.comparison import Comparison, Errors


class Counts(NamedTuple):
    """The rates of stories, each in the first row of its story."""

    rates: Column
    """(rows, values): 0 in the other rows."""
    stories: Column


def story_counts(
    comparisons: Sequence[Comparison], errors_of: Callable[[Comparison], Errors], score: Callable[[Errors], Any]
) -> list[Counts]:
    """The rates of every story that has any; the errors of a story add up before its rates are taken."""
    counted = [errors_of(one) for one in comparisons]
    names, codes = coded([name for one in comparisons for name in one.units["document"]])
    matrix = np.concatenate([np.stack(list(errors), axis=1) for errors in counted])
    rates = np.stack(list(score(Errors(*group_sums(matrix, codes, len(names)).T))), axis=1)
    there = ~np.isnan(rates[:, 0])
    first = np.unique(codes, return_index=True)[1]
    values, stories = np.zeros((len(codes), rates.shape[1])), np.zeros(len(codes))
    values[first] = np.where(there[:, None], rates, 0.0)
    stories[first] = there
    bounds = np.cumsum([one.rows for one in comparisons])[:-1]
    return [Counts(*parts) for parts in zip(np.split(values, bounds), np.split(stories, bounds), strict=True)]


def story_means(counts: Counts) -> list[Column]:
    """The mean of each rate over stories."""
    return [ratio(counts.rates[..., number], counts.stories) for number in range(counts.rates.shape[-1])]
