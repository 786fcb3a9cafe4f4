"""Pieces of files that can be read independently, and where files may be cut.

A format declares where its documents begin (`Boundaries`). A `Cutter` finds those places by literal patterns, without
reading a document; a `Piece` is the range between two of them. Its lines have the numbers that they have in
the file, so that a reader works on a piece as on a whole file.
"""

from __future__ import annotations

import errno
import os
import threading
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.format import Boundaries
from aune.errors import InputError, Problem

if TYPE_CHECKING:
    from concurrent.futures import Future

BLOCK_SIZE = 1 << 18  # bytes that are searched together when places are counted
MOST_IN_MEMORY = 1 << 25  # bytes of a stream that stay in memory; a longer stream goes to a temporary file
HEAD_SIZE = 1 << 18  # bytes from which a format is recognised: at least as many as the characters that it may look at
HASHED_AT_ONCE = 1 << 22  # bytes that are hashed together: few enough to stay small, many enough for few calls
SMALL_FILE = 1 << 20  # bytes whose digest takes less time than starting a thread
LONGEST_MARK = 64  # bytes after a block that are read with it
COMMENT_MARKS = (b";;", b"#")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Segment(NamedTuple):
    """A range of bytes of a file, and the number of its first line."""

    start: int
    end: int
    line: int = 1
    documents_before: int = 0
    """How many documents begin before it, for documents that are named by their number."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the bytes of an input are: in a file, at an address, or in memory, compressed or not."""

    name: str
    digest: str | Future[str]
    """The SHA-256 of the original bytes, or the future of a thread that computes it."""
    size: int
    file: str = ""
    """The path or the address that the bytes are read from; '' when they are in memory."""
    data: bytes = b""
    path: Path | None = None
    """The file that the user named, for readers that look for files beside it."""
    temporary: Any = field(default=None, repr=False)
    """The object that keeps a temporary file alive; other machines cannot read such a file."""
    version: tuple[int, int] | None = None
    """A value that changes when the file does, where it can change."""

    def read(self, start: int, end: int) -> bytes:
        if not self.file:
            return self.data[start:end]
        try:
            return read_range(self.file, start, end)
        except FileNotFoundError:
            raise InputError([self.changed_problem]) from None

    @property
    def sha256(self) -> str:
        """The digest of the input that `sha256sum` prints."""
        if isinstance(self.digest, str):
            return self.digest
        try:
            return self.digest.result()
        except OSError:
            raise InputError([self.changed_problem]) from None

    @property
    def is_plain_file(self) -> bool:
        """Whether another process can read the same bytes from the same path."""
        return self.version is not None and bool(self.file)

    @property
    def changed_problem(self) -> Problem:
        actual, expected = "a file that changed while it was read", "it to stay as it is"
        remedies = ["score it when it is written"]
        return Problem.in_file("file.changed", self.name, found=actual, expected=expected, remedies=remedies)

    @cached_property
    def head(self) -> bytes:
        return self.read(0, HEAD_SIZE)


def read_range(file: str, start: int, end: int) -> bytes:
    """A range of bytes of a file, or of a remote file."""
    if "://" in file:
        from aune.reading.remote import fetch_range  # noqa: PLC0415 - only when a user gave an address

        return fetch_range(file, start, end)
    with Path(file).open("rb") as stream:
        stream.seek(start)
        return stream.read(end - start)


@dataclass(frozen=True)
class Piece:
    """Parts of a file that contain whole documents."""

    name: str
    format: str
    segments: tuple[Segment, ...]
    file: str = ""
    data: tuple[bytes, ...] = ()
    """The bytes of the segments, when they are in no file."""
    path: Path | None = None
    file_size: int = 0
    """The length of the file when it was cut; on another machine, a file of the same name may differ."""
    temporary: bool = False
    """Whether other machines cannot read the file."""
    span: Span | None = None
    """How to find its documents, for a piece whose segments are not known yet: they are found when it is read."""

    def locate(self) -> Piece:
        """The piece with its segments, which are searched for in the file."""
        if self.span is None:
            return self
        if Path(self.file).stat().st_size != self.file_size:
            raise _changed_length()
        try:
            return replace(self, segments=tuple(self.span.segments()), span=None)
        except IndexError:  # fewer documents than were counted
            raise _changed_length() from None

    @property
    def size(self) -> int:
        return sum(segment.end - segment.start for segment in self.segments)

    @property
    def parts(self) -> Sequence[bytes]:
        """The bytes of the segments."""
        if self.data or not self.file:
            return self.data
        if "://" in self.file:
            parts = [read_range(self.file, segment.start, segment.end) for segment in self.segments]
            if sum(map(len, parts)) != self.size:
                raise OSError(errno.ESTALE, "it gives more or less than was asked for")
            return parts
        with Path(self.file).open("rb") as stream:
            if os.fstat(stream.fileno()).st_size != self.file_size:
                raise _changed_length()
            contents = []
            for segment in self.segments:
                stream.seek(segment.start)
                contents.append(stream.read(segment.end - segment.start))
        return contents


def _changed_length() -> OSError:
    return OSError(errno.ESTALE, "it is not as long as when it was cut")


def make_piece(origin: Origin, format: str, segments: Sequence[Segment]) -> Piece:
    """A piece of an origin; if only this process can read the origin, the piece contains its bytes."""
    if origin.file:
        hidden = origin.temporary is not None
        return Piece(
            origin.name, format, tuple(segments), origin.file, path=origin.path, file_size=origin.size, temporary=hidden
        )
    data = tuple(origin.read(segment.start, segment.end) for segment in segments)
    return Piece(origin.name, format, tuple(segments), data=data, path=origin.path)


# Digests of files: long ones are computed in threads while other work goes on.


def start_digest(path: Path, size: int) -> str | Future[str]:
    """The digest of a file of this size: as text if it is short, otherwise the future of a thread."""
    if size <= SMALL_FILE:
        return _digest_file(path)
    from concurrent.futures import Future  # noqa: PLC0415 - only for long files

    digest: Future[str] = Future()
    threading.Thread(target=_complete_digest, args=(path, digest), daemon=True).start()
    return digest


def _complete_digest(path: Path, digest: Future[str]) -> None:
    try:
        digest.set_result(_digest_file(path))
    except BaseException as error:
        digest.set_exception(error)


def _digest_file(path: Path) -> str:
    """The digest that `sha256sum` prints. Blocks are read into one buffer, and other threads can run meanwhile."""
    import hashlib  # noqa: PLC0415 - loads a large library, which input in Python does not need

    digest, buffer = hashlib.sha256(), memoryview(bytearray(HASHED_AT_ONCE))
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(buffer):
            digest.update(buffer[:length])
    return digest.hexdigest()


# Origins other than plain files.


def origin_from_stream(
    name: str, stream: Any, sha256: str | Future[str] | None = None, path: Path | None = None
) -> Origin:
    """The bytes of a stream, in memory if it is short, and in a temporary file if it is long.

    The digest is that of these bytes, unless the digest of the compressed file is given.
    """
    import hashlib  # noqa: PLC0415 - as above

    digest, beginning = hashlib.sha256(), b""
    spool: Any = None
    size = 0
    while block := stream.read(1 << 20):
        data = block.encode() if isinstance(block, str) else block
        size += len(data)
        if sha256 is None:
            digest.update(data)
        if spool is None and size > MOST_IN_MEMORY:
            import tempfile  # noqa: PLC0415 - only for long streams

            spool = tempfile.NamedTemporaryFile(prefix="aune-")  # noqa: SIM115 - it lives as long as the origin
            spool.write(beginning)
            beginning = b""
        if spool is None:
            beginning += data
        else:
            spool.write(data)
    checksum = sha256 or digest.hexdigest()
    if spool is None:
        return Origin(name, checksum, size, data=beginning, path=path)
    spool.flush()
    origin = Origin(name, checksum, size, spool.name, path=path, temporary=spool)
    weakref.finalize(origin, spool.close)
    return origin


# Cutting.


class DocumentPlace(NamedTuple):
    """Where a document begins: its first byte, and the number of its line."""

    start: int
    line: int


class Cut(NamedTuple):
    """The beginning of a document by counts: its block, and the number of documents before it in the block."""

    block: int
    rank: int
    line: int
    """The number of the line at the beginning of the block."""


class BlockCounts(NamedTuple):
    """The counts of consecutive blocks."""

    documents: list[int]
    """How many documents begin in each."""
    lines: list[int]
    """How many lines end in each."""
    is_cuttable: bool = True
    """Whether they contain nothing that forbids to cut the file."""


@dataclass(frozen=True)
class Scanner:
    """Finds the beginnings of documents in the blocks of a file; it can be sent to another process."""

    origin: Origin
    marks: tuple[bytes, ...]
    """What documents begin with, after the line end before them."""
    earliest_second: int
    """No document but the first begins before this byte."""
    forbidden: bytes
    block_size: int

    def count(self, first: int, after: int) -> BlockCounts:
        """The number of documents and lines in some blocks, given by number."""
        documents: list[int] = []
        lines: list[int] = []
        for number in range(first, after):
            data = self._block(number)
            if (self.forbidden and self.forbidden in data) or _has_other_line_ends(data, self.block_size):
                return BlockCounts([], [], is_cuttable=False)
            ends = _line_ends(data, self.block_size)
            documents.append(len(self._starts(number, data, ends)))
            lines.append(len(ends))
        return BlockCounts(documents, lines)

    def find_second(self) -> int:
        """The first byte at which a second document can begin: bytes before the first mark belong to the first one."""
        if self.origin.head.removeprefix(b"\xef\xbb\xbf").startswith(tuple(mark[1:] for mark in self.marks)):
            return 1
        for number in range(self.blocks):
            data = self._block(number)
            starts = [place for mark in self.marks if 0 <= (place := data.find(mark)) < self.block_size]
            if starts:
                return max(self.earliest_second, number * self.block_size + min(starts) + 2)
        return self.origin.size

    @property
    def blocks(self) -> int:
        return -(-self.origin.size // self.block_size)

    def place(self, cut: Cut) -> DocumentPlace:
        """The first byte and the line of a document that was counted."""
        data = self._block(cut.block)
        ends = _line_ends(data, self.block_size)
        inside = int(self._starts(cut.block, data, ends)[cut.rank])
        return DocumentPlace(cut.block * self.block_size + inside, cut.line + int(np.searchsorted(ends, inside)))

    def starts(self, number: int) -> NDArray[np.int64]:
        """Where documents begin in a block; the start of the file is not included."""
        data = self._block(number)
        return self._starts(number, data, _line_ends(data, self.block_size))

    def _starts(self, number: int, data: bytes, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where documents begin after the line ends of a block."""
        block = np.frombuffer(data, np.uint8)
        marked = np.zeros(len(ends), bool)
        for mark in self.marks:
            begins = ends < len(block) - len(mark) + 1
            for offset, byte in enumerate(mark):
                begins &= block[np.minimum(ends + offset, len(block) - 1)] == byte
            marked |= begins
        starts = ends[marked] + 1
        before = number * self.block_size
        return starts[(self.earliest_second - before <= starts) & (starts < self.origin.size - before)]

    def _block(self, number: int) -> bytes:
        """A block and the bytes after it that a mark at its end may need."""
        return _read_block(self.origin, number, self.block_size)

    def __getstate__(self) -> dict[str, Any]:
        """The state without what only this process has, such as the thread that computes a digest."""
        origin = Origin(self.origin.name, "", self.origin.size, self.origin.file, version=self.origin.version)
        return {**self.__dict__, "origin": origin}


class Span(NamedTuple):
    """Documents of a file between two cuts; None is the end of the file, or its beginning."""

    scanner: Scanner
    begin: Cut | None
    end: Cut | None
    header: int
    documents_before: int

    def segments(self) -> list[Segment]:
        """The bytes of the documents, after the header that every piece needs."""
        begin = self.scanner.place(self.begin) if self.begin else DocumentPlace(0, 1)
        end = self.scanner.place(self.end).start if self.end else self.scanner.origin.size
        segment = Segment(begin.start, end, begin.line, self.documents_before)
        return [Segment(0, self.header), segment] if self.header and begin.start else [segment]


class Cutter:
    """The documents of one origin by number, as far as they can be separated without reading them.

    It is complete once `add_counts` has been called with the counts of all blocks.
    """

    def __init__(self, origin: Origin, boundaries: Boundaries) -> None:
        self.origin = origin
        cuttable = bool(boundaries.marks) and origin.head[:2] not in UTF16_MARKS and boundaries.is_cuttable(origin.head)
        marks = tuple(b"\n" + mark for mark in boundaries.marks) if cuttable else ()
        self.header = boundaries.header(origin.head) if boundaries.header and cuttable else 0
        self.scanner = Scanner(origin, marks, max(self.header, 1), boundaries.forbidden, BLOCK_SIZE)
        if marks and all(map(bytes.strip, boundaries.marks)):  # otherwise a document begins without a mark
            self.scanner = replace(self.scanner, earliest_second=self.scanner.find_second())
        self.starts: list[int] = [1]
        """(blocks + 1,): the number of documents that begin before each block; the first one begins before all."""
        self.lines: list[int] = [1]
        """(blocks + 1,): the line number at each block."""

    @property
    def blocks(self) -> int:
        """How many blocks its scanner has to count."""
        return self.scanner.blocks if self.scanner.marks else 0

    def add_counts(self, parts: Sequence[BlockCounts]) -> None:
        """Store the counts of all blocks, part after part."""
        if all(part.is_cuttable for part in parts):
            self.starts = list(accumulate(chain.from_iterable(part.documents for part in parts), initial=1))
            self.lines = list(accumulate(chain.from_iterable(part.lines for part in parts), initial=1))
        else:
            self.scanner, self.header = replace(self.scanner, marks=()), 0

    @property
    def documents(self) -> int:
        """The number of documents in the origin, as far as its marks show; an empty file may be a document, too."""
        return self.starts[-1]

    def find_cut(self, number: int) -> Cut:
        """Where a document other than the first begins, by counts, without reading the file."""
        block = bisect_right(self.starts, number) - 1
        return Cut(block, number - self.starts[block], self.lines[block])

    def place(self, number: int) -> DocumentPlace:
        """Where a document begins; the end of the origin for a number beyond the last."""
        if number <= 0:
            return DocumentPlace(0, 1)
        if number >= self.documents:
            return DocumentPlace(self.origin.size, 0)
        return self.scanner.place(self.find_cut(number))

    def number_from(self, offset: int) -> int:
        """The number of the first document that begins at an offset or after it."""
        if offset <= 0:
            return 0
        block, inside = divmod(offset - 1, self.scanner.block_size)
        if block >= len(self.starts) - 1:
            return self.documents
        if not inside:  # no document begins at the first byte of a block: nothing to search for
            return self.starts[block]
        return self.starts[block] + int(np.searchsorted(self.scanner.starts(block), inside + 1))

    def segments(self, first: int, after: int) -> list[Segment]:
        """The bytes of documents by number, after the header that every piece needs."""
        if first >= min(after, self.documents):
            return []
        begin, end = self.place(first), self.place(after)
        segment = Segment(begin.start, end.start, begin.line, first)
        return [Segment(0, self.header), segment] if self.header and begin.start else [segment]

    def piece(self, format: str, first: int, after: int) -> Piece | None:
        """The piece of documents by number; in a plain file the reader of the piece finds its segments."""
        if first >= min(after, self.documents):
            return None
        if not self.origin.is_plain_file:
            return make_piece(self.origin, format, self.segments(first, after))
        begin = self.find_cut(first) if first > 0 else None
        end = self.find_cut(after) if after < self.documents else None
        span = Span(self.scanner, begin, end, self.header, max(first, 0))
        return replace(make_piece(self.origin, format, ()), span=span)


class FirstWordCutter(Cutter):
    """Documents of an origin that begin where the first word of a line changes; comments belong to the one before."""

    def __init__(self, origin: Origin, boundaries: Boundaries) -> None:
        super().__init__(origin, boundaries._replace(marks=()))
        cuttable = origin.head[:2] not in UTF16_MARKS and boundaries.is_cuttable(origin.head)
        self.header = boundaries.header(origin.head) if boundaries.header and cuttable else 0
        self.places = list(self._places()) if cuttable and not self._has_other_line_ends() else []

    def _has_other_line_ends(self) -> bool:
        blocks = range(self.scanner.blocks)
        return any(_has_other_line_ends(_read_block(self.origin, number, BLOCK_SIZE), BLOCK_SIZE) for number in blocks)

    def _places(self) -> Iterator[DocumentPlace]:
        position, line, before, unfinished = 0, 1, b"", b""
        for start in range(0, self.origin.size, BLOCK_SIZE):
            *lines, unfinished = (unfinished + self.origin.read(start, start + BLOCK_SIZE)).split(b"\n")
            last = start + BLOCK_SIZE >= self.origin.size
            for text in [*lines, unfinished] if last else lines:
                word = text[:HEAD_SIZE].split(None, 1)[:1]
                if word and not text.startswith(COMMENT_MARKS) and position >= self.header:
                    if before and word[0].lower() != before:
                        yield DocumentPlace(position, line)
                    before = word[0].lower()
                position, line = position + len(text) + 1, line + 1

    @property
    def documents(self) -> int:
        return len(self.places) + 1

    def place(self, number: int) -> DocumentPlace:
        if number <= 0:
            return DocumentPlace(0, 1)
        return self.places[number - 1] if number < self.documents else DocumentPlace(self.origin.size, 0)

    def number_from(self, offset: int) -> int:
        return bisect_left(self.places, offset, key=lambda place: place.start) + 1 if offset > 0 else 0

    def piece(self, format: str, first: int, after: int) -> Piece | None:
        segments = self.segments(first, after)
        return make_piece(self.origin, format, segments) if segments else None


def open_cutter(origin: Origin, boundaries: Boundaries) -> Cutter:
    """How an origin can be cut, after its blocks are counted."""
    return FirstWordCutter(origin, boundaries) if boundaries.by_first_word else Cutter(origin, boundaries)


def make_cutter(origin: Origin, boundaries: Boundaries) -> Cutter:
    """How an origin can be cut."""
    cutter = open_cutter(origin, boundaries)
    cutter.add_counts([cutter.scanner.count(0, cutter.blocks)])
    return cutter


def _has_other_line_ends(block: bytes, size: int) -> bool:
    """Whether lines end with a single or a double carriage return: then they cannot be counted without reading."""
    return b"\r" in block and block.count(b"\r", 0, size) != block.count(b"\r\n", 0, size + 1)


@lru_cache(4)
def _read_block(origin: Origin, number: int, size: int) -> bytes:
    return origin.read(number * size, (number + 1) * size + LONGEST_MARK)


def _line_ends(block: bytes, size: int) -> NDArray[np.int64]:
    """Where the lines of a block end."""
    return np.flatnonzero(np.frombuffer(block, np.uint8)[:size] == ord("\n"))
