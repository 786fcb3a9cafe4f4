"""One input: its name, text and digest, and the reports of its reader; and the inputs that a path stands for."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from aune import STDIN
from aune.compression import (
    PIPE_ON_DISK,
    BoundedStream,
    bound_ratio,
    bound_stream,
    damage_problem,
    decompress,
    is_compressed,
    is_damage,
    open_decompressor,
    read_bounded,
    refuse_double_packing,
)
from aune.contract.notes import LAST_PLACE, Note, Wording, merge_notes, note_texts, plain_note
from aune.contract.options import file_version
from aune.contract.survey import Survey
from aune.errors import InputError, Place, Problem, Remedy, as_remedies, nearest_name
from aune.files import is_possible_path, sha256_hex
from aune.reading.pieces import Origin, Piece, Segment, origin_from_stream, start_digest
from aune.reading.system_names import path_stem

SNIFF_LENGTH = 65_536  # characters that a format may look at to recognise a file


REMOTE_SCHEMES = ("http", "https", "s3", "gs", "gcs", "hf", "az", "abfs")  # the address schemes that fsspec supports


ZIP_MAGIC = b"PK\x03\x04"
PRAAT_BINARY = b"ooBinaryFile"
PARQUET_MAGIC = b"PAR1"


LINE_END = re.compile(r"\r{0,2}\n|\r")  # \r\r\n comes from a text whose line ends were converted for Windows twice


MOST_PROBLEMS = 1_000  # a file in the wrong format would otherwise give one problem per line


TOO_MANY_PROBLEMS = "file.too-many-problems"  # the code of the last problem of a file in the wrong format


class Source:
    """One input and the problems that its reader has found.

    >>> source = Source("a.txt", b"x y")
    >>> source.add_problem("line.unexpected", 1, 3, found="'y'", expected="nothing", remedies=["remove it"])
    >>> source.raise_problems()
    Traceback (most recent call last):
    aune.errors.InputError: a.txt:1:3: found 'y', expected nothing: remove it
    """

    def __init__(self, name: str, data: bytes, path: Path | None = None, segments: Sequence[Segment] = ()) -> None:
        self.name = name
        self.path = path
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.survey = Survey()
        self.dropped: Counter[str] = Counter()
        """What a splicer had to remove with removed items, by kind: relations of a span, say."""
        self.annotators: tuple[str, ...] = ()
        """The annotators from whom the user must choose, where a reader found several."""
        self.is_piece = False
        """Whether it is a piece of a file, and not the whole file."""
        self.is_standalone = True
        """Whether it can be read without the rest of its file; if a reader reports otherwise, the whole file is."""
        self._data = data
        self._segments = [_LineRange(0, 1, 0)]
        """The file positions of the lines of the text: several ranges if the source consists of several segments."""
        if segments:
            self._segments = [_LineRange(0, segments[0].line, segments[0].documents_before)]

    @classmethod
    def from_piece(cls, piece: Piece, survey: Survey | None = None) -> Source:
        """The source for reading a piece of a file; its lines have the numbers that they have in the file."""
        parts = list(piece.parts)
        parts[:-1] = [part if part.endswith(b"\n") else part + b"\n" for part in parts[:-1]]
        source = cls(piece.name, parts[0] if len(parts) == 1 else b"".join(parts), piece.path, piece.segments)
        source.survey, source.is_piece = survey or source.survey, True
        first = 0
        for part, segment in zip(parts[:-1], piece.segments[1:], strict=False):
            first += part.count(b"\n")
            source._segments.append(_LineRange(first, segment.line, segment.documents_before))
        return source

    @cached_property
    def sha256(self) -> str:
        return sha256_hex(self._data)

    @property
    def warnings(self) -> list[str]:
        """The reports of the reader, in words."""
        return [f"{self.name}: {text}" for text in note_texts(merge_notes(self.notes))]

    @cached_property
    def raw(self) -> str:
        """The text as in the file, with its byte order mark and its line ends: splicers insert their edits into it."""
        data = decompress(self._data, self.name)
        try:
            return data.decode(_encoding(data))
        except UnicodeDecodeError as error:
            line = self.file_line(data[: error.start].count(b"\n") + 1)
            before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
            column = len(before.decode(_encoding(data), "replace")) + 1
            raise InputError([self._undecodable_problem(data, line, column, data[error.start])]) from None

    def _undecodable_problem(self, data: bytes, line: int, column: int, byte: int) -> Problem:
        """The problem of bytes that are not UTF-8."""
        if data.startswith(ZIP_MAGIC):
            archive, remedies = "a zip archive, or a sheet (.xlsx)", ["unpack it, or save the sheet as CSV"]
            return Problem.in_file("file.not-text", self.name, found=archive, expected="text", remedies=remedies)
        if data.startswith(PRAAT_BINARY):
            binary, remedies = "a binary file of Praat", ["save it as a text file"]
            return Problem.in_file("file.not-text", self.name, found=binary, expected="text", remedies=remedies)
        if data.startswith(PARQUET_MAGIC):
            parquet, remedies = "a Parquet file", ["save it as JSON lines", "give its rows or its data frame in Python"]
            return Problem.in_file("file.not-text", self.name, found=parquet, expected="text", remedies=remedies)
        actual, remedies = f"the byte 0x{byte:02x}", ["save the file as UTF-8"]
        return Problem.in_file(
            "file.not-utf8", self.name, line, column, found=actual, expected="UTF-8 text", remedies=remedies
        )

    @cached_property
    def text(self) -> str:
        """The whole text, with line ends as in Unix and no byte order mark."""
        text = self.raw.removeprefix("\ufeff") if self._segments[0].line == 1 else self.raw
        return LINE_END.sub("\n", text) if "\r" in text else text

    def encode(self, raw: str) -> bytes:
        """A text such as `raw` in the encoding of the file."""
        return raw.encode(_encoding(decompress(self._data, self.name)))

    @property
    def stem(self) -> str:
        """The name without folders and suffixes, for documents that the file does not name."""
        return path_stem(self.name)

    @property
    def head(self) -> str:
        return self.text[:SNIFF_LENGTH]

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers in the file, without line ends."""
        if not self.text:
            return iter(())
        lines = self.text.removesuffix("\n").split("\n")
        if len(self._segments) == 1:
            return enumerate(lines, self._segments[0].line)
        return self._number_lines(lines)

    def _number_lines(self, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
        ends = [segment.first for segment in self._segments[1:]] + [len(lines)]
        for segment, end in zip(self._segments, ends, strict=True):
            yield from enumerate(lines[segment.first : end], segment.line)

    def line_numbers(self, count: int) -> Iterator[int]:
        """The numbers in the file of the first lines of the text."""
        ends = [segment.first for segment in self._segments[1:]] + [count]
        return chain.from_iterable(
            range(segment.line, segment.line + end - segment.first)
            for segment, end in zip(self._segments, ends, strict=True)
        )

    def file_line(self, number: int) -> int:
        """The line number in the file of a line of the text, counted from 1; for a whole file it is the same."""
        segment = self._segments[bisect_right(self._segments, number - 1, key=lambda candidate: candidate.first) - 1]
        return segment.line + number - 1 - segment.first

    @property
    def documents_before(self) -> int:
        """How many documents (or sentences, in a part of one document) begin before this source in its file."""
        return self._segments[0].documents_before

    def number_records(self, records: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
        """Lines that are records, each with its number among the records of the file, from 1."""
        upcoming = self._segments[1:]
        number, passed = self._segments[0].documents_before, 0
        for line, text in records:
            while passed < len(upcoming) and line >= upcoming[passed].line:
                number = upcoming[passed].documents_before
                passed += 1
            number += 1
            yield number, line, text

    def add_problem(
        self, code: str, line: int, column: int, *, found: str, expected: str, remedies: Sequence[Remedy | str] = ()
    ) -> None:
        """Report a problem of the file; a remedy without options may be given as text."""
        self._add(Problem(code, Place(self.name, line, column), found, expected, as_remedies(remedies)))

    def _add(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) >= MOST_PROBLEMS:
            raise InputError([*self.problems, too_many_problems(self.problems[-1].place)])

    def warn(self, message: str) -> None:
        """Add a note for the user about a file that can be read."""
        self.notes.append(plain_note(message))

    def add_note(self, kind: str, wording: Wording, counts: Mapping[Any, int], line: int = 0) -> None:
        """Add a note with counts, worded once the counts of the whole file are known; `line` is the first place.

        `wording(counts, line)` must be a function of a module.
        """
        self.notes.append(Note(kind, wording, counts, line, place=line or LAST_PLACE))

    def raise_problems(self) -> None:
        """Raise the reported problems."""
        if self.problems:
            raise InputError(self.problems)


def too_many_problems(place: Place) -> Problem:
    """The problem that ends the reading of a file in the wrong format, which would give one problem per line."""
    remedy = Remedy("check that the format is the right one")
    return Problem(TOO_MANY_PROBLEMS, place, f"{MOST_PROBLEMS} problems", "fewer", (remedy,))


class _LineRange(NamedTuple):
    """Consecutive lines of a text that are consecutive in the file too."""

    first: int
    """The first of them, counted from 0 in the text."""
    line: int
    """Its number in the file."""
    documents_before: int
    """How many documents begin before it in the file."""


def _encoding(data: bytes) -> str:
    """The encoding of a file, by its first bytes; a byte order mark counts as part of the text."""
    return {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "utf-8")


def sources(location: Any) -> list[Source]:
    """The sources that a path, `-`, an open file, or a folder of files stands for."""
    if location in ("-", STDIN):
        return [Source(STDIN, read_bounded(STDIN, sys.stdin.buffer))]
    if isinstance(location, io.IOBase) or hasattr(location, "read"):
        name = str(getattr(location, "name", "<file>"))
        data = read_bounded(name, location)
        return [Source(name, data.encode() if isinstance(data, str) else data)]
    if is_address(location):
        return [Source(str(location), origin.read(0, origin.size)) for origin in origins(location)]
    path = Path(location)
    return [file_source(file) for file in (_folder_files(path) if _is_folder(path) else [path])]


def single_source(path: str) -> Source:
    """The source that the path of one file stands for."""
    candidates = sources(path)
    if len(candidates) > 1:
        folder = f"a folder of {len(candidates)} files"
        raise InputError(
            [Problem.in_file("file.folder", path, found=folder, expected="one file", remedies=["name it"])]
        )
    return candidates[0]


def file_source(path: Path) -> Source:
    """The source that a file is."""
    try:
        with _valid_path(path).open("rb") as file:
            return Source(str(path), read_bounded(str(path), file), path)
    except OSError as error:
        raise InputError([_unreadable_problem(path, error)]) from None


def _is_folder(path: Path) -> bool:
    """Whether a path is a folder; a path in a folder without permission is reported when it is opened."""
    return is_possible_path(str(path)) and os.path.isdir(path)  # noqa: PTH112 - the method of `Path` may raise


def _valid_path(path: Path) -> Path:
    """A path that a file can have; for impossible paths, Python would raise another exception."""
    if not is_possible_path(str(path)):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return path


def _unreadable_problem(path: Path, error: OSError) -> Problem:
    siblings: list[str] = []
    with suppress(OSError):  # the folder does not exist, or cannot be read
        siblings = os.listdir(path.parent)  # noqa: PTH208 - only the names are needed
    near = nearest_name(path.name, siblings) if isinstance(error, FileNotFoundError) else ""
    hint = f"did you mean {path.with_name(near)}?" if near else "check the path"
    if " " in path.name and not path.suffix:
        hint += "; a text itself is given in a list, ['like this']"
    reason = f"no readable file ({error.strerror})"
    return Problem.in_file("file.unreadable", str(path), found=reason, expected="one", remedies=[hint])


def origins(location: Any) -> list[Origin]:
    """As `sources`, but only the place of the bytes, decompressed, and their digest are determined; reading waits."""
    if location in ("-", STDIN):
        return [_unpack_origin(origin_from_stream(STDIN, bound_stream(STDIN, sys.stdin.buffer)))]
    if isinstance(location, io.IOBase) or hasattr(location, "read"):
        name = str(getattr(location, "name", "<file>"))
        return [_unpack_origin(origin_from_stream(name, bound_stream(name, location)))]
    if is_address(location):
        return [_unpack_origin(_remote_origin(str(location)))]
    path = Path(location)
    return [_unpack_origin(_file_origin(file)) for file in (_folder_files(path) if _is_folder(path) else [path])]


def _folder_files(folder: Path) -> list[Path]:
    """The files of a folder and its subfolders, except hidden ones; an unreadable folder is reported as a problem."""
    problems: list[Problem] = []
    files: list[Path] = []
    walked: set[str] = set()

    def report_error(error: OSError) -> None:
        problems.append(_unreadable_problem(Path(error.filename or folder), error))

    for parent, folders, names in os.walk(folder, onerror=report_error, followlinks=True):
        if (real := os.path.realpath(parent)) in walked:
            folders.clear()  # a link back to a parent folder
            continue
        walked.add(real)
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(parent, name) for name in names if not name.startswith(".")]
    for file in files:
        if not file.is_file():
            special = "a link to nothing or a device in a folder"
            problems.append(
                Problem.in_file("file.device", str(file), found=special, expected="files", remedies=["remove it"])
            )
    if not files and not problems:
        remedies = ["check the path"]
        problems.append(
            Problem.in_file("folder.empty", str(folder), found="an empty folder", expected="files", remedies=remedies)
        )
    if problems:
        raise InputError(problems)
    return sorted(files)


def _file_origin(path: Path) -> Origin:
    try:
        with _valid_path(path).open("rb") as file:
            if not path.is_file():  # a pipe or a device, which can only be read once
                return origin_from_stream(str(path), bound_stream(str(path), file), path=path)
            version = file_version(str(path))
        return Origin(
            str(path), start_digest(path, version[1]), version[1], str(path.absolute()), path=path, version=version
        )
    except OSError as error:
        raise InputError([_unreadable_problem(path, error)]) from None


def _remote_origin(address: str) -> Origin:
    from aune.reading.remote import digest_and_size, open_stream  # noqa: PLC0415 - only when a user gave an address

    if (digest_size := digest_and_size(address)) is not None:
        return Origin(address, *digest_size, address)
    with open_stream(address) as stream:
        excess, remedies = f"more than {PIPE_ON_DISK:,} bytes and no end", ["check the address"]
        refusal = Problem.in_file("file.too-large", address, found=excess, expected="a file", remedies=remedies)
        return origin_from_stream(address, BoundedStream(stream, PIPE_ON_DISK, refusal))


def _unpack_origin(origin: Origin) -> Origin:
    """The origin of the decompressed content of a file in gzip, xz or Zstandard; any other origin unchanged."""
    if not is_compressed(origin.head):
        return origin
    buffer = io.BytesIO(origin.read(0, origin.size)) if not origin.file or is_address(origin.file) else None
    try:
        with buffer or Path(origin.file).open("rb") as file, open_decompressor(origin.head, file) as stream:
            limited = bound_ratio(stream, origin.size, origin.name)
            unpacked = origin_from_stream(origin.name, limited, origin.digest, origin.path)
            refuse_double_packing(unpacked.head, origin.name)
            return unpacked
    except Exception as error:
        if not is_damage(error):
            raise
        raise InputError([damage_problem(origin.name, error)]) from None


def is_address(location: Any) -> bool:
    """Whether a string is the address of a remote file, and not a path.

    >>> is_address("https://example.org/a.jsonl"), is_address("a://b"), is_address("data/a.jsonl")
    (True, False, False)
    """
    return isinstance(location, str) and location.partition("://")[0] in REMOTE_SCHEMES and "://" in location


def is_file_like(source: Any) -> bool:
    return isinstance(source, str | Path | io.IOBase) or hasattr(source, "read")
