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

from aune.core.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Cases, Comparison


class Decided(NamedTuple):
    """Words of one evaluation, by unit."""

    ok: Column
    strict: Column
    evaluated: Column


class Counts(NamedTuple):
    """Both evaluations, and the silences that come from the table alone."""

    absolute: Decided
    relative: Decided
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
        _decided(comparison, cases),
        _decided(comparison, comparison.relative),
        comparison.per_unit(cases.unit[silent], cases.weight[silent]),
    )


def _decided(comparison: Comparison, cases: Cases) -> Decided:
    kinds = (cases.strict & (cases.correct == 1), cases.strict, cases.evaluated)
    return Decided(*(comparison.per_unit(cases.unit, cases.weight * kind) for kind in kinds))


def _from_table(comparison: Comparison) -> Column:
    """The cases with several tags where the response gave one."""
    cases = comparison.absolute
    one = np.array([len(given) == 1 for given in comparison.response_readings.given] or [False])
    silent = np.flatnonzero(cases.alternatives > 1)
    return np.asarray(silent[one[comparison.response_readings.codes[cases.partner[silent]]]])


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
        given = comparison.response_readings.given
        for cell, number in zip(*(part.tolist() for part in np.unique(cells, return_counts=True)), strict=True):
            silences[given[cell][0]] += number
        missing.update(comparison.coverage.missing if comparison.coverage else {})
    found = [comparison.coverage for comparison in comparisons if comparison.coverage]
    return {
        "silences_of_the_table": dict(sorted(silences.items(), key=lambda item: (-item[1], item[0]))),
        "ambiguous": {tag: number for one in found for tag, number in one.ambiguous.items()},
        "without_entry": dict(sorted(missing.items())),
        "never_used": sorted(set.intersection(*(set(one.unused) for one in found))) if found else [],
        "outside_tagset": found[0].outside if found else [],
    }


MEASURE = Measure(
    count,
    score,
    mixed={"table_silences": "lower"},
    perfect={"table_silences": 0.0, **dict.fromkeys(Score._fields[:-1], 1.0)},
    main="relative_precision",
    details=details,
)
