"""Gates: minimum scores for automatic checks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Measure
from aune.errors import UsageError
from aune.results.result import Result


class Gate(NamedTuple):
    """`measure.value=threshold`; without a value, the measure's main one."""

    text: str
    threshold: float
    is_percentage: bool = False
    """Whether the threshold was written with a %."""
    option: str = "--fail-under "
    """The option with which the user gave it; empty for the pytest plugin."""


def parse_gate(text: str, option: str = Gate._field_defaults["option"]) -> Gate:
    """The gate in `conll.f1=0.7`; a threshold may be a percentage, `70%`."""
    name, equals, number = text.rpartition("=")
    try:
        threshold = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        threshold = math.nan
    if not equals or not math.isfinite(threshold):
        raise UsageError(f"{option}{text}: expected MEASURE.VALUE=NUMBER, such as conll.f1=0.7")
    return Gate(name, threshold, number.endswith("%"), option)


class Margin(NamedTuple):
    """How much worse a system may be, or how far away: a share such as 0.005, or a percentage such as 0.5%."""

    text: str
    size: float
    is_percentage: bool
    option: str

    def check(self, measure: Measure, value: str) -> None:
        """Refuse a number that looks like a value × 100 without its %."""
        if measure.percent and not self.is_percentage and self.size >= 1:
            raise UsageError(
                f"{self.option} {self.text}: {measure.short}.{value} is shown × 100, so this is {100 * self.size:g} %: "
                f"write {self.size / 100:g}, or {self.size:g}%"
            )


def parse_margin(text: str | float, option: str) -> Margin:
    """The margin in `0.5%` or `0.005`; it must be larger than 0.

    >>> parse_margin("0.5%", "--fail-if-worse").size
    0.005
    """
    written = str(text)
    try:
        size = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    except ValueError:
        size = math.nan
    if not math.isfinite(size) or size <= 0:
        raise UsageError(f"{option} {written}: expected a number above 0, such as 0.005 or 0.5%")
    return Margin(written, size, written.endswith("%"), option)


def gate_failures(result: Result, gate: Gate) -> list[str]:
    """The failures: a line per system that is worse than the threshold, in the direction of the measure."""
    lines = []
    is_known = False
    for scored in result:
        short = scored.measure.short
        measure_names = {short, scored.name, *scored.measure.aliases}
        for value, number in scored.values.items():
            names = {f"{name}.{value}" for name in measure_names} | (
                measure_names if value == scored.measure.headline else set()
            )
            if gate.text not in names:
                continue
            is_known = True
            _check_threshold(gate, scored.measure, value)
            if number is None or is_worse(scored.measure, value, number, gate.threshold):
                shown = "undefined" if number is None else f"{number:.6g}"
                lines.append(f"{scored.system}: {short}.{value} is {shown}, worse than {gate.threshold:g}")
    if not is_known:
        known = ", ".join(f"{measure.short}.{measure.headline}" for measure in result.measures)
        raise UsageError(
            f"{gate.option}{gate.text}: not among the values scored ({known})"
            + (": add its measure with -m" if gate.option else ": name it in measures=")
        )
    return lines


def _check_threshold(gate: Gate, measure: Measure, value: str) -> None:
    """Refuse thresholds that the value can never have, and those that look like a value × 100 without its %."""
    within = measure.range_of(value)
    name, typed = f"{measure.short}.{value}", f"{gate.option}{gate.text}={gate.threshold:g}"
    share = f"write {gate.threshold / 100:g}, or {gate.threshold:g}%"
    if gate.threshold not in within:
        hint = f": {share}" if not gate.is_percentage and gate.threshold / 100 in within else ""
        raise UsageError(f"{typed}: {name} lies in {within}{hint}")
    if measure.percent and not gate.is_percentage and abs(gate.threshold) > 1:
        raise UsageError(
            f"{typed}: {name} is shown × 100, so this is {100 * gate.threshold:g} %: {share}, "
            f"or {100 * gate.threshold:g}% if that is meant"
        )


def is_worse(measure: Measure, value: str, number: float, threshold: float) -> bool:
    """Whether a number misses a threshold in the direction in which this value is better."""
    good, least = measure.goodness(np.array([number, threshold]), value)
    return bool(good < least)
