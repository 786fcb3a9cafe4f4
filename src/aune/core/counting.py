"""What is done with one chunk: read it, pair it, compare it, count it. Every engine maps this one function.

A `Job` says how, a `Recipe` what; both can be sent to another process. What comes back is small: rows as a block, the
digests of names, the addresses of what could not be paired, notes and answers that merge.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from aune.core import registry
from aune.core.arrays import Ints
from aune.core.corpus import NAMED, Source, reader_options
from aune.core.digests import Digests, digests
from aune.core.errors import InputError, Problem, UsageError
from aune.core.measure import Layout, Measure, flatten, layout_of
from aune.core.notes import Note, as_note
from aune.core.pairing import NOBODY, Addresses, addresses, order_of
from aune.core.pieces import Boundaries, Piece
from aune.core.rows import Block, block_of, smallest
from aune.core.survey import Answers, Survey
from aune.core.task import Pair, Task

ANY_NUMBER = -1  # of sentences, in the last part of a document
APART = 1 << 60  # where documents stand that only the response has: behind all others


@dataclass(frozen=True)
class Job:
    """How every chunk of an evaluation is read, paired, compared and counted."""

    task: str
    measures: tuple[str | Measure, ...]
    """By name where the registry has them, so that a job can be sent."""
    comparing: Mapping[str, Mapping[str, Any]]
    """The options of `compare`, by system."""
    counting: Mapping[str, Mapping[str, Any]]
    """The options of each measure, by its name."""
    reading: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    """The options of readers, for the key and for the responses."""
    missing: str = "empty"
    extra: str = "ignore"
    known: Answers = field(default_factory=dict)
    """What the whole corpus shows, once it is known."""
    keep: bool = False
    """Whether the comparisons come back too, for those who want more than counts."""

    @property
    def home(self) -> Task:
        return registry.task(self.task)

    @cached_property
    def chosen(self) -> list[Measure]:
        return [
            registry.measure(measure, self.task) if isinstance(measure, str) else measure for measure in self.measures
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "chosen"}


class Recipe(NamedTuple):
    """One chunk: the pieces of both sides, or documents that are paired already."""

    number: int
    key: tuple[Piece, ...] = ()
    responses: Mapping[str, tuple[Piece, ...]] = {}
    pairs: Mapping[str, Sequence[Pair]] | None = None
    rejoined: Mapping[str, tuple[Addresses, Addresses]] | None = None
    """Left-overs of other chunks, of which these pieces are made: then what has no counterpart here has none at all."""
    sentences: int = 0
    """How many sentences of the key its pieces should hold, where they are parts of one document; 0 where not."""


class Read(NamedTuple):
    """What reading one side of a chunk gave."""

    names: Digests
    documents: int = 0
    problems: tuple[Problem, ...] = ()
    notes: Mapping[str, Sequence[Note]] = {}
    """By file."""
    alone: bool = True
    """Whether the pieces could be read without the rest of their files."""


class Alone(NamedTuple):
    """Documents without a counterpart: how many, and some of them with their place."""

    number: int = 0
    first: tuple[tuple[int, str], ...] = ()


NOTHING_READ = Read(np.zeros(0, np.uint64))
NO_ONE = Alone()


@dataclass
class Share:
    """What a chunk has of one system."""

    read: Read = NOTHING_READ
    pairs: int = 0
    orders: Ints | None = None
    """(pairs,): where each document stands in the key; of pairs that are all in order, the first and the last."""
    blocks: dict[str, Block] = field(default_factory=dict)
    """The rows, by the units that measures count over."""
    owners: dict[str, Ints] = field(default_factory=dict)
    """The pair that each row is of; only where rows must be put in order afterwards."""
    layouts: dict[str, Layout] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    """What measures counted whose counts depend on the whole corpus."""
    notes: list[Note] = field(default_factory=list)
    facts: dict[Any, tuple[int, int]] = field(default_factory=dict)
    """What the task words when all of it is counted, with where it was first seen."""
    signed: Mapping[str, str] = field(default_factory=dict)
    left: tuple[Addresses, Addresses] = (NOBODY, NOBODY)
    """What could not be paired, of the key and of the response."""
    missing: Alone = NO_ONE
    extra: Alone = NO_ONE
    problems: tuple[Problem, ...] = ()
    refused: str = ""
    """Why it cannot be compared as was asked, by what this chunk shows: the whole corpus may show more."""
    comparison: Any = None
    held: tuple[bool, bool] = (False, False)
    """Whether any key and any response among the pairs holds what is compared."""


class Counted(NamedTuple):
    """What comes back from a chunk."""

    number: int
    shares: Mapping[str, Share]
    seen: Answers
    """What this chunk shows of what the corpus was asked."""
    key: Read = NOTHING_READ
    usual: frozenset[str] = frozenset()
    """The measures that make sense for the documents of the key."""


def counted(job: Job, recipe: Recipe) -> Counted:
    """The counts of one chunk. Everything that an engine does is calling this."""
    with collector_off():
        survey = Survey(job.known)
        if recipe.pairs is not None:
            shares = {system: _paired_share(job, recipe.number, system, pairs, survey)
                      for system, pairs in recipe.pairs.items()}  # fmt: skip
            keys = [key for pairs in recipe.pairs.values() for key, _ in pairs]
            return Counted(recipe.number, shares, survey.seen, usual=_usual(job, keys))
        return _from_pieces(job, recipe, survey)


@contextmanager
def collector_off() -> Iterator[None]:
    """Very many objects are made and none of them is garbage before the end: looking for some in between is wasted."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
        gc.collect(0)


def _usual(job: Job, keys: Sequence[Any]) -> frozenset[str]:
    return frozenset(job.home.usual(keys)) if job.home.usual else frozenset()


def _paired_share(job: Job, number: int, system: str, pairs: Sequence[Pair], survey: Survey) -> Share:
    share = Share(pairs=len(pairs), orders=order_of(number, np.arange(len(pairs))))
    _count(job, system, pairs, share, survey, in_order=True)
    return share


# Pieces.


class _Documents(NamedTuple):
    """The documents of the pieces of one side."""

    documents: list[Any]
    ids: list[str]
    pieces: list[int]
    """The piece that each one is from."""
    read: Read


def _from_pieces(job: Job, recipe: Recipe, survey: Survey) -> Counted:
    key = _documents(job, recipe, recipe.key, job.reading[0], survey)
    shares = {}
    for system, pieces in recipe.responses.items():
        response = _documents(job, recipe, pieces, job.reading[1], survey)
        if np.array_equal(key.read.names, response.read.names):  # as in nearly all chunks: kept once
            response = response._replace(read=response.read._replace(names=key.read.names))
        if key.read.problems or response.read.problems:
            shares[system] = Share(response.read)
        elif recipe.sentences:
            shares[system] = _part_share(job, recipe, system, key, response, survey)
        elif recipe.rejoined is None:
            shares[system] = _first_share(job, recipe, system, key, response, survey)
        else:
            shares[system] = _rejoined_share(job, recipe.rejoined[system], system, key, response, survey)
    return Counted(recipe.number, shares, survey.seen, key.read, _usual(job, key.documents))


def _documents(
    job: Job, recipe: Recipe, pieces: Sequence[Piece], options: Mapping[str, Any], survey: Survey
) -> _Documents:
    """All documents of some pieces, with what is wrong with them."""
    documents: list[Any] = []
    owners: list[int] = []
    problems: list[Problem] = []
    notes: dict[str, Sequence[Note]] = {}
    alone = True
    for number, piece in enumerate(pieces):
        try:
            source = Source.of(piece, survey)
        except OSError as error:
            what = f"found no readable file where it is counted ({error.strerror}), expected the same on every machine"
            problems.append(Problem(piece.name, 1, 1, f"{what}: check the path there"))
            continue
        form = registry.format(job.task, piece.format)
        try:
            documents += form.read(source, **reader_options(form.read, options))
            source.finish()
        except InputError as error:
            problems += error.problems
        if form.boundaries.literal and not recipe.sentences and not problems:
            alone &= _begins_documents(piece, form.boundaries, documents[len(owners) :])
        alone &= source.alone
        owners += [number] * (len(documents) - len(owners))
        if source.notes:
            notes[piece.name] = source.notes
    ids = [document.id for document in documents]
    names = digests(ids)
    return _Documents(documents, ids, owners, Read(names, len(documents), tuple(problems), notes, alone))


def _begins_documents(piece: Piece, boundaries: Boundaries, documents: Sequence[Any]) -> bool:
    """Whether documents begin where the piece was cut, and so not only lines that look like it."""
    lines = {document.line for document in documents}
    skipped = boundaries.marks[0].count(b"\n")  # a mark may begin with the empty line before the document's
    return all(segment.line + skipped in lines for segment in piece.segments if segment.before)


def _part_share(job: Job, recipe: Recipe, system: str, key: _Documents, response: _Documents, survey: Survey) -> Share:
    """A part of one document, which both sides must have cut at the same places of the same text."""
    pairs = list(zip(key.documents, response.documents, strict=False))
    whole = [len(side.documents) == 1 for side in (key, response)]
    alone = len(pairs) == 1 and all(whole) and job.home.fit is not None and job.home.fit(*pairs[0], recipe.sentences)
    if not key.documents and not response.documents:  # blank lines at the end
        return Share(response.read)
    share = Share(response.read._replace(alone=alone and response.read.alone), len(pairs))
    if alone:
        share.orders = order_of(recipe.number, np.arange(1))
        _count(job, system, pairs, share, survey, in_order=True)
    return share


def _first_share(job: Job, recipe: Recipe, system: str, key: _Documents, response: _Documents, survey: Survey) -> Share:
    """The documents that meet in this chunk, and the addresses of the others."""
    if key.ids == response.ids:  # as in nearly all chunks
        orders = order_of(recipe.number, np.arange(len(key.ids)))
        share = Share(response.read, len(key.ids), orders)
        _count(job, system, list(zip(key.documents, response.documents, strict=True)), share, survey, in_order=True)
        return share
    answers = dict(zip(response.ids, range(len(response.ids)), strict=True))
    meeting = [answers.pop(name, -1) for name in key.ids]
    pairs = [(document, response.documents[place]) for document, place in zip(key.documents, meeting, strict=True)
             if place >= 0]  # fmt: skip
    met = np.array(meeting, np.int64) >= 0
    orders = order_of(recipe.number, np.arange(len(met)))
    share = Share(response.read, len(pairs), orders[met])
    others = np.array(sorted(answers.values()), np.int64)
    share.left = (
        _addresses(job, recipe.key, key, np.flatnonzero(~met), orders),
        _addresses(job, recipe.responses[system], response, others, APART + order_of(recipe.number, np.arange(
            len(response.documents)))),
    )  # fmt: skip
    _count(job, system, pairs, share, survey, in_order=bool(met.all()))
    return share


def _addresses(job: Job, pieces: Sequence[Piece], side: _Documents, which: Ints, orders: Ints) -> Addresses:
    if not len(which):
        return NOBODY
    boundaries = [registry.format(job.task, piece.format).boundaries for piece in pieces]
    places = [(side.pieces[place], int(getattr(side.documents[place], "line", 0) or 0)) for place in which.tolist()]
    return addresses(pieces, boundaries, places, orders[which], side.read.names[which])


def _rejoined_share(
    job: Job, wanted: tuple[Addresses, Addresses], system: str, key: _Documents, response: _Documents, survey: Survey
) -> Share:
    """The left-overs of other chunks: paired by name, or without a counterpart anywhere."""
    expected, given = (_wanted(side, left) for side, left in zip((key, response), wanted, strict=True))
    answers = {document.id: (order, document) for order, document in given}
    share = Share()
    pairs: list[tuple[int, Pair]] = []
    lacking: list[tuple[int, str]] = []
    for order, document in expected:
        answer = answers.pop(document.id, None)
        if answer is None:
            lacking.append((order, document.id))
            if job.missing == "empty":
                pairs.append((order, (document, job.home.empty(document))))
        else:
            pairs.append((order, (document, answer[1])))
    others = sorted(answers.values(), key=lambda one: one[0])
    if job.extra == "count":
        pairs += [(order, (job.home.empty(document), document)) for order, document in others]
    share.missing = _alone(lacking, job.missing)
    share.extra = _alone([(order, document.id) for order, document in others], job.extra)
    share.pairs = len(pairs)
    share.orders = np.array([order for order, _ in pairs], np.int64)
    _count(job, system, [both for _, both in pairs], share, survey, in_order=False)
    return share


def _wanted(side: _Documents, left: Addresses) -> list[tuple[int, Any]]:
    """The documents that were left over, with where they stand, in that order."""
    orders = dict(zip(left.digest.tolist(), left.order.tolist(), strict=True))
    found = [
        (orders[name], document)
        for name, document in zip(side.read.names.tolist(), side.documents, strict=True)
        if name in orders
    ]
    return sorted(found, key=lambda one: one[0])


def _alone(names: list[tuple[int, str]], policy: str) -> Alone:
    """All of them where each will be refused, else the first few."""
    return Alone(len(names), tuple(names if policy == "error" else names[:NAMED]))


# Comparing and counting.


def _count(job: Job, system: str, pairs: Sequence[Pair], share: Share, survey: Survey, *, in_order: bool) -> None:
    """Compare some pairs, and put the counts of every measure into a share."""
    if not pairs:
        return
    share.held = job.home.held(pairs)
    options = job.comparing[system]
    try:
        comparison = job.home.compare(pairs, survey, **options)
    except InputError as error:
        share.problems = error.problems
        return
    except UsageError as error:
        share.refused = str(error)
        return
    matrices: dict[str, dict[str, Any]] = {}
    for measure in job.chosen:
        units = matrices.setdefault(measure.units, {})
        found = measure.part(comparison, job.counting[measure.name])
        if measure.settle is None:
            share.layouts[measure.name] = layout_of(found)
            units[measure.name] = flatten(found)
        else:
            share.parts[measure.name] = found
    for name, counts in matrices.items():
        units = getattr(comparison, name)
        share.blocks[name] = block_of(units, counts)
        if not in_order:
            share.owners[name] = smallest(_owners(job.home, units, pairs))
    share.signed = dict(comparison.signed)
    if job.home.told is None:
        share.notes = [_placed(note, pairs, share.orders) for note in comparison.warnings]
    share.facts = _facts(comparison.facts, pairs, share.orders)
    if in_order and share.orders is not None:
        share.orders = share.orders[[0, -1]]
    if job.keep:
        share.comparison = comparison


def _owners(task: Task, units: Mapping[str, Sequence[str]], pairs: Sequence[Pair]) -> Ints:
    """The pair that each row is of."""
    numbers = {name: number for number, (key, _) in enumerate(pairs) for name in task.parts(key)}
    return np.fromiter((numbers[name] for name in units[task.part]), np.int64, len(units[task.part]))


def _placed(note: Note | str, pairs: Sequence[Pair], orders: Ints | None) -> Note:
    """A note with the place of its first document in the corpus."""
    found = as_note(note)
    if not isinstance(found.first, str) or not found.first or orders is None:
        return found
    place = next((number for number, (key, _) in enumerate(pairs) if key.id == found.first), None)
    return found if place is None else found._replace(place=int(orders[place]))


def _facts(facts: Mapping[Any, int], pairs: Sequence[Pair], orders: Ints | None) -> dict[Any, tuple[int, int]]:
    """Each fact with its number, and where the document that it names stands in the corpus, if it names one."""
    if not facts or orders is None:
        return {}
    places = dict(zip((key.id for key, _ in pairs), orders.tolist(), strict=True))
    named = {fact: [places[part] for part in fact if part in places] for fact in facts}
    return {fact: (number, min(named[fact], default=-1)) for fact, number in facts.items()}
