"""From a key and responses to scores: read, pair, compare, count, add, score. One direction, no way back.

What is evaluated comes in chunks: pieces of files, or documents that are in memory already. An engine counts them, here
or elsewhere; what comes back is merged, and the values are the same whatever the cut and the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from operator import is_
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune import STDIN, __version__
from aune.core import registry
from aune.core.asked import RESPONSE, Asked, asked_options, check_read, chosen_measures, for_responses, scorers
from aune.core.corpus import (
    MOST_PROBLEMS,
    TOO_MANY,
    Corpus,
    Extra,
    Input,
    Missing,
    Opened,
    Unpaired,
    check_policies,
    is_file_like,
    opened,
    pair,
    read,
    read_opened,
    system_names,
    told_unpaired,
)
from aune.core.counting import ANY_NUMBER, NOTHING_READ, Alone, Counted, Job, Recipe, Share, counted
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.core.measure import Measure, flatten, layout_of
from aune.core.notes import Note, merged, told_of_files, worded
from aune.core.options import File, check_known, options_of, signed_options
from aune.core.pairing import NOBODY, Joined, Part, Side, all_different, in_step, joined, together
from aune.core.pieces import WHOLE, Boundaries, cutter
from aune.core.result import Result, Scored
from aune.core.rows import Block, Rows, attributes_of, reordered, smallest
from aune.core.signature import signature
from aune.core.survey import Answers, Survey, disagrees, united
from aune.core.task import Format, Pair, Task

CHUNK = 5_000  # documents in memory that are compared at once: enough for array speed, few enough to see progress
PIECE = 1 << 20  # bytes of a key that are read at once: enough for array speed, few enough to stay small

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and the share that is done."""
Engine: TypeAlias = Callable[[Job, Iterable[Recipe]], Iterable[Counted]]
"""What maps `counted` over chunks, in any order."""


@dataclass(frozen=True)
class Evaluation:
    """A result, and the comparisons behind it where they were asked for."""

    result: Result
    comparisons: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By system, in the order of the key."""


def evaluate(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str], **options: Any) -> Result:
    """The scores of one or several systems against one key; its warnings stand in the result (see `aune.evaluate`)."""
    return evaluated(task, key, systems, **options).result


def evaluated(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str],
    *,
    measures: Sequence[str | Measure] | None = None,
    convention: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: Missing = "empty",
    extra: Extra = "ignore",
    progress: Progress | None = None,
    engine: Any = None,
    workers: int = 1,
    keep: bool = False,
    **options: Any,
) -> Evaluation:
    """As `evaluate`, with the comparisons (`keep`) for those who want more than scores."""
    home = registry.task(task)
    if not systems:
        raise UsageError("expected at least one response to score")
    named = systems if isinstance(systems, Mapping) else system_names(systems)
    chosen = chosen_measures(home, measures)
    for one in chosen:
        one.check_packages()
    asked = asked_options(home, chosen, convention, options)
    _check_systems(named, asked.given)
    check_policies(missing, extra)
    plan = _Plan(home, chosen, asked, not measures, missing, extra, keep, progress or (lambda what, share: None))
    with _engine(None if keep else engine, workers) as run:
        inputs = _inputs(home, key, named, key_format, response_format, asked.given)
        _check_inputs(plan, inputs)
        tallies = (None if keep else _streamed(plan, inputs, run)) or _in_memory(plan, inputs, run)
    return _evaluation(plan, inputs, tallies)


def here(job: Job, recipes: Iterable[Recipe]) -> Iterator[Counted]:
    """The engine that counts in this process."""
    return (counted(job, recipe) for recipe in recipes)


def _engine(engine: Any, workers: int) -> AbstractContextManager[Engine]:
    """The engine that was asked for: by name, `name=address`, as a function, or by the number of workers."""
    if workers < 1:
        raise UsageError(f"workers {workers}: expected a number of processes from 1")
    if engine is None:
        engine = "processes" if workers > 1 else "here"
    if engine == "here":
        return nullcontext(here)
    if isinstance(engine, str):
        name, _, address = engine.partition("=")
        found: AbstractContextManager[Engine] = registry.engine(name)(workers, address)
        return found
    if hasattr(engine, "submit") and hasattr(engine, "scheduler"):  # a client of Dask
        return registry.engine("dask")(workers, engine)  # type: ignore[no-any-return]
    if not callable(engine):
        raise UsageError(f"engine {engine!r}: expected here, processes, dask=ADDRESS, a Dask client, or a function")
    return nullcontext(engine)


@dataclass(frozen=True)
class _Plan:
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
    """A measure by its name, where the registry makes the same one of it."""
    try:
        known = registry.measure(measure.name, measure.task)
        return measure.name if known == measure or "(" in measure.name else measure
    except (UsageError, ValueError):
        return measure


# Inputs.


class _Inputs(NamedTuple):
    """The key and the responses: files of which nothing is read yet, or documents."""

    key: Opened | Corpus
    responses: Mapping[str, Opened | Corpus]

    @property
    def all(self) -> list[Opened | Corpus]:
        return [self.key, *self.responses.values()]


def _inputs(
    task: Task, key: Any, systems: Mapping[str, Any], key_format: str | None, response_format: str | None,
    given: Mapping[str, Any],
) -> _Inputs:  # fmt: skip
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
    found = _Inputs(expected, {name: opening(source, response_format, theirs) for name, source in systems.items()})
    if problems:
        _refuse_with_all(found, given, theirs, problems)
    return found


def _refuse_with_all(
    inputs: _Inputs, given: Mapping[str, Any], theirs: Mapping[str, Any], problems: list[Problem]
) -> None:
    """Refuse inputs of which some cannot be opened, with what is wrong with the others too."""
    for one, options in [(inputs.key, given), *((one, theirs) for one in inputs.responses.values())]:
        if isinstance(one, Opened):
            problems += read_opened(one, options)[1]
    raise InputError(problems)


def _check_inputs(plan: _Plan, inputs: _Inputs) -> None:
    """Refuse an option that only formats which are not read would understand."""
    used = {name for one in inputs.all for name in one.options}
    formats: set[str] = set()
    for one in inputs.all:
        formats |= {one.format or "plain Python"} if isinstance(one, Corpus) else {"+".join(one.formats)}
    check_read(plan.home, plan.asked.given, used, formats, scorers(plan.home, plan.chosen))


# Counting: documents in memory, or files piece by piece.


class _Tally(NamedTuple):
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


def _in_memory(plan: _Plan, inputs: _Inputs, run: Engine) -> dict[str, _Tally]:
    """Every document is read first, and then compared."""
    expected, responses = _read_all(plan, inputs)
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
    found = _surveyed(job, [recipes], run, plan.progress)
    _refuse(found, expected.path)
    known = united(one.seen for one in found)
    tallies = {}
    for system, response in responses.items():
        mine = [one for one in found if system in one.shares]
        pairs, notes = paired[system]
        tallies[system] = _Tally(
            response.input("response", system),
            [one.shares[system] for one in mine],
            response.warnings,
            notes,
            len(pairs),
            frozenset().union(*(one.usual for one in mine)),
            partial(_Comparisons, plan.home, pairs, job.comparing[system], known),
            expected.input("key"),
            expected.warnings,
        )
    return tallies


def _read_all(plan: _Plan, inputs: _Inputs) -> tuple[Corpus, dict[str, Corpus]]:
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


class _Comparisons(Sequence[Any]):
    """The comparisons of a system, made when they are looked at; one at a time is kept."""

    def __init__(self, task: Task, pairs: Sequence[Pair], options: Mapping[str, Any], known: Answers) -> None:
        self.task, self.pairs, self.options, self.known = task, pairs, options, known
        self.made: dict[int, Any] = {}

    def __len__(self) -> int:
        return (len(self.pairs) + CHUNK - 1) // CHUNK

    def __getitem__(self, number: Any) -> Any:
        number = range(len(self))[number]
        if number not in self.made:
            chunk = self.pairs[number * CHUNK : (number + 1) * CHUNK]
            self.made = {number: self.task.compare(chunk, Survey(self.known), **self.options)}
        return self.made[number]


def _surveyed(
    job: Job, waves: Sequence[Sequence[Recipe]], run: Engine, progress: Progress, done: Sequence[Counted] = ()
) -> list[Counted]:
    """What all chunks count, each knowing what the whole corpus shows; `done` was counted already, by itself."""
    where = [(wave, place) for wave in waves for place in range(len(wave))]  # by the numbers of recipes
    ready = {one.number: one for one in done}
    waiting = [number for number in range(len(where)) if number not in ready]

    def recipes(numbers: Sequence[int]) -> Iterator[Recipe]:
        return (wave[place] for wave, place in (where[number] for number in numbers))

    for position, one in enumerate(run(job, recipes(waiting)), 1):
        ready[one.number] = one
        progress(_doing(one), position / len(waiting))
    known = united(one.seen for one in ready.values())
    again = [number for number in range(len(where)) if disagrees(ready[number].seen, known)]
    for one in run(replace(job, known=known), recipes(again)) if again else ():
        ready[one.number] = one
    return [ready[number] for number in sorted(ready)]


def _doing(one: Counted) -> str:
    return f"comparing {next(iter(one.shares), '')}"


def _refuse(found: Sequence[Counted], key: str | None) -> None:
    """Refuse what readers or comparisons found wrong."""
    problems: list[Problem] = []
    for one in found:
        problems += one.key.problems
        for share in one.shares.values():
            problems += [*share.read.problems, *share.problems]
    if problems:
        raise InputError(_capped(problems))
    for one in found:
        for share in one.shares.values():
            if share.refused:
                raise UsageError(share.refused)


def _capped(problems: Sequence[Problem]) -> list[Problem]:
    """As many problems as one reading of a file would have told."""
    by_path: dict[str, list[Problem]] = {}
    for problem in problems:
        by_path.setdefault(problem.path, []).append(problem)
    kept: list[Problem] = []
    for own in by_path.values():
        told = [problem for problem in own if problem.message != TOO_MANY]
        kept += told[:MOST_PROBLEMS]
        kept += [replace(last, message=TOO_MANY) for last in told[MOST_PROBLEMS - 1 : MOST_PROBLEMS]]
    return kept


# Streams.


def _streamed(plan: _Plan, inputs: _Inputs, run: Engine) -> dict[str, _Tally] | None:
    """Files piece by piece; None where they must be, or may as well be, read whole."""
    files = {system: one for system, one in inputs.responses.items() if isinstance(one, Opened)}
    key = inputs.key
    if not isinstance(key, Opened) or key.size <= PIECE or len(files) < len(inputs.responses):
        return None
    cut = _cut(plan, key, files)
    if len(cut.recipes) < 2:
        return None
    job = plan.job(files)
    first = []
    for position, one in enumerate(run(job, cut.recipes), 1):
        first.append(one)
        plan.progress(_doing(one), position / len(cut.recipes))
    first.sort(key=lambda one: one.number)
    if not cut.within and not any(share.refused for one in first for share in one.shares.values()):
        _refuse(first, key.path)
    elif problems := [problem for one in first for problem in one.key.problems if not cut.within]:
        raise InputError(_capped(problems))
    if _must_be_whole(first, cut):
        return None
    second = _second_wave(cut, first)
    first = list(map(_without_names, first))
    found = _surveyed(job, [cut.recipes, second], run, lambda what, share: None, first)
    if not _all_alone(found):
        return None
    _refuse(found, key.path)
    return {system: _stream_tally(plan, inputs, system, found, cut) for system in files}


class _Cut(NamedTuple):
    """Both sides cut in step."""

    key: Side
    sides: Mapping[str, Side]
    recipes: Sequence[Recipe]
    owners: Sequence[tuple[list[int], dict[str, list[int]]]]
    """For each recipe the files that its pieces are of, on each side."""
    within: bool
    """Whether the files are one document each, and the pieces parts of it."""


def _cut(plan: _Plan, key: Opened, files: Mapping[str, Opened]) -> _Cut:
    """Files cut where their documents begin, or where each of them is one document, behind its sentences."""
    found = _in_step(_side(key, _boundaries), {system: _side(one, _boundaries) for system, one in files.items()}, False)
    if len(found.recipes) > 1 or plan.home.fit is None or found.key.documents != 1:
        return found
    side, sides = _side(key, _within), {system: _side(one, _within) for system, one in files.items()}
    same = all(one.documents == side.documents and len(one.parts) == 1 for one in sides.values())
    return _in_step(side, sides, True) if same and len(side.parts) == 1 else found


def _in_step(key: Side, sides: Mapping[str, Side], within: bool) -> _Cut:
    owners: list[tuple[list[int], dict[str, list[int]]]] = []
    recipes: list[Recipe] = []
    for (first, after), (pieces, mine), shares in in_step(key, sides, PIECE):
        owners.append((mine, {system: own for system, (_, own) in shares.items()}))
        responses = {system: tuple(own) for system, (own, _) in shares.items()}
        sentences = 0 if not within else after - first if after < key.documents else ANY_NUMBER
        recipes.append(Recipe(len(recipes), tuple(pieces), responses, sentences=sentences))
    return _Cut(key, sides, recipes, owners, within)


def _without_names(one: Counted) -> Counted:
    """A chunk without the digests of its names, which nobody needs once all are paired."""
    for share in one.shares.values():
        share.read = share.read._replace(names=NOTHING_READ.names)
    return one._replace(key=one.key._replace(names=NOTHING_READ.names))


def _side(files: Opened, boundaries_of: Callable[[Format, Mapping[str, Any]], Boundaries]) -> Side:
    parts = []
    for origin, form in files.files:
        if form is not None:
            boundaries = boundaries_of(form, files.options)
            parts.append(Part(origin, form.name, boundaries, cutter(origin, boundaries)))
    return Side(parts)


def _within(form: Format, options: Mapping[str, Any]) -> Boundaries:
    """Where a file that is one document may be cut."""
    return Boundaries(form.boundaries.within)


def _boundaries(form: Format, options: Mapping[str, Any]) -> Boundaries:
    """Where a format's documents begin, under the options it is read with."""
    needed = form.boundaries.option
    return WHOLE if needed and options.get(needed[0]) != needed[1] else form.boundaries


def _must_be_whole(first: Sequence[Counted], cut: _Cut) -> bool:
    """Whether documents can only be paired, or refused, with all of them in sight.

    So it is when a side has one document, which the other side's may be a cut of; when no name is shared; and when a
    name seems to occur twice, which reading the whole will tell for sure. Parts of one document must all be parts of
    the same one, nothing may be wrong with any of them, and what is counted must be counted by sentence.
    """
    if not _all_alone(first):
        return True
    names = {system: [one.shares[system].read.names for one in first] for system in cut.sides}
    keys = [one.key.names for one in first]
    if cut.within:
        shares = [share for one in first for share in one.shares.values()]
        wrong = any(one.key.problems for one in first) or any(
            share.read.problems or share.problems or share.refused or not _by_sentence(share) for share in shares
        )
        return wrong or any(len(np.unique(np.concatenate(side))) != 1 for side in (keys, *names.values()))
    if sum(map(len, keys)) < 2 or not all_different(keys):
        return True
    for system, responses in names.items():
        if all(map(is_, keys, responses)):  # as most often: kept once
            continue
        if sum(map(len, responses)) < 2 or not all_different(responses):
            return True
        paired = any(one.shares[system].pairs for one in first)
        if not paired and not len(np.intersect1d(np.concatenate(keys), np.concatenate(responses))):
            return True
    return False


def _by_sentence(share: Share) -> bool:
    return all("sentence" in block.attributes for block in share.blocks.values())


def _all_alone(found: Sequence[Counted]) -> bool:
    """Whether every piece could be read without the rest of its file."""
    return all(one.key.alone and all(share.read.alone for share in one.shares.values()) for one in found)


class _SecondWave(Sequence[Recipe]):
    """Recipes for what the first wave could not pair, made when they are asked for: they can be very many."""

    def __init__(self, key: Side, sides: Mapping[str, Side], first: int) -> None:
        self.key, self.sides, self.first = key, sides, first
        self.pending: list[tuple[str, Joined]] = []

    def __len__(self) -> int:
        return len(self.pending)

    def __getitem__(self, number: Any) -> Any:
        system, pending = self.pending[number]
        pieces = self.key.pieces_at(pending.key) if pending.key.size else ()
        answers = self.sides[system].pieces_at(pending.response) if pending.response.size else ()
        rejoined = {system: (pending.key, pending.response)}
        return Recipe(self.first + number, pieces, {system: answers}, rejoined=rejoined)


def _second_wave(cut: _Cut, first: Sequence[Counted]) -> _SecondWave:
    """What the first wave could not pair, joined by digest."""
    wave = _SecondWave(cut.key, cut.sides, len(cut.recipes))
    for system in cut.sides:
        left_key, left_response = [], []
        for one in first:
            mine, theirs = one.shares[system].left
            owners = cut.owners[one.number]
            left_key.append(mine._replace(piece=smallest(np.array(owners[0] or [0])[mine.piece])))
            left_response.append(theirs._replace(piece=smallest(np.array(owners[1][system] or [0])[theirs.piece])))
            one.shares[system].left = (NOBODY, NOBODY)
        for pending in joined(together(left_key), together(left_response), PIECE):
            wave.pending.append((system, pending))
    return wave


def _stream_tally(plan: _Plan, inputs: _Inputs, system: str, found: Sequence[Counted], cut: _Cut) -> _Tally:
    key, response = inputs.key, inputs.responses[system]
    assert isinstance(key, Opened) and isinstance(response, Opened)
    shares = [one.shares[system] for one in found if system in one.shares]
    pairs = sum(share.pairs for share in shares)
    if not pairs:
        raise NothingToScoreError(f"{system}: no document left to score")
    first = found[: len(cut.recipes)]
    lacking, others = _unpaired([share.missing for share in shares]), _unpaired([share.extra for share in shares])
    told = told_unpaired(response.path, lacking, others, plan.missing, plan.extra)
    sizes = sum(one.key.documents for one in first), sum(one.shares[system].read.documents for one in first)
    if cut.within:
        pairs, sizes = 1, (1, 1)
    return _Tally(
        response.input("response", sizes[1], system),
        shares,
        _file_warnings(response, [one.shares[system].read.notes for one in first]),
        told,
        pairs,
        frozenset().union(*(one.usual for one in first)),
        partial(_reread, plan, inputs, system, united(one.seen for one in found)),
        key.input("key", sizes[0]),
        _file_warnings(key, [one.key.notes for one in first]),
    )


def _unpaired(parts: Sequence[Alone]) -> Unpaired:
    first = sorted(one for part in parts for one in part.first)
    return Unpaired(sum(part.number for part in parts), [name for _, name in first])


def _file_warnings(files: Opened, chunks: Sequence[Mapping[str, Sequence[Note]]]) -> list[str]:
    """What readers had to say of the files, over all their pieces."""
    return told_of_files(
        {
            origin.name: [*files.notes[origin.name], *(note for chunk in chunks for note in chunk.get(origin.name, ()))]
            for origin, _ in files.files
        }
    )


def _reread(plan: _Plan, inputs: _Inputs, system: str, known: Answers) -> Sequence[Any]:
    """The comparisons of a system whose files were read in pieces."""
    expected, responses = _read_all(plan, _Inputs(inputs.key, {system: inputs.responses[system]}))
    pairs, _ = pair(plan.home, expected, responses[system], missing=plan.missing, extra=plan.extra)
    return _Comparisons(plan.home, pairs, plan.job([system]).comparing[system], known)


# Results.


def _evaluation(plan: _Plan, inputs: _Inputs, tallies: Mapping[str, _Tally]) -> Evaluation:
    """What was counted, as scores. Values are computed here, so that what is refused is refused now."""
    first = next(iter(tallies.values()))
    result = Result(plan.home.name, [], [first.key], list(first.key_warnings))
    fitting = frozenset().union(*(tally.usual for tally in tallies.values()))
    limited = plan.usual and plan.home.usual is not None
    chosen = [one for one in plan.chosen if not limited or one.name.partition(".")[2] in fitting]
    for system, tally in tallies.items():
        result.inputs.append(tally.input)
        notes = worded(merged(note for share in tally.shares for note in share.notes))
        notes += plan.home.told(_facts(tally.shares)) if plan.home.told else []
        result.warnings.extend([*tally.warnings, *tally.told, *(f"{system}: {text}" for text in notes)])
        options = {
            **_reading(inputs.key, inputs.responses[system], plan.asked.given),
            **({"missing": plan.missing, "extra": plan.extra} if tally.documents > 1 or tally.told else {}),
        }
        for scored in _scores(plan, system, tally, chosen, options):
            scored.values  # noqa: B018 - what cannot be scored is refused now, and not in a writer
            result.scores.append(scored)
    return Evaluation(result, _kept(plan, tallies))


def _facts(shares: Sequence[Share]) -> dict[Any, int]:
    """The facts of all chunks, added up, in the order of the documents that they name."""
    numbers: Counter[Any] = Counter()
    places: dict[Any, int] = {}
    for share in shares:
        for fact, (number, place) in share.facts.items():
            numbers[fact] += number
            places[fact] = min(place, places.get(fact, place))
    return {fact: numbers[fact] for fact in sorted(numbers, key=places.__getitem__)}


def _kept(plan: _Plan, tallies: Mapping[str, _Tally]) -> dict[str, list[Any]]:
    return {system: [share.comparison for share in tally.shares] for system, tally in tallies.items() if plan.keep}


def _scores(
    plan: _Plan, system: str, tally: _Tally, measures: Sequence[Measure], reading: Mapping[str, Any]
) -> Iterator[Scored]:
    shares = [share for share in tally.shares if share.blocks]
    compare = plan.home.compare
    comparing = signed_options(compare, of_system(system, plan.asked.of(options_of(compare))))
    tables = {units: _Rows.of(shares, units) for units in {one.units for one in measures}}
    for measure in measures:
        table = tables[measure.units]
        if measure.settle is None:
            rows = Rows(table.attributes, table.columns(measure.name), shares[0].layouts[measure.name])
        else:
            settled = measure.settle([share.parts[measure.name] for share in shares])
            matrix = np.concatenate([flatten(counts) for counts in settled])
            rows = Rows(table.attributes, matrix if table.order is None else matrix[table.order], layout_of(settled[0]))
        if not len(rows):
            raise NothingToScoreError(f"{system}: the key holds nothing that counts: nothing to score")
        if measure.by:
            check_known([measure.by], rows.attributes, "attribute to average over")
        options = plan.options(measure)
        printed = {
            **reading,
            **{name: value for name, value in comparing.items() if name not in reading},
            **shares[0].signed,
            **{name: value for name, value in options.items() if name not in measure.given},
        }
        made = tally.details if not plan.keep else partial(list, [share.comparison for share in shares])
        explain = partial(_explained, measure, made, options) if measure.details else None
        sign = signature(measure.name, printed, __version__)
        yield Scored(system, measure.under(options), sign, rows, options, explain)


def _explained(measure: Measure, comparisons: Callable[[], Sequence[Any]], options: Mapping[str, Any]) -> Any:
    assert measure.details is not None
    return measure.details(comparisons(), **measure._taken(measure.details, options))


class _Rows(NamedTuple):
    """The rows of a system over some units, in the order of the key."""

    blocks: Sequence[Block]
    attributes: Mapping[str, Sequence[str]]
    order: Any = None
    """How the rows of all chunks were put in order, where they were not."""

    @classmethod
    def of(cls, shares: Sequence[Share], units: str) -> _Rows:
        blocks = [share.blocks[units] for share in shares]
        orders = [share.orders for share in shares]
        if _in_order(orders):
            return cls(blocks, attributes_of(blocks))
        rows = []
        for share, block in zip(shares, blocks, strict=True):
            owner = share.owners.get(units)
            assert share.orders is not None
            rows.append(share.orders[owner] if owner is not None else np.full(block.size, share.orders[0]))
        order = np.argsort(np.concatenate(rows), kind="stable")
        whole = reordered(blocks, smallest(order))
        return cls([whole], attributes_of([whole]), order)

    def columns(self, measure: str) -> list[list[Any]]:
        return [block.picked(measure) for block in self.blocks]


def _in_order(orders: Sequence[Any]) -> bool:
    """Whether every share lies behind the one before it."""
    bounds = [(int(order.min()), int(order.max())) for order in orders if order is not None and len(order)]
    return all(before[1] < after[0] for before, after in pairwise(bounds))


def _reading(key: Opened | Corpus, response: Opened | Corpus, given: Mapping[str, Any]) -> dict[str, Any]:
    """How both sides were read, for the signature: as the key, and what was given for the response alone."""
    found = dict(key.options)
    for name, value in response.options.items():
        if RESPONSE + name in given:
            found[RESPONSE + name] = value
        elif name in given:
            found.setdefault(name, value)
    return found


def of_system(system: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the file of this system where files are named by system; none for a system without one."""
    return {
        name: value.by_system.get(system) if isinstance(value, File) and value.by_system else value
        for name, value in options.items()
    }


def _check_systems(systems: Iterable[str], options: Mapping[str, Any]) -> None:
    for value in options.values():
        if isinstance(value, File):
            check_known(value.by_system, systems, "system")
