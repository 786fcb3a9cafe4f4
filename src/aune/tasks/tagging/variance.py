"""How sure precision and decision are: the non-parametric delta method, and an analysis of variance.

A value such as P = Σ aⱼ / Σ bⱼ is a ratio of sums over cases. Its empirical influence values and variance are

    lⱼ = n (aⱼ − P·bⱼ) / Σ b            v = Σ lⱼ² / n²

which needs no resampling. Cases can be words, or sentences or documents when their words are not independent.

Source: Davison and Hinkley 1997, §2.7.2 (equation 2.36), as GRACE used it (Adda et al. 1999, §5); the analysis of
variance over systems and texts is the two-way layout without replication.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aune.errors import UsageError
from aune.measure import Column, ratio

if TYPE_CHECKING:
    from aune.result import Result, Scored

# Each value as a ratio of two sums of the seven quantities: cases, noneval, ok, err, sil_ok, sil_err, silok_mean.
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
    """The variance of Σ part / Σ whole; NaN where the ratio is undefined.

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
    """The standard error of each of the five values; None where the value is undefined."""
    found = variances(quantities)
    return {name: None if np.isnan(value) else float(np.sqrt(value)) for name, value in found.items()}


class Estimate(NamedTuple):
    """A value with its standard error and the interval that goes with it."""

    value: float
    error: float
    low: float
    high: float


def estimates(scored: Scored, unit: str = "sentence", level: float = 0.95) -> dict[str, Estimate]:
    """Each value of a `precision_decision` with its delta-method interval, sampling whole units.

    >>> from aune import score
    >>> words = [("le", "D"), ("chat", "N"), ("dort", "V"), ("ici", "R")]
    >>> found = score("tagging", words, [*words[:3], ("ici", "N")], measures=["precision_decision"])
    >>> estimates(found["precision_decision"], "tag")["precision"].error.__round__(4)
    0.2165
    """
    from scipy.stats import norm  # noqa: PLC0415 - a third of a second that scoring does not need

    if tuple(scored.rows.layout.names) != ("cases", "noneval", "ok", "err", "sil_ok", "sil_err", "silok_mean"):
        raise UsageError(f"{scored.name}: expected the measure precision_decision")
    errors = variances(scored.pile(unit).matrix)
    reach = float(norm.ppf((1 + level) / 2))
    found = {}
    for name, value in scored.values.items():
        if value is not None:
            error = float(np.sqrt(errors[name]))
            found[name] = Estimate(value, error, max(0.0, value - reach * error), min(1.0, value + reach * error))
    return found


class Source(NamedTuple):
    """A line of an analysis of variance."""

    squares: float
    freedom: int
    f: float | None = None
    p: float | None = None


class Anova(NamedTuple):
    """Where the variance of a value comes from: the systems, the texts, and the rest."""

    systems: Source
    texts: Source
    residual: Source


def anova(result: Result, value: str = "p_mean", *, measure: str = "precision_decision", by: str = "document") -> Anova:
    """The two-way analysis of variance of a value over systems and texts.

    >>> from aune import evaluate
    >>> key = {"a": [("x", "N"), ("y", "V")], "b": [("x", "N"), ("z", "V"), ("t", "N")]}
    >>> other = {"a": [("x", "N"), ("y", "N")], "b": [("x", "N"), ("z", "V"), ("t", "V")]}
    >>> found = anova(evaluate("tagging", key, {"one": key, "two": other}, measures=["precision_decision"]))
    >>> found.systems.freedom, found.systems.squares.__round__(4)
    (1, 0.1736)
    """
    scores = [result[system, measure].by(by) for system in result.systems]
    texts = [name for name in scores[0] if all(one.get(name, {}).get(value) is not None for one in scores)]
    if len(scores) < 2 or len(texts) < 2:
        raise UsageError("an analysis of variance needs two systems and two texts with a value for each")
    return two_way(np.array([[one[text][value] for text in texts] for one in scores], float))


def two_way(table: Column) -> Anova:
    """The analysis of a table of systems × texts without replication."""
    from scipy.stats import f as f_distribution  # noqa: PLC0415

    systems, texts = table.shape
    grand = table.mean()
    between_systems = texts * float(((table.mean(axis=1) - grand) ** 2).sum())
    between_texts = systems * float(((table.mean(axis=0) - grand) ** 2).sum())
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + grand
    left, freedom = float((rest**2).sum()), (systems - 1) * (texts - 1)
    left = 0.0 if left < 1e-24 else left  # what rounding leaves of an exact fit

    def line(squares: float, own: int) -> Source:
        if left == 0:
            return Source(squares, own)
        f = squares / own / (left / freedom)
        return Source(squares, own, f, float(f_distribution.sf(f, own, freedom)))

    return Anova(line(between_systems, systems - 1), line(between_texts, texts - 1), Source(left, freedom))
