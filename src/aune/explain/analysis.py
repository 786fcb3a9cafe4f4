"""From a score to its reasons: the errors of each system, by kind, what they cost, and two systems side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from aune.contract import registry
from aune.contract.error_record import ErrorRecord
from aune.contract.options import check_known, options_of
from aune.contract.task import Task
from aune.errors import UsageError
from aune.evaluation.pipeline import run_evaluation
from aune.evaluation.plan import resolve_plan
from aune.reading.argument_checks import forwards_options_to
from aune.results.result import Result, SystemScore
from aune.results.rows import join_units, make_rows


class KindSummary(NamedTuple):
    """The errors of one kind, together."""

    kind: str
    errors: int
    cost: float
    alone: float | None = None
    """What the score gains when the errors of this kind alone are put right."""
    in_turn: float | None = None
    """What it gains when they are put right after those of the kinds before; these gains add up to what is missing."""


@dataclass(frozen=True)
class Study:
    """An evaluation with its comparisons, for everything that asks why."""

    result: Result
    comparisons: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options by name; a task's `errors` takes those that it knows."""

    @property
    def task(self) -> Task:
        return registry.task(self.result.task)

    @cached_property
    def cases(self) -> dict[str, list[ErrorRecord]]:
        """The errors of each system; none for a task that does not list them."""
        list_errors = self.task.explaining.errors
        if list_errors is None:
            return {system: [] for system in self.comparisons}
        known = options_of(list_errors)
        options = {name: value for score in self.result for name, value in score.options.items() if name in known}
        options |= {name: known[name].convert(value) for name, value in self.options.items() if name in known}
        return {
            system: [case for comparison in comparisons for case in list_errors(comparison, **options)]
            for system, comparisons in self.comparisons.items()
        }

    def kinds(self, system: str, measure: str | None = None) -> list[KindSummary]:
        """The errors of a system by kind, most frequent first, or in the order in which they are corrected.

        The gains are those of the headline value of a measure of the result.
        """
        cases = self.cases[system]
        counts = Counter(case.kind for case in cases)
        costs: Counter[str] = Counter()
        for case in cases:
            costs[case.kind] += case.cost  # type: ignore[assignment]
        if self.task.explaining.correct is None or measure is None:
            ordered = sorted(counts, key=lambda kind: (-counts[kind], kind))
            return [KindSummary(kind, counts[kind], float(costs[kind])) for kind in ordered]
        steps = [kind for kind in self.task.explaining.kinds if kind in counts]
        before = scored = self.result[system, measure]
        rows = []
        for position, kind in enumerate(steps, 1):
            alone = self._correct_kinds(scored, [kind])
            after = self._correct_kinds(scored, steps[:position])
            rows.append(KindSummary(kind, counts[kind], float(costs[kind]), _gain(scored, alone), _gain(before, after)))
            before = after
        return rows

    def _correct_kinds(self, scored: SystemScore, kinds: Sequence[str]) -> SystemScore:
        """The score as it would be without the errors of some kinds."""
        assert self.task.explaining.correct is not None
        corrected = [self.task.explaining.correct(comparison, kinds) for comparison in self.comparisons[scored.system]]
        counts = [scored.measure.count_comparison(comparison, scored.options) for comparison in corrected]
        units = [getattr(comparison, scored.measure.units) for comparison in corrected]
        return replace(scored, rows=make_rows(join_units(units), counts))


def _gain(before: SystemScore, after: SystemScore) -> float | None:
    return None if before.main is None or after.main is None else after.main - before.main


def study(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str], **options: Any) -> Study:
    """The evaluation of systems (see `evaluate` for the options) with what is needed to explain it.

    >>> evaluated = study("coref", [{1, 2, 3}, {4, 5}], {"A": [{1, 2}, {3, 4, 5}]}, measures=["muc"])
    >>> [(case.kind, case.place) for case in evaluated.cases["A"]]
    [('conflated entities', (3, 4)), ('divided entity', (3, 4))]
    """
    evaluation = run_evaluation(task, key, systems, keep=True, **options)
    return Study(evaluation.result, evaluation.comparisons, options)


@forwards_options_to(resolve_plan)
def errors_of(task: str, key: Any, response: Any, **options: Any) -> list[ErrorRecord]:
    """The errors of one response, in the order of the text.

    >>> [case.kind for case in errors_of("coref", [{1, 2, 3}], [{1, 2}])]
    ['missing mention']
    """
    require_error_list(task)
    [cases] = study(task, key, {"response": response}, **options).cases.values()
    return cases


def require_error_list(task: str) -> None:
    """Refuse a task that does not list its errors."""
    if registry.task(task).explaining.errors is None:
        tasks = [name for name in registry.task_names() if registry.task(name).explaining.errors]
        raise UsageError(f"the errors of {task} are not listed one by one: those of {', '.join(tasks)} are")


class ErrorSplit(NamedTuple):
    """The errors of two systems, split by who makes them."""

    fixed: list[ErrorRecord]
    """Errors of the first system that the second does not make."""
    broken: list[ErrorRecord]
    """Errors that only the second system makes."""
    both: list[ErrorRecord]
    """What both get wrong, each in its own way: the first system's errors."""


def split_errors(first: Sequence[ErrorRecord], second: Sequence[ErrorRecord]) -> ErrorSplit:
    """What the second system fixed and broke.

    Two errors are about the same thing when they expect the same at the same place; where nothing is expected, when
    they are of the same kind at the same place.

    >>> one, other = ErrorRecord("d", (0, 1), "missed", "a", ""), ErrorRecord("d", (4, 5), "spurious", "", "b")
    >>> split_errors([one], [other])._asdict() == {"fixed": [one], "broken": [other], "both": []}
    True
    """
    shared = Counter(map(_subject, first)) & Counter(map(_subject, second))
    common, fixed = _split_shared(first, shared)
    return ErrorSplit(fixed, _split_shared(second, shared)[1], common)


def _subject(case: ErrorRecord) -> tuple[Any, ...]:
    return (case.document, case.place, case.key or (case.kind,))


def _split_shared(
    cases: Sequence[ErrorRecord], shared: Counter[tuple[Any, ...]]
) -> tuple[list[ErrorRecord], list[ErrorRecord]]:
    remaining = Counter(shared)
    common, unshared = [], []
    for case in cases:
        subject = _subject(case)
        if remaining[subject] > 0:
            remaining[subject] -= 1
            common.append(case)
        else:
            unshared.append(case)
    return common, unshared


def select_kinds(task: Task, cases: Sequence[ErrorRecord], kinds: Sequence[str]) -> list[ErrorRecord]:
    """The cases of some kinds, which may be written with hyphens; all for none."""
    if not kinds:
        return list(cases)
    known = dict.fromkeys(_hyphenate(kind) for kind in [*task.explaining.kinds, *(case.kind for case in cases)])
    chosen = [_hyphenate(kind) for kind in kinds]
    check_known(chosen, known, f"kind of {task.name} error")
    return [case for case in cases if _hyphenate(case.kind) in chosen]


def _hyphenate(kind: str) -> str:
    return kind.replace(" ", "-").replace("_", "-")
