"""Projection: absolute and relative evaluation side by side, and what the table costs.

The absolute evaluation projects the response into the key's tags: a coarse tag becomes a list, and a silence that the
tagger never meant. The relative evaluation projects the key into the response's tags and words by the inverse table:

    precision, decision                      absolute
    relative_precision, relative_decision    relative
    table_silences = silences where the response gave one tag / words evaluated (absolute)

Source: Adda et al. 1999, note 5 and §5. The details list the tags whose projection is ambiguous, those without an
entry, and entries that are never used or lie outside the tagset.
Edges: undefined when nothing was decided or evaluated. Without a table the two differ only in whose words count.

>>> MEASURE([("le", "D"), ("chat", "N")], [("le", "D"), ("chat", "V")])
tagging.projection(precision=0.5000, decision=1.0000, relative_precision=0.5000, relative_decision=1.0000,
    table_silences=0.0000)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Cases, Comparison


class EvaluationCounts(NamedTuple):
    """Words of one evaluation, by unit."""

    ok: Column
    strict: Column
    evaluated: Column


class Counts(NamedTuple):
    """Both evaluations, and the silences that come from the table alone."""

    absolute: EvaluationCounts
    relative: EvaluationCounts
    table_silences: Column


class Score(NamedTuple):
    """Both evaluations, and the cost of the table."""

    precision: Column
    decision: Column
    relative_precision: Column
    relative_decision: Column
    table_silences: Column


def count(comparison: Comparison) -> Counts:
    cases = comparison.absolute
    silent = _from_table(comparison)
    return Counts(
        _count_evaluation(comparison, cases),
        _count_evaluation(comparison, comparison.relative),
        comparison.per_unit(cases.unit[silent], cases.weight[silent]),
    )


def _count_evaluation(comparison: Comparison, cases: Cases) -> EvaluationCounts:
    kinds = (cases.strict & (cases.correct == 1), cases.strict, cases.is_evaluated)
    return EvaluationCounts(*(comparison.per_unit(cases.unit, cases.weight * kind) for kind in kinds))


def _from_table(comparison: Comparison) -> Column:
    """The cases with several tags where the response gave one."""
    cases = comparison.absolute
    is_single = np.array([len(tags) == 1 for tags in comparison.response_readings.alternatives] or [False])
    silent = np.flatnonzero(cases.alternatives > 1)
    return np.asarray(silent[is_single[comparison.response_readings.codes[cases.partner[silent]]]])


def score(counts: Counts) -> Score:
    absolute, relative, silences = counts
    return Score(
        ratio(absolute.ok, absolute.strict),
        ratio(absolute.strict, absolute.evaluated),
        ratio(relative.ok, relative.strict),
        ratio(relative.strict, relative.evaluated),
        ratio(silences, absolute.evaluated),
    )


def details(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """What the table does to the tags of this response, and how many silences each tag owes to it."""
    silences: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for comparison in comparisons:
        cells = comparison.response_readings.codes[comparison.absolute.partner[_from_table(comparison)]]
        tags = comparison.response_readings.alternatives
        for cell, number in zip(*(part.tolist() for part in np.unique(cells, return_counts=True)), strict=True):
            silences[tags[cell][0]] += number
        missing.update(comparison.coverage.missing if comparison.coverage else {})
    coverages = [comparison.coverage for comparison in comparisons if comparison.coverage]
    return {
        "silences_of_the_table": dict(sorted(silences.items(), key=lambda item: (-item[1], item[0]))),
        "ambiguous": {tag: number for coverage in coverages for tag, number in coverage.ambiguous.items()},
        "without_entry": dict(sorted(missing.items())),
        "never_used": sorted(set.intersection(*(set(coverage.unused) for coverage in coverages))) if coverages else [],
        "outside_tagset": coverages[0].outside if coverages else [],
    }


MEASURE = Measure(
    count,
    score,
    better_by_value={"table_silences": "lower"},
    perfect={"table_silences": 0.0, **dict.fromkeys(Score._fields[:-1], 1.0)},
    main="relative_precision",
    details=details,
)
