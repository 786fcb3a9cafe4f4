"""Score files piece by piece: they are cut in step and counted, and what could not be paired is read a second time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.contract.format import WHOLE_FILE, Boundaries, Format
from aune.contract.measure import Column, Measure
from aune.contract.notes import Note, file_note_texts
from aune.contract.survey import Answers, unite_answers
from aune.errors import InputError, NothingToScoreError
from aune.evaluation.counting import (
    ANY_NUMBER,
    NOTHING_READ,
    Chunk,
    ChunkCounts,
    Engine,
    Job,
    LazyComparisons,
    SystemShare,
    Tally,
    UnpairedSample,
    cap_problems,
    count_chunk,
    count_chunks,
    count_here,
    lazy_comparisons,
    progress_text,
    raise_problems,
)
from aune.evaluation.leftovers import (
    NO_ADDRESSES,
    Addresses,
    CuttableFile,
    LeftoverBatch,
    SideStream,
    all_different,
    concatenate_addresses,
    join_leftovers,
)
from aune.evaluation.pairing import UnpairedDocuments, pair, unpaired_warnings
from aune.evaluation.plan import Inputs, Plan, read_inputs
from aune.reading.corpus import OpenedFiles
from aune.reading.pieces import BlockCounts, Cutter, Piece, open_cutter
from aune.results.rows import shrink_type

SCANNED_BLOCKS = 64  # blocks of a file that a worker searches for documents in one call
FEWEST_SCANNED = 16  # blocks of a file that are worth sending to a worker
PIECE = 1 << 20  # bytes of a key that are read together: many enough for fast arrays, few enough to stay small


def tally_streams(plan: Plan, inputs: Inputs, run: Engine) -> dict[str, Tally] | None:
    """Score files piece by piece; None if they must be, or may as well be, read as a whole."""
    files = {system: chunk for system, chunk in inputs.responses.items() if isinstance(chunk, OpenedFiles)}
    key = inputs.key
    if not isinstance(key, OpenedFiles) or key.size <= PIECE or len(files) < len(inputs.responses):
        return None
    cut = _cut_inputs(plan, key, files, run)
    if len(cut.chunks) < 2:
        return None
    job = plan.job
    first_pass = []
    for position, chunk in enumerate(run(job, cut.chunks), 1):
        first_pass.append(chunk)
        plan.progress(progress_text(chunk), position / len(cut.chunks))
    _check_unchanged(key, files)
    first_pass.sort(key=lambda chunk: chunk.number)
    if not cut.is_one_document and not any(share.refused for chunk in first_pass for share in chunk.shares.values()):
        raise_problems(first_pass)
    elif problems := [problem for chunk in first_pass for problem in chunk.key.problems if not cut.is_one_document]:
        raise InputError(cap_problems(problems))
    if _needs_whole_files(first_pass, cut):
        return None
    second_pass = _make_second_pass(cut, first_pass)
    first_pass = list(map(_drop_names, first_pass))
    chunks = count_chunks(job, [cut.chunks, second_pass], run, lambda what, share: None, first_pass)
    _check_unchanged(key, files)
    if not _are_all_standalone(chunks):
        return None
    raise_problems(chunks)
    return {system: _make_tally(plan, inputs, system, chunks, cut) for system in files}


def _check_unchanged(key: OpenedFiles, responses: Mapping[str, OpenedFiles]) -> None:
    for files in (key, *responses.values()):
        files.check_unchanged()


class _CutInputs(NamedTuple):
    """Both sides of an evaluation, cut in step."""

    key: SideStream
    responses: Mapping[str, SideStream]
    chunks: _FirstPass
    is_one_document: bool
    """Whether each file is one document, and the pieces are parts of it."""


class _FirstPass(Sequence[Chunk]):
    """The chunks of all documents, each made on access: the first ones are counted while the rest is made."""

    def __init__(self, key: SideStream, responses: Mapping[str, SideStream], is_one_document: bool) -> None:
        self.key, self.responses, self.is_one_document = key, responses, is_one_document
        self.cuts = key.cut_points(PIECE)

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def __getitem__(self, number: Any) -> Any:
        first, after = self.cuts[number], self.cuts[number + 1]
        sentences = 0 if not self.is_one_document else after - first if after < self.key.documents else ANY_NUMBER
        responses = {system: tuple(self._pieces(number, side)[0]) for system, side in self.responses.items()}
        return Chunk(number, tuple(self._pieces(number, self.key)[0]), responses, sentences=sentences)

    def file_numbers(self, number: int, side: SideStream) -> list[int]:
        """The numbers of the files that the pieces of a chunk come from."""
        return self._pieces(number, side)[1] or [0]

    def _pieces(self, number: int, side: SideStream) -> tuple[list[Piece], list[int]]:
        """Chunks of which each has the same share of the documents of either side."""
        first, after = (round(cut * side.documents / self.key.documents) for cut in self.cuts[number : number + 2])
        return side.pieces(first, after)


def _cut_inputs(plan: Plan, key: OpenedFiles, files: Mapping[str, OpenedFiles], run: Engine) -> _CutInputs:
    """Files cut where their documents begin or, if each of them is one document, after sentences."""
    side, sides = _open_sides(plan, key, files, document_boundaries, run)
    cut = _make_cut(side, sides, False)
    if len(cut.chunks) > 1 or plan.task.comparing.can_cut is None or cut.key.documents != 1:
        return cut
    side, sides = _open_sides(plan, key, files, _part_boundaries, run)
    same = all(response.documents == side.documents and len(response.parts) == 1 for response in sides.values())
    return _make_cut(side, sides, True) if same and len(side.parts) == 1 else cut


def _make_cut(key: SideStream, responses: Mapping[str, SideStream], is_one_document: bool) -> _CutInputs:
    return _CutInputs(key, responses, _FirstPass(key, responses, is_one_document), is_one_document)


BoundariesOf: TypeAlias = Callable[[Format, Mapping[str, Any]], Boundaries]


def _open_sides(
    plan: Plan, key: OpenedFiles, files: Mapping[str, OpenedFiles], boundaries_of: BoundariesOf, run: Engine
) -> tuple[SideStream, dict[str, SideStream]]:
    """The key and the responses, with their documents counted by the engine."""
    key_parts = _open_parts(key, boundaries_of)
    parts = {system: _open_parts(response, boundaries_of) for system, response in files.items()}
    _count_documents(plan.job, [part.cutter for side in (key_parts, *parts.values()) for part in side], run)
    return SideStream(key_parts), {system: SideStream(side) for system, side in parts.items()}


def cut_side(job: Job, files: OpenedFiles) -> SideStream:
    """The files of one corpus, cut where their documents begin."""
    parts = _open_parts(files, document_boundaries)
    _count_documents(job, [part.cutter for part in parts], count_here)
    return SideStream(parts)


def _open_parts(files: OpenedFiles, boundaries_of: BoundariesOf) -> list[CuttableFile]:
    parts = []
    for origin, form in files.files:
        if form is not None:
            boundaries = boundaries_of(form, files.options)
            parts.append(CuttableFile(origin, form.name, boundaries, open_cutter(origin, boundaries)))
    return parts


def _count_documents(job: Job, cutters: Sequence[Cutter], run: Engine) -> None:
    """Count the documents of all files: by the engine if the files are long and other processes can read them."""
    ranges = [
        (cutter, first, min(first + SCANNED_BLOCKS, cutter.blocks))
        for cutter in cutters
        for first in range(0, cutter.blocks, SCANNED_BLOCKS)
    ]
    shared = [number for number, (cutter, _, _) in enumerate(ranges) if _is_worth_sending(cutter)]
    chunks = [Chunk(number, scan=(ranges[number][0].scanner, *ranges[number][1:])) for number in shared]
    counts = {result.number: result.scan for result in run(job, chunks)} if chunks else {}
    by_cutter: dict[int, list[BlockCounts]] = {}
    for number, (cutter, first, after) in enumerate(ranges):
        scan = counts.get(number) or cutter.scanner.count(first, after)
        by_cutter.setdefault(id(cutter), []).append(scan)
    for cutter in cutters:
        cutter.add_counts(by_cutter.get(id(cutter), []))


def _is_worth_sending(cutter: Cutter) -> bool:
    return cutter.origin.is_plain_file and cutter.blocks >= FEWEST_SCANNED


def _part_boundaries(form: Format, options: Mapping[str, Any]) -> Boundaries:
    """Where a file that is one document may be cut."""
    return Boundaries(form.boundaries.part_marks)


def document_boundaries(form: Format, options: Mapping[str, Any]) -> Boundaries:
    """Where a format's documents begin, under the options it is read with."""
    needed = form.boundaries.option
    return WHOLE_FILE if needed and options.get(needed[0]) != needed[1] else form.boundaries


def _drop_names(chunk: ChunkCounts) -> ChunkCounts:
    """A chunk without the digests of its names, which are not needed once all documents are paired."""
    for share in chunk.shares.values():
        share.read = share.read._replace(names=NOTHING_READ.names)
    return chunk._replace(key=chunk.key._replace(names=NOTHING_READ.names))


def _needs_whole_files(first: Sequence[ChunkCounts], cut: _CutInputs) -> bool:
    """Whether documents can only be paired, or refused, after all of them are read.

    This is so if one side has a single document, which the other side may have in parts; if no name is shared; and if a
    name seems to occur twice, which a complete reading decides. Parts of one document must all belong to the same
    document, contain no problems, and be counted by measures over sentences.
    """
    if not _are_all_standalone(first):
        return True
    names = {system: [chunk.shares[system].read.names for chunk in first] for system in cut.responses}
    keys = [chunk.key.names for chunk in first]
    if cut.is_one_document:
        shares = [share for chunk in first for share in chunk.shares.values()]
        wrong = any(chunk.key.problems for chunk in first) or any(
            share.read.problems or share.problems or share.refused or not _is_by_sentence(share) for share in shares
        )
        return wrong or any(len(np.unique(np.concatenate(side))) != 1 for side in (keys, *names.values()))
    if sum(map(len, keys)) < 2 or not all_different(keys):
        return True
    for system, responses in names.items():
        if all(map(is_, keys, responses)):  # as in most cases: stored once
            continue
        if sum(map(len, responses)) < 2 or not all_different(responses):
            return True
        has_pairs = any(chunk.shares[system].pairs for chunk in first)
        if not has_pairs and not len(np.intersect1d(np.concatenate(keys), np.concatenate(responses))):
            return True
    return False


def _is_by_sentence(share: SystemShare) -> bool:
    return all("sentence" in block.attributes for block in share.blocks.values())


def _are_all_standalone(chunks: Sequence[ChunkCounts]) -> bool:
    """Whether every piece could be read without the rest of its file."""
    return all(
        chunk.key.is_standalone and all(share.read.is_standalone for share in chunk.shares.values()) for chunk in chunks
    )


class _SecondPass(Sequence[Chunk]):
    """The chunks of documents that the first pass could not pair, each made on access, since there can be very many."""

    def __init__(self, key: SideStream, responses: Mapping[str, SideStream], first: int) -> None:
        self.key, self.responses, self.first = key, responses, first
        self.pending: list[tuple[str, LeftoverBatch]] = []

    def __len__(self) -> int:
        return len(self.pending)

    def __getitem__(self, number: Any) -> Any:
        system, pending = self.pending[number]
        pieces = self.key.pieces_at(pending.key) if pending.key.size else ()
        answers = self.responses[system].pieces_at(pending.response) if pending.response.size else ()
        rejoined = {system: (pending.key, pending.response)}
        return Chunk(self.first + number, pieces, {system: answers}, rejoined=rejoined)


def _make_second_pass(cut: _CutInputs, first: Sequence[ChunkCounts]) -> _SecondPass:
    """The documents that the first pass could not pair, joined by digest."""
    second_pass = _SecondPass(cut.key, cut.responses, len(cut.chunks))
    for system in cut.responses:
        key_leftovers, response_leftovers = [], []
        for chunk in first:
            key_left, response_left = chunk.shares[system].leftovers
            if key_left.size:
                key_leftovers.append(key_left._replace(piece=_file_numbers(cut, chunk.number, cut.key, key_left)))
            if response_left.size:
                response_leftovers.append(
                    response_left._replace(piece=_file_numbers(cut, chunk.number, cut.responses[system], response_left))
                )
            chunk.shares[system].leftovers = (NO_ADDRESSES, NO_ADDRESSES)
        for pending in join_leftovers(
            concatenate_addresses(key_leftovers), concatenate_addresses(response_leftovers), PIECE
        ):
            second_pass.pending.append((system, pending))
    return second_pass


def _file_numbers(cut: _CutInputs, number: int, side: SideStream, left: Addresses) -> Column:
    """The file of each of the documents that a chunk could not pair."""
    return shrink_type(np.array(cut.chunks.file_numbers(number, side))[left.piece])


def _make_tally(plan: Plan, inputs: Inputs, system: str, chunks: Sequence[ChunkCounts], cut: _CutInputs) -> Tally:
    key, response = inputs.key, inputs.responses[system]
    assert isinstance(key, OpenedFiles) and isinstance(response, OpenedFiles)
    shares = [chunk.shares[system] for chunk in chunks if system in chunk.shares]
    pairs = sum(share.pairs for share in shares)
    if not pairs:
        raise NothingToScoreError(f"{system}: no document left to score")
    first = chunks[: len(cut.chunks)]
    used_chunks = [chunk.number for chunk in chunks if system in chunk.shares and chunk.shares[system].pairs]
    lacking, others = (
        _merge_unpaired([share.missing for share in shares]),
        _merge_unpaired([share.extra for share in shares]),
    )
    sizes = (
        sum(first_chunk.key.documents for first_chunk in first),
        sum(first_chunk.shares[system].read.documents for first_chunk in first),
    )
    unpaired_notes = unpaired_warnings(
        plan.task.reading.part, response.path, sizes[0], lacking, others, plan.job.missing, plan.job.extra
    )
    if cut.is_one_document:
        pairs, sizes = 1, (1, 1)
    return Tally(
        response.input_record("response", sizes[1], system),
        shares,
        _file_warnings(response, [first_chunk.shares[system].read.notes for first_chunk in first]),
        unpaired_notes,
        pairs,
        frozenset().union(*(first_chunk.usual for first_chunk in first)),
        partial(_recompare, plan, inputs, system, unite_answers(chunk.seen for chunk in chunks), used_chunks, cut),
        key.input_record("key", sizes[0]),
        _file_warnings(key, [first_chunk.key.notes for first_chunk in first]),
    )


def _merge_unpaired(parts: Sequence[UnpairedSample]) -> UnpairedDocuments:
    examples = sorted(example for part in parts for example in part.examples)
    return UnpairedDocuments(sum(part.number for part in parts), [name for _, name in examples])


def _file_warnings(files: OpenedFiles, chunks: Sequence[Mapping[str, Sequence[Note]]]) -> list[str]:
    """The notes of the readers about the files, merged over all their pieces."""
    return file_note_texts(
        {
            origin.name: [*files.notes[origin.name], *(note for chunk in chunks for note in chunk.get(origin.name, ()))]
            for origin, _ in files.files
        }
    )


def _recompare(
    plan: Plan, inputs: Inputs, system: str, known: Answers, used_chunks: Sequence[int], cut: _CutInputs,
    measure: Measure,
) -> Sequence[Any]:  # fmt: skip
    """The comparisons of a system whose files were read in pieces: piece by piece where the pieces are in order."""
    key, response = inputs.key, inputs.responses[system]
    assert isinstance(key, OpenedFiles) and isinstance(response, OpenedFiles)
    _check_unchanged(key, {system: response})
    if max(used_chunks) < len(cut.chunks) and not cut.is_one_document:
        job = replace(plan.job, keep=True, known=known, measures=(), choosing=measure)

        def recompare(number: int) -> Any:
            chunk = cut.chunks[used_chunks[number]]
            single = chunk._replace(responses={system: chunk.responses[system]})
            return count_chunk(job, single).shares[system].comparison

        return LazyComparisons(len(used_chunks), recompare)
    expected, responses = read_inputs(plan, Inputs(inputs.key, {system: inputs.responses[system]}))
    pairs, _ = pair(plan.task, expected, responses[system], missing=plan.job.missing, extra=plan.job.extra)
    return lazy_comparisons(replace(plan.job, known=known), system, pairs, measure)
