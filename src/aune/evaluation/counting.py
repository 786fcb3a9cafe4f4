"""Read, pair, compare and count one chunk, the function that every engine maps over the chunks; and all chunks.

A `Job` contains the options, a `Chunk` the input; both can be sent to another process. The result is small: a block
of rows, digests of names, addresses of documents that could not be paired, and notes and answers that can be merged.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.contract import registry
from aune.contract.format import Boundaries
from aune.contract.measure import Layout, Measure, flatten, layout_of
from aune.contract.notes import Note, as_note
from aune.contract.survey import Answers, Survey, disagrees, unite_answers
from aune.contract.task import Pair, Task
from aune.errors import InputError, Place, Problem, Remedy, UsageError
from aune.evaluation.alternatives import MeasuredPairs, choose_answers, row_owners
from aune.evaluation.leftovers import NO_ADDRESSES, Addresses, locate_documents
from aune.evaluation.pairing import MOST_NAMES, ExtraPolicy, MissingPolicy
from aune.numeric.arrays import Ints
from aune.numeric.digests import Digests, digests
from aune.numeric.grouping import group_items
from aune.reading.corpus import InputRecord, reader_options
from aune.reading.pieces import BlockCounts, Piece, Scanner
from aune.reading.source import MOST_PROBLEMS, TOO_MANY_PROBLEMS, Source, too_many_problems
from aune.results.rows import Block, make_block, shrink_type

ANY_NUMBER = -1  # any number of sentences, for the last part of a document
CHUNK_SIZE = 5_000  # documents in memory that are compared together: enough for array speed, few enough for progress
FEW_PAIRS = 100  # pairs that are counted in less time than a collection of garbage takes
EXTRA_ORDER = 1 << 60  # added to the order of documents that only the response has: they come after all others


@dataclass(frozen=True)
class Job:
    """How every chunk of an evaluation is read, paired, compared and counted."""

    task: str
    measures: tuple[str | Measure, ...]
    """By name where the registry defines them, so that a job can be sent to another process."""
    compare_options: Mapping[str, Mapping[str, Any]]
    """The options of `compare`, by system."""
    count_options: Mapping[str, Mapping[str, Any]]
    """The options of each measure, by its name."""
    read_options: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    """The options of readers, for the key and for the responses."""
    missing: MissingPolicy = "empty"
    extra: ExtraPolicy = "ignore"
    known: Answers = field(default_factory=dict)
    """The answers of the whole corpus, once they are known."""
    keep: bool = False
    """Whether the comparisons are returned too, for callers that need more than counts."""
    choosing: Measure | None = None
    """The measure that chooses among several right answers where no measure is computed."""

    @property
    def task_definition(self) -> Task:
        return registry.task(self.task)

    @cached_property
    def resolved_measures(self) -> list[Measure]:
        return [
            registry.measure(measure, self.task) if isinstance(measure, str) else measure for measure in self.measures
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "resolved_measures"}


class Chunk(NamedTuple):
    """One chunk: the pieces of both sides, or documents that are paired already."""

    number: int
    key: tuple[Piece, ...] = ()
    responses: Mapping[str, tuple[Piece, ...]] = {}
    pairs: Mapping[str, Sequence[Pair]] | None = None
    rejoined: Mapping[str, tuple[Addresses, Addresses]] | None = None
    """Set where the pieces consist of left-overs of other chunks: a document that is not paired here stays unpaired."""
    scan: tuple[Scanner, int, int] | None = None
    """Set where the chunk only counts what begins in some blocks of a file, from the first to the one after the last:
    the counts decide where the files are cut."""
    sentences: int = 0
    """How many sentences of the key its pieces should contain if they are parts of one document; otherwise 0."""


def corpus_order(chunk: int, place: Any) -> Any:
    """The position of a document in its corpus."""
    return (chunk << 32) + place


class SideReading(NamedTuple):
    """The result of reading one side of a chunk."""

    names: Digests
    documents: int = 0
    problems: tuple[Problem, ...] = ()
    notes: Mapping[str, Sequence[Note]] = {}
    """By file."""
    is_standalone: bool = True
    """Whether the pieces could be read independently of the rest of their files."""


class UnpairedSample(NamedTuple):
    """Documents without a counterpart: their number, and some of their names with their positions."""

    number: int = 0
    examples: tuple[tuple[int, str], ...] = ()


NOTHING_READ = SideReading(np.zeros(0, np.uint64))
NO_UNPAIRED = UnpairedSample()


@dataclass
class SystemShare:
    """The counts of one system in a chunk."""

    read: SideReading = NOTHING_READ
    pairs: int = 0
    orders: Ints | None = None
    """(pairs,): the position of each document in the key; only the first and the last if all pairs are in order."""
    blocks: dict[str, Block] = field(default_factory=dict)
    """The rows, by the units that measures count over; by measure where keys have several right answers."""
    owners: dict[str, Ints] = field(default_factory=dict)
    """The pair that each row belongs to, by block; only where rows must be put in order afterwards."""
    layouts: dict[str, Layout] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    """The counts of measures that must be settled over the whole corpus."""
    notes: list[Note] = field(default_factory=list)
    facts: dict[Any, tuple[int, int]] = field(default_factory=dict)
    """Facts that the task puts into words once all chunks are counted, each with its first position in the corpus."""
    signed: Mapping[str, str] = field(default_factory=dict)
    leftovers: tuple[Addresses, Addresses] = (NO_ADDRESSES, NO_ADDRESSES)
    """The documents of the key and of the response that could not be paired."""
    missing: UnpairedSample = NO_UNPAIRED
    extra: UnpairedSample = NO_UNPAIRED
    problems: tuple[Problem, ...] = ()
    refused: str = ""
    """Why this chunk cannot be compared with these options; with the answers of the whole corpus it may be possible."""
    comparison: Any = None
    has_annotation: tuple[bool, bool] = (False, False)
    """Whether any key and any response among the pairs has annotation."""

    def block_of(self, measure: Measure) -> str:
        """The name of the block with the rows of a measure."""
        return measure.name if measure.name in self.blocks else measure.units


class ChunkCounts(NamedTuple):
    """The counts of a chunk."""

    number: int
    shares: Mapping[str, SystemShare]
    seen: Answers
    """The answers of this chunk to the questions about the corpus."""
    key: SideReading = NOTHING_READ
    usual: frozenset[str] = frozenset()
    """The usual measures that make sense for the documents of the key."""
    scan: BlockCounts | None = None
    """The counts of blocks of a file; None where this process cannot read it."""


Engine: TypeAlias = Callable[[Job, Iterable[Chunk]], Iterable[ChunkCounts]]
"""Maps `count_chunk` over chunks, in this process or elsewhere, and returns the counts in any order."""
Progress: TypeAlias = Callable[[str, float], None]
"""Called with a description of the step and the share that is done."""


class Tally(NamedTuple):
    """The counts of one system over all chunks, and the records of its inputs."""

    input_record: InputRecord
    shares: Sequence[SystemShare]
    """In the order of the key; those that were joined afterwards come last."""
    warnings: Sequence[str]
    """The warnings of its reader."""
    unpaired_notes: Sequence[str]
    """The warnings about documents without a counterpart."""
    documents: int
    """The number of pairs."""
    usual: frozenset[str]
    details: Callable[[Measure], Sequence[Any]]
    """Makes the comparisons again for a measure that shows details."""
    key_record: InputRecord
    key_warnings: Sequence[str]


def count_here(job: Job, chunks: Iterable[Chunk]) -> Iterator[ChunkCounts]:
    """The engine that counts in this process."""
    return (count_chunk(job, chunk) for chunk in chunks)


def count_chunk(job: Job, chunk: Chunk) -> ChunkCounts:
    """The counts of one chunk. This is the only function that an engine calls."""
    if chunk.scan is not None:
        return ChunkCounts(chunk.number, {}, {}, scan=_scan_blocks(*chunk.scan))
    is_short = chunk.pairs is not None and sum(map(len, chunk.pairs.values())) < FEW_PAIRS
    with nullcontext() if is_short else pause_garbage_collection():
        survey = Survey(job.known)
        if chunk.pairs is not None:
            shares = {system: _paired_share(job, chunk.number, system, pairs, survey)
                      for system, pairs in chunk.pairs.items()}  # fmt: skip
            keys = [key for pairs in chunk.pairs.values() for key, _ in pairs]
            return ChunkCounts(chunk.number, shares, survey.seen, usual=_usual_measures(job, keys))
        return _count_pieces(job, chunk, survey)


def _scan_blocks(scanner: Scanner, first: int, after: int) -> BlockCounts | None:
    try:
        return scanner.count(first, after)
    except (OSError, InputError):
        return None


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector: many objects are created, and none of them becomes garbage before the end."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
        gc.collect(0)


def _usual_measures(job: Job, keys: Sequence[Any]) -> frozenset[str]:
    return (
        frozenset(job.task_definition.comparing.usual_measures(keys))
        if job.task_definition.comparing.usual_measures
        else frozenset()
    )


def _paired_share(job: Job, number: int, system: str, pairs: Sequence[Pair], survey: Survey) -> SystemShare:
    share = SystemShare(pairs=len(pairs), orders=corpus_order(number, np.arange(len(pairs))))
    _count_pairs(job, system, pairs, share, survey, in_order=True)
    return share


# Pieces.


class SideDocuments(NamedTuple):
    """The documents of the pieces of one side."""

    documents: list[Any]
    ids: list[str]
    piece_numbers: list[int]
    """The number of the piece of each document."""
    pieces: list[Piece]
    read: SideReading


def _count_pieces(job: Job, chunk: Chunk, survey: Survey) -> ChunkCounts:
    key = read_documents(job, chunk, chunk.key, job.read_options[0], survey)
    shares = {}
    for system, pieces in chunk.responses.items():
        response = read_documents(job, chunk, pieces, job.read_options[1], survey)
        if np.array_equal(key.read.names, response.read.names):  # as in nearly all chunks: stored once
            response = response._replace(read=response.read._replace(names=key.read.names))
        if key.read.problems or response.read.problems:
            shares[system] = SystemShare(response.read)
        elif chunk.sentences:
            shares[system] = _part_share(job, chunk, system, key, response, survey)
        elif chunk.rejoined is None:
            shares[system] = _first_share(job, chunk, system, key, response, survey)
        else:
            shares[system] = _rejoined_share(job, chunk.rejoined[system], system, key, response, survey)
    return ChunkCounts(chunk.number, shares, survey.seen, key.read, _usual_measures(job, key.documents))


def read_documents(
    job: Job, chunk: Chunk, pieces: Sequence[Piece], options: Mapping[str, Any], survey: Survey
) -> SideDocuments:
    """All documents of some pieces, with the problems found in them."""
    documents: list[Any] = []
    piece_numbers: list[int] = []
    problems: list[Problem] = []
    notes: dict[str, Sequence[Note]] = {}
    is_standalone = True
    located: list[Piece] = []
    for number, piece in enumerate(pieces):
        try:
            piece = piece.locate()
            located.append(piece)
            source = Source.from_piece(piece, survey)
        except OSError as error:
            problems.append(_unreadable_problem(piece.name, error))
            continue
        form = registry.format(job.task, piece.format)
        try:
            documents += form.read(source, **reader_options(form.read, options))
            source.raise_problems()
        except InputError as error:
            problems += error.problems
        if form.boundaries.is_literal and not chunk.sentences and not problems:
            is_standalone &= _are_document_starts(piece, form.boundaries, documents[len(piece_numbers) :])
        is_standalone &= source.is_standalone
        piece_numbers += [number] * (len(documents) - len(piece_numbers))
        if source.notes:
            notes[piece.name] = source.notes
    ids = [document.id for document in documents]
    names = digests(ids)
    read = SideReading(names, len(documents), tuple(problems), notes, is_standalone)
    return SideDocuments(documents, ids, piece_numbers, located, read)


def _unreadable_problem(name: str, error: OSError) -> Problem:
    reason = f"no readable file where it is counted ({error.strerror})"
    remedy = Remedy("check the path there")
    return Problem("file.unreadable", Place(name), reason, "the same file on every machine", (remedy,))


def _are_document_starts(piece: Piece, boundaries: Boundaries, documents: Sequence[Any]) -> bool:
    """Whether documents really begin where the piece was cut, and not only lines that look like a beginning."""
    lines = {document.line for document in documents}
    skipped = boundaries.marks[0].count(b"\n")  # a mark may begin with the empty line before the document
    return all(segment.line + skipped in lines for segment in piece.segments if segment.documents_before)


def _part_share(
    job: Job, chunk: Chunk, system: str, key: SideDocuments, response: SideDocuments, survey: Survey
) -> SystemShare:
    """A part of one document, which both sides must have cut at the same places of the same text."""
    pairs = list(zip(key.documents, response.documents, strict=False))
    is_single = [len(side.documents) == 1 for side in (key, response)]
    is_comparable = (
        len(pairs) == 1
        and all(is_single)
        and job.task_definition.comparing.can_cut is not None
        and job.task_definition.comparing.can_cut(*pairs[0], chunk.sentences)
        and not job.task_definition.leaves_choice(pairs)
    )
    if not key.documents and not response.documents:  # blank lines at the end
        return SystemShare(response.read)
    share = SystemShare(response.read._replace(is_standalone=is_comparable and response.read.is_standalone), len(pairs))
    if is_comparable:
        share.orders = corpus_order(chunk.number, np.arange(1))
        _count_pairs(job, system, pairs, share, survey, in_order=True)
    return share


def _first_share(
    job: Job, chunk: Chunk, system: str, key: SideDocuments, response: SideDocuments, survey: Survey
) -> SystemShare:
    """Pair the documents of this chunk, and return the addresses of the others."""
    if key.ids == response.ids:  # as in nearly all chunks
        orders = corpus_order(chunk.number, np.arange(len(key.ids)))
        share = SystemShare(response.read, len(key.ids), orders)
        _count_pairs(
            job, system, list(zip(key.documents, response.documents, strict=True)), share, survey, in_order=True
        )
        return share
    answers = dict(zip(response.ids, range(len(response.ids)), strict=True))
    matches = [answers.pop(name, -1) for name in key.ids]
    pairs = [(document, response.documents[place]) for document, place in zip(key.documents, matches, strict=True)
             if place >= 0]  # fmt: skip
    is_matched = np.array(matches, np.int64) >= 0
    orders = corpus_order(chunk.number, np.arange(len(is_matched)))
    share = SystemShare(response.read, len(pairs), orders[is_matched])
    extras = np.array(sorted(answers.values()), np.int64)
    share.leftovers = (
        _addresses(job, key, np.flatnonzero(~is_matched), orders),
        _addresses(job, response, extras, EXTRA_ORDER + corpus_order(chunk.number, np.arange(
            len(response.documents)))),
    )  # fmt: skip
    _count_pairs(job, system, pairs, share, survey, in_order=bool(is_matched.all()))
    return share


def _addresses(job: Job, side: SideDocuments, which: Ints, orders: Ints) -> Addresses:
    if not len(which):
        return NO_ADDRESSES
    boundaries = [registry.format(job.task, piece.format).boundaries for piece in side.pieces]
    places = [
        (side.piece_numbers[place], int(getattr(side.documents[place], "line", 0) or 0)) for place in which.tolist()
    ]
    return locate_documents(side.pieces, boundaries, places, orders[which], side.read.names[which])


def _rejoined_share(
    job: Job,
    leftovers: tuple[Addresses, Addresses],
    system: str,
    key: SideDocuments,
    response: SideDocuments,
    survey: Survey,
) -> SystemShare:
    """The left-overs of other chunks: paired by name, or without a counterpart in the whole corpus."""
    key_documents, response_documents = (
        _select_documents(side, addresses_left) for side, addresses_left in zip((key, response), leftovers, strict=True)
    )
    answers = {document.id: (order, document) for order, document in response_documents}
    share = SystemShare()
    pairs: list[tuple[int, Pair]] = []
    lacking: list[tuple[int, str]] = []
    for order, document in key_documents:
        answer = answers.pop(document.id, None)
        if answer is None:
            lacking.append((order, document.id))
            if job.missing == "empty":
                pairs.append((order, (document, job.task_definition.reading.empty(document))))
        else:
            pairs.append((order, (document, answer[1])))
    extras = sorted(answers.values(), key=lambda entry: entry[0])
    if job.extra == "count":
        pairs += [(order, (job.task_definition.reading.empty(document), document)) for order, document in extras]
    share.missing = _sample_unpaired(lacking, job.missing)
    share.extra = _sample_unpaired([(order, document.id) for order, document in extras], job.extra)
    share.pairs = len(pairs)
    share.orders = np.array([order for order, _ in pairs], np.int64)
    _count_pairs(job, system, [pair for _, pair in pairs], share, survey, in_order=False)
    return share


def _select_documents(side: SideDocuments, leftovers: Addresses) -> list[tuple[int, Any]]:
    """The documents that were left over with their positions, sorted by position."""
    orders = dict(zip(leftovers.digest.tolist(), leftovers.order.tolist(), strict=True))
    selected = [
        (orders[name], document)
        for name, document in zip(side.read.names.tolist(), side.documents, strict=True)
        if name in orders
    ]
    return sorted(selected, key=lambda entry: entry[0])


def _sample_unpaired(names: list[tuple[int, str]], policy: str) -> UnpairedSample:
    """All names where each is going to be refused, otherwise the first few."""
    return UnpairedSample(len(names), tuple(names if policy == "error" else names[:MOST_NAMES]))


# Comparing and counting.


def _count_pairs(
    job: Job, system: str, pairs: Sequence[Pair], share: SystemShare, survey: Survey, *, in_order: bool
) -> None:
    """Compare some pairs, and add the counts of every measure to a share."""
    if not pairs:
        return
    share.has_annotation = job.task_definition.has_annotation(pairs)
    task = job.task_definition
    compare = compare_by(task, survey, job.compare_options[system])
    measures = job.resolved_measures or ([job.choosing] if job.choosing else [])
    try:
        selections, notes = (
            choose_answers(task, pairs, measures, job.count_options, compare)
            if task.leaves_choice(pairs)
            else ([MeasuredPairs(measures, pairs)], [])
        )
        comparisons = [compare(selection.pairs) for selection in selections]
    except InputError as error:
        share.problems = error.problems
        return
    except UsageError as error:
        share.refused = str(error)
        return
    has_choice = selections[0].pairs is not pairs
    for selection, chosen in zip(selections, comparisons, strict=True) if job.measures else ():
        _count_measures(job, selection, chosen, share, has_choice=has_choice, in_order=in_order)
    comparison = comparisons[0]
    share.signed = dict(comparison.signed)
    notes = notes if task.comparing.fact_texts is not None else [*comparison.warnings, *notes]
    share.notes = [_place_note(note, pairs, share.orders) for note in notes]
    share.facts = _place_facts(comparison.facts, pairs, share.orders)
    if in_order and share.orders is not None:
        share.orders = share.orders[[0, -1]]
    if job.keep:
        share.comparison = comparison


def compare_by(task: Task, survey: Survey, options: Mapping[str, Any]) -> Callable[[Sequence[Pair]], Any]:
    """A function that compares pairs with these options and this survey."""
    return lambda pairs: task.comparing.compare(pairs, survey, **options)


def _count_measures(
    job: Job, selection: MeasuredPairs, comparison: Any, share: SystemShare, *, has_choice: bool, in_order: bool
) -> None:
    """Add the counts of some measures to a share, in a block for each measure where keys have several right answers."""
    matrices: dict[tuple[str, str], dict[str, Any]] = {}
    for measure in selection.measures:
        part = measure.count_part(comparison, job.count_options[measure.name])
        block = matrices.setdefault((measure.name if has_choice else measure.units, measure.units), {})
        if measure.settle is None:
            share.layouts[measure.name] = layout_of(part)
            block[measure.name] = flatten(part)
        else:
            share.parts[measure.name] = part
    for (block_name, unit_name), counts in matrices.items():
        units = getattr(comparison, unit_name)
        share.blocks[block_name] = make_block(units, counts)
        if not in_order:
            share.owners[block_name] = shrink_type(row_owners(job.task_definition, units, selection.pairs))


def _place_note(note: Note | str, pairs: Sequence[Pair], orders: Ints | None) -> Note:
    """A note with the position of its first document in the corpus."""
    full_note = as_note(note)
    if not isinstance(full_note.first, str) or not full_note.first or orders is None:
        return full_note
    place = next((number for number, (key, _) in enumerate(pairs) if key.id == full_note.first), None)
    return full_note if place is None else full_note._replace(place=int(orders[place]))


def _place_facts(facts: Mapping[Any, int], pairs: Sequence[Pair], orders: Ints | None) -> dict[Any, tuple[int, int]]:
    """Each fact with its number, and the position in the corpus of the document that it names; -1 if it names none."""
    if not facts or orders is None:
        return {}
    places = dict(zip((key.id for key, _ in pairs), orders.tolist(), strict=True))
    named = {fact: [places[part] for part in fact if part in places] for fact in facts}
    return {fact: (number, min(named[fact], default=-1)) for fact, number in facts.items()}


# All chunks.


def cut_pairs(pairs_by_system: Mapping[str, Sequence[Pair]]) -> list[Chunk]:
    """Documents in memory that are paired already, as chunks."""
    chunks: list[Chunk] = []
    for system, pairs in pairs_by_system.items():
        for start in range(0, len(pairs), CHUNK_SIZE):
            chunks.append(Chunk(len(chunks), pairs={system: pairs[start : start + CHUNK_SIZE]}))
    return chunks


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
