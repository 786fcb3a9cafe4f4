"""From a score to its reasons: the errors of each system, by kind, what they cost, and two systems side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from aune.core import registry
from aune.core.cases import Case
from aune.core.door import hands_on_to
from aune.core.errors import UsageError
from aune.core.evaluation import evaluated
from aune.core.options import check_known, options_of
from aune.core.result import Result, Scored
from aune.core.rows import joined_units, rows_of
from aune.core.task import Task


class Kind(NamedTuple):
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
    """What was asked for by name; a task's `errors` takes those that it knows."""

    @property
    def task(self) -> Task:
        return registry.task(self.result.task)

    @cached_property
    def cases(self) -> dict[str, list[Case]]:
        """The errors of each system; none for a task that does not list them."""
        listed = self.task.errors
        if listed is None:
            return {system: [] for system in self.comparisons}
        known = options_of(listed)
        options = {name: value for one in self.result for name, value in one.options.items() if name in known}
        options |= {name: known[name].checked(value) for name, value in self.options.items() if name in known}
        return {
            system: [case for comparison in comparisons for case in listed(comparison, **options)]
            for system, comparisons in self.comparisons.items()
        }

    def kinds(self, system: str, measure: str | None = None) -> list[Kind]:
        """The errors of a system by kind, most frequent first, or in the order in which they are corrected.

        The gains are those of the headline value of a measure of the result.
        """
        cases = self.cases[system]
        counts = Counter(case.kind for case in cases)
        costs: Counter[str] = Counter()
        for case in cases:
            costs[case.kind] += case.cost  # type: ignore[assignment]
        if self.task.corrected is None or measure is None:
            ordered = sorted(counts, key=lambda kind: (-counts[kind], kind))
            return [Kind(kind, counts[kind], float(costs[kind])) for kind in ordered]
        steps = [kind for kind in self.task.kinds if kind in counts]
        before = scored = self.result[system, measure]
        rows = []
        for position, kind in enumerate(steps, 1):
            alone = self._corrected(scored, [kind])
            after = self._corrected(scored, steps[:position])
            rows.append(Kind(kind, counts[kind], float(costs[kind]), _gain(scored, alone), _gain(before, after)))
            before = after
        return rows

    def _corrected(self, scored: Scored, kinds: Sequence[str]) -> Scored:
        """The score as it would be without the errors of some kinds."""
        assert self.task.corrected is not None
        mended = [self.task.corrected(one, kinds) for one in self.comparisons[scored.system]]
        counted = [scored.measure.counted(one, scored.options) for one in mended]
        units = [getattr(one, scored.measure.units) for one in mended]
        return replace(scored, rows=rows_of(joined_units(units), counted))


def _gain(before: Scored, after: Scored) -> float | None:
    return None if before.main is None or after.main is None else after.main - before.main


def study(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str], **options: Any) -> Study:
    """The evaluation of systems (see `evaluate` for the options) with what is needed to explain it.

    >>> found = study("coref", [{1, 2, 3}, {4, 5}], {"A": [{1, 2}, {3, 4, 5}]}, measures=["muc"])
    >>> [(case.kind, case.place) for case in found.cases["A"]]
    [('conflated entities', (3, 4)), ('divided entity', (3, 4))]
    """
    found = evaluated(task, key, systems, keep=True, **options)
    return Study(found.result, found.comparisons, options)


@hands_on_to(evaluated)
def errors_of(task: str, key: Any, response: Any, **options: Any) -> list[Case]:
    """The errors of one response, in the order of the text.

    >>> [case.kind for case in errors_of("coref", [{1, 2, 3}], [{1, 2}])]
    ['missing mention']
    """
    check_listed(task)
    [cases] = study(task, key, {"response": response}, **options).cases.values()
    return cases


def check_listed(task: str) -> None:
    """Refuse a task that does not list its errors."""
    if registry.task(task).errors is None:
        listed = [name for name in registry.task_names() if registry.task(name).errors]
        raise UsageError(f"the errors of {task} are not listed one by one: those of {', '.join(listed)} are")


class Versus(NamedTuple):
    """The errors of two systems, split by who makes them."""

    fixed: list[Case]
    """Errors of the first system that the second does not make."""
    broken: list[Case]
    """Errors that only the second system makes."""
    both: list[Case]
    """What both get wrong, each in its own way: the first system's errors."""


def versus(first: Sequence[Case], second: Sequence[Case]) -> Versus:
    """What the second system fixed and broke.

    Two errors are about the same thing when they expect the same at the same place; where nothing is expected, when
    they are of the same kind at the same place.

    >>> one, other = Case("d", (0, 1), "missed", "a", ""), Case("d", (4, 5), "spurious", "", "b")
    >>> versus([one], [other])._asdict() == {"fixed": [one], "broken": [other], "both": []}
    True
    """
    shared = Counter(map(_subject, first)) & Counter(map(_subject, second))
    both, fixed = _split(first, shared)
    return Versus(fixed, _split(second, shared)[1], both)


def _subject(case: Case) -> tuple[Any, ...]:
    return (case.document, case.place, case.key or (case.kind,))


def _split(cases: Sequence[Case], shared: Counter[tuple[Any, ...]]) -> tuple[list[Case], list[Case]]:
    left = Counter(shared)
    common, own = [], []
    for case in cases:
        subject = _subject(case)
        if left[subject] > 0:
            left[subject] -= 1
            common.append(case)
        else:
            own.append(case)
    return common, own


def of_kinds(task: Task, cases: Sequence[Case], kinds: Sequence[str]) -> list[Case]:
    """The cases of some kinds, which may be written with hyphens; all for none."""
    if not kinds:
        return list(cases)
    known = dict.fromkeys(_dashed(kind) for kind in [*task.kinds, *(case.kind for case in cases)])
    wanted = [_dashed(kind) for kind in kinds]
    check_known(wanted, known, f"kind of {task.name} error")
    return [case for case in cases if _dashed(case.kind) in wanted]


def _dashed(kind: str) -> str:
    return kind.replace(" ", "-").replace("_", "-")
