"""The tests of two systems that a task provides (`Task.tests`), such as MAPSSWE for speech."""

from __future__ import annotations

from itertools import combinations

from aune.contract.options import check_known, options_of
from aune.explain.analysis import Study
from aune.statistics.comparison import TaskPValues


def run_paired_test(study: Study, test: str) -> TaskPValues:
    """The p-values of a test of the study's task for every pair of its systems."""
    task = study.task
    check_known([test], task.extras.paired_tests, f"test of {task.name}")
    definition = task.extras.paired_tests[test]
    [scored, *_] = [score for score in study.result if score.measure.short == definition.measure]
    options = {name: value for name, value in scored.options.items() if name in options_of(definition.trace)}
    traces = {
        system: [definition.trace(comparison, **options) for comparison in comparisons]
        for system, comparisons in study.comparisons.items()
    }
    pairs = combinations(study.result.systems, 2)
    return TaskPValues(scored.name, definition.value, {(a, b): definition.p(traces[a], traces[b]) for a, b in pairs})
