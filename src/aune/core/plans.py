"""What an evaluation was asked for: the plan, its inputs, and what was counted for each system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from aune import STDIN
from aune.core import registry
from aune.core.asked import Asked, check_read, for_responses, scorers
from aune.core.corpus import (
    Corpus,
    Extra,
    Input,
    Missing,
    Opened,
    is_file_like,
    opened,
    read,
    read_opened,
)
from aune.core.counting import Counted, Job, Recipe, Share
from aune.core.errors import InputError, Problem, UsageError
from aune.core.measure import Measure
from aune.core.options import File, Names, check_known, options_of
from aune.core.task import Task

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and the share that is done."""
Engine: TypeAlias = Callable[[Job, Iterable[Recipe]], Iterable[Counted]]
"""What maps `counted` over chunks, in any order."""


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    home: Task
    chosen: list[Measure]
    asked: Asked
    usual: bool
    """Whether the measures are the task's usual ones, of which some may not fit the key."""
    missing: Missing
    extra: Extra
    keep: bool
    progress: Progress

    def job(self, systems: Iterable[str]) -> Job:
        comparing = self.asked.of(options_of(self.home.compare))
        return Job(
            self.home.name,
            tuple(map(_sendable, self.chosen)),
            {system: of_system(system, comparing) for system in systems},
            {one.name: self.options(one) for one in self.chosen},
            (self.asked.given, for_responses(self.asked.given)),
            self.missing,
            self.extra,
            keep=self.keep,
        )

    def options(self, measure: Measure) -> dict[str, Any]:
        return self.asked.of(measure.options) | dict(measure.given)


def _sendable(measure: Measure) -> str | Measure:
    """A measure by its name, where the registry makes the same one of it; by itself where it has files to bring."""
    if any(isinstance(value, File | Names) for value in measure.given.values()):
        return measure
    try:
        known = registry.measure(measure.name, measure.task)
        return measure.name if known == measure or "(" in measure.name else measure
    except (UsageError, ValueError):
        return measure


def of_system(system: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the file of this system where files are named by system; none for a system without one."""
    return {
        name: value.by_system.get(system) if isinstance(value, File) and value.by_system else value
        for name, value in options.items()
    }


def check_systems(systems: Iterable[str], options: Mapping[str, Any]) -> None:
    for value in options.values():
        if isinstance(value, File):
            check_known(value.by_system, systems, "system")


class Inputs(NamedTuple):
    """The key and the responses: files of which nothing is read yet, or documents."""

    key: Opened | Corpus
    responses: Mapping[str, Opened | Corpus]

    @property
    def all(self) -> list[Opened | Corpus]:
        return [self.key, *self.responses.values()]


def inputs_of(
    task: Task, key: Any, systems: Mapping[str, Any], key_format: str | None, response_format: str | None,
    given: Mapping[str, Any],
) -> Inputs:  # fmt: skip
    """The key and every response, or all that is wrong with any of them."""
    if sum(source in ("-", STDIN) for source in (key, *systems.values()) if isinstance(source, str)) > 1:
        raise UsageError("standard input (-) can be only one of the files")
    problems: list[Problem] = []

    def opening(source: Any, form: str | None, options: Mapping[str, Any]) -> Opened | Corpus:
        try:
            if isinstance(source, Corpus) or not is_file_like(source):
                return read(task, source, **options)
            files = opened(task, source, form, options)
            problems.extend(files.problems)
            return files
        except InputError as error:
            problems.extend(error.problems)
            return Corpus([])

    theirs = for_responses(given)
    expected = opening(key, key_format, given)
    found = Inputs(expected, {name: opening(source, response_format, theirs) for name, source in systems.items()})
    if problems:
        _refuse_with_all(found, given, theirs, problems)
    return found


def _refuse_with_all(
    inputs: Inputs, given: Mapping[str, Any], theirs: Mapping[str, Any], problems: list[Problem]
) -> None:
    """Refuse inputs of which some cannot be opened, with what is wrong with the others too."""
    for one, options in [(inputs.key, given), *((response, theirs) for response in inputs.responses.values())]:
        if isinstance(one, Opened):
            problems += read_opened(one, options)[1]
    raise InputError(problems)


def check_inputs(plan: Plan, inputs: Inputs) -> None:
    """Refuse an option that only formats which are not read would understand."""
    used = {name for one in inputs.all for name in one.options}
    formats: set[str] = set()
    for one in inputs.all:
        formats |= {one.format or "plain Python"} if isinstance(one, Corpus) else {"+".join(one.formats)}
    check_read(plan.home, plan.asked.given, used, formats, scorers(plan.home, plan.chosen))


def read_all(plan: Plan, inputs: Inputs) -> tuple[Corpus, dict[str, Corpus]]:
    """The key and every response, read, or all that is wrong with any of them."""
    problems: list[Problem] = []

    def reading(one: Opened | Corpus, options: Mapping[str, Any]) -> Corpus:
        if isinstance(one, Corpus):
            return one
        corpus, wrong = read_opened(one, options)
        problems.extend(wrong)
        return corpus

    expected = reading(inputs.key, plan.asked.given)
    theirs = for_responses(plan.asked.given)
    responses = {system: reading(one, theirs) for system, one in inputs.responses.items()}
    if problems:
        raise InputError(problems)
    return expected, responses


class Tally(NamedTuple):
    """What was counted for one system, and what it was counted from."""

    input: Input
    shares: Sequence[Share]
    """In the order of the key; those that were joined afterwards at the end."""
    warnings: Sequence[str]
    """What its reader had to say."""
    told: Sequence[str]
    """What there is to say of documents without a counterpart."""
    documents: int
    """How many pairs there are."""
    usual: frozenset[str]
    details: Callable[[], Sequence[Any]]
    """The comparisons, made again when somebody asks for details."""
    key: Input
    key_warnings: Sequence[str]
