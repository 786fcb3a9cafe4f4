"""Compare and count documents in memory; also functions that every way of counting in chunks shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from aune.contract.measure import Measure
from aune.contract.survey import Survey, disagrees, unite_answers
from aune.contract.task import Pair
from aune.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.evaluation.alternatives import choose_answers
from aune.evaluation.counting import Chunk, ChunkCounts, Engine, Job, Tally, compare_by
from aune.evaluation.pairing import pair
from aune.evaluation.plan import Inputs, Plan, Progress, read_inputs
from aune.numeric.grouping import group_items
from aune.reading.source import MOST_PROBLEMS, TOO_MANY_PROBLEMS, too_many_problems

CHUNK_SIZE = 5_000  # documents in memory that are compared together: enough for array speed, few enough for progress


def tally_in_memory(plan: Plan, inputs: Inputs, run: Engine) -> dict[str, Tally]:
    """The counts of each system; all documents are read before any is compared."""
    expected, responses = read_inputs(plan, inputs)
    pairings = {
        system: pair(plan.task, expected, response, missing=plan.job.missing, extra=plan.job.extra)
        for system, response in responses.items()
    }
    chunks: list[Chunk] = []
    for system, (pairs, _) in pairings.items():
        if not pairs:
            raise NothingToScoreError(f"{system}: no document left to score")
        for start in range(0, len(pairs), CHUNK_SIZE):
            chunks.append(Chunk(len(chunks), pairs={system: pairs[start : start + CHUNK_SIZE]}))
    job = plan.job
    results = count_chunks(job, [chunks], run, plan.progress)
    raise_problems(results)
    answers = [result.seen for result in results if result.seen]
    known = unite_answers(answers) if answers else {}
    tallies = {}
    for system, response in responses.items():
        system_results = [result for result in results if system in result.shares]
        pairs, notes = pairings[system]
        tallies[system] = Tally(
            response.input_record("response", system),
            [result.shares[system] for result in system_results],
            response.warnings,
            notes,
            len(pairs),
            frozenset().union(*(result.usual for result in system_results)),
            partial(lazy_comparisons, replace(job, known=known), system, pairs),
            expected.input_record("key"),
            expected.warnings,
        )
    return tallies


class LazyComparisons(Sequence[Any]):
    """The comparisons of a system, each made on access; only the last one is stored."""

    def __init__(self, size: int, make: Callable[[int], Any]) -> None:
        self.size, self.make = size, make
        self.cache: dict[int, Any] = {}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, number: Any) -> Any:
        number = range(self.size)[number]
        if number not in self.cache:
            self.cache = {}
            self.cache = {number: self.make(number)}
        return self.cache[number]


def lazy_comparisons(job: Job, system: str, pairs: Sequence[Pair], measure: Measure) -> LazyComparisons:
    """The comparisons of documents that are in memory, for a measure that chooses among right answers."""
    task = job.task_definition

    def compare_chunk(number: int) -> Any:
        compare = compare_by(task, Survey(job.known), job.compare_options[system])
        chunk_pairs = pairs[number * CHUNK_SIZE : (number + 1) * CHUNK_SIZE]
        selections, _ = choose_answers(task, chunk_pairs, [measure], job.count_options, compare)
        return compare(selections[0].pairs)

    return LazyComparisons((len(pairs) + CHUNK_SIZE - 1) // CHUNK_SIZE, compare_chunk)


def count_chunks(
    job: Job, waves: Sequence[Sequence[Chunk]], run: Engine, progress: Progress, finished: Sequence[ChunkCounts] = ()
) -> list[ChunkCounts]:
    """The counts of all chunks, with the answers of the whole corpus; `finished` chunks were counted before."""
    places = [(wave, place) for wave in waves for place in range(len(wave))]  # by chunk number
    counted = {chunk.number: chunk for chunk in finished}
    pending = _SelectedChunks([place for number, place in enumerate(places) if number not in counted])
    for position, chunk in enumerate(run(job, pending), 1):
        counted[chunk.number] = chunk
        progress(progress_text(chunk), position / len(pending))
    answers = [chunk.seen for chunk in counted.values() if chunk.seen]
    known = unite_answers(answers) if answers else {}
    recounted = _SelectedChunks(
        [place for number, place in enumerate(places) if known and disagrees(counted[number].seen, known)]
    )
    for chunk in run(replace(job, known=known), recounted) if recounted else ():
        counted[chunk.number] = chunk
    return [counted[number] for number in sorted(counted)]


class _SelectedChunks(Sequence[Chunk]):
    """Chunks of several passes, each made on access."""

    def __init__(self, places: Sequence[tuple[Sequence[Chunk], int]]) -> None:
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: Any) -> Any:
        wave, place = self.places[number]
        return wave[place]


def progress_text(chunk: ChunkCounts) -> str:
    return f"comparing {next(iter(chunk.shares), '')}"


def raise_problems(chunks: Sequence[ChunkCounts]) -> None:
    """Raise the problems that readers or comparisons reported."""
    problems: list[Problem] = []
    for chunk in chunks:
        problems += chunk.key.problems
        for share in chunk.shares.values():
            problems += [*share.read.problems, *share.problems]
    if problems:
        raise InputError(cap_problems(problems))
    for chunk in chunks:
        for share in chunk.shares.values():
            if share.refused:
                raise UsageError(share.refused)


def cap_problems(problems: Sequence[Problem]) -> list[Problem]:
    """As many problems per file as a reading of the whole file would have reported."""
    limited: list[Problem] = []
    for file_problems in group_items((problem.place.path, problem) for problem in problems).values():
        reported = [problem for problem in file_problems if problem.code != TOO_MANY_PROBLEMS]
        limited += reported[:MOST_PROBLEMS]
        limited += [too_many_problems(last.place) for last in reported[MOST_PROBLEMS - 1 : MOST_PROBLEMS]]
    return limited
