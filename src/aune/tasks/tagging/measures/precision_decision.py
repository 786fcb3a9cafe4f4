"""Precision and decision: how right a tagger is where it decides, and how often it decides.

A tagger gives each word one tag (right: OK, wrong: ERR) or a list of tags, a silence (SIL): all right, all wrong, or
mixed. Words that cannot be evaluated (not there, not realigned, no tag, no tag that the table knows) are NONEVAL:

    precision = OK / (OK + ERR)                decision = (OK + ERR) / (OK + ERR + SIL)
    p_min  = (OK + SIL_ok) / E                 p_max = (OK + SIL − SIL_err) / E           E = OK + ERR + SIL
    p_mean = (OK + SILOK_mean) / E
    noneval = NONEVAL / nbCas                  overall = (OK + SILOK_mean) / nbCas        nbCas = NONEVAL + E

`overall` ranks systems, for silence and omissions cannot raise it: what is left open is worth what a random choice
would get, what is not there nothing. `p_min`, `p_mean` and `p_max` are the precision if every silence were settled: at
worst, by a random choice among its alternatives, at best. SILOK_mean adds up the share of right tags in each silence.

Source: Adda et al. 1999, §3; `overall` is ours. The details hold the derived quantities, the four points of the
decision plane and the delta-method variances.
Edges: undefined when nothing was decided (precision) or nothing evaluated. Precision may lie outside [p_min, p_max]. A
word without a tag in the key, or without the feature that is compared, is no case.

>>> MEASURE([("le", "D"), ("chat", "N"), ("dort", "V")], [("le", "D|P"), ("chat", "N"), ("dort", "N")])
tagging.precision_decision(precision=0.5000, decision=0.6667, p_min=0.3333, p_mean=0.5000, p_max=0.6667,
    noneval=0.0000, overall=0.5000)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Cases, Comparison
from aune.tasks.tagging.grace.quantities import Quantities, points
from aune.tasks.tagging.grace.variance import standard_errors

MAX_FORMS = 50  # forms that were not evaluated, the most frequent ones


class Counts(NamedTuple):
    """The seven quantities, by unit."""

    cases: Column
    noneval: Column
    ok: Column
    err: Column
    sil_ok: Column
    sil_err: Column
    silok_mean: Column


class Score(NamedTuple):
    """Precision, decision, the precision of settled silences, and what all cases count for."""

    precision: Column
    decision: Column
    p_min: Column
    p_mean: Column
    p_max: Column
    noneval: Column
    overall: Column


def count(comparison: Comparison) -> Counts:
    cases = comparison.cases
    return Counts(*(comparison.per_unit(cases.unit, column) for column in contributions(cases)))


def contributions(cases: Cases) -> tuple[Column, ...]:
    """What each case adds to the seven quantities."""
    several = cases.alternatives > 1
    kinds = (
        cases.expected,
        cases.is_unevaluated,
        cases.strict & (cases.correct == 1),
        cases.strict & (cases.correct == 0),
        several & (cases.correct == cases.alternatives),
        several & (cases.correct == 0),
        np.where(several, cases.share, 0.0),
    )
    return tuple(cases.weight * kind for kind in kinds)


def score(counts: Counts) -> Score:
    evaluated = counts.cases - counts.noneval
    strict = counts.ok + counts.err
    silences = evaluated - strict
    return Score(
        ratio(counts.ok, strict),
        ratio(strict, evaluated),
        ratio(counts.ok + counts.sil_ok, evaluated),
        ratio(counts.ok + counts.silok_mean, evaluated),
        ratio(counts.ok + silences - counts.sil_err, evaluated),
        ratio(counts.noneval, counts.cases),
        ratio(counts.ok + counts.silok_mean, counts.cases),
    )


def details(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """The quantities, the share that was not evaluated and its forms, and the standard error of every value."""
    parts = [np.stack(contributions(comparison.cases), axis=1) for comparison in comparisons]
    cases = np.concatenate(parts)
    quantities = Quantities(*cases.sum(axis=0).tolist())
    return {
        "quantities": {name: round(value, 9) for name, value in quantities._asdict().items()},
        "sil": quantities.sil,
        "sil_sil": quantities.sil_sil,
        "silerr_mean": round(quantities.silerr_mean, 9),
        "noneval_percent": 100 * quantities.noneval / quantities.cases if quantities.cases else None,
        "points": {name: _floats(point) for name, point in points(quantities).items()},
        "standard_errors": standard_errors(cases),
        "not_evaluated": dict(_not_evaluated(comparisons)),
    }


def _floats(point: tuple[Any, Any]) -> list[float] | None:
    return None if None in point else [float(number) for number in point]


def _not_evaluated(comparisons: Sequence[Comparison]) -> list[tuple[str, int]]:
    """The most frequent forms that could not be evaluated."""
    forms: Counter[str] = Counter()
    for comparison in comparisons:
        side = comparison.response if comparison.evaluation == "relative" else comparison.key
        words, partners = (
            comparison.cases.word[comparison.cases.is_unevaluated],
            comparison.cases.partner[comparison.cases.is_unevaluated],
        )
        codes = side.words.codes[words[words >= 0]].tolist() + comparison.key.words.codes[partners[words < 0]].tolist()
        forms.update(map(side.words.names.__getitem__, codes))
    return sorted(forms.items(), key=lambda item: (-item[1], item[0]))[:MAX_FORMS]


UNDECIDED = "no word was given exactly one tag"
UNEVALUATED = "no word could be evaluated"
NO_CASE = "no word to be tagged"
MEASURE = Measure(
    count,
    score,
    better_by_value={"noneval": "lower"},
    perfect={**dict.fromkeys(Score._fields, 1.0), "noneval": 0.0},
    main="overall",
    details=details,
    undefined={"precision": UNDECIDED, **dict.fromkeys(Score._fields[1:5], UNEVALUATED)}
    | dict.fromkeys(Score._fields[5:], NO_CASE),
    aliases=("grace",),
)
