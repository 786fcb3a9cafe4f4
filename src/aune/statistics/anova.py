"""Analysis of variance: whether the differences of systems exceed those due to chance and texts.

A table of scores, systems × texts, is split into what systems explain, what texts explain, and the rest:

    SS_systems = texts · Σ (mean of a system − mean)²     F = (SS_systems / (s − 1)) / (SS_residual / ((s − 1)(t − 1)))

Source: the two-way layout without replication; Adda et al. 1999, §4, propose it for P_min, P_mean and P_max.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.contract.options import check_known
from aune.errors import UsageError

if TYPE_CHECKING:
    from aune.results.result import Result


class AnovaRow(NamedTuple):
    """A line of an analysis of variance."""

    squares: float
    freedom: int
    f: float | None = None
    p: float | None = None


class Anova(NamedTuple):
    """The sources of the variance of a value: the systems, the texts, and the rest."""

    systems: AnovaRow
    texts: AnovaRow
    residual: AnovaRow


def anova(result: Result, value: str, *, measure: str, by: str = "document") -> Anova:
    """The two-way analysis of variance of a value over systems and texts.

    >>> from aune import evaluate
    >>> key = {"a": [("x", "N"), ("y", "V")], "b": [("x", "N"), ("z", "V"), ("t", "N")]}
    >>> other = {"a": [("x", "N"), ("y", "N")], "b": [("x", "N"), ("z", "V"), ("t", "V")]}
    >>> result = evaluate("tagging", key, {"one": key, "two": other}, measures=["precision_decision"])
    >>> table = anova(result, "p_mean", measure="precision_decision")
    >>> table.systems.freedom, table.systems.squares.__round__(4)
    (1, 0.1736)
    """
    check_known([value], result[result.systems[0], measure].values, f"value of {measure}")
    scores = _by_text(result, measure, by)
    excluded = set(incomplete_texts(result, value, measure=measure, by=by))
    texts = [name for name in scores[0] if name not in excluded]
    if len(scores) < 2 or len(texts) < 2:
        raise UsageError(
            "an analysis of variance needs two systems and two texts with a value for each: "
            f"found {len(scores)} and {len(texts)} (by {by}; --by sentence makes every sentence a text)"
        )
    return two_way(np.array([[system_scores[text][value] for text in texts] for system_scores in scores], float))


def incomplete_texts(result: Result, value: str, *, measure: str, by: str = "document") -> list[str]:
    """The texts for which some system has no value; the analysis leaves them out."""
    scores = _by_text(result, measure, by)
    names = dict.fromkeys(name for system_scores in scores for name in system_scores)
    return [name for name in names if any(system_scores.get(name, {}).get(value) is None for system_scores in scores)]


def _by_text(result: Result, measure: str, by: str) -> list[dict[str, dict[str, float | None]]]:
    return [result[system, measure].by(by) for system in result.systems]


def two_way(table: Column) -> Anova:
    """The analysis of a table of systems × texts without replication."""
    from scipy.stats import f as f_distribution  # noqa: PLC0415

    systems, texts = table.shape
    of_systems, of_texts = (np.array([_mean(line) for line in lines]) for lines in (table, table.T))
    grand = _mean(table)
    between_systems = texts * _sum((of_systems - grand) ** 2)
    between_texts = systems * _sum((of_texts - grand) ** 2)
    residuals = table - of_systems[:, None] - of_texts + grand
    residual_squares, freedom = _sum(residuals**2), (systems - 1) * (texts - 1)
    residual_squares = 0.0 if residual_squares < 1e-24 else residual_squares  # the rounding error of an exact fit

    def line(squares: float, degrees: int) -> AnovaRow:
        if residual_squares == 0:
            return AnovaRow(squares, degrees)
        f = squares / degrees / (residual_squares / freedom)
        return AnovaRow(squares, degrees, f, float(f_distribution.sf(f, degrees, freedom)))

    return Anova(
        line(between_systems, systems - 1), line(between_texts, texts - 1), AnovaRow(residual_squares, freedom)
    )


def _sum(numbers: Column) -> float:
    """The sum of all numbers, independent of their order."""
    return math.fsum(numbers.ravel().tolist())


def _mean(numbers: Column) -> float:
    return _sum(numbers) / numbers.size
