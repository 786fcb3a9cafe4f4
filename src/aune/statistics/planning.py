"""How many documents are needed, and which difference could have been detected: `aune plan`.

The input is the counts of one or two systems on any key: a finished test set, the rows of an earlier one, or a pilot
of ten documents. With two systems the spread is that of their difference; with one, that of its difference to an
equally good system whose values correlate with its own by `correlation` (by default 0, the most cautious).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aune.errors import UsageError
from aune.reading.argument_checks import forwards_options_to
from aune.results.gates import parse_margin
from aune.results.result import Result
from aune.statistics.comparison import chosen_values, round_value
from aune.statistics.contrasts import Contrast, contrast_pairs, contrast_with_unknown, systems_with_runs
from aune.statistics.intervals import check_settings
from aune.statistics.power import POWER, Precision, text_factors
from aune.statistics.result_joining import join_results
from aune.statistics.sampling_units import AUTO, ENOUGH_UNITS, sampling_unit

SERIES = (1, 2, 5)
"""The sizes of a curve: these numbers, times powers of ten."""
MOST_SIZES = 12
LARGEST_SIZE = 10**7


class Requirement(NamedTuple):
    """What test sets can show, for one value of one measure on a pair of systems, according to the units."""

    measure: str
    value: str
    a: str
    b: str
    """'' for a system that does not exist yet."""
    units: int
    observed: float | None
    spread: float | None
    """The standard deviation of a unit's contribution to the difference; None if the units do not vary."""
    detectable: float | None
    """The smallest difference that this number of units shows with the requested power; None if they show none."""
    difference: float | None
    """The difference to be shown: the given one, or the observed one."""
    needed: int | None
    """The number of units that shows it; None if only more runs would."""
    needed_low: int | None
    """The same if the spread is as small as the units allow."""
    needed_high: int | None
    """The same if the spread is as large as the units allow."""


class CurvePoint(NamedTuple):
    """The smallest difference that a number of units shows."""

    measure: str
    value: str
    a: str
    b: str
    units: int
    detectable: float


@dataclass(frozen=True, repr=False)
class SamplePlan:
    """The required test sets, for every value of every measure of a result and every pair of its systems."""

    result: Result
    settings: Mapping[str, Any]
    requirements: list[Requirement]
    curve: list[CurvePoint]
    warnings: list[str]
    chosen: Sequence[tuple[str, str]] = ()
    """The values that tables show: each a measure and the name of a value."""

    def to(self, format: str, digits: int = 2) -> str:
        """The plan as text: table, json, jsonl, csv, tsv, markdown, latex or html."""
        from aune import analysis_written  # noqa: PLC0415 - through the public function: reports are a higher layer

        return analysis_written(self, format, digits)

    def __str__(self) -> str:
        return self.to("table").rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to("html")


def plan_sample(
    result: Result,
    *,
    difference: str | float | None = None,
    power: float = POWER,
    level: float = 0.95,
    unit: str = AUTO,
    correlation: float = 0.0,
    sizes: Sequence[int] = (),
    values: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> SamplePlan:
    """What test sets like that of a result can show: the smallest difference, and the number of units for a given one.

    `difference` is a share such as 0.02, or a percentage such as "2%"; by default the observed one. `power` is the
    probability of showing it with a two-sided test at 1 − `level`. `correlation` is that of an unknown second system.

    >>> from aune import evaluate
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> responses = {"A": key, "B": {n: [{1, 2}, {3}] if n < "2" else key[n] for n in key}}
    >>> plan = plan_sample(evaluate("coref", key, responses, measures=["muc"]), difference="10%")
    >>> plan.requirements[0].needed
    54
    """
    check_settings(level, 1, 0)
    margin = None if difference is None else parse_margin(difference, "difference")
    if not 0 < power < 1 or not -1 < correlation < 1:
        raise UsageError(f"power {power:g}, correlation {correlation:g}: expected a power between 0 and 1 and a "
                         "correlation between −1 and 1")  # fmt: skip
    sampled = sampling_unit(result, unit)
    systems = systems_with_runs(result, sampled.name)
    if correlation and len(systems) > 1:
        raise UsageError("the correlation is that of two systems, which is observed: it acts with one system alone")
    units = len(systems[0].first.units)
    if units < 2:
        raise UsageError(f"one {sampled.name} only: nothing shows how much {sampled.name}s vary: expected at least two")
    pairs = contrast_pairs(systems) or {(systems[0].name, ""): contrast_with_unknown(systems[0], correlation)}
    names = [(systems[0].first.scores[place], value) for place, value in systems[0].first.names]
    if margin is not None:
        for score, value in names:
            margin.check(score.measure, value)
    target = None if margin is None else margin.size
    requirements, curve = [], []
    for pair, contrast in pairs.items():
        for place, (score, value) in enumerate(names):
            rows = _Planner(contrast, place, power, level)
            requirements.append(rows.requirement((score.name, value, *pair), target))
            curve += rows.curve((score.name, value, *pair), requirements[-1], sizes)
    settings = {"power": power, "level": level, "unit": sampled.name, "units": units} | (
        {"correlation": correlation} if len(systems) == 1 else {}
    )
    chosen = chosen_values(result, values)
    warnings = [*sampled.warnings(result.scores[0], units), *_no_spread_warnings(requirements, chosen, sampled.name)]
    settings |= sampled.marks(units)
    return SamplePlan(result, settings, requirements, curve, warnings, chosen)


@forwards_options_to(plan_sample)
def plan(
    results: Result | str | Path | Sequence[Result | str | Path] | Mapping[str, Any],
    /,
    *more: Result | str | Path,
    **settings: Any,
) -> SamplePlan:
    """Plan a test set: documents needed and detectable differences, from results or saved results.

    Settings are those of `aune plan`: `difference`, `power`, `level`, `unit`, `correlation` and `sizes`.
    """
    return plan_sample(join_results([results, *more] if more else results), **settings)


class _Planner:
    """The plan of one value of a pair of systems."""

    def __init__(self, contrast: Contrast, place: int, power: float, level: float) -> None:
        self.contrast, self.place = contrast, place
        self.power, self.level, self.tail = power, level, (1 - level) / 2
        self.precision = Precision(contrast, place)

    def requirement(self, about: tuple[str, str, str, str], target: float | None) -> Requirement:
        units = self.contrast.units
        observed = round_value(self.contrast.spread.observed[self.place]) if about[3] else None
        wanted = target if target is not None else abs(observed) if observed else None
        if not self.precision.varies:
            return Requirement(*about, units, observed, None, None, wanted, None, None, None)
        factors = text_factors(self.precision.observed_freedom, self.level)
        needed = [
            Precision(self.contrast, self.place, factor).units_needed(wanted or 0.0, self.tail, self.power)
            for factor in (1.0, *factors)
        ]
        spread = round_value(self.precision.texts**0.5)
        detectable = self.detectable(units)
        return Requirement(*about, units, observed, spread, detectable, wanted, *needed)

    def detectable(self, units: int) -> float | None:
        """The smallest difference that this many units show; None if they show no possible difference."""
        if units < ENOUGH_UNITS:
            return None
        size = self.precision.detectable(units, self.tail, self.power)
        most = float(self.contrast.spread.width[self.place])
        return None if size > most else round_value(size)

    def curve(
        self, about: tuple[str, str, str, str], requirement: Requirement, sizes: Sequence[int]
    ) -> list[CurvePoint]:
        if not self.precision.varies:
            return []
        chosen = sorted({*sizes}) or usual_sizes(requirement.units, requirement.needed)
        points = ((size, self.detectable(size)) for size in chosen)
        return [CurvePoint(*about, size, least) for size, least in points if least is not None]


def usual_sizes(units: int, needed: int | None) -> list[int]:
    """Sizes for a curve: from few units to more than exist, and more than are needed.

    >>> usual_sizes(13, 120)
    [5, 10, 13, 20, 50, 100, 120, 200]
    """
    wanted = needed if needed is not None and needed <= LARGEST_SIZE else units
    least, most = ENOUGH_UNITS, 4 * max(units, wanted)
    series = [digit * 10**zeros for zeros in range(12) for digit in SERIES]
    sizes = [size for size in series if least <= size <= most]
    return sorted({*sizes[-MOST_SIZES:], units, wanted})


def _no_spread_warnings(requirements: Sequence[Requirement], chosen: Sequence[tuple[str, str]], unit: str) -> list[str]:
    return [
        f"{entry.measure}.{entry.value}: {_pair_text(entry)} on none of the {entry.units:,} {unit}s: there is no "
        "spread to plan from"
        for entry in requirements
        if entry.spread is None and (entry.measure, entry.value) in chosen
    ]


def _pair_text(entry: Requirement) -> str:
    return f"{entry.a} and {entry.b} differ" if entry.b else f"{entry.a} varies"
