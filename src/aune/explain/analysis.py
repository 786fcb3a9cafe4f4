"""Explain a score: the errors of each system, by kind, their costs, and two systems side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
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
    """All errors of one kind."""

    kind: str
    errors: int
    cost: float
    alone: float | None = None
    """The gain of the score if only the errors of this kind are corrected."""
    in_turn: float | None = None
    """The gain if they are corrected after those of the preceding kinds; these gains add up to what is missing."""


@dataclass(frozen=True)
class Study:
    """An evaluation with its comparisons, for explanations."""

    result: Result
    comparisons: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options by name; a task's `errors` gets those that it takes."""

    @property
    def task(self) -> Task:
        return registry.task(self.result.task)

    @cached_property
    def cases(self) -> dict[str, list[ErrorRecord]]:
        """The errors of each system; none for a task that does not list them."""
        list_errors = _error_lister(self.task, self.result, self.options)
        return {
            system: [case for comparison in comparisons for case in list_errors(comparison)]
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


def _error_lister(task: Task, result: Result, options: Mapping[str, Any]) -> Callable[[Any], Sequence[ErrorRecord]]:
    """A function that lists the errors of a comparison, under the options of a call; None if the task lists none."""
    list_errors = task.explaining.errors
    if list_errors is None:
        return lambda comparison: []
    known = options_of(list_errors)
    chosen = {name: value for score in result for name, value in score.options.items() if name in known}
    chosen |= {name: known[name].convert(value) for name, value in options.items() if name in known}
    return partial(list_errors, **chosen)


def _gain(before: SystemScore, after: SystemScore) -> float | None:
    return None if before.main is None or after.main is None else after.main - before.main


def study(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str], **options: Any) -> Study:
    """The evaluation of systems (see `evaluate` for the options) with the data needed to explain it.

    >>> evaluated = study("coref", [{1, 2, 3}, {4, 5}], {"A": [{1, 2}, {3, 4, 5}]}, measures=["muc"])
    >>> [(case.kind, case.place) for case in evaluated.cases["A"]]
    [('conflated entities', (3, 4)), ('divided entity', (3, 4))]
    """
    evaluation = run_evaluation(task, key, systems, keep=True, **options)
    return Study(evaluation.result, evaluation.comparisons, options)


class ErrorSummary(NamedTuple):
    """The errors of one system: how many of each kind there are, and the first of those that were selected."""

    result: Result
    kinds: list[KindSummary]
    cases: list[ErrorRecord]
    chosen: int
    """How many were selected, including those that are not among the cases."""


def summarise_errors(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str],
    *,
    kinds: Sequence[str] = (),
    documents: Collection[str] = (),
    limit: int | None = None,
    **options: Any,
) -> ErrorSummary:
    """The errors of one system by kind, as in `Study.kinds`, and at most this many of the selected ones: long files
    are read in pieces, and nothing else of them is stored.
    """
    evaluation = run_evaluation(task, key, systems, **options)
    result = evaluation.result
    definition, score = registry.task(task), result.scores[0]
    check_known(documents, score.rows.attributes["document"] if documents else (), "document")
    list_errors = _error_lister(definition, result, options)
    tally = _KindTally(definition, score)
    cases: list[ErrorRecord] = []
    chosen = 0
    hyphenated, wanted = {_hyphenate(kind) for kind in kinds}, set(documents)
    for comparison in evaluation.make_comparisons[score.system](score.measure):
        errors = list_errors(comparison)
        tally.add(comparison, errors)
        fitting = [
            case
            for case in errors
            if (not hyphenated or _hyphenate(case.kind) in hyphenated) and (not wanted or case.document in wanted)
        ]
        chosen += len(fitting)
        cases += fitting if limit is None else fitting[: max(0, limit - len(cases))]
    check_known(hyphenated, tally.known_kinds(), f"kind of {definition.name} error")
    return ErrorSummary(result, tally.summaries(), cases, chosen)


class _KindTally:
    """The errors of a system by kind, added up comparison by comparison."""

    def __init__(self, task: Task, score: SystemScore) -> None:
        self.task, self.score = task, score
        self.counts: Counter[str] = Counter()
        self.costs: dict[str, float] = {}
        self.units: dict[tuple[str, ...], list[Any]] = {}
        """By the kinds that are corrected, the units of every comparison without errors of these kinds."""
        self.parts: dict[tuple[str, ...], list[Any]] = {}
        """By the same kinds, the counts of the comparisons."""

    def add(self, comparison: Any, errors: Iterable[ErrorRecord]) -> None:
        for case in errors:
            self.counts[case.kind] += 1
            self.costs[case.kind] = self.costs.get(case.kind, 0) + case.cost
        if self.task.explaining.correct is None:
            return
        kinds, measure = self.task.explaining.kinds, self.score.measure
        steps = [tuple(kinds[:position]) for position in range(1, len(kinds) + 1)]
        for selected in dict.fromkeys([*((kind,) for kind in kinds), *steps]):
            corrected = self.task.explaining.correct(comparison, selected)
            self.parts.setdefault(selected, []).append(measure.count_comparison(corrected, self.score.options))
            self.units.setdefault(selected, []).append(getattr(corrected, measure.units))

    def known_kinds(self) -> list[str]:
        return [_hyphenate(kind) for kind in dict.fromkeys([*self.task.explaining.kinds, *self.counts])]

    def summaries(self) -> list[KindSummary]:
        """Most frequent first, or in the order in which they are corrected."""
        if self.task.explaining.correct is None:
            ordered = sorted(self.counts, key=lambda kind: (-self.counts[kind], kind))
            return [KindSummary(kind, self.counts[kind], float(self.costs[kind])) for kind in ordered]
        rows, before = [], self.score
        for position, kind in enumerate(self.task.explaining.kinds, 1):
            if kind in self.counts:
                alone, after = (
                    self._score_without((kind,)),
                    self._score_without(tuple(self.task.explaining.kinds[:position])),
                )
                gains = _gain(self.score, alone), _gain(before, after)
                rows.append(KindSummary(kind, self.counts[kind], float(self.costs[kind]), *gains))
                before = after
        return rows

    def _score_without(self, kinds: tuple[str, ...]) -> SystemScore:
        return replace(self.score, rows=make_rows(join_units(self.units[kinds]), self.parts[kinds]))


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
    """The errors of two systems, split by which system makes them."""

    fixed: list[ErrorRecord]
    """Errors of the first system that the second does not make."""
    broken: list[ErrorRecord]
    """Errors that only the second system makes."""
    both: list[ErrorRecord]
    """What both get wrong, but differently: the first system's errors."""


def split_errors(first: Sequence[ErrorRecord], second: Sequence[ErrorRecord]) -> ErrorSplit:
    """The errors that the second system fixed and introduced.

    Two errors concern the same item if they expect the same at the same place; if nothing is expected, if they are of
    the same kind at the same place.

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
    """The cases of some kinds, which may be written with hyphens; all if no kinds are given."""
    if not kinds:
        return list(cases)
    known = dict.fromkeys(_hyphenate(kind) for kind in [*task.explaining.kinds, *(case.kind for case in cases)])
    chosen = [_hyphenate(kind) for kind in kinds]
    check_known(chosen, known, f"kind of {task.name} error")
    return [case for case in cases if _hyphenate(case.kind) in chosen]


def _hyphenate(kind: str) -> str:
    return kind.replace(" ", "-").replace("_", "-")
