"""The variance of precision and decision without resampling: the non-parametric delta method.

A value such as P = Σ aⱼ / Σ bⱼ is a ratio of sums over cases. Its empirical influence values and variance are

    lⱼ = n (aⱼ − P·bⱼ) / Σ b            v = Σ lⱼ² / n²

which needs no resampling. Cases can be words, or sentences or documents if their words are not independent.

Source: Davison and Hinkley 1997, §2.7.2 (equation 2.36), as GRACE used it (Adda et al. 1999, §5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aune.contract.measure import Column, ratio
from aune.errors import UsageError

if TYPE_CHECKING:
    from aune.results.result import SystemScore

# Each value is a ratio of two sums of the seven quantities: cases, noneval, ok, err, sil_ok, sil_err, silok_mean.
EVALUATED = (1, -1, 0, 0, 0, 0, 0)
RATIOS: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "precision": ((0, 0, 1, 0, 0, 0, 0), (0, 0, 1, 1, 0, 0, 0)),
    "decision": ((0, 0, 1, 1, 0, 0, 0), EVALUATED),
    "p_min": ((0, 0, 1, 0, 1, 0, 0), EVALUATED),
    "p_mean": ((0, 0, 1, 0, 0, 0, 1), EVALUATED),
    "p_max": ((1, -1, 0, -1, 0, -1, 0), EVALUATED),
}


def influence(part: Column, whole: Column) -> Column:
    """The empirical influence values of Σ part / Σ whole."""
    total = whole.sum()
    return len(part) * ratio(part - ratio(part.sum(), total) * whole, total)


def variance(part: Column, whole: Column) -> float:
    """The variance of Σ part / Σ whole; NaN if the ratio is undefined.

    For a share of n independent cases it is p (1 − p) / n:

    >>> variance(np.array([1.0, 1, 1, 0]), np.ones(4))
    0.046875
    """
    return float((influence(part, whole) ** 2).sum() / max(len(part), 1) ** 2)


def variances(quantities: Column) -> dict[str, float]:
    """The variance of each of the five values, from the seven quantities of every case (one row each)."""
    return {
        name: variance(quantities @ np.array(part, float), quantities @ np.array(whole, float))
        for name, (part, whole) in RATIOS.items()
    }


def standard_errors(quantities: Column) -> dict[str, float | None]:
    """The standard error of each of the five values; None if the value is undefined."""
    by_name = variances(quantities)
    return {name: None if np.isnan(value) else float(np.sqrt(value)) for name, value in by_name.items()}


class Estimate(NamedTuple):
    """A value with its standard error and its interval."""

    value: float
    error: float
    low: float
    high: float


def estimates(scored: SystemScore, unit: str = "sentence", level: float = 0.95) -> dict[str, Estimate]:
    """Each value of a `precision_decision` with its delta-method interval, sampling whole units.

    >>> from aune import score
    >>> words = [("le", "D"), ("chat", "N"), ("dort", "V"), ("ici", "R")]
    >>> found = score("tagging", words, [*words[:3], ("ici", "N")], measures=["precision_decision"])
    >>> estimates(found["precision_decision"], "tag")["precision"].error.__round__(4)
    0.2165
    """
    from scipy.stats import norm  # noqa: PLC0415 - takes a third of a second, and scoring does not need it

    if tuple(scored.rows.layout.names) != ("cases", "noneval", "ok", "err", "sil_ok", "sil_err", "silok_mean"):
        raise UsageError(f"{scored.name}: expected the measure precision_decision")
    errors = variances(scored.sum_by_unit(unit).matrix)
    reach = float(norm.ppf((1 + level) / 2))
    intervals = {}
    for name, value in scored.values.items():
        if value is not None and name in errors:
            error = float(np.sqrt(errors[name]))
            intervals[name] = Estimate(value, error, max(0.0, value - reach * error), min(1.0, value + reach * error))
    return intervals
