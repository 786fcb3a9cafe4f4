"""Documents in memory, compared and counted; and what counting in chunks has in common, wherever they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from aune.core.corpus import (
    MOST_PROBLEMS,
    TOO_MANY,
    pair,
)
from aune.core.counting import Counted, Job, Recipe
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.core.groups import grouped
from aune.core.plans import Engine, Inputs, Plan, Progress, Tally, read_all
from aune.core.survey import Answers, Survey, disagrees, united
from aune.core.task import Pair, Task

CHUNK = 5_000  # documents in memory that are compared at once: enough for array speed, few enough to see progress


def in_memory(plan: Plan, inputs: Inputs, run: Engine) -> dict[str, Tally]:
    """Every document is read first, and then compared."""
    expected, responses = read_all(plan, inputs)
    paired = {
        system: pair(plan.home, expected, response, missing=plan.missing, extra=plan.extra)
        for system, response in responses.items()
    }
    recipes: list[Recipe] = []
    for system, (pairs, _) in paired.items():
        if not pairs:
            raise NothingToScoreError(f"{system}: no document left to score")
        for start in range(0, len(pairs), CHUNK):
            recipes.append(Recipe(len(recipes), pairs={system: pairs[start : start + CHUNK]}))
    job = plan.job(responses)
    found = surveyed(job, [recipes], run, plan.progress)
    refuse(found)
    known = united(one.seen for one in found)
    tallies = {}
    for system, response in responses.items():
        mine = [one for one in found if system in one.shares]
        pairs, notes = paired[system]
        tallies[system] = Tally(
            response.input("response", system),
            [one.shares[system] for one in mine],
            response.warnings,
            notes,
            len(pairs),
            frozenset().union(*(one.usual for one in mine)),
            partial(compared, plan.home, pairs, job.comparing[system], known),
            expected.input("key"),
            expected.warnings,
        )
    return tallies


class Comparisons(Sequence[Any]):
    """The comparisons of a system, made when they are looked at; one at a time is kept."""

    def __init__(self, size: int, make: Callable[[int], Any]) -> None:
        self.size, self.make = size, make
        self.made: dict[int, Any] = {}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, number: Any) -> Any:
        number = range(self.size)[number]
        if number not in self.made:
            self.made = {}
            self.made = {number: self.make(number)}
        return self.made[number]


def compared(task: Task, pairs: Sequence[Pair], options: Mapping[str, Any], known: Answers) -> Comparisons:
    """The comparisons of documents that are in memory."""

    def chunk(number: int) -> Any:
        return task.compare(pairs[number * CHUNK : (number + 1) * CHUNK], Survey(known), **options)

    return Comparisons((len(pairs) + CHUNK - 1) // CHUNK, chunk)


def surveyed(
    job: Job, waves: Sequence[Sequence[Recipe]], run: Engine, progress: Progress, done: Sequence[Counted] = ()
) -> list[Counted]:
    """What all chunks count, each knowing what the whole corpus shows; `done` was counted already, by itself."""
    where = [(wave, place) for wave in waves for place in range(len(wave))]  # by the numbers of recipes
    ready = {chunk.number: chunk for chunk in done}
    waiting = _Recipes([place for number, place in enumerate(where) if number not in ready])
    for position, chunk in enumerate(run(job, waiting), 1):
        ready[chunk.number] = chunk
        progress(doing(chunk), position / len(waiting))
    known = united(chunk.seen for chunk in ready.values())
    again = _Recipes([place for number, place in enumerate(where) if disagrees(ready[number].seen, known)])
    for chunk in run(replace(job, known=known), again) if again else ():
        ready[chunk.number] = chunk
    return [ready[number] for number in sorted(ready)]


class _Recipes(Sequence[Recipe]):
    """Recipes of several waves, each made when it is asked for."""

    def __init__(self, where: Sequence[tuple[Sequence[Recipe], int]]) -> None:
        self.where = where

    def __len__(self) -> int:
        return len(self.where)

    def __getitem__(self, number: Any) -> Any:
        wave, place = self.where[number]
        return wave[place]


def doing(chunk: Counted) -> str:
    return f"comparing {next(iter(chunk.shares), '')}"


def refuse(chunks: Sequence[Counted]) -> None:
    """Refuse what readers or comparisons found wrong."""
    problems: list[Problem] = []
    for one in chunks:
        problems += one.key.problems
        for share in one.shares.values():
            problems += [*share.read.problems, *share.problems]
    if problems:
        raise InputError(capped(problems))
    for one in chunks:
        for share in one.shares.values():
            if share.refused:
                raise UsageError(share.refused)


def capped(problems: Sequence[Problem]) -> list[Problem]:
    """As many problems as one reading of a file would have told."""
    kept: list[Problem] = []
    for of_file in grouped((problem.path, problem) for problem in problems).values():
        told = [problem for problem in of_file if problem.message != TOO_MANY]
        kept += told[:MOST_PROBLEMS]
        kept += [replace(last, message=TOO_MANY) for last in told[MOST_PROBLEMS - 1 : MOST_PROBLEMS]]
    return kept
