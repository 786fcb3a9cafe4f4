"""The tests of two systems that a task offers itself (`Task.tests`), such as MAPSSWE for speech."""

from __future__ import annotations

from itertools import combinations

from aune.core.options import check_known, options_of
from aune.explain.analysis import Study
from aune.statistics.comparison import Told


def told(study: Study, test: str) -> Told:
    """What a test of the study's task says about every pair of its systems."""
    task = study.task
    check_known([test], task.tests, f"test of {task.name}")
    paired = task.tests[test]
    [scored, *_] = [one for one in study.result if one.measure.short == paired.measure]
    options = {name: value for name, value in scored.options.items() if name in options_of(paired.trace)}
    traces = {
        system: [paired.trace(comparison, **options) for comparison in comparisons]
        for system, comparisons in study.comparisons.items()
    }
    pairs = combinations(study.result.systems, 2)
    return Told(scored.name, paired.value, {(a, b): paired.p(traces[a], traces[b]) for a, b in pairs})
