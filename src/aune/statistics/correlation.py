"""Whether two measures rank systems alike: correlations of ranks and of values, with p-values by permutation.

- `spearman`: Pearson's correlation of the ranks; equal values share the mean of their ranks.
- `kendall`: τ-b, the concordant pairs minus the discordant ones, corrected for ties.
- `weighted_kendall`: Kendall's τ in which exchanges among the best count most (Vigna 2015, hyperbolic weights).
- `pearson`: the correlation of the values themselves.

A constant column ranks nothing: its correlation with anything is undefined (NaN here, None in results), and a mean over
documents leaves it out, with a note of how many were left out.

Source: Kendall 1948; the mean over documents after Ben Jannet 2015, §5.6.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import special

from aune.contract.measure import Column, mean_of_defined, ratio
from aune.contract.options import check_known
from aune.results.result import Interval
from aune.statistics.comparison import round_value
from aune.statistics.effective_sample import ALIKE, Scale, interval_of_error, student_quantile
from aune.statistics.intervals import check_settings, tails
from aune.statistics.resampling import CELLS, DIGITS, DRAWS, SEED

Coefficient: TypeAlias = Literal["spearman", "kendall", "weighted", "pearson"]


class Correlation(NamedTuple):
    """The agreement of two rankings of the same systems: from −1 (reversed) to 1 (the same)."""

    value: float | None
    ci: Interval | None
    p: float | None
    """Two-sided, from permuting the systems."""
    systems: int
    documents: int
    """Documents that the mean is over; 1 when pooled."""
    undefined: int = 0
    """Documents on which the correlation is undefined, because a column is constant."""


def correlations(first: Column, second: Column, coefficient: Coefficient = "spearman") -> Column:
    """The correlation along the last axis, for any leading axes; NaN where a column is constant.

    >>> correlations(np.array([1, 2, 3, 4]), np.array([1, 2, 4, 3])).item()
    0.8
    """
    check_known([coefficient], COEFFICIENTS, "correlation")
    first, second = np.broadcast_arrays(np.asarray(first, float), np.asarray(second, float))
    return COEFFICIENTS[coefficient](first, second)


def pearson(first: Column, second: Column) -> Column:
    first = first - first.mean(axis=-1, keepdims=True)
    second = second - second.mean(axis=-1, keepdims=True)
    spreads = (first**2).sum(axis=-1), (second**2).sum(axis=-1)
    constant = np.minimum(*spreads) <= 1e-24 * np.maximum(1.0, np.maximum(*spreads))
    below = np.where(constant, 0.0, np.sqrt(spreads[0] * spreads[1]))
    return np.clip(ratio((first * second).sum(axis=-1), below), -1.0, 1.0)


def spearman(first: Column, second: Column) -> Column:
    return pearson(ranks(first), ranks(second))


def ranks(values: Column) -> Column:
    """Ranks from 1 along the last axis; equal values share the mean of theirs.

    >>> ranks(np.array([7.0, 5.0, 7.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    below = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    same = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    return np.asarray(below + (same + 1) / 2)


def kendall(first: Column, second: Column) -> Column:
    signs, others = _signs(first), _signs(second)
    below = np.sqrt((signs**2).sum(axis=(-1, -2)) * (others**2).sum(axis=(-1, -2)))
    return ratio((signs * others).sum(axis=(-1, -2)), below)


def _signs(values: Column) -> Column:
    return np.asarray(np.sign(values[..., :, None] - values[..., None, :]))


def weighted_kendall(first: Column, second: Column) -> Column:
    """The weight of a pair is 1/(r+1) + 1/(s+1) for the ranks r and s from the top; the mean over the two columns."""
    signs, others = _signs(first), _signs(second)
    taus = []
    for column, tie in ((first, second), (second, first)):
        place = _from_top(column, tie)
        weight = 1 / (place[..., :, None] + 1) + 1 / (place[..., None, :] + 1)
        below = np.sqrt((weight * signs**2).sum(axis=(-1, -2)) * (weight * others**2).sum(axis=(-1, -2)))
        taus.append(ratio((weight * signs * others).sum(axis=(-1, -2)), below))
    return np.asarray((taus[0] + taus[1]) / 2)


def _from_top(column: Column, tie: Column) -> Column:
    """Ranks from 0 for the highest value; ties by the other column."""
    order = np.lexsort((-tie, -column), axis=-1)
    places = np.empty(order.shape)
    np.put_along_axis(places, order, np.broadcast_to(np.arange(order.shape[-1], dtype=float), order.shape), axis=-1)
    return places


COEFFICIENTS: Mapping[str, Callable[[Column, Column], Column]] = {
    "spearman": spearman,
    "kendall": kendall,
    "weighted": weighted_kendall,
    "pearson": pearson,
}


def correlation(
    first: Column,
    second: Column,
    coefficient: Coefficient = "spearman",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Correlation:
    """The correlation of two columns of systems, or of two tables (documents × systems) as a mean over documents.

    The p-value permutes the systems (all permutations if they are few), in all documents alike. The interval of a mean
    comes from the effective number of documents; that of a single correlation is the usual approximation through
    Fisher's z, undefined for three systems or fewer (four for Kendall's).

    >>> correlation(np.array([1, 2, 3, 4, 5]), np.array([1, 2, 3, 5, 4])).value
    0.9
    """
    check_settings(level, draws, seed)
    first, second = np.atleast_2d(np.asarray(first, float)), np.atleast_2d(np.asarray(second, float))
    complete = ~np.isnan(first + second).any(axis=-1)
    first, second = first[complete], second[complete]
    by_document = correlations(first, second, coefficient)
    value = float(mean_of_defined(by_document))
    systems, documents = first.shape[-1], int((~np.isnan(by_document)).sum())
    undefined = len(complete) - documents
    if math.isnan(value):
        return Correlation(None, None, None, systems, documents, undefined)
    p = permutation_p(first, second, coefficient, value, draws, seed)
    ci = interval_of_mean(by_document, level) if len(complete) > 1 else fisher(value, systems, coefficient, level)
    return Correlation(round_value(value), ci, p, systems, documents, undefined)


def permutation_p(
    first: Column, second: Column, coefficient: Coefficient, value: float, draws: int = DRAWS, seed: int = SEED
) -> float | None:
    """The p-value: how often permuted systems correlate as strongly, in either direction: (hits + 1) / (draws + 1)."""
    systems = first.shape[-1]
    if systems < 2:
        return None
    orders = _orders(systems, draws, seed)
    hits = 0
    size = max(1, CELLS // first.size // systems)
    for start in range(0, len(orders), size):
        permuted = np.moveaxis(second[:, orders[start : start + size]], 1, 0)
        permuted_values = mean_of_defined(correlations(first, permuted, coefficient))
        hits += int((~(np.abs(permuted_values) < abs(value) - 1e-12)).sum())
    return (hits + 1) / (len(orders) + 1)


def _orders(systems: int, draws: int, seed: int) -> Column:
    """Permutations other than the observed one: all of them if they are at most as many as the draws, else random."""
    if math.factorial(min(systems, 20)) - 1 <= draws:
        return np.array(list(permutations(range(systems)))[1:], np.int64).reshape(-1, systems)
    generator = np.random.default_rng(seed)
    return generator.permuted(np.tile(np.arange(systems), (draws, 1)), axis=1)


def interval_of_mean(values: Column, level: float = 0.95) -> Interval | None:
    """The interval of a mean of coefficients over the documents on which they are defined.

    It comes from the effective number of documents (see `aune.statistics.effective_sample`): if every coefficient is 1,
    the interval still has a width.

    >>> interval_of_mean(np.ones(10))
    (0.3830057844, 1.0)
    """
    defined = values[~np.isnan(values)]
    if (number := len(defined)) < 2:
        return None
    telling = min((defined > -1 + ALIKE).sum(), (defined < 1 - ALIKE).sum(), number - 1)
    mean, error = defined.mean(keepdims=True), defined.std(ddof=1, keepdims=True) / math.sqrt(number)
    freedom, scale = np.array([max(telling, 1)]), Scale(np.array([-1.0]), np.array([1.0]))
    quantile = student_quantile(freedom, level)
    bounds = interval_of_error(scale, mean, error, np.array([float(number)]), freedom, quantile, level)
    low, high = np.round(bounds[:, 0], DIGITS).tolist()
    return low, high


def fisher(value: float, systems: int, coefficient: Coefficient, level: float = 0.95) -> Interval | None:
    """The interval through Fisher's z, with the standard errors of Bonett and Wright (2000)."""
    free = systems - (4 if coefficient in ("kendall", "weighted") else 3)
    if free < 1 or abs(value) >= 1 or coefficient == "weighted":
        return None
    variance = {"spearman": 1 + value**2 / 2, "kendall": 0.437, "pearson": 1.0}[coefficient] / free
    z = math.atanh(value) + special.ndtri(tails(level)) * math.sqrt(variance)
    low, high = np.round(np.tanh(z), 12).tolist()
    return low, high
