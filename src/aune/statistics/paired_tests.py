"""Tests of whether one system is better than another on the same units.

The null hypothesis of all tests is that the two systems are interchangeable. All are two-sided.

- `randomisation` (the default) exchanges the two systems' counts on random units and counts how often the difference of
  the totals becomes as large as the one observed: p = (hits + 1) / (draws + 1). With few units it tries every exchange.
- `bootstrap` counts how often the difference of a replicate is as far from the observed one as that is from zero. (The
  usual paired bootstrap takes the absolute value first and centres afterwards, and then rejects a true null hypothesis
  about 11 % of the time at a level of 5 %.)
- `sign` and `wilcoxon` look at the values of the single units, not at totals.

Sources: Noreen 1989; Efron and Tibshirani 1993; Yeh 2000; Riezler and Maxwell 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import erfc, fsum, sqrt

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column
from aune.numeric.exact_probabilities import sign_test
from aune.statistics.effective_sample import standard_error
from aune.statistics.exchanges import code_shifts, count_shifts
from aune.statistics.resampling import DRAWS, SEED, Stack, bootstrap_weights, exchange_number, swaps

TOLERANCE = 1e-12  # differences this close are equal
MAX_EXACT = 50  # differences up to which the signed rank test counts all signs


def difference(stack: Stack, first: Column, second: Column) -> Column:
    """First minus second; for values that are best at zero, of their distances from zero."""
    return comparable_values(stack, first) - comparable_values(stack, second)


def comparable_values(stack: Stack, values: Column) -> Column:
    """The values, or their distances from zero if they are best at zero."""
    return np.where(stack.best_at_zero, np.abs(values), values) if stack.best_at_zero.any() else values


def observed_difference(first: Stack, second: Stack) -> Column:
    return difference(first, first.estimates, second.estimates)


def effect(first: Stack, second: Stack) -> Column:
    """The difference in standard deviations of a unit's contribution to it.

    For a mean over units this is Cohen's d of the paired differences.
    """
    left_out = difference(first, first.left_out, second.left_out)
    spread = standard_error(left_out) * np.sqrt(len(first.units))
    return np.where(
        spread > TOLERANCE, observed_difference(first, second) / np.where(spread > TOLERANCE, spread, 1.0), np.nan
    )


def randomisation(first: Stack, second: Stack, draws: int = DRAWS, seed: int = SEED) -> Column:
    """The p-value of each value, from exchanging the systems' counts on random units."""
    return randomisations([first, second], draws, seed)[0, 1]


def randomisations(stacks: Sequence[Stack], draws: int = DRAWS, seed: int = SEED) -> dict[tuple[int, int], Column]:
    """The p-values of every pair of systems, given by index; all pairs share the exchanges."""
    pairs = list(combinations(range(len(stacks)), 2))
    least = {(a, b): np.abs(observed_difference(stacks[a], stacks[b])) - TOLERANCE for a, b in pairs}
    codes = {(a, b): code_shifts(stacks[b].matrix - stacks[a].matrix) for a, b in pairs}
    coded = {pair: code for pair, code in codes.items() if code is not None}
    units = len(stacks[0].units)
    hits = _hits_by_exchange(stacks, {pair: least[pair] for pair in pairs if pair not in coded}, draws, seed)
    shift_counts = count_shifts([*coded.values()], units, draws, seed)
    for ((a, b), code), (shifts, times) in zip(coded.items(), shift_counts, strict=True):
        hits[a, b] = times @ _is_hit(stacks[a], stacks[b], code.shifts(shifts), least[a, b])
    tried = exchange_number(units, draws)
    return {pair: _p_value(hits[pair], tried, least[pair]) for pair in pairs}


def _hits_by_exchange(
    stacks: Sequence[Stack], least: Mapping[tuple[int, int], Column], draws: int, seed: int
) -> dict[tuple[int, int], Column]:
    """In how many exchanges the difference is at least as large as observed, for each pair of systems."""
    hits = {pair: np.zeros(len(stacks[0].names)) for pair in least}
    for exchanged in swaps(len(stacks[0].units), draws, seed) if least else ():
        swapped = {place: exchanged @ stacks[place].matrix for pair in least for place in pair}
        for a, b in least:
            hits[a, b] += _is_hit(stacks[a], stacks[b], swapped[b] - swapped[a], least[a, b]).sum(axis=0)
    return hits


def _is_hit(first: Stack, second: Stack, shifts: Column, least: Column) -> NDArray[np.bool_]:
    """Whether shifts of the totals give a difference as large as observed: (shifts, values).

    An undefined difference is no evidence against the null hypothesis.
    """
    differences = difference(first, first.values(first.total + shifts), second.values(second.total - shifts))
    return ~(np.abs(differences) < least)


def bootstrap(first: Stack, second: Stack, draws: int = DRAWS, seed: int = SEED) -> Column:
    """The p-value of each value, from replicates of the difference centred on the observed one."""
    return bootstrap_p_value(replicates(first, second, draws, seed), observed_difference(first, second))


def bootstrap_p_value(differences: Column, observed: Column) -> Column:
    """The p-value of each value, from the differences of replicates: (draws, values)."""
    hits = (~(np.abs(differences - observed) < np.abs(observed) - TOLERANCE)).sum(axis=0)
    return _p_value(hits, len(differences), observed)


def replicates(first: Stack, second: Stack, draws: int = DRAWS, seed: int = SEED) -> Column:
    """The difference in bootstrap replicates: (draws, values). Both systems share every draw."""
    chunks = [
        difference(first, first.values(weights @ first.matrix), second.values(weights @ second.matrix))
        for weights in bootstrap_weights(len(first.units), draws, seed)
    ]
    return np.concatenate(chunks)


def _p_value(hits: Column, tried: int, observation: Column) -> Column:
    return np.where(np.isnan(observation), np.nan, (hits + 1) / (tried + 1))


def sign(first: Stack, second: Stack, draws: int = DRAWS, seed: int = SEED) -> Column:
    """The p-value of each value, from the number of units on which either system is ahead; ties are left out."""
    differences = unit_differences(first, second)
    ahead, behind = (differences > TOLERANCE).sum(axis=0), (differences < -TOLERANCE).sum(axis=0)
    return np.array([sign_test(*split) for split in zip(ahead.tolist(), behind.tolist(), strict=True)])


def wilcoxon(first: Stack, second: Stack, draws: int = DRAWS, seed: int = SEED) -> Column:
    """The p-value of each value, from the ranks of the units' differences (signed rank test); zeros are left out."""
    differences = unit_differences(first, second).T
    return np.array([signed_rank_test(np.round(column[np.abs(column) > TOLERANCE], 12)) for column in differences])


def signed_rank_test(differences: Column) -> float:
    """The p-value of differences, none of them 0: by counting if they are few, otherwise by the normal distribution.

    Ranks are doubled, so that the shared ranks of equal differences are whole numbers too.

    >>> signed_rank_test(np.array([1, 2, 2, -1, 3, 4]))
    0.09375
    """
    _, place, times = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(times) - times + 1)[place]
    total, ahead = int(ranks.sum()), int(ranks[differences > 0].sum())
    if len(ranks) > MAX_EXACT:
        return erfc(abs(2 * ahead - total) / sqrt(2 * fsum(ranks.astype(float) ** 2)))
    ways = np.zeros(total + 1, np.int64)  # the number of sign patterns for each sum of positive ranks
    ways[0] = 1
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    as_uneven = 2 * int(ways[: min(ahead, total - ahead) + 1].sum())
    return min(1.0, as_uneven / (1 << len(ranks)))


def unit_differences(first: Stack, second: Stack) -> Column:
    """The difference on each unit alone: (units, values)."""
    return difference(first, first.unit_values, second.unit_values)


def differing_units(first: Stack, second: Stack) -> Column:
    """The number of units on which the two systems differ, for each value."""
    return np.asarray((np.abs(np.nan_to_num(unit_differences(first, second))) > TOLERANCE).sum(axis=0))


TESTS: Mapping[str, Callable[[Stack, Stack, int, int], Column]] = {
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "sign": sign,
    "wilcoxon": wilcoxon,
}
