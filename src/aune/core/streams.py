"""Files read piece by piece: cut in step, counted, and what could not be paired read a second time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from aune.core.corpus import (
    Opened,
    Unpaired,
    pair,
    told_unpaired,
)
from aune.core.counting import ANY_NUMBER, NOTHING_READ, Alone, Counted, Recipe, Share, counted
from aune.core.errors import InputError, NothingToScoreError
from aune.core.measure import Column
from aune.core.notes import Note, told_of_files
from aune.core.pairing import NOBODY, Addresses, Joined, Part, Stream, all_different, joined, together
from aune.core.pieces import WHOLE, Boundaries, Piece, cutter
from aune.core.plans import Engine, Inputs, Plan, Tally, read_all
from aune.core.rows import smallest
from aune.core.survey import Answers, united
from aune.core.tallies import Comparisons, capped, compared, doing, refuse, surveyed
from aune.core.task import Format

PIECE = 1 << 20  # bytes of a key that are read at once: enough for array speed, few enough to stay small


def streamed(plan: Plan, inputs: Inputs, run: Engine) -> dict[str, Tally] | None:
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
        plan.progress(doing(one), position / len(cut.recipes))
    _check_unchanged(key, files)
    first.sort(key=lambda one: one.number)
    if not cut.within and not any(share.refused for one in first for share in one.shares.values()):
        refuse(first)
    elif problems := [problem for one in first for problem in one.key.problems if not cut.within]:
        raise InputError(capped(problems))
    if _must_be_whole(first, cut):
        return None
    second = _second_wave(cut, first)
    first = list(map(_without_names, first))
    found = surveyed(job, [cut.recipes, second], run, lambda what, share: None, first)
    _check_unchanged(key, files)
    if not _all_alone(found):
        return None
    refuse(found)
    return {system: _stream_tally(plan, inputs, system, found, cut) for system in files}


def _check_unchanged(key: Opened, responses: Mapping[str, Opened]) -> None:
    for files in (key, *responses.values()):
        files.check_unchanged()


class _Cut(NamedTuple):
    """Both sides cut in step."""

    key: Stream
    sides: Mapping[str, Stream]
    recipes: _FirstWave
    within: bool
    """Whether the files are one document each, and the pieces parts of it."""


class _FirstWave(Sequence[Recipe]):
    """Recipes for all documents, made when they are asked for: the first are counted while the others are made."""

    def __init__(self, key: Stream, sides: Mapping[str, Stream], within: bool) -> None:
        self.key, self.sides, self.within = key, sides, within
        self.cuts = key.cuts(PIECE)

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def __getitem__(self, number: Any) -> Any:
        first, after = self.cuts[number], self.cuts[number + 1]
        sentences = 0 if not self.within else after - first if after < self.key.documents else ANY_NUMBER
        responses = {system: tuple(self._pieces(number, side)[0]) for system, side in self.sides.items()}
        return Recipe(number, tuple(self._pieces(number, self.key)[0]), responses, sentences=sentences)

    def owners(self, number: int, side: Stream) -> list[int]:
        """The files that the pieces of a recipe are of."""
        return self._pieces(number, side)[1] or [0]

    def _pieces(self, number: int, side: Stream) -> tuple[list[Piece], list[int]]:
        """Each chunk has the same share of the documents of either side."""
        first, after = (round(cut * side.documents / self.key.documents) for cut in self.cuts[number : number + 2])
        return side.pieces(first, after)


def _cut(plan: Plan, key: Opened, files: Mapping[str, Opened]) -> _Cut:
    """Files cut where their documents begin, or where each of them is one document, behind its sentences."""
    found = _both(_side(key, _boundaries), {system: _side(one, _boundaries) for system, one in files.items()}, False)
    if len(found.recipes) > 1 or plan.home.fit is None or found.key.documents != 1:
        return found
    side, sides = _side(key, _within), {system: _side(one, _within) for system, one in files.items()}
    same = all(one.documents == side.documents and len(one.parts) == 1 for one in sides.values())
    return _both(side, sides, True) if same and len(side.parts) == 1 else found


def _both(key: Stream, sides: Mapping[str, Stream], within: bool) -> _Cut:
    return _Cut(key, sides, _FirstWave(key, sides, within), within)


def _side(files: Opened, boundaries_of: Callable[[Format, Mapping[str, Any]], Boundaries]) -> Stream:
    parts = []
    for origin, form in files.files:
        if form is not None:
            boundaries = boundaries_of(form, files.options)
            parts.append(Part(origin, form.name, boundaries, cutter(origin, boundaries)))
    return Stream(parts)


def _within(form: Format, options: Mapping[str, Any]) -> Boundaries:
    """Where a file that is one document may be cut."""
    return Boundaries(form.boundaries.within)


def _boundaries(form: Format, options: Mapping[str, Any]) -> Boundaries:
    """Where a format's documents begin, under the options it is read with."""
    needed = form.boundaries.option
    return WHOLE if needed and options.get(needed[0]) != needed[1] else form.boundaries


def _without_names(chunk: Counted) -> Counted:
    """A chunk without the digests of its names, which nobody needs once all are paired."""
    for share in chunk.shares.values():
        share.read = share.read._replace(names=NOTHING_READ.names)
    return chunk._replace(key=chunk.key._replace(names=NOTHING_READ.names))


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


def _all_alone(chunks: Sequence[Counted]) -> bool:
    """Whether every piece could be read without the rest of its file."""
    return all(chunk.key.alone and all(share.read.alone for share in chunk.shares.values()) for chunk in chunks)


class _SecondWave(Sequence[Recipe]):
    """Recipes for what the first wave could not pair, made when they are asked for: they can be very many."""

    def __init__(self, key: Stream, sides: Mapping[str, Stream], first: int) -> None:
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
            if mine.size:
                left_key.append(mine._replace(piece=_owners(cut, one.number, cut.key, mine)))
            if theirs.size:
                left_response.append(theirs._replace(piece=_owners(cut, one.number, cut.sides[system], theirs)))
            one.shares[system].left = (NOBODY, NOBODY)
        for pending in joined(together(left_key), together(left_response), PIECE):
            wave.pending.append((system, pending))
    return wave


def _owners(cut: _Cut, number: int, side: Stream, left: Addresses) -> Column:
    """The file of each of the documents that a chunk could not pair."""
    return smallest(np.array(cut.recipes.owners(number, side))[left.piece])


def _stream_tally(plan: Plan, inputs: Inputs, system: str, chunks: Sequence[Counted], cut: _Cut) -> Tally:
    key, response = inputs.key, inputs.responses[system]
    assert isinstance(key, Opened) and isinstance(response, Opened)
    shares = [chunk.shares[system] for chunk in chunks if system in chunk.shares]
    pairs = sum(share.pairs for share in shares)
    if not pairs:
        raise NothingToScoreError(f"{system}: no document left to score")
    first = chunks[: len(cut.recipes)]
    held = [chunk.number for chunk in chunks if system in chunk.shares and chunk.shares[system].pairs]
    lacking, others = _unpaired([share.missing for share in shares]), _unpaired([share.extra for share in shares])
    sizes = sum(one.key.documents for one in first), sum(one.shares[system].read.documents for one in first)
    told = told_unpaired(plan.home.part, response.path, sizes[0], lacking, others, plan.missing, plan.extra)
    if cut.within:
        pairs, sizes = 1, (1, 1)
    return Tally(
        response.input("response", sizes[1], system),
        shares,
        _file_warnings(response, [one.shares[system].read.notes for one in first]),
        told,
        pairs,
        frozenset().union(*(one.usual for one in first)),
        partial(_reread, plan, inputs, system, united(chunk.seen for chunk in chunks), held, cut),
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


def _reread(
    plan: Plan, inputs: Inputs, system: str, known: Answers, held: Sequence[int], cut: _Cut
) -> Sequence[Any]:  # fmt: skip
    """The comparisons of a system whose files were read in pieces: piece by piece where these are in order."""
    key, response = inputs.key, inputs.responses[system]
    assert isinstance(key, Opened) and isinstance(response, Opened)
    _check_unchanged(key, {system: response})
    if max(held) < len(cut.recipes) and not cut.within:
        job = replace(plan.job([system]), keep=True, known=known)

        def again(number: int) -> Any:
            recipe = cut.recipes[held[number]]
            alone = recipe._replace(responses={system: recipe.responses[system]})
            return counted(job, alone).shares[system].comparison

        return Comparisons(len(held), again)
    expected, responses = read_all(plan, Inputs(inputs.key, {system: inputs.responses[system]}))
    pairs, _ = pair(plan.home, expected, responses[system], missing=plan.missing, extra=plan.extra)
    return compared(plan.home, pairs, plan.job([system]).comparing[system], known)
