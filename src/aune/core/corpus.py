"""Documents: from files to pairs of key and response.

A `Source` is one input: its name, its text, its digest, and what a reader has to say about it. `read` recognises the
format and gives the documents; `pair` puts key and response documents with the same name together.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from aune import STDIN
from aune.core import registry
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError, nearest
from aune.core.notes import LAST, Note, Wording, merged, plain_note, told_of_files, worded
from aune.core.options import check_known, options_of, signed_options, stamp
from aune.core.pieces import UTF16, Origin, Piece, Segment, streamed_origin
from aune.core.recognition import NAME_IT, plain_name, recognised
from aune.core.shapes import can_be_a_path, check_same_number
from aune.core.survey import Survey
from aune.core.task import Format, Pair, Task
from aune.core.unpacking import (
    PIPE_ON_DISK,
    Bounded,
    damaged,
    decompressed,
    decompressor,
    ending,
    is_damage,
    is_packed,
    unpacked_once,
    whole,
    within_ratio,
)

SNIFFED = 65_536  # characters that a format may look at to recognise a file
REMOTE = ("http", "https", "s3", "gs", "gcs", "hf", "az", "abfs")  # how addresses begin that fsspec knows
ZIP = b"PK\x03\x04"
LINE_END = re.compile(r"\r{0,2}\n|\r")  # \r\r\n is what writing text as Windows does gives when it is done twice
MOST_PROBLEMS = 1_000  # a file of the wrong kind would otherwise give one problem per line
CUT = "no document boundaries, cut after the lengths of the key's documents"
NAMED = 3  # documents without a counterpart that a warning names
TOO_MANY = f"found {MOST_PROBLEMS} problems, expected fewer: check that the format is the right one"


class Source:
    """One input and what its reader has found wrong with it.

    >>> source = Source("a.txt", b"x y")
    >>> source.problem(1, 3, "found 'y', expected nothing: remove it")
    >>> source.finish()
    Traceback (most recent call last):
    aune.core.errors.InputError: a.txt:1:3: found 'y', expected nothing: remove it
    """

    def __init__(self, name: str, data: bytes, path: Path | None = None, segments: Sequence[Segment] = ()) -> None:
        self.name = name
        self.path = path
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.survey = Survey()
        self.dropped: Counter[str] = Counter()
        """What a splicer had to take out with what is gone, by kind: relations of a span, say."""
        self.is_piece = False
        """Whether it is a piece of a file, and not the whole of it."""
        self.alone = True
        """Whether it could be read by itself; a reader that finds otherwise says so, and the whole file is read."""
        self._data = data
        self._segments = [_Lines(0, 1, 0)]
        """Which lines of the text are where in the file: several for a source that was put together of pieces."""
        if segments:
            self._segments = [_Lines(0, segments[0].line, segments[0].before)]

    @classmethod
    def of(cls, piece: Piece, survey: Survey | None = None) -> Source:
        """The source that a reader gets for a piece of a file: its lines have the numbers of the file."""
        parts = list(piece.parts)
        parts[:-1] = [part if part.endswith(b"\n") else part + b"\n" for part in parts[:-1]]
        found = cls(piece.name, parts[0] if len(parts) == 1 else b"".join(parts), piece.path, piece.segments)
        found.survey, found.is_piece = survey or found.survey, True
        first = 0
        for part, segment in zip(parts[:-1], piece.segments[1:], strict=False):
            first += part.count(b"\n")
            found._segments.append(_Lines(first, segment.line, segment.before))
        return found

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self._data).hexdigest()

    @property
    def warnings(self) -> list[str]:
        """What the reader had to say, in words."""
        return [f"{self.name}: {text}" for text in worded(merged(self.notes))]

    @cached_property
    def raw(self) -> str:
        """The text as the file has it, with its byte order mark and its line ends: what splicers put edits into."""
        data = decompressed(self._data, self.name)
        try:
            return data.decode(_encoding(data))
        except UnicodeDecodeError as error:
            line = self.line(data[: error.start].count(b"\n") + 1)
            before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
            column = len(before.decode(_encoding(data), "replace")) + 1
            found = f"found the byte 0x{data[error.start]:02x}, expected UTF-8 text: save the file as UTF-8"
            if data.startswith(ZIP):
                line, column = 1, 1
                found = "found a zip archive, or a sheet (.xlsx), expected text: unpack it, or save the sheet as CSV"
            raise InputError([Problem(self.name, line, column, found)]) from None

    @cached_property
    def text(self) -> str:
        """The whole text, with line ends as in Unix and no byte order mark."""
        text = self.raw.removeprefix("\ufeff") if self._segments[0].line == 1 else self.raw
        return LINE_END.sub("\n", text) if "\r" in text else text

    def encoded(self, raw: str) -> bytes:
        """A text such as `raw` in the encoding of the file."""
        return raw.encode(_encoding(decompressed(self._data, self.name)))

    @property
    def stem(self) -> str:
        """The name without folders and endings, for documents that the file does not name."""
        return _stem(self.name)

    @property
    def head(self) -> str:
        return self.text[:SNIFFED]

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers in the file, without line ends."""
        if not self.text:
            return iter(())
        lines = self.text.removesuffix("\n").split("\n")
        if len(self._segments) == 1:
            return enumerate(lines, self._segments[0].line)
        return self._numbered(lines)

    def _numbered(self, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
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

    def line(self, number: int) -> int:
        """The number in the file of a line of the text, counted from 1: the same for a whole file."""
        segment = self._segments[bisect_right(self._segments, number - 1, key=lambda one: one.first) - 1]
        return segment.line + number - 1 - segment.first

    @property
    def before(self) -> int:
        """How many documents (or sentences, in a part of one document) begin before the source in its file."""
        return self._segments[0].before

    def numbered(self, records: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
        """Lines that are records, each behind its number among the records of the file, from 1."""
        upcoming = self._segments[1:]
        number, begun = self._segments[0].before, 0
        for line, text in records:
            while begun < len(upcoming) and line >= upcoming[begun].line:
                number = upcoming[begun].before
                begun += 1
            number += 1
            yield number, line, text

    def problem(self, line: int, column: int, message: str) -> None:
        """Note something wrong: what was found, what was expected, what to do."""
        self.problems.append(Problem(self.name, line, column, message))
        if len(self.problems) >= MOST_PROBLEMS:
            raise InputError([*self.problems, Problem(self.name, line, column, TOO_MANY)])

    def warn(self, message: str) -> None:
        """Note something a user should know although the file can be read."""
        self.notes.append(plain_note(message))

    def note(self, kind: str, wording: Wording, counts: Mapping[Any, int], line: int = 0) -> None:
        """Note something with counts, to be worded when they are known for the whole file; `line` is the first place.

        `wording(counts, line)` is a function of a module.
        """
        self.notes.append(Note(kind, wording, counts, line, place=line or LAST))

    def finish(self) -> None:
        """Raise what was noted."""
        if self.problems:
            raise InputError(self.problems)


class _Lines(NamedTuple):
    """Lines of a text that follow each other in the file too."""

    first: int
    """The first of them, counted from 0 in the text."""
    line: int
    """Its number in the file."""
    before: int
    """How many documents begin before it in the file."""


def _encoding(data: bytes) -> str:
    """The encoding of a file, by its first bytes; a byte order mark counts as part of the text."""
    return {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "utf-8")


def sources(given: Any) -> list[Source]:
    """The sources behind a path, `-`, an open file, or a folder of files."""
    if given in ("-", STDIN):
        return [Source(STDIN, whole(STDIN, sys.stdin.buffer))]
    if isinstance(given, io.IOBase) or hasattr(given, "read"):
        name = str(getattr(given, "name", "<file>"))
        data = whole(name, given)
        return [Source(name, data.encode() if isinstance(data, str) else data)]
    if is_address(given):
        return [Source(str(given), origin.read(0, origin.size)) for origin in origins(given)]
    path = Path(given)
    return [file_source(file) for file in (_files(path) if _is_folder(path) else [path])]


def single_source(path: str) -> Source:
    """The source behind the path of one file."""
    found = sources(path)
    if len(found) > 1:
        what = f"found a folder of {len(found)} files, expected one file: name it"
        raise InputError([Problem(path, 1, 1, what)])
    return found[0]


def file_source(path: Path) -> Source:
    """The source that a file is."""
    try:
        with _openable(path).open("rb") as opened:
            return Source(str(path), whole(str(path), opened), path)
    except OSError as error:
        raise InputError([_unreadable(path, error)]) from None


def _is_folder(path: Path) -> bool:
    """Whether a path is that of a folder; one in a folder that is closed to us is told when it is opened."""
    return can_be_a_path(str(path)) and os.path.isdir(path)  # noqa: PTH112 - a path's own method raises there


def _openable(path: Path) -> Path:
    """A path that a file can have; Python has another exception for those that none can have."""
    if not can_be_a_path(str(path)):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return path


def _unreadable(path: Path, error: OSError) -> Problem:
    beside: list[str] = []
    with suppress(OSError):  # no such folder, or one that is closed to us
        beside = os.listdir(path.parent)  # noqa: PTH208 - their names alone
    near = nearest(path.name, beside) if isinstance(error, FileNotFoundError) else ""
    hint = f"did you mean {path.with_name(near)}?" if near else "check the path"
    if " " in path.name and not path.suffix:
        hint += "; a text itself is given in a list, ['like this']"
    return Problem(str(path), 1, 1, f"found no readable file ({error.strerror}), expected one: {hint}")


def origins(given: Any) -> list[Origin]:
    """As `sources`, but nothing is read that can wait: where the bytes are, decompressed, and their digest."""
    if given in ("-", STDIN):
        return [_unpacked(streamed_origin(STDIN, ending(STDIN, sys.stdin.buffer)))]
    if isinstance(given, io.IOBase) or hasattr(given, "read"):
        name = str(getattr(given, "name", "<file>"))
        return [_unpacked(streamed_origin(name, ending(name, given)))]
    if is_address(given):
        return [_unpacked(_remote_origin(str(given)))]
    path = Path(given)
    return [_unpacked(_file_origin(file)) for file in (_files(path) if _is_folder(path) else [path])]


def _files(folder: Path) -> list[Path]:
    """The files of a folder and of those in it, hidden ones apart; what cannot be read is a problem, not left out."""
    problems: list[Problem] = []
    files: list[Path] = []
    walked: set[str] = set()

    def refused(error: OSError) -> None:
        problems.append(_unreadable(Path(error.filename or folder), error))

    for home, folders, names in os.walk(folder, onerror=refused, followlinks=True):
        if (real := os.path.realpath(home)) in walked:
            folders.clear()  # a link back to where we were
            continue
        walked.add(real)
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(home, name) for name in names if not name.startswith(".")]
    for file in files:
        if not file.is_file():
            what = "found a link to nothing or a device in a folder, expected files: remove it"
            problems.append(Problem(str(file), 1, 1, what))
    if not files and not problems:
        problems.append(Problem(str(folder), 1, 1, "found an empty folder, expected files: check the path"))
    if problems:
        raise InputError(problems)
    return sorted(files)


def _file_origin(path: Path) -> Origin:
    try:
        with _openable(path).open("rb") as opened:
            if not path.is_file():  # a pipe or a device, which can be read once only
                return streamed_origin(str(path), ending(str(path), opened), path=path)
            version = stamp(str(path))
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return Origin(str(path), digest, version[1], str(path.absolute()), path=path, version=version)
    except OSError as error:
        raise InputError([_unreadable(path, error)]) from None


def _remote_origin(address: str) -> Origin:
    from aune.core.remote import digest_and_size, streaming  # noqa: PLC0415 - only when an address was typed

    if (found := digest_and_size(address)) is not None:
        return Origin(address, *found, address)
    with streaming(address) as stream:
        what = f"found more than {PIPE_ON_DISK:,} bytes and no end, expected a file: check the address"
        return streamed_origin(address, Bounded(stream, PIPE_ON_DISK, Problem(address, 1, 1, what)))


def _unpacked(origin: Origin) -> Origin:
    """The origin of what is behind gzip, xz or Zstandard compression; any other origin as it is."""
    if not is_packed(origin.head):
        return origin
    packed = io.BytesIO(origin.read(0, origin.size)) if not origin.file or is_address(origin.file) else None
    try:
        with packed or Path(origin.file).open("rb") as file, decompressor(origin.head, file) as stream:
            limited = within_ratio(stream, origin.size, origin.name)
            unpacked = streamed_origin(origin.name, limited, origin.sha256, origin.path)
            unpacked_once(unpacked.head, origin.name)
            return unpacked
    except Exception as error:
        if not is_damage(error):
            raise
        raise InputError([damaged(origin.name, error)]) from None


def is_address(given: Any) -> bool:
    """Whether what was given is the address of something remote, and not a path.

    >>> is_address("https://example.org/a.jsonl"), is_address("a://b"), is_address("data/a.jsonl")
    (True, False, False)
    """
    return isinstance(given, str) and given.partition("://")[0] in REMOTE and "://" in given


class Input(NamedTuple):
    """Where documents came from, for the record that every result carries."""

    role: str
    path: str | None
    sha256: str | None
    format: str | None
    documents: int
    system: str | None = None


@dataclass(frozen=True)
class Corpus:
    """Documents with their origin."""

    documents: list[Any]
    path: str | None = None
    sha256: str | None = None
    format: str | None = None
    warnings: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """The reader's options, those left at their defaults included."""

    def input(self, role: str, system: str | None = None) -> Input:
        return Input(role, self.path, self.sha256, self.format, len(self.documents), system)


def is_file_like(given: Any) -> bool:
    return isinstance(given, str | Path | io.IOBase) or hasattr(given, "read")


def read(task: Task, given: Any, format: str | None = None, **options: Any) -> Corpus:
    """The documents in a path, an open file, `-`, or a plain Python structure.

    Options are the reader's own; those that the format does not know are left alone.
    """
    corpus, problems = read_with_problems(task, given, format, **options)
    if problems:
        raise InputError(problems)
    return corpus


def read_with_problems(
    task: Task, given: Any, format: str | None = None, **options: Any
) -> tuple[Corpus, list[Problem]]:
    """As `read`, but what can be read of a file with problems comes beside them."""
    if isinstance(given, Corpus):
        return given, []
    if not is_file_like(given):
        own = reader_options(task.documents, options)
        signed = signed_options(task.documents, own)
        shown = {name: value for name, value in own.items() if name in options or name in signed}
        documents = documents_in(task, given, own)
        return Corpus(documents, options=shown), repeated(documents, "the documents given")
    return read_opened(opened(task, given, format, options), options)


def documents_in(task: Task, given: Any, options: Mapping[str, Any]) -> list[Any]:
    """The documents in a plain Python structure."""
    try:
        return task.documents(given, **options)
    except RecursionError:
        raise UsageError("found lists in lists in lists without an end, expected documents: give them flat") from None


class Opened(NamedTuple):
    """The files of one corpus, of which nothing is read yet but how they begin."""

    path: str
    files: Sequence[tuple[Origin, Format | None]]
    """None: a companion of others, not to be read."""
    notes: Mapping[str, Sequence[Note]]
    """What recognising them had to say, by file."""
    options: Mapping[str, Any]
    """The readers' options, those left at their defaults included."""
    problems: tuple[Problem, ...] = ()

    @property
    def sha256(self) -> str:
        digests = [origin.sha256 for origin, _ in self.files]
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

    @property
    def formats(self) -> dict[str, Format]:
        return {form.name: form for _, form in self.files if form is not None}

    @property
    def size(self) -> int:
        return sum(origin.size for origin, form in self.files if form is not None)

    def input(self, role: str, documents: int, system: str | None = None) -> Input:
        return Input(role, self.path, self.sha256, "+".join(self.formats) or None, documents, system)

    def check_unchanged(self) -> None:
        """Refuse files that are not what they were when they were opened: their digests would be those of others."""
        changed = [origin for origin, _ in self.files if origin.version and stamp(origin.file) != origin.version]
        if changed:
            raise InputError([origin.changed for origin in changed])


def opened(task: Task, given: Any, format: str | None, options: Mapping[str, Any]) -> Opened:
    """The files behind a path, an open file or `-`, and the format of each."""
    found = origins(given)
    files: list[tuple[Origin, Format | None]] = []
    notes: dict[str, Sequence[Note]] = {}
    kept: dict[str, Any] = {}
    for origin in found:
        source = Source(origin.name, _beginning(origin), origin.path)
        chosen = registry.format(task.name, format) if format else recognised(task, source, len(found) > 1)
        files.append((origin, chosen))
        notes[origin.name] = source.notes
        if chosen is not None:
            kept |= reader_options(chosen.read, options)
    path = found[0].name if len(found) == 1 else str(given)
    if any(form for _, form in files):
        return Opened(path, files, notes, kept)
    names = ", ".join(form.name for form in registry.formats(task.name))
    what = f"found no file in a known {task.name} format, expected one of {names}: {NAME_IT}"
    return Opened(path, files, notes, kept, (Problem(str(given), 1, 1, what),))


def _beginning(origin: Origin) -> bytes:
    """Enough of a file to recognise it: whole lines, or all of it."""
    if origin.size <= len(origin.head):
        return origin.head
    end = origin.head.rfind(b"\n") + 1
    return origin.head[:end] if end and origin.head[:2] not in UTF16 else origin.read(0, origin.size)


def read_opened(files: Opened, options: Mapping[str, Any]) -> tuple[Corpus, list[Problem]]:
    """All the documents of files, and what is wrong with them."""
    documents: list[Any] = []
    problems: list[Problem] = list(files.problems)
    notes: dict[str, list[Note]] = {}
    for origin, form in files.files:
        source = Source(origin.name, origin.read(0, origin.size), origin.path)
        source.notes.extend(files.notes[origin.name])
        if form is not None:
            try:
                documents += form.read(source, **reader_options(form.read, options))
                source.finish()
            except InputError as error:
                problems += error.problems
        notes[source.name] = source.notes
    files.check_unchanged()
    problems += repeated(documents, files.path)
    formats = "+".join(files.formats) or None
    return Corpus(documents, files.path, files.sha256, formats, tuple(told_of_files(notes)), files.options), problems


def reader_options(reader: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a reader knows: as given, or their defaults."""
    known = options_of(reader)
    return {name: option.checked(given[name]) if name in given else option.default for name, option in known.items()}


def repeated(documents: Iterable[Any], path: str) -> list[Problem]:
    """A problem for every document name that occurs more than once."""
    seen: dict[str, str] = {}
    again = []
    for document in documents:
        file = getattr(document, "path", None) or path
        if document.id in seen:
            line = int(getattr(document, "line", 0) or 1)
            what = f"found document {document.id!r} a second time, expected every name once: rename or remove it"
            elsewhere = ", or give the files of several systems one by one" if seen[document.id] != file else ""
            again.append(Problem(file, line, 1, what + elsewhere))
        seen.setdefault(document.id, file)
    return again


Missing = Literal["empty", "skip", "error"]
Extra = Literal["ignore", "error", "count"]


def pair(
    task: Task, key: Corpus, response: Corpus, *, missing: Missing = "empty", extra: Extra = "ignore"
) -> tuple[list[Pair], list[str]]:
    """Key and response documents by name, in the key's order, and what the user should know about the others.

    A key document without a response gets an empty one (`empty`), is left out (`skip`) or refused (`error`); a response
    document without a key is left out (`ignore`), refused (`error`) or scored against an empty key (`count`).
    One document on each side is a pair whatever the names. One for several of the key is the answer to its namesake, or
    where nobody gave it a name the whole response, if it is as long (`Task.fitted`).
    """
    found = paired(task, key, response, missing=missing, extra=extra)
    where = str(response.path or "the response")
    told = [f"{where}: {CUT}"] if found.cut else []
    if found.renamed:
        told += [
            f"{where}: {task.part} {found.renamed!r} is taken for {key.documents[0].id!r}, the only one of the key"
        ]
    total = len(key.documents)
    return found.pairs, told + told_unpaired(task.part, where, total, found.missing, found.extra, missing, extra)


def paired(task: Task, key: Corpus, response: Corpus, *, missing: Missing = "empty", extra: Extra = "ignore") -> Paired:
    """As `pair`, with what has no counterpart, for those who tell of it later."""
    check_policies(missing, extra)
    if not key.documents:
        raise NothingToScoreError(f"{key.path or 'the key'} holds no document: nothing to score")
    if key.path is None and response.path is None:
        check_same_number(key.documents, response.documents, f"{task.part}s")
    if len(key.documents) == len(response.documents) == 1:
        both = key.documents[0], response.documents[0]
        differ = all(_has_name(*one) for one in zip(both, (key, response), strict=True)) and both[0].id != both[1].id
        return Paired([both], renamed=both[1].id if differ else "")
    cut = task.fitted(key.documents, response.documents)
    if cut is not None and _has_namesake(response.documents[0], response, key):
        cut = None
    answers = {document.id: document for document in cut or response.documents}
    pairs = [(document, answers.pop(document.id, None)) for document in key.documents]
    lacking = [document.id for document, answer in pairs if answer is None]
    if lacking and len(lacking) == len(pairs) and answers:
        what = _no_shared_name(task.part, lacking, list(answers))
        raise InputError([Problem(str(response.path or "the response"), 1, 1, what)])
    if missing == "empty":
        pairs = [(doc, task.empty(doc) if answer is None else answer) for doc, answer in pairs]
    pairs = [(document, answer) for document, answer in pairs if answer is not None]
    if extra == "count":
        pairs += [(task.empty(answer), answer) for answer in answers.values()]
    left = list(answers)
    return Paired(pairs, Unpaired(len(lacking), lacking), Unpaired(len(left), left), cut=cut is not None)


def _has_namesake(document: Any, response: Corpus, key: Corpus) -> bool:
    """Whether a document of the key has the same name: one that somebody gave, or that of a file of its own."""
    files = Counter(_file(one, key) for one in key.documents)
    namesakes = [one for one in key.documents if one.id == document.id]
    return any(_has_name(document, response) or files[_file(one, key)] == 1 for one in namesakes)


def _has_name(document: Any, corpus: Corpus) -> bool:
    """Whether somebody gave a document its name, and not only its file, or its place in a list."""
    return document.id not in {"document", "utterance", "1", _stem(_file(document, corpus))}


def _file(document: Any, corpus: Corpus) -> str:
    return getattr(document, "path", None) or corpus.path or ""


def check_policies(missing: str, extra: str) -> None:
    check_known([missing], ("empty", "skip", "error"), "policy for missing documents")
    check_known([extra], ("ignore", "error", "count"), "policy for extra documents")


class Unpaired(NamedTuple):
    """Documents without a counterpart: how many, and what some of them are called, the first ones first."""

    number: int = 0
    names: Sequence[str] = ()

    def plus(self, others: Unpaired) -> Unpaired:
        """These and others, of whom no more are named than a warning lists."""
        return Unpaired(self.number + others.number, [*self.names, *others.names][:NAMED])


class Paired(NamedTuple):
    """Key and response documents by name, and what has no counterpart."""

    pairs: list[Pair]
    missing: Unpaired = Unpaired()
    extra: Unpaired = Unpaired()
    renamed: str = ""
    """What the only document of the response is called, where the only one of the key is called otherwise."""
    cut: bool = False
    """Whether the response had no document boundaries, and was cut like the key."""


def told_unpaired(
    part: str, where: str, total: int, lacking: Unpaired, others: Unpaired, missing: str, extra: str
) -> list[str]:
    """What a user should know about documents without a counterpart, of so many in the key; an `InputError` where they
    are refused. `part` is what the task calls them.
    """
    refused = [_lacks(part, name) for name in lacking.names if missing == "error"]
    refused += [_has_extra(part, name) for name in others.names if extra == "error"]
    if refused:
        raise InputError([Problem(where, 1, 1, what) for what in refused])
    warnings = []
    if lacking.number:
        done = "scored as empty" if missing == "empty" else "left out of the score"
        empty = "the response is empty: " if lacking.number == total and not others.number else ""
        warnings.append(f"{where}: {empty}{_some(part, lacking)} of the key missing, {done}")
    if others.number:
        done = "scored against an empty key" if extra == "count" else "ignored"
        warnings.append(f"{where}: {_some(part, others)} not in the key, {done}")
    return warnings


def _lacks(part: str, name: str) -> str:
    return f"found no {part} {name!r}, expected one as in the key: add it, or score it as empty with --missing empty"


def _has_extra(part: str, name: str) -> str:
    return f"found {part} {name!r}, expected only {part}s of the key: remove it, or use --extra ignore"


def _no_shared_name(part: str, wanted: Sequence[str], found: Sequence[str]) -> str:
    return (
        f"found {part}s named {found[0]!r}…, expected the key's names such as {wanted[0]!r}: "
        f"give the {part}s of both sides the same names"
    )


def _some(part: str, unpaired: Unpaired) -> str:
    listed = ", ".join(unpaired.names[:NAMED]) + (", …" if unpaired.number > NAMED else "")
    return f"{unpaired.number} {part}{'s' if unpaired.number > 1 else ''} ({listed})"


def system_names(responses: Sequence[str | Path]) -> dict[str, str]:
    """Names for responses given as `path` or `name=path`; a path's own name where none is given.

    >>> system_names(["out/a.conll.gz", "best=out/b.conll"])
    {'a': 'out/a.conll.gz', 'best': 'out/b.conll'}
    """
    paths = [str(given) if isinstance(given, Path) else given for given in responses]
    if not all(isinstance(given, str) for given in paths):
        raise UsageError(
            "found systems without names, expected a dict such as {'A': response} or a list of paths; "
            "aune.score(task, key, response) scores one response"
        )
    named: dict[str, str] = {}
    for given in paths:
        name, equals, path = given.partition("=")
        own = bool(equals) and "/" not in name and not Path(given).exists()
        candidates = [_as_text(name)] if own else _possible_names(given)
        free = [name for name in candidates if name not in named]
        if not free:
            raise UsageError(f"two systems are called {candidates[0]!r}: name them with name=path")
        if not free[0]:
            raise UsageError(f"{given}: expected a name before '=', or a path without it")
        named[free[0]] = path if own else given
    return named


def _possible_names(path: str) -> list[str]:
    """What a system can be called after its file: the first of these that is free."""
    folder = Path(path).parent.name
    return [_stem(path), f"{folder}/{_stem(path)}", path] if folder else [_stem(path), path]


def _stem(path: str) -> str:
    name = "stdin" if path in ("-", STDIN) else Path(path).name
    name = _as_text(name)
    return Path(plain_name(name)).stem or name


def _as_text(name: str) -> str:
    """A name as it can be printed: bytes of it that are no text are shown."""
    return name.encode(errors="backslashreplace").decode()
