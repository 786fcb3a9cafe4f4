"""Key and response documents of the same name, when neither side is read as a whole.

Both sides are cut in step, so that most documents meet their counterpart in the same chunk. Every other document gets
an `Address`: the digest of its name, and its byte range. The left-overs of all chunks are joined by digest, read
again, and paired by their names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.format import Boundaries
from aune.contract.measure import Column
from aune.numeric.arrays import Ints, ranges
from aune.numeric.digests import Digests
from aune.reading.pieces import Cutter, FirstWordCutter, Origin, Piece, Segment, make_piece
from aune.results.rows import shrink_type

MOST_SORTED_AT_ONCE = 1 << 20  # digests whose sorting takes less time than starting threads
SHARES = 16  # parts of the range of digests, each sorted in a thread


class Addresses(NamedTuple):
    """Documents that a chunk could not pair: digests of their names, and their places in the files.

    There may be very many, so all columns but the first two have the smallest type that fits.
    """

    digest: Digests
    order: Ints
    """The position of each in its corpus: the chunk in the upper half, the position in the chunk in the lower."""
    piece: Column
    """The number of its piece in the chunk; the number of the origin, once all chunks are merged."""
    start: Column
    end: Column
    line: Column
    documents_before: Column

    @property
    def size(self) -> int:
        return len(self.digest)

    def select(self, which: Any) -> Addresses:
        return Addresses(*(column[which] for column in self))


NO_ADDRESSES = Addresses(np.zeros(0, np.uint64), np.zeros(0, np.int64), *(np.zeros(0, np.uint8) for _ in range(5)))


def concatenate_addresses(parts: Sequence[Addresses]) -> Addresses:
    return Addresses(*map(np.concatenate, zip(*parts, strict=True))) if parts else NO_ADDRESSES


def locate_documents(
    pieces: Sequence[Piece], boundaries: Sequence[Boundaries], documents: Sequence[tuple[int, int]], order: Ints,
    names: Digests,
) -> Addresses:  # fmt: skip
    """The addresses of documents, given by the number of their piece and their line in the file (0 if unknown)."""
    columns = np.zeros((len(documents), 4), np.int64)
    where = np.array(documents, np.int64).reshape(-1, 2)
    for number, (piece, form) in enumerate(zip(pieces, boundaries, strict=True)):
        selected = np.flatnonzero(where[:, 0] == number)
        if len(selected):
            columns[selected] = _locate_lines(piece, form, where[selected, 1])
    return Addresses(names, order, *map(shrink_type, (where[:, 0], *columns.T)))


def _locate_lines(piece: Piece, boundaries: Boundaries, lines: Ints) -> Ints:
    """(documents, 4): start, end, line and the number of earlier documents, for documents on these lines."""
    segment, data = piece.segments[-1], piece.parts[-1]
    segment_row = np.array([segment.start, segment.end, segment.line, segment.documents_before], np.int64)
    starts = _document_starts(data, boundaries)
    if len(starts) < 2 or data.count(b"\r") != data.count(b"\r\n"):
        return np.tile(segment_row, (len(lines), 1))
    ends = np.append(starts[1:], len(data))
    newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    numbers = segment.line + np.searchsorted(newlines, starts)
    place = np.searchsorted(numbers, np.maximum(lines, segment.line), "right") - 1
    return np.stack(
        [segment.start + starts[place], segment.start + ends[place], numbers[place], segment.documents_before + place],
        axis=1,
    )


def _document_starts(data: bytes, boundaries: Boundaries) -> Ints:
    """Where documents begin in a piece, including its first byte."""
    starts = {0}
    for mark in boundaries.marks:
        if not mark:
            return np.append(0, np.flatnonzero(np.frombuffer(data[:-1], np.uint8) == 10) + 1)
        position = data.find(b"\n" + mark)
        while position >= 0:
            starts.add(position + 1)
            position = data.find(b"\n" + mark, position + 1)
    return np.array(sorted(starts), np.int64)


# Sides: the files of a key or of a response, cut by document number.


class CuttableFile(NamedTuple):
    """One file of a side: its place, its format, and how it can be cut."""

    origin: Origin
    format: str
    boundaries: Boundaries
    cutter: Cutter


class SideStream:
    """The files of a key or a response, as one sequence of documents."""

    def __init__(self, parts: Sequence[CuttableFile]) -> None:
        self.parts = parts
        self.firsts = np.cumsum([0, *(part.cutter.documents for part in parts)])
        self.bytes = np.cumsum([0, *(part.origin.size for part in parts)])

    @property
    def documents(self) -> int:
        return int(self.firsts[-1])

    @property
    def size(self) -> int:
        return int(self.bytes[-1])

    @property
    def block_size(self) -> int:
        return self.parts[0].cutter.scanner.block_size if self.parts else 1

    def cut_points(self, size: int) -> list[int]:
        """The numbers of the documents at which pieces of about this size begin, and the number after the last."""
        if any(isinstance(part.cutter, FirstWordCutter) for part in self.parts) or size < self.block_size:
            return self._exact_cut_points(size)
        numbers, offsets = self._block_borders()
        cuts, place = [0], 0
        while cuts[-1] < self.documents:
            place = int(np.searchsorted(offsets, offsets[place] + size))
            place = max(place, int(np.searchsorted(numbers, cuts[-1], "right")))
            cuts.append(int(numbers[place]) if place < len(numbers) else self.documents)
        return cuts

    def _block_borders(self) -> tuple[Ints, Ints]:
        """The first document of each block of all files, and the byte at which the block begins."""
        numbers, offsets = [], []
        for number, part in enumerate(self.parts):
            starts = np.array(part.cutter.starts[:-1] or [0], np.int64)
            starts[0] = 0
            numbers.append(starts + self.firsts[number])
            offsets.append(np.arange(len(starts)) * self.block_size + self.bytes[number])
        return np.concatenate(numbers), np.concatenate(offsets)

    def _exact_cut_points(self, size: int) -> list[int]:
        """As `cut_points`, for pieces shorter than a block, and for documents that are not counted in blocks."""
        cuts = [0]
        while cuts[-1] < self.documents:
            part = int(np.searchsorted(self.firsts, cuts[-1], "right")) - 1
            place = self.parts[part].cutter.place(cuts[-1] - int(self.firsts[part])).start
            cuts.append(max(self._number_from(int(self.bytes[part]) + place + size), cuts[-1] + 1))
        return cuts

    def _number_from(self, offset: int) -> int:
        """The number of the first document that begins at an offset in the concatenated files, or after it."""
        if offset >= self.size:
            return self.documents
        part = int(np.searchsorted(self.bytes, offset, "right")) - 1
        return int(self.firsts[part]) + self.parts[part].cutter.number_from(offset - int(self.bytes[part]))

    def pieces(self, first: int, after: int) -> tuple[list[Piece], list[int]]:
        """The pieces that contain some documents, given by number, and the number of the file that each comes from."""
        pieces, owners = [], []
        for number, part in enumerate(self.parts):
            begin, end = first - int(self.firsts[number]), after - int(self.firsts[number])
            piece = part.cutter.piece(part.format, begin, end) if end > 0 and begin < part.cutter.documents else None
            if piece is not None:
                pieces.append(piece)
                owners.append(number)
        return pieces, owners

    def pieces_at(self, where: Addresses) -> tuple[Piece, ...]:
        """The pieces that contain some documents, given by address."""
        pieces = []
        for number in np.unique(where.piece).tolist():
            part, selected = self.parts[number], where.select(where.piece == number)
            header = [Segment(0, part.cutter.header)] if part.cutter.header and selected.start.min() > 0 else []
            segments = sorted(set(zip(*(column.tolist() for column in selected[3:]), strict=True)))
            pieces.append(make_piece(part.origin, part.format, [*header, *(Segment(*segment) for segment in segments)]))
        return tuple(pieces)


class LeftoverBatch(NamedTuple):
    """Left-overs to read again and pair by name."""

    key: Addresses
    response: Addresses


def join_leftovers(key: Addresses, response: Addresses, size: int) -> Iterator[LeftoverBatch]:
    """Left-overs of the key, in its order, with those of the response that have the same digests; then the rest."""
    key = key.select(np.argsort(key.order, kind="stable"))
    response = response.select(np.argsort(response.digest, kind="stable"))
    key_digests = np.sort(key.digest)
    unmatched = response.select(~_is_in(response.digest, key_digests))
    for part in _batches(key, size):
        batch = key.select(part)
        low, high = (np.searchsorted(response.digest, batch.digest, side) for side in ("left", "right"))
        yield LeftoverBatch(batch, response.select(np.unique(ranges(low, high - low))))
    unmatched = unmatched.select(np.argsort(unmatched.order, kind="stable"))
    for part in _batches(unmatched, size):
        yield LeftoverBatch(NO_ADDRESSES, unmatched.select(part))


def _is_in(values: Digests, wanted: Digests) -> NDArray[np.bool_]:
    if not len(wanted):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[place] == values)


def _batches(leftovers: Addresses, size: int) -> Iterator[slice]:
    """Runs of left-overs of about this many bytes in total; several at the same place count once."""
    if not leftovers.size:
        return
    new = np.append(True, (np.diff(leftovers.start) != 0) | (np.diff(leftovers.piece) != 0))
    weight = np.cumsum(np.where(new, leftovers.end - leftovers.start, 0)) // max(size, 1)
    bounds = np.flatnonzero(np.append(True, np.diff(weight) > 0)).tolist()
    for first, after in zip(bounds, [*bounds[1:], leftovers.size], strict=True):
        yield slice(first, after)


def all_different(parts: Sequence[Digests]) -> bool:
    """Whether no digest occurs twice; if there are very many, each part of their range is sorted in a thread."""
    if sum(map(len, parts)) <= MOST_SORTED_AT_ONCE:
        return _is_unique(np.concatenate(parts))
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - few corpora have that many documents

    with ThreadPoolExecutor(min(SHARES, os.cpu_count() or 1)) as threads:
        return all(threads.map(partial(_share_is_unique, parts), range(SHARES)))


def _share_is_unique(parts: Sequence[Digests], number: int) -> bool:
    """Whether no digest occurs twice in one part of the range."""
    return _is_unique(np.concatenate([part[part % np.uint64(SHARES) == number] for part in parts]))


def _is_unique(values: Digests) -> bool:
    values.sort()
    return not (values[1:] == values[:-1]).any()
