"""Gates: the least that a score must reach, for automatic checks."""

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


def parse_gate(text: str) -> Gate:
    """The gate in `conll.f1=0.7`; a threshold may be a percentage, `70%`."""
    name, equals, number = text.rpartition("=")
    try:
        threshold = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        threshold = math.nan
    if not equals or not math.isfinite(threshold):
        raise UsageError(f"--fail-under {text}: expected MEASURE.VALUE=NUMBER, such as conll.f1=0.7")
    return Gate(name, threshold)


def gate_failures(result: Result, gate: Gate) -> list[str]:
    """What does not pass: a line per system that is worse than the threshold, in the measure's own direction."""
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
            within = scored.measure.range_of(value)
            if gate.threshold not in within:
                share = (
                    f": write {gate.threshold / 100:g}, or {gate.threshold:g}%"
                    if gate.threshold / 100 in within
                    else ""
                )
                raise UsageError(
                    f"--fail-under {gate.text}={gate.threshold:g}: {short}.{value} lies in {within}{share}"
                )
            if number is None or is_worse(scored.measure, value, number, gate.threshold):
                shown = "undefined" if number is None else f"{number:.6g}"
                lines.append(f"{scored.system}: {short}.{value} is {shown}, worse than {gate.threshold:g}")
    if not is_known:
        known = ", ".join(f"{measure.short}.{measure.headline}" for measure in result.measures)
        raise UsageError(f"--fail-under {gate.text}: not among the values scored ({known}): add its measure with -m")
    return lines


def is_worse(measure: Measure, value: str, number: float, threshold: float) -> bool:
    """Whether a number misses a threshold in the direction in which this value is better."""
    good, least = measure.goodness(np.array([number, threshold]), value)
    return bool(good < least)
