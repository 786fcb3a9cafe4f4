"""Pairs of systems: for every measure, the difference, its interval, its p-value and the size of the effect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import Column
from aune.contract.options import check_known
from aune.errors import UsageError
from aune.files import is_possible_path
from aune.reading.argument_checks import forwards_options_to
from aune.reading.python_inputs import refusal
from aune.results.result import Interval, Result, SystemScore, plain_value
from aune.results.storage import load
from aune.statistics.effective_sample import (
    FEW_UNITS,
    difference_interval,
    difference_spread,
    standard_error,
    student_quantile,
)
from aune.statistics.intervals import check_settings, quantiles, tails
from aune.statistics.paired_tests import (
    TESTS,
    difference,
    differing_units,
    effect,
    observed_difference,
    randomisations,
)
from aune.statistics.ranking import CORRECTIONS, RankRange, benjamini_hochberg, groups, holm, rank_ranges
from aune.statistics.resampling import DIGITS, DRAWS, SEED, Stack, common_stack
from aune.statistics.sampling_units import AUTO, ENOUGH_UNITS, sampling_unit


class TaskPValues(NamedTuple):
    """The p-values of a test of the task for one value of one measure, for every pair of systems."""

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
    """a − b; of the distances from zero for values that are best at zero."""
    ci: Interval | None
    p: float | None
    p_holm: float | None
    """Corrected for the number of pairs of systems, so that the chance of a single false difference stays small."""
    p_bh: float | None
    """Corrected after Benjamini and Hochberg, so that the share of false differences stays small."""
    effect: float | None

    def corrected_p(self, correction: str) -> float | None:
        """The p-value after a correction for the number of pairs."""
        return self.p_holm if correction == "holm" else self.p_bh


class Order(NamedTuple):
    """The systems under one value of one measure."""

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

    def to(self, format: str, digits: int = 2) -> str:
        """The comparisons as text: table, json, jsonl, csv, tsv, markdown, latex or html."""
        from aune import comparisons_written  # noqa: PLC0415 - lazily: reports lie above statistics

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
        envelope["orders"] = [
            {**order._asdict(), "ranks": [rank._asdict() for rank in order.ranks]} for order in self.orders
        ]
        return envelope


def compare_systems(
    result: Result,
    test: str = "randomisation",
    *,
    task_p_values: TaskPValues | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
    unit: str = AUTO,
    correction: str = "holm",
    few_units: int | None = None,
) -> Comparisons:
    """Every pair of systems under every value of every measure of a result.

    `task_p_values` come from a test that looks at more than counts (see `aune.explain.paired_tests`), which `test` then
    names. `unit` is what is exchanged and drawn (see `aune.statistics.sampling_units`). `few_units` is that of boards
    of older versions: below so many units their intervals are those of the jackknife.

    >>> from aune import evaluate
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> result = evaluate("coref", key, {"good": key, "bad": {n: [{1, 2}, {3}] for n in key}}, measures=["muc"])
    >>> compare_systems(result, draws=999).pairs[0]
    Pair(measure='coref.muc', value='recall', a='good', b='bad', difference=0.5, ci=(0.3264453, 0.5578515669),
         p=0.001, p_holm=0.001, p_bh=0.001, effect=None)
    """
    if task_p_values is None:
        check_known([test], TESTS, "test")
    check_known([correction], CORRECTIONS, "correction")
    check_settings(level, draws, seed)
    if len(result.systems) < 2:
        raise UsageError("expected at least two systems to compare")
    sampled = sampling_unit(result, unit)
    unit = sampled.name
    stack = common_stack(result.scores, unit)  # refuses systems that were not scored on the same units
    by_system = {system: common_stack([s for s in result if s.system == system], unit) for system in result.systems}
    first = by_system[result.systems[0]]
    units = len(first.units)
    columns: dict[tuple[str, str], PairStatistics] = {}
    if units < 2:
        nothing = np.full(len(first.names), np.nan)
        for a, b in combinations(result.systems, 2):
            columns[a, b] = PairStatistics(
                observed_difference(by_system[a], by_system[b]), nothing, nothing, nothing, nothing
            )
    else:
        replicates = _by_system(stack, stack.replicates(draws, seed))
        for (a, b), p in _p_values(by_system, test, task_p_values, draws, seed).items():
            first_stack, second_stack = by_system[a], by_system[b]
            drawn_differences = difference(first_stack, replicates[a], replicates[b])
            low, high = difference_bounds(first_stack, second_stack, drawn_differences, level, few_units)
            columns[a, b] = PairStatistics(
                observed_difference(first_stack, second_stack), low, high, p, effect(first_stack, second_stack)
            )
    settings = {
        "test": test, "level": level, "draws": draws, "seed": seed, "unit": unit, "units": units,
        "correction": correction, **sampled.marks(units),
    }  # fmt: skip
    pairs = _pairs(first, columns)
    warnings = [
        *sampled.warnings(result.scores[0], units),
        *_missing_p_value_reasons(list(by_system.values()), test),
        *_few_draws_warnings(len(result.systems), test, draws, level, correction),
    ]
    alpha = 1 - level if units >= ENOUGH_UNITS else 0.0  # with fewer units nothing can be shown
    return Comparisons(result, settings, pairs, _orders(result, pairs, alpha, correction), warnings)


@forwards_options_to(compare_systems)
def compare(
    results: Result | str | Path | Sequence[Result | str | Path] | Mapping[str, Result | str | Path],
    /,
    *more: Result | str | Path,
    **settings: Any,
) -> Comparisons:
    """Every pair of systems, from one result with several of them or from several results, saved ones among them.

    Results are of the same measures, options and documents; a mapping gives the systems names. Settings are those of
    `aune compare`: `test`, `level`, `draws`, `seed`, `unit` and `correction`.

    >>> from aune import score
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> runs = {"good": score("coref", key, key), "bad": score("coref", key, {n: [{1, 2}, {3}] for n in key})}
    >>> next(pair.difference for pair in compare(runs, draws=999).pairs if pair.measure == "coref.muc")
    0.5
    """
    if more and isinstance(results, str) and registry.resolve_task_name(results):
        raise UsageError("found a task, expected results: write aune.compare(aune.evaluate(task, key, systems))")
    return compare_systems(_join_results([results, *more] if more else results), **settings)


def _join_results(results: Any) -> Result:
    """One result with the systems of several."""
    if isinstance(results, Result | str | Path):
        return _load_result(results)
    named = results if isinstance(results, Mapping) else None
    runs = {
        str(name): _load_result(run) for name, run in (named.items() if named is not None else enumerate(results, 1))
    }
    if not runs:
        raise UsageError("expected at least two systems to compare")
    first = next(iter(runs.values()))
    scores: list[SystemScore] = []
    systems: list[str] = []
    for name, run in runs.items():
        _check_same_run(first, run)
        new_names = {
            system: system if named is None else name if len(run.systems) == 1 else f"{name}/{system}"
            for system in run.systems
        }
        systems += new_names.values()
        scores += [replace(score, system=new_names[score.system]) for score in run]
    if repeated := next((system for system in systems if systems.count(system) > 1), None):
        raise UsageError(
            f"two systems are called {repeated!r}: give the results by name, as {{'first': …, 'second': …}}"
        )
    common = set.intersection(*({item.name for item in run} for run in runs.values()))
    common_scores = [score for score in scores if score.name in common]
    if not common_scores:
        raise UsageError("the results have no measure in common: score them with the same ones")
    inputs = [
        item for number, run in enumerate(runs.values()) for item in run.inputs if item.role != "key" or not number
    ]
    return Result(first.task, common_scores, inputs, [warning for run in runs.values() for warning in run.warnings])


def _load_result(run: Result | str | Path) -> Result:
    if isinstance(run, Result):
        return run
    if not isinstance(run, str | Path) or not is_possible_path(str(run)):
        raise refusal(run, "a result, or the path of a saved one", "aune.evaluate gives results, aune.save saves them")
    return load(run)


def _check_same_run(first: Result, other: Result) -> None:
    """Refuse results that were not made the same way from the same key."""
    if first.task != other.task:
        raise UsageError(f"found results of {first.task} and of {other.task}, expected results of one task")
    keys = [
        next((source.sha256 for source in run.inputs if source.role == "key" and source.sha256), None)
        for run in (first, other)
    ]
    if None not in keys and keys[0] != keys[1]:
        raise UsageError("the results are of different keys: score the systems against the same file")
    signatures = {score.name: score.signature for score in first}
    for score in other:
        known = signatures.get(score.name, score.signature)
        if known._replace(version="") != score.signature._replace(version=""):
            raise UsageError(f"found {score.signature} and {known}, expected the same options: score them the same way")


def draws_needed(systems: int, level: float) -> int:
    """The random draws with which a difference of so many systems can stay significant after Holm's correction.

    >>> draws_needed(2, 0.95), draws_needed(20, 0.95)
    (19, 3799)
    """
    return math.ceil(round(math.comb(systems, 2) / (1 - level), 6)) - 1


def _few_draws_warnings(systems: int, test: str, draws: int, level: float, correction: str) -> list[str]:
    """A warning where the smallest p-value that the draws allow is too large once it is corrected."""
    needed = draws_needed(systems, level)
    if test not in ("randomisation", "bootstrap") or correction != "holm" or draws >= needed:
        return []
    return [f"{draws:,} draws cannot tell any of {systems} systems apart after Holm's correction: --draws {needed} can"]


class PairStatistics(NamedTuple):
    """The statistics of one pair of systems, an entry per value of the stack."""

    difference: Column
    low: Column
    high: Column
    p: Column
    effect: Column


def _by_system(stack: Stack, columns: Column) -> dict[str, Column]:
    """The columns of each system's values; names are compared by Python, since NumPy drops a NUL at their end."""
    owner = [stack.scores[place].system for place, _ in stack.names]
    return {system: columns[:, [owner_name == system for owner_name in owner]] for system in dict.fromkeys(owner)}


def _p_values(
    by_system: Mapping[str, Stack], test: str, task_p_values: TaskPValues | None, draws: int, seed: int
) -> dict[tuple[str, str], Column]:
    """The p-values of every pair of systems."""
    names, stacks = list(by_system), list(by_system.values())
    if task_p_values is not None:
        return {pair: _place_p_value(by_system[pair[0]], task_p_values, p) for pair, p in task_p_values.p.items()}
    if test == "randomisation":
        return _exchange_p_values(names, stacks, draws, seed)
    p_values = {}
    for a, b in combinations(names, 2):
        p = TESTS[test](by_system[a], by_system[b], draws, seed)
        p_values[a, b] = np.where(_testable(by_system[a], test), p, np.nan)
    return p_values


def _exchange_p_values(
    names: Sequence[str], stacks: Sequence[Stack], draws: int, seed: int
) -> dict[tuple[str, str], Column]:
    """The p-values of exchanging systems, for the measures that count the same things for all of them."""
    same = exchangeable(stacks)
    is_exchangeable = np.array([place in same for place, _ in stacks[0].names])
    p_values = {pair: np.full(len(is_exchangeable), np.nan) for pair in combinations(names, 2)}
    if same:
        for (a, b), p in randomisations([stack.select(same) for stack in stacks], draws, seed).items():
            p_values[names[a], names[b]][is_exchangeable] = p
    return p_values


def exchangeable(stacks: Sequence[Stack]) -> list[int]:
    """The places of the measures whose counts have as many columns for every system.

    Counts by label have not, when systems use labels of their own: then there is nothing to exchange them for.
    """
    widths = [[part.matrix.shape[1] for part in stack.parts] for stack in stacks]
    return [place for place, part_widths in enumerate(zip(*widths, strict=True)) if len(set(part_widths)) == 1]


def _place_p_value(stack: Stack, task_p_values: TaskPValues, p: float) -> Column:
    """The p-value in the place of the value that the test is about; none for others."""
    about = [
        (stack.scores[place].name, value) == (task_p_values.measure, task_p_values.value)
        for place, value in stack.names
    ]
    return np.where(about, p, np.nan)


def difference_bounds(
    first: Stack, second: Stack, replicates: Column, level: float, few_units: int | None = None
) -> Column:
    """The interval of the difference: percentiles, or from standard errors where few units differ."""
    bounds = quantiles(replicates, tails(level))
    left_out = difference(first, first.left_out, second.left_out)
    if few_units is not None:
        biased = ~_can_resample(first) | (len(first.units) < few_units)
        margin = student_quantile(len(first.units) - 1, level) * standard_error(left_out)
        around = observed_difference(first, second) + np.array([[-1], [1]]) * margin
        return np.where(biased, around, bounds)
    differing = differing_units(first, second)
    spread = difference_spread(first, observed_difference(first, second), left_out, differing)
    enough = _can_resample(first) & (differing >= FEW_UNITS)
    return np.where(enough, bounds, difference_interval(spread, level))


def _can_resample(stack: Stack) -> Column:
    return np.array([stack.scores[place].measure.bootstrap for place, _ in stack.names])


def _testable(stack: Stack, test: str) -> Column:
    """Which values the test applies to: a bootstrap test not to those that resampling would bias, or to few units."""
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


def _pairs(stack: Stack, statistics: Mapping[tuple[str, str], PairStatistics]) -> list[Pair]:
    """A record per value and pair, with p corrected over the pairs of each value."""
    columns = np.array([pair_statistics.p for pair_statistics in statistics.values()]).T
    by_holm, by_bh = (np.array([correct(column) for column in columns]) for correct in (holm, benjamini_hochberg))
    pairs = []
    for place, (score, value) in enumerate(stack.names):
        for number, ((a, b), pair_statistics) in enumerate(statistics.items()):
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


def round_value(value: Any) -> float | None:
    """A number as it is shown: without digits that depend on the order of additions; None where undefined."""
    return plain_value(np.round(value, DIGITS))


def _orders(result: Result, pairs: Sequence[Pair], alpha: float, correction: str) -> list[Order]:
    orders = []
    for measure in result.measures:
        for value in measure.values:
            value_pairs = [pair for pair in pairs if (pair.measure, pair.value) == (measure.name, value)]
            p_values = {frozenset((pair.a, pair.b)): pair.corrected_p(correction) for pair in value_pairs}
            distinguished = {pair for pair, p in p_values.items() if p is not None and p <= alpha}
            values = {score.system: score.values[value] for score in result if score.name == measure.name}
            defined = {
                system: float(measure.goodness(np.array(number), value))
                for system, number in values.items()
                if number is not None
            }
            ranks = rank_ranges(list(defined), list(defined.values()), distinguished)
            together = groups([rank.system for rank in ranks], distinguished) if ranks else []
            orders.append(Order(measure.name, value, ranks, together))
    return orders
