"""Measures made of other measures: averages over groups of units, means of several measures, and differences from 1."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from aune.contract.measure import ZERO_TO_ONE, Column, Counts, Measure, Score
from aune.contract.options import Option, Range, options_of
from aune.errors import UsageError


def macro(measure: Measure, by: str, module: str = "") -> Measure:
    """The average of a measure over the groups of an attribute: each group is scored separately, with equal weight.

    `home` is the module of such an average that has a name.
    """
    label = f"macro({measure.label},by={by})" if measure.label and not module else ""
    return replace(measure, by=by, label=label, module=module, aliases=())


def error(measure: Measure) -> Measure:
    """1 minus each value of a measure, as papers print recall errors and precision errors."""
    if any(measure.better_of(value) != "higher" or measure.range_of(value) != ZERO_TO_ONE for value in measure.values):
        raise UsageError(
            f"error({measure.short}): expected a measure whose values lie between 0 and 1, higher is better"
        )
    kind = errors_type(measure.values)

    def score(counts: Counts, **options: Any) -> Any:
        return kind(*(1.0 - value for value in measure.score(counts, **options)))

    _declare_options(score, [measure.score])
    score.__annotations__["return"] = kind
    reasons = {f"{value}_error": why for value, why in measure.undefined.items()}
    return replace(
        measure,
        score=score,
        better="lower",
        perfect=0.0,
        main=f"{measure.headline}_error",
        details=None,
        undefined=reasons,
        label=f"error({measure.name})",
    )


@cache
def errors_type(values: tuple[str, ...]) -> Callable[..., Score]:
    """The values of a measure's errors."""
    return namedtuple("Errors", [f"{value}_error" for value in values], module=__name__)


class Mean(NamedTuple):
    """The single value of a mean of measures."""

    mean: Column


def mean(parts: Sequence[tuple[Measure, str]]) -> Measure:
    """The arithmetic mean of one value from each of several measures, computed on the totals of each.

    Every part is counted separately and has its own options, so the mean of totals is computed, not a mean of
    per-document means. A part that is undefined makes the mean undefined.
    """
    if not parts:
        raise UsageError("expected mean(MEASURE.VALUE, …), such as mean(muc.f1, b_cubed.f1)")
    if len({(part.better_of(value), part.task) for part, value in parts}) > 1:
        raise UsageError("a mean needs measures of one task for which the same direction is better")
    if any(part.by for part, _ in parts):
        raise UsageError("a macro average inside a mean is not defined: take macro(…) of each measure apart")
    kind = counts_type(len(parts))
    first, first_value = parts[0]

    def count(comparison: Any, **options: Any) -> Counts:
        return kind(*(part.count_comparison(comparison, _options_for(part, options)) for part, _ in parts))

    def score(counts: Counts, **options: Any) -> Mean:
        values = [
            part.name_values(part.score_counts(part_counts, _options_for(part, options)))[value]
            for (part, value), part_counts in zip(parts, counts, strict=True)
        ]
        return Mean(sum(values[1:], start=values[0]) / len(values))

    _declare_options(count, [part.count for part, _ in parts])
    _declare_options(score, [part.score for part, _ in parts])
    count.__annotations__["return"] = kind
    count.__module__ = first.count.__module__  # so that the mean belongs to the task of its parts
    label = "mean(" + ",".join(f"{part.name}.{value}" for part, value in parts) + ")"
    perfect = sum(part.perfect_of(value) for part, value in parts) / len(parts)
    ranges = [part.range_of(value) for part, value in parts]
    value_range = Range(*(sum(ends) / len(ends) for ends in zip(*ranges, strict=True)))
    better, made_of = first.better_of(first_value), tuple(part for part, _ in parts)
    return Measure(count, score, better=better, perfect=perfect, range=value_range, parts=made_of, label=label)


@cache
def counts_type(parts: int) -> Callable[..., Counts]:
    """The counts of a mean of this many measures."""
    return namedtuple(f"Parts{parts}", [f"part_{index}" for index in range(parts)], module=__name__)


def __getattr__(name: str) -> Any:
    """The counts of means, found by name when they are unpickled."""
    if name.startswith("Parts") and name.removeprefix("Parts").isdecimal():
        return counts_type(int(name.removeprefix("Parts")))
    raise AttributeError(name)


def _options_for(part: Measure, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a part takes, without those whose values it does not accept: it then uses its defaults."""
    known = part.options
    return {name: value for name, value in options.items() if name in known and known[name].accepts(value)}


def _declare_options(function: Callable[..., Any], parts: Sequence[Callable[..., Any]]) -> None:
    """Give a function the keyword-only options of its parts, for code that reads signatures."""
    options: dict[str, Option] = {}
    for part in parts:
        for name, option in options_of(part).items():
            if name not in options or len(option.choices) > len(options[name].choices):
                options[name] = option
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
        for name, option in options.items()
    ]
    first = inspect.Parameter("given", inspect.Parameter.POSITIONAL_ONLY)
    function.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    function.option_types = {name: option.type for name, option in options.items()}  # type: ignore[attr-defined]
