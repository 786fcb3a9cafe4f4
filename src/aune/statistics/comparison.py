"""Systems side by side: for every measure and every pair, the difference, how sure it is, and what it amounts to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune.core import registry
from aune.core.door import hands_on_to
from aune.core.errors import UsageError
from aune.core.measure import Column
from aune.core.options import check_known
from aune.core.result import Interval, Result, Scored, plain_value
from aune.core.shapes import can_be_a_path, refused
from aune.core.storage import load
from aune.statistics.intervals import AUTO, check_settings, few_units, jackknife_error, quantiles, tails, unit_drawn
from aune.statistics.paired import TESTS, difference, effect, observed, randomisations
from aune.statistics.ranking import CORRECTIONS, RankRange, benjamini_hochberg, groups, holm, rank_ranges
from aune.statistics.resampling import DIGITS, DRAWS, SEED, Stack, stacked


class Told(NamedTuple):
    """What a test of the task's own says about one value of one measure, for every pair of systems."""

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

    def corrected(self, correction: str) -> float | None:
        """The p-value after a correction for the number of pairs."""
        return self.p_holm if correction == "holm" else self.p_bh


class Order(NamedTuple):
    """The systems under one value of one measure."""

    measure: str
    value: str
    ranks: list[RankRange]
    groups: list[list[str]]
    """Systems that cannot be told apart, in the order of their ranks."""


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
        from aune import comparisons_written  # noqa: PLC0415 - through the front door, for reports are above

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
    told: Told | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
    unit: str = AUTO,
    correction: str = "holm",
) -> Comparisons:
    """Every pair of systems under every value of every measure of a result.

    `told` are the p-values of a test that looks at more than counts (see `aune.explain.tests`), then named by `test`.

    >>> from aune import evaluate
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> found = evaluate("coref", key, {"good": key, "bad": {n: [{1, 2}, {3}] for n in key}}, measures=["muc"])
    >>> compare_systems(found, draws=999).pairs[0]
    Pair(measure='coref.muc', value='recall', a='good', b='bad', difference=0.5, ci=(0.5, 0.5), p=0.001, p_holm=0.001,
         p_bh=0.001, effect=None)
    """
    if told is None:
        check_known([test], TESTS, "test")
    check_known([correction], CORRECTIONS, "correction")
    check_settings(level, draws, seed)
    if len(result.systems) < 2:
        raise UsageError("expected at least two systems to compare")
    unit = unit_drawn(result.scores, unit)
    whole = stacked(result.scores, unit)  # refuses systems that were not scored on the same units
    by_system = {system: stacked([s for s in result if s.system == system], unit) for system in result.systems}
    first = by_system[result.systems[0]]
    units = len(first.units)
    columns: dict[tuple[str, str], Columns] = {}
    if units < 2:
        nothing = np.full(len(first.names), np.nan)
        for a, b in combinations(result.systems, 2):
            columns[a, b] = Columns(observed(by_system[a], by_system[b]), nothing, nothing, nothing, nothing)
    else:
        replicates = _by_system(whole, whole.replicates(draws, seed))
        for (a, b), p in _p_values(by_system, test, told, draws, seed).items():
            one, other = by_system[a], by_system[b]
            low, high = _bounds(one, other, difference(one, replicates[a], replicates[b]), level)
            columns[a, b] = Columns(observed(one, other), low, high, p, effect(one, other))
    settings = {
        "test": test, "level": level, "draws": draws, "seed": seed, "unit": unit, "units": units,
        "correction": correction,
    }  # fmt: skip
    pairs = _pairs(first, columns)
    warnings = [
        *few_units(result.scores[0], units, unit),
        *_refusals(list(by_system.values()), test),
        *_few_draws(len(result.systems), test, draws, level, correction),
    ]
    return Comparisons(result, settings, pairs, _orders(result, pairs, 1 - level, correction), warnings)


@hands_on_to(compare_systems)
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
    if more and isinstance(results, str) and registry.named_task(results):
        raise UsageError("found a task, expected results: write aune.compare(aune.evaluate(task, key, systems))")
    return compare_systems(_joined([results, *more] if more else results), **settings)


def _joined(results: Any) -> Result:
    """One result with the systems of several."""
    if isinstance(results, Result | str | Path):
        return _opened(results)
    named = results if isinstance(results, Mapping) else None
    runs = {str(name): _opened(run) for name, run in (named.items() if named is not None else enumerate(results, 1))}
    if not runs:
        raise UsageError("expected at least two systems to compare")
    first = next(iter(runs.values()))
    scores: list[Scored] = []
    systems: list[str] = []
    for name, run in runs.items():
        _check_same_run(first, run)
        called = {
            system: system if named is None else name if len(run.systems) == 1 else f"{name}/{system}"
            for system in run.systems
        }
        systems += called.values()
        scores += [replace(score, system=called[score.system]) for score in run]
    if twice := next((system for system in systems if systems.count(system) > 1), None):
        raise UsageError(f"two systems are called {twice!r}: give the results by name, as {{'first': …, 'second': …}}")
    common = set.intersection(*({one.name for one in run} for run in runs.values()))
    kept = [score for score in scores if score.name in common]
    if not kept:
        raise UsageError("the results have no measure in common: score them with the same ones")
    inputs = [one for number, run in enumerate(runs.values()) for one in run.inputs if one.role != "key" or not number]
    return Result(first.task, kept, inputs, [warning for run in runs.values() for warning in run.warnings])


def _opened(run: Result | str | Path) -> Result:
    if isinstance(run, Result):
        return run
    if not isinstance(run, str | Path) or not can_be_a_path(str(run)):
        raise refused(run, "a result, or the path of a saved one", "aune.evaluate gives results, aune.save saves them")
    return load(run)


def _check_same_run(first: Result, other: Result) -> None:
    """Refuse results that were not made the same way from the same key."""
    if first.task != other.task:
        raise UsageError(f"found results of {first.task} and of {other.task}, expected results of one task")
    keys = [
        next((one.sha256 for one in run.inputs if one.role == "key" and one.sha256), None) for run in (first, other)
    ]
    if None not in keys and keys[0] != keys[1]:
        raise UsageError("the results are of different keys: score the systems against the same file")
    signatures = {score.name: score.signature for score in first}
    for score in other:
        known = signatures.get(score.name, score.signature)
        if known._replace(version="") != score.signature._replace(version=""):
            raise UsageError(f"found {score.signature} and {known}, expected the same options: score them the same way")


def draws_needed(systems: int, level: float) -> int:
    """The random draws with which Holm's correction can tell the best of so many systems apart.

    >>> draws_needed(2, 0.95), draws_needed(20, 0.95)
    (19, 3799)
    """
    return math.ceil(round(math.comb(systems, 2) / (1 - level), 6)) - 1


def _few_draws(systems: int, test: str, draws: int, level: float, correction: str) -> list[str]:
    """That the smallest p-value which the draws allow is too large once it is corrected."""
    needed = draws_needed(systems, level)
    if test not in ("randomisation", "bootstrap") or correction != "holm" or draws >= needed:
        return []
    return [f"{draws:,} draws cannot tell any of {systems} systems apart after Holm's correction: --draws {needed} can"]


class Columns(NamedTuple):
    """What was found for one pair of systems, an entry per value of the stack."""

    difference: Column
    low: Column
    high: Column
    p: Column
    effect: Column


def _by_system(whole: Stack, columns: Column) -> dict[str, Column]:
    """The columns of each system's values; names are compared by Python, since NumPy drops a NUL at their end."""
    owner = [whole.scores[place].system for place, _ in whole.names]
    return {system: columns[:, [one == system for one in owner]] for system in dict.fromkeys(owner)}


def _p_values(
    by_system: Mapping[str, Stack], test: str, told: Told | None, draws: int, seed: int
) -> dict[tuple[str, str], Column]:
    """The p-values of every pair of systems."""
    names, stacks = list(by_system), list(by_system.values())
    if told is not None:
        return {pair: _about(by_system[pair[0]], told, p) for pair, p in told.p.items()}
    if test == "randomisation":
        return _exchanged(names, stacks, draws, seed)
    found = {}
    for a, b in combinations(names, 2):
        p = TESTS[test](by_system[a], by_system[b], draws, seed)
        found[a, b] = np.where(_testable(by_system[a], test), p, np.nan)
    return found


def _exchanged(names: Sequence[str], stacks: Sequence[Stack], draws: int, seed: int) -> dict[tuple[str, str], Column]:
    """The p-values of exchanging systems, for the measures that count the same things for all of them."""
    same = exchangeable(stacks)
    kept = np.array([place in same for place, _ in stacks[0].names])
    found = {pair: np.full(len(kept), np.nan) for pair in combinations(names, 2)}
    if same:
        for (a, b), p in randomisations([stack.only(same) for stack in stacks], draws, seed).items():
            found[names[a], names[b]][kept] = p
    return found


def exchangeable(stacks: Sequence[Stack]) -> list[int]:
    """The places of the measures whose counts have as many columns for every system.

    Counts by label have not, when systems use labels of their own: then there is nothing to exchange them for.
    """
    widths = [[part.matrix.shape[1] for part in stack.parts] for stack in stacks]
    return [place for place, own in enumerate(zip(*widths, strict=True)) if len(set(own)) == 1]


def _about(stack: Stack, told: Told, p: float) -> Column:
    """The p-value in the place of the value that the test is about; none for others."""
    about = [(stack.scores[place].name, value) == (told.measure, told.value) for place, value in stack.names]
    return np.where(about, p, np.nan)


def _bounds(one: Stack, other: Stack, replicates: Column, level: float) -> Column:
    """The interval of the difference: percentiles, and jackknife where resampling would bias the measure."""
    bounds = quantiles(replicates, tails(level))
    biased = ~_resampled(one)
    if biased.any():
        from scipy import special  # noqa: PLC0415

        error = jackknife_error(difference(one, one.left_out, other.left_out))
        around = observed(one, other) + special.stdtrit(len(one.units) - 1, tails(level))[:, None] * error
        bounds = np.where(biased, around, bounds)
    return bounds


def _resampled(stack: Stack) -> Column:
    return np.array([stack.scores[place].measure.bootstrap for place, _ in stack.names])


def _testable(stack: Stack, test: str) -> Column:
    """Which values the test applies to: a bootstrap test not to those that resampling would bias."""
    return _resampled(stack) | (test != "bootstrap")


def _refusals(stacks: Sequence[Stack], test: str) -> list[str]:
    """Why a measure has no p-value."""
    scores = stacks[0].scores
    if test == "bootstrap":
        why = "no p-value from the bootstrap, which would be biased: use --test randomisation"
        return [f"{score.name}: {why}" for score in scores if not score.measure.bootstrap]
    same = exchangeable(stacks)
    if test == "randomisation" and len(same) < len(scores):
        why = "counts by label, and the systems have other labels, so they cannot be exchanged: use --test bootstrap"
        return [f"{score.name}: {why}" for place, score in enumerate(scores) if place not in same]
    return []


def _pairs(stack: Stack, found: Mapping[tuple[str, str], Columns]) -> list[Pair]:
    """A record per value and pair, with p corrected over the pairs of each value."""
    columns = np.array([one.p for one in found.values()]).T
    by_holm, by_bh = (np.array([correct(column) for column in columns]) for correct in (holm, benjamini_hochberg))
    pairs = []
    for place, (score, value) in enumerate(stack.names):
        for number, ((a, b), one) in enumerate(found.items()):
            low, high = rounded(one.low[place]), rounded(one.high[place])
            pairs.append(
                Pair(
                    stack.scores[score].name, value, a, b,
                    rounded(one.difference[place]),
                    None if low is None or high is None else (low, high),
                    plain_value(one.p[place]), plain_value(by_holm[place, number]),
                    plain_value(by_bh[place, number]),
                    rounded(one.effect[place]),
                )
            )  # fmt: skip
    return pairs


def rounded(value: Any) -> float | None:
    """A number to show: without the digits that depend on the order of additions, None where undefined."""
    return plain_value(np.round(value, DIGITS))


def _orders(result: Result, pairs: Sequence[Pair], alpha: float, correction: str) -> list[Order]:
    orders = []
    for measure in result.measures:
        for value in measure.values:
            own = [pair for pair in pairs if (pair.measure, pair.value) == (measure.name, value)]
            known = {frozenset((one.a, one.b)): one.corrected(correction) for one in own}
            apart = {pair for pair, p in known.items() if p is not None and p <= alpha}
            values = {score.system: score.values[value] for score in result if score.name == measure.name}
            defined = {
                system: float(measure.goodness(np.array(number), value))
                for system, number in values.items()
                if number is not None
            }
            ranks = rank_ranges(list(defined), list(defined.values()), apart)
            together = groups([rank.system for rank in ranks], apart) if ranks else []
            orders.append(Order(measure.name, value, ranks, together))
    return orders
