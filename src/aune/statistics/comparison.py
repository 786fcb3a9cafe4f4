"""Pairs of systems: for every measure, the difference, its interval, its p-value and the effect size."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract import registry
from aune.contract.measure import Column
from aune.contract.options import check_known
from aune.errors import UsageError
from aune.reading.argument_checks import forwards_options_to
from aune.results.result import Interval, Result, plain_value
from aune.statistics.contrasts import (
    Contrast,
    SystemRuns,
    contrast_pairs,
    contrast_systems,
    single_run_warnings,
    systems_with_runs,
    two_sided_p,
)
from aune.statistics.decisions import Claim, Decision, decide, parse_claims
from aune.statistics.effective_sample import (
    ALIKE,
    FEW_UNITS,
    difference_interval,
    difference_spread,
    standard_error,
    student_quantile,
)
from aune.statistics.intervals import check_settings, quantiles, tails
from aune.statistics.paired_tests import (
    TESTS,
    bootstrap_p_value,
    comparable_values,
    difference,
    differing_units,
    effect,
    observed_difference,
    randomisations,
)
from aune.statistics.power import POWER, Precision
from aune.statistics.ranking import CORRECTIONS, RankRange, groups, rank_ranges
from aune.statistics.resampling import DIGITS, DRAWS, SEED, Stack, bootstrap_weights, common_stack
from aune.statistics.result_joining import join_results
from aune.statistics.sampling_units import AUTO, ENOUGH_UNITS, sampling_unit

RUNS = "runs"
"""The test of systems with several runs: t, with the variance of texts and that of runs."""
FAMILIES = ("pairs", "all")
"""The family over which p-values are corrected: the pairs of systems of each value, or all pairs of all measures."""


class TaskPValues(NamedTuple):
    """The p-values of a task's test for one value of one measure, for every pair of systems."""

    measure: str
    value: str
    p: Mapping[tuple[str, str], float]


class Pair(NamedTuple):
    """One value of one measure on two systems."""

    measure: str
    value: str
    a: str
    b: str
    difference: float | None
    """a − b; for values that are best at zero, the difference of their distances from zero."""
    ci: Interval | None
    p: float | None
    p_holm: float | None
    """Corrected for the number of tests in the family, to limit the chance of a single false difference."""
    p_bh: float | None
    """Corrected after Benjamini and Hochberg, to limit the share of false differences."""
    effect: float | None

    def corrected_p(self, correction: str) -> float | None:
        """The p-value after a correction for the number of pairs."""
        return self.p_holm if correction == "holm" else self.p_bh


class Detectable(NamedTuple):
    """The smallest difference that a test set can show with some power; minimum and maximum over pairs of systems."""

    measure: str
    value: str
    low: float
    high: float
    power: float


class Order(NamedTuple):
    """The ranking of the systems by one value of one measure."""

    measure: str
    value: str
    ranks: list[RankRange]
    groups: list[list[str]]
    """Systems that do not differ significantly, in the order of their ranks."""


@dataclass(frozen=True, repr=False)
class Comparisons:
    """All pairs of systems of a result."""

    result: Result
    settings: Mapping[str, Any]
    pairs: list[Pair]
    orders: list[Order]
    warnings: list[str]
    systems: Sequence[SystemRuns] = ()
    chosen: Sequence[tuple[str, str]] = ()
    """The values for decisions: each a measure and the name of a value."""
    decisions: Sequence[Decision] = ()
    """The outcome of the claims about the systems after the first, which is the old one."""

    @property
    def all_shown(self) -> bool:
        """Whether every claim is shown."""
        return all(decision.is_shown for decision in self.decisions)

    @cached_property
    def contrasts(self) -> dict[tuple[str, str], Contrast]:
        """The spread of the difference of each pair of systems."""
        return contrast_pairs(self.systems)

    @cached_property
    def detectable(self) -> list[Detectable]:
        """The smallest difference that the units can show, for each value that a decision is about."""
        if not self.systems or len(self.systems[0].first.units) < ENOUGH_UNITS:
            return []
        names = [(self.systems[0].first.scores[place].name, value) for place, value in self.systems[0].first.names]
        return [
            Detectable(*about, min(sizes), max(sizes), POWER)
            for about in self.chosen
            if (sizes := self._detectable_sizes(names.index(about)))
        ]

    def _detectable_sizes(self, place: int) -> list[float]:
        precisions = [Precision(contrast, place) for contrast in self.contrasts.values()]
        tail = (1 - self.settings["level"]) / 2
        return [
            float(np.round(precision.detectable(precision.units, tail, POWER), DIGITS))
            for precision in precisions
            if precision.varies
        ]

    def to(self, format: str, digits: int = 2) -> str:
        """The comparisons as text: table, json, jsonl, csv, tsv, markdown, latex or html."""
        from aune import comparisons_written  # noqa: PLC0415 - lazily: reports are a higher layer than statistics

        return comparisons_written(self, format, digits)

    def __str__(self) -> str:
        return self.to("table").rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to("html")

    def to_dict(self) -> dict[str, Any]:
        """The result's JSON envelope with the comparisons in it."""
        envelope = self.result.to_dict()
        envelope["warnings"] = [*envelope["warnings"], *self.warnings]
        envelope["test"] = dict(self.settings)
        envelope["comparisons"] = [pair._asdict() for pair in self.pairs]
        envelope["detectable"] = [entry._asdict() for entry in self.detectable]
        if self.decisions:
            envelope["decisions"] = [decision._asdict() for decision in self.decisions]
        envelope["orders"] = [
            {**order._asdict(), "ranks": [rank._asdict() for rank in order.ranks]} for order in self.orders
        ]
        return envelope


def compare_systems(
    result: Result,
    test: str = AUTO,
    *,
    task_p_values: TaskPValues | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
    unit: str = AUTO,
    correction: str = "holm",
    family: str = "pairs",
    values: Mapping[str, Sequence[str]] = MappingProxyType({}),
    claims: Sequence[Claim] = (),
    few_units: int | None = None,
    only: tuple[str, str] | None = None,
) -> Comparisons:
    """Every pair of systems under every value of every measure of a result.

    `task_p_values` come from a test that needs more than counts (see `aune.explain.paired_tests`); `test` is then its
    name. `auto` is randomisation, and for systems with several runs the test of `aune.statistics.contrasts`. `unit` is
    what is exchanged and drawn (see `aune.statistics.sampling_units`). `family` is the family over which p-values are
    corrected: the pairs of each value, or `all` pairs of all measures, by their main values or those in `values`.
    `claims` are what is to be shown of the systems after the first (see `aune.statistics.decisions`).
    `few_units` is used by leaderboards of older versions: with fewer units their intervals come from the jackknife.
    `only` is a measure and one of its values, if no other is needed.

    >>> from aune import evaluate
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> result = evaluate("coref", key, {"good": key, "bad": {n: [{1, 2}, {3}] for n in key}}, measures=["muc"])
    >>> compare_systems(result, draws=999).pairs[0]
    Pair(measure='coref.muc', value='recall', a='good', b='bad', difference=0.5, ci=(0.3264450377, 0.5578516541),
         p=0.001, p_holm=0.001, p_bh=0.001, effect=None)
    """
    check_known([correction], CORRECTIONS, "correction")
    check_known([family], FAMILIES, "family of tests")
    check_settings(level, draws, seed)
    if len(result.runs) < 2:
        raise UsageError("expected at least two systems to compare")
    test = _resolve_test(test, result, task_p_values)
    sampled = sampling_unit(result, unit)
    unit = sampled.name
    stack = common_stack(result.scores, unit)  # raises if systems were not scored on the same units
    systems = systems_with_runs(result, unit)
    units = len(stack.units)
    if units < 2 or test == RUNS:
        columns = {(a.name, b.name): _spread_statistics(a, b, level) for a, b in combinations(systems, 2)}
    else:
        resampling = Resampling(test, level, draws, seed, few_units)
        columns = _drawn_statistics(systems, resampling, task_p_values, only)
    settings = {
        "test": test, "level": level, "draws": draws, "seed": seed, "unit": unit, "units": units,
        "correction": correction, **({"family": family} if family != "pairs" else {}), **sampled.marks(units),
    }  # fmt: skip
    chosen = chosen_values(result, values)
    pairs = _pairs(systems[0].first, columns, None if family == "pairs" else chosen, only)
    size = len(columns) * (1 if family == "pairs" else len(chosen))
    warnings = [
        *sampled.warnings(result.scores[0], units),
        *_missing_p_value_reasons([system.first for system in systems], test),
        *_few_draws_warnings(size, len(systems), test, draws, level, correction),
        *single_run_warnings(systems),
    ]
    alpha = 1 - level if units >= ENOUGH_UNITS else 0.0  # with fewer units nothing can be shown
    orders = _orders(result, systems, pairs, alpha, correction, only)
    if family != "pairs":
        orders = [order for order in orders if (order.measure, order.value) in chosen]
    comparisons = Comparisons(result, settings, pairs, orders, warnings, systems, chosen)
    return replace(comparisons, decisions=decide(comparisons, claims))


def _resolve_test(test: str, result: Result, task_p_values: TaskPValues | None) -> str:
    """The requested test, or the default; systems with several runs have a test of their own."""
    if not result.has_runs:
        if task_p_values is None:
            check_known([test], [AUTO, *TESTS], "test")
        return "randomisation" if test == AUTO else test
    if test not in (AUTO, RUNS) or task_p_values is not None:
        check_known([test], [AUTO, RUNS, *TESTS], "test")
        several = next(name for name, runs in result.runs.items() if len(runs) > 1)
        raise UsageError(f"test {test}: compares single runs, and {several} has several: leave it out")
    return RUNS


def _spread_statistics(first: SystemRuns, second: SystemRuns, level: float) -> PairStatistics:
    """The statistics of two systems from the spread over units and runs; the difference alone for a single unit."""
    if len(first.first.units) < 2:
        nothing = np.full(len(first.first.names), np.nan)
        return PairStatistics(first.mean_values - second.mean_values, nothing, nothing, nothing, nothing)
    contrast = contrast_systems(first, second)
    low, high = difference_interval(contrast.spread, level)
    deviation = np.sqrt(contrast.text_variance * contrast.units)
    effect = np.where(deviation > ALIKE, contrast.spread.observed / np.where(deviation > ALIKE, deviation, 1), np.nan)
    return PairStatistics(contrast.spread.observed, low, high, two_sided_p(contrast.spread), effect)


def _drawn_statistics(
    systems: Sequence[SystemRuns], settings: Resampling, task_p_values: TaskPValues | None, only: tuple[str, str] | None
) -> dict[tuple[str, str], PairStatistics]:
    """The statistics of every pair of systems with one run, from draws that all pairs share."""
    by_system = {system.name: system.first for system in systems}
    pairs = combinations(by_system, 2) if task_p_values is None else task_p_values.p
    intervals = {(a, b): pair_interval(by_system[a], by_system[b], settings) for a, b in pairs}
    is_bootstrap = settings.test == "bootstrap" and task_p_values is None
    is_wanted = _is_value(systems[0].first, only)
    is_drawn = {pair: is_wanted & (interval.is_drawn | is_bootstrap) for pair, interval in intervals.items()}
    places = np.flatnonzero(np.any([*is_drawn.values()], axis=0))
    drawn_systems = {name for pair, drawn in is_drawn.items() if drawn.any() for name in pair}
    replicates = _comparable_replicates(by_system, drawn_systems, places, settings)
    p_values = {} if is_bootstrap else _p_values(by_system, settings, task_p_values)
    columns = {}
    for (a, b), interval in intervals.items():
        first, second, bounds = by_system[a], by_system[b], np.array(interval.bounds)
        differences = replicates[a] - replicates[b] if is_drawn[a, b].any() else np.empty((0, len(places)))
        if is_bootstrap:
            p_values[a, b] = _bootstrap_p_values(first, second, differences, places)
        shown = (is_wanted & interval.is_drawn)[places]
        if shown.any():
            bounds[:, places[shown]] = quantiles(differences[:, shown], tails(settings.level))
        observed, (low, high) = observed_difference(first, second), bounds
        columns[a, b] = PairStatistics(observed, low, high, p_values[a, b], effect(first, second))
    return columns


def _is_value(stack: Stack, only: tuple[str, str] | None) -> NDArray[np.bool_]:
    """Which values of a stack are the only one that is needed; all without one."""
    return np.array([only is None or (stack.scores[place].name, value) == only for place, value in stack.names])


def _comparable_replicates(
    by_system: Mapping[str, Stack], names: Collection[str], places: NDArray[np.int64], settings: Resampling
) -> dict[str, Column]:
    """For each system, some of its values in the draws, as they are compared: (draws, values)."""
    stacks = {name: by_system[name] for name in by_system if name in names}
    replicates = {name: np.empty((settings.draws, len(places))) for name in stacks}
    start = 0
    units = len(next(iter(by_system.values())).units)
    for weights in bootstrap_weights(units, settings.draws, settings.seed) if stacks else ():
        for name, stack in stacks.items():
            values = comparable_values(stack, stack.values(weights @ stack.matrix))
            replicates[name][start : start + len(weights)] = values[:, places]
        start += len(weights)
    return replicates


def _bootstrap_p_values(first: Stack, second: Stack, differences: Column, places: NDArray[np.int64]) -> Column:
    """The p-values of the bootstrap test of two systems, from the differences of some of their values in the draws."""
    p = np.full(len(first.names), np.nan)
    p[places] = bootstrap_p_value(differences, observed_difference(first, second)[places])
    return np.where(_testable(first, "bootstrap"), p, np.nan)


def chosen_values(result: Result, values: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The values for decisions: the named ones, and the main value of each other measure."""
    return [
        (measure.name, value) for measure in result.measures for value in values.get(measure.name, [measure.headline])
    ]


@forwards_options_to(compare_systems)
def compare(
    results: Result | str | Path | Sequence[Result | str | Path] | Mapping[str, Any],
    /,
    *more: Result | str | Path,
    test: str = AUTO,
    fail_if_worse: str | float | None = None,
    fail_unless_better: bool = False,
    equivalent: str | float | None = None,
    **settings: Any,
) -> Comparisons:
    """Compare every pair of systems, from one result with several of them or from several results, also saved ones.

    The results must have the same measures, options and documents; a mapping gives the systems names, and a list in it
    is several runs of a system. Settings are those of `aune compare`: `test`, `level`, `draws`, `seed`, `unit`,
    `correction` and `family`. With `fail_if_worse`, `fail_unless_better` or `equivalent`, `decisions` contains the
    outcomes for the systems after the first, and `all_shown` whether all claims are shown.

    >>> from aune import score
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> runs = {"good": score("coref", key, key), "bad": score("coref", key, {n: [{1, 2}, {3}] for n in key})}
    >>> next(pair.difference for pair in compare(runs, draws=999).pairs if pair.measure == "coref.muc")
    0.5
    """
    if more and isinstance(results, str) and registry.resolve_task_name(results):
        raise UsageError("found a task, expected results: write aune.compare(aune.evaluate(task, key, systems))")
    claims = parse_claims(fail_if_worse, fail_unless_better, equivalent, is_option=False)
    return compare_systems(join_results([results, *more] if more else results), test, claims=claims, **settings)


def draws_needed(systems: int, level: float) -> int:
    """The random draws with which a difference of this many systems can stay significant after Holm's correction.

    >>> draws_needed(2, 0.95), draws_needed(20, 0.95)
    (19, 3799)
    """
    return _draws_for(math.comb(systems, 2), level)


def _draws_for(tests: int, level: float) -> int:
    return math.ceil(round(tests / (1 - level), 6)) - 1


def _few_draws_warnings(tests: int, systems: int, test: str, draws: int, level: float, correction: str) -> list[str]:
    """A warning if the smallest p-value that the draws allow is too large after correction."""
    needed = _draws_for(tests, level)
    if test not in ("randomisation", "bootstrap") or correction != "holm" or draws >= needed:
        return []
    return [f"{draws:,} draws cannot tell any of {systems} systems apart after Holm's correction: --draws {needed} can"]


class Resampling(NamedTuple):
    """The settings of tests and intervals that draw units."""

    test: str
    level: float
    draws: int
    seed: int
    few_units: int | None = None


class PairStatistics(NamedTuple):
    """The statistics of one pair of systems, an entry per value of the stack."""

    difference: Column
    low: Column
    high: Column
    p: Column
    effect: Column


def _p_values(
    by_system: Mapping[str, Stack], settings: Resampling, task_p_values: TaskPValues | None
) -> dict[tuple[str, str], Column]:
    """The p-values of every pair of systems."""
    names, stacks, test = list(by_system), list(by_system.values()), settings.test
    if task_p_values is not None:
        return {pair: _place_p_value(by_system[pair[0]], task_p_values, p) for pair, p in task_p_values.p.items()}
    if test == "randomisation":
        return _exchange_p_values(names, stacks, settings.draws, settings.seed)
    p_values = {}
    for a, b in combinations(names, 2):
        p = TESTS[test](by_system[a], by_system[b], settings.draws, settings.seed)
        p_values[a, b] = np.where(_testable(by_system[a], test), p, np.nan)
    return p_values


def _exchange_p_values(
    names: Sequence[str], stacks: Sequence[Stack], draws: int, seed: int
) -> dict[tuple[str, str], Column]:
    """The p-values of exchanging systems, for the measures that have the same counts for all of them."""
    same = exchangeable(stacks)
    is_exchangeable = np.array([place in same for place, _ in stacks[0].names])
    p_values = {pair: np.full(len(is_exchangeable), np.nan) for pair in combinations(names, 2)}
    if same:
        for (a, b), p in randomisations([stack.select(same) for stack in stacks], draws, seed).items():
            p_values[names[a], names[b]][is_exchangeable] = p
    return p_values


def exchangeable(stacks: Sequence[Stack]) -> list[int]:
    """The indices of the measures whose counts have the same number of columns for every system.

    Counts by label have not, if the systems use different labels: then nothing can be exchanged.
    """
    widths = [[part.matrix.shape[1] for part in stack.parts] for stack in stacks]
    return [place for place, part_widths in enumerate(zip(*widths, strict=True)) if len(set(part_widths)) == 1]


def _place_p_value(stack: Stack, task_p_values: TaskPValues, p: float) -> Column:
    """The p-value at the position of the value that is tested; none for other values."""
    about = [
        (stack.scores[place].name, value) == (task_p_values.measure, task_p_values.value)
        for place, value in stack.names
    ]
    return np.where(about, p, np.nan)


class PairInterval(NamedTuple):
    """The interval of the difference of two systems, an entry per value."""

    bounds: Column
    """From the standard error: (2, values)."""
    is_drawn: NDArray[np.bool_]
    """Which values have the percentiles of draws instead."""


def pair_interval(first: Stack, second: Stack, settings: Resampling) -> PairInterval:
    """The interval of the difference of two systems: percentiles, or from standard errors if few units differ."""
    left_out = difference(first, first.left_out, second.left_out)
    observed = observed_difference(first, second)
    if settings.few_units is not None:
        is_biased = ~_can_resample(first) | (len(first.units) < settings.few_units)
        margin = student_quantile(len(first.units) - 1, settings.level) * standard_error(left_out)
        return PairInterval(observed + np.array([[-1], [1]]) * margin, ~is_biased)
    differing = differing_units(first, second)
    spread = difference_spread([(1.0, first), (-1.0, second)], observed, left_out, differing)
    is_drawn = _can_resample(first) & (spread.telling >= FEW_UNITS) & (spread.error > ALIKE)
    return PairInterval(difference_interval(spread, settings.level), is_drawn)


def _can_resample(stack: Stack) -> Column:
    return np.array([stack.scores[place].measure.bootstrap for place, _ in stack.names])


def _testable(stack: Stack, test: str) -> Column:
    """Which values the test applies to: a bootstrap test excludes those that resampling would bias, or few units."""
    if test == "bootstrap" and len(stack.units) < ENOUGH_UNITS:
        return np.zeros(len(stack.names), bool)
    return _can_resample(stack) | (test != "bootstrap")


def _missing_p_value_reasons(stacks: Sequence[Stack], test: str) -> list[str]:
    """The reasons why measures have no p-value."""
    scores = stacks[0].scores
    if test == "bootstrap":
        why = "no p-value from the bootstrap, which would be biased: use --test randomisation"
        return [f"{score.name}: {why}" for score in scores if not score.measure.bootstrap]
    same = exchangeable(stacks)
    if test == "randomisation" and len(same) < len(scores):
        why = "counts by label, and the systems have other labels, so they cannot be exchanged: use --test bootstrap"
        return [f"{score.name}: {why}" for place, score in enumerate(scores) if place not in same]
    return []


def _pairs(
    stack: Stack,
    statistics: Mapping[tuple[str, str], PairStatistics],
    family: Sequence[tuple[str, str]] | None,
    only: tuple[str, str] | None,
) -> list[Pair]:
    """A record per value and pair, with p corrected over the pairs of each value, or over all values of a family."""
    columns = np.array([pair_statistics.p for pair_statistics in statistics.values()]).T
    members = [family is None or (stack.scores[place].name, value) in family for place, value in stack.names]
    by_holm, by_bh = (
        _correct_p_values(columns, members, correct, family is not None) for correct in CORRECTIONS.values()
    )
    pairs = []
    is_wanted = _is_value(stack, only)
    for place, (score, value) in enumerate(stack.names):
        for number, ((a, b), pair_statistics) in enumerate(statistics.items() if is_wanted[place] else ()):
            low, high = round_value(pair_statistics.low[place]), round_value(pair_statistics.high[place])
            pairs.append(
                Pair(
                    stack.scores[score].name, value, a, b,
                    round_value(pair_statistics.difference[place]),
                    None if low is None or high is None else (low, high),
                    plain_value(pair_statistics.p[place]), plain_value(by_holm[place, number]),
                    plain_value(by_bh[place, number]),
                    round_value(pair_statistics.effect[place]),
                )
            )  # fmt: skip
    return pairs


def _correct_p_values(
    columns: Column, members: Sequence[bool], correct: Callable[[Column], Column], together: bool
) -> Column:
    """p-values (values, pairs) corrected row by row, or only those of the members of a family, all together."""
    if not together:
        return np.array([correct(column) for column in columns])
    corrected = np.full(columns.shape, np.nan)
    corrected[members] = correct(columns[members].ravel()).reshape(-1, columns.shape[1])
    return corrected


def round_value(value: Any) -> float | None:
    """A number as it is shown, without digits that depend on the order of additions; None if undefined."""
    return plain_value(np.round(value, DIGITS))


def _orders(
    result: Result, systems: Sequence[SystemRuns], pairs: Sequence[Pair], alpha: float, correction: str,
    only: tuple[str, str] | None,
) -> list[Order]:  # fmt: skip
    places = {
        (systems[0].first.scores[score].name, value): place
        for place, (score, value) in enumerate(systems[0].first.names)
    }
    orders = []
    for measure in result.measures:
        for value in measure.values if only is None else [value for name, value in [only] if name == measure.name]:
            value_pairs = [pair for pair in pairs if (pair.measure, pair.value) == (measure.name, value)]
            p_values = {frozenset((pair.a, pair.b)): pair.corrected_p(correction) for pair in value_pairs}
            distinguished = {pair for pair, p in p_values.items() if p is not None and p <= alpha}
            values = {system.name: system.mean_values[places[measure.name, value]] for system in systems}
            defined = {
                system: float(measure.goodness(np.array(number), value))
                for system, number in values.items()
                if not np.isnan(number)
            }
            ranks = rank_ranges(list(defined), list(defined.values()), distinguished)
            together = groups([rank.system for rank in ranks], distinguished) if ranks else []
            orders.append(Order(measure.name, value, ranks, together))
    return orders
