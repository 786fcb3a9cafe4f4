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


class Stories(NamedTuple):
    """The errors of a chunk, and the story of each row."""

    names: Sequence[str]
    errors: Column


def stories(comparison: Comparison, errors: Errors) -> Stories:
    return Stories(comparison.units["document"], np.stack(list(errors), axis=1))


def story_counts(score: Callable[[Errors], Any], chunks: Sequence[Stories]) -> list[Counts]:
    """The rates of every story that has any; the errors of a story add up before its rates are taken."""
    names, codes = coded([name for chunk in chunks for name in chunk.names])
    matrix = np.concatenate([chunk.errors for chunk in chunks])
    rates = np.stack(list(score(Errors(*group_sums(matrix, codes, len(names)).T))), axis=1)
    there = ~np.isnan(rates[:, 0])
    first = np.unique(codes, return_index=True)[1]
    values, held = np.zeros((len(codes), rates.shape[1])), np.zeros(len(codes))
    values[first] = np.where(there[:, None], rates, 0.0)
    held[first] = there
    bounds = np.cumsum([len(chunk.names) for chunk in chunks])[:-1]
    return [Counts(*parts) for parts in zip(np.split(values, bounds), np.split(held, bounds), strict=True)]


def story_means(counts: Counts) -> list[Column]:
    """The mean of each rate over stories."""
    return [ratio(counts.rates[..., number], counts.stories) for number in range(counts.rates.shape[-1])]
