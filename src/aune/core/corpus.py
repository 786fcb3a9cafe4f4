"""Documents: from files to pairs of key and response.

A `Source` is one input: its name, its text, its digest, and what a reader has to say about it. `read` recognises the
format and gives the documents; `pair` puts key and response documents with the same name together.
"""

from __future__ import annotations

import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from aune import STDIN
from aune.core import registry
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.core.options import check_known, options_of
from aune.core.recognition import plain_name, recognised
from aune.core.task import Format, Pair, Task

SNIFFED = 65_536  # characters that a format may look at to recognise a file
LINE_END = re.compile(r"\r{0,2}\n|\r")  # \r\r\n is what writing text as Windows does gives when it is done twice
MOST_PROBLEMS = 1_000  # a file of the wrong kind would otherwise give one problem per line


class Source:
    """One input and what its reader has found wrong with it.

    >>> source = Source("a.txt", b"x y")
    >>> source.problem(1, 3, "found 'y', expected nothing: remove it")
    >>> source.finish()
    Traceback (most recent call last):
    aune.core.errors.InputError: a.txt:1:3: found 'y', expected nothing: remove it
    """

    def __init__(self, name: str, data: bytes, path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self.problems: list[Problem] = []
        self.warnings: list[str] = []
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._data = data

    @cached_property
    def raw(self) -> str:
        """The text as the file has it, with its byte order mark and its line ends: what splicers put edits into."""
        data = decompressed(self._data, self.name)
        try:
            return data.decode(_encoding(data))
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
            column = len(before.decode(_encoding(data), "replace")) + 1
            found = f"found the byte 0x{data[error.start]:02x}, expected UTF-8 text: save the file as UTF-8"
            raise InputError([Problem(self.name, line, column, found)]) from None

    @cached_property
    def text(self) -> str:
        """The whole text, with line ends as in Unix and no byte order mark."""
        text = self.raw.removeprefix("\ufeff")
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
        """The lines with their numbers, from 1, without line ends."""
        return enumerate(self.text.removesuffix("\n").split("\n"), 1) if self.text else iter(())

    def problem(self, line: int, column: int, message: str) -> None:
        """Note something wrong: what was found, what was expected, what to do."""
        self.problems.append(Problem(self.name, line, column, message))
        if len(self.problems) >= MOST_PROBLEMS:
            stop = f"found {MOST_PROBLEMS} problems, expected fewer: check that the format is the right one"
            raise InputError([*self.problems, Problem(self.name, line, column, stop)])

    def warn(self, message: str) -> None:
        """Note something a user should know although the file can be read."""
        self.warnings.append(f"{self.name}: {message}")

    def finish(self) -> None:
        """Raise what was noted."""
        if self.problems:
            raise InputError(self.problems)


def _encoding(data: bytes) -> str:
    """The encoding of a file, by its first bytes; a byte order mark counts as part of the text."""
    return {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "utf-8")


def decompressed(data: bytes, name: str) -> bytes:
    """The bytes behind gzip, xz or Zstandard compression, recognised by their first bytes."""
    import zlib  # noqa: PLC0415 - most inputs are not compressed

    try:
        if data[:2] == b"\x1f\x8b":
            import gzip  # noqa: PLC0415

            return gzip.decompress(data)
        if data[:6] == b"\xfd7zXZ\x00":
            import lzma  # noqa: PLC0415

            return lzma.decompress(data)
        if data[:4] == b"\x28\xb5\x2f\xfd":
            return _zstd_decompressed(data)
    except (EOFError, OSError, zlib.error, ValueError, RuntimeError, ArithmeticError) as error:
        raise InputError([_damaged(name, error)]) from None
    except Exception as error:
        if type(error).__name__ in ("LZMAError", "ZstdError"):
            raise InputError([_damaged(name, error)]) from None
        raise
    return data


def _zstd_decompressed(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return bytes(zstd.decompress(data))


def _damaged(name: str, error: Exception) -> Problem:
    return Problem(name, 1, 1, f"found damaged compressed data ({error}), expected a whole file: make it again")


def sources(given: Any) -> list[Source]:
    """The sources behind a path, `-`, an open file, or a folder of files."""
    if given in ("-", STDIN):
        return [Source(STDIN, sys.stdin.buffer.read())]
    if isinstance(given, io.IOBase) or hasattr(given, "read"):
        data = given.read()
        name = str(getattr(given, "name", "<file>"))
        return [Source(name, data.encode() if isinstance(data, str) else data)]
    path = Path(given)
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if file.is_file() and not file.name.startswith(".")]
        if not files:
            raise InputError([Problem(str(given), 1, 1, "found an empty folder, expected files: check the path")])
        return [Source(str(file), file.read_bytes(), file) for file in files]
    try:
        return [Source(str(given), path.read_bytes(), path)]
    except OSError as error:
        why = f"found no readable file ({error.strerror}), expected one: check the path"
        raise InputError([Problem(str(given), 1, 1, why)]) from None


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
        own = _reader_options(task.documents, options)
        return Corpus(task.documents(given, **own), options=own), []
    found = sources(given)
    used: dict[Format, None] = {}
    documents: list[Any] = []
    problems: list[Problem] = []
    kept: dict[str, Any] = {}
    for source in found:
        chosen = registry.format(task.name, format) if format else recognised(task, source, len(found) > 1)
        if chosen is None:
            continue
        used[chosen] = None
        own = _reader_options(chosen.read, options)
        kept |= own
        try:
            documents += chosen.read(source, **own)
            source.finish()
        except InputError as error:
            problems += error.problems
    if not used:
        names = ", ".join(form.name for form in registry.formats(task.name))
        what = f"found no file in a known {task.name} format, expected one of {names}: name it with --input-format"
        problems.append(Problem(str(given), 1, 1, what))
    problems += repeated(documents, str(given))
    digest = found[0].sha256 if len(found) == 1 else combined_digest(found)
    warnings = tuple(warning for source in found for warning in source.warnings)
    corpus = Corpus(documents, found[0].name if len(found) == 1 else str(given), digest,
                    "+".join(chosen.name for chosen in used) or None, warnings, kept)  # fmt: skip
    return corpus, problems


def _reader_options(reader: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a reader knows: as given, or their defaults."""
    known = options_of(reader)
    return {name: option.checked(given[name]) if name in given else option.default for name, option in known.items()}


def combined_digest(found: Sequence[Source]) -> str:
    return hashlib.sha256("".join(source.sha256 for source in found).encode()).hexdigest()


def repeated(documents: Iterable[Any], path: str) -> list[Problem]:
    """A problem for every document name that occurs more than once."""
    seen: set[str] = set()
    again = []
    for document in documents:
        if document.id in seen:
            line = int(getattr(document, "line", 0) or 1)
            what = f"found document {document.id!r} a second time, expected every name once: rename or remove it"
            again.append(Problem(getattr(document, "path", None) or path, line, 1, what))
        seen.add(document.id)
    return again


Missing = Literal["empty", "skip", "error"]
Extra = Literal["ignore", "error", "count"]


def pair(
    task: Task, key: Corpus, response: Corpus, *, missing: Missing = "empty", extra: Extra = "ignore"
) -> tuple[list[Pair], list[str]]:
    """Key and response documents by name, in the key's order, and what the user should know about the others.

    A key document without a response gets an empty one (`empty`), is left out (`skip`) or refused (`error`); a response
    document without a key is left out (`ignore`), refused (`error`) or scored against an empty key (`count`).
    One document on each side is a pair whatever the names.
    """
    check_known([missing], ("empty", "skip", "error"), "policy for missing documents")
    check_known([extra], ("ignore", "error", "count"), "policy for extra documents")
    if not key.documents:
        raise NothingToScoreError(f"{key.path or 'the key'} holds no document: nothing to score")
    if len(key.documents) == len(response.documents) == 1:
        return [(key.documents[0], response.documents[0])], []
    cut = task.fitted(key.documents, response.documents)
    answers = {document.id: document for document in cut or response.documents}
    pairs = [(document, answers.pop(document.id, None)) for document in key.documents]
    lacking = [document.id for document, answer in pairs if answer is None]
    where = response.path or "the response"
    warnings = [] if cut is None else [f"{where}: no document boundaries, cut after the lengths of the key's documents"]
    if lacking and len(lacking) == len(pairs) and answers:
        raise InputError([Problem(str(where), 1, 1, _no_shared_name(lacking, list(answers)))])
    refused = [_lacks(name) for name in lacking if missing == "error"]
    refused += [_has_extra(name) for name in answers if extra == "error"]
    if refused:
        raise InputError([Problem(str(where), 1, 1, what) for what in refused])
    if lacking:
        done = "scored as empty" if missing == "empty" else "left out of the score"
        warnings.append(f"{where}: {_some(lacking)} of the key missing, {done}")
        filled = [(doc, task.empty(doc) if answer is None else answer) for doc, answer in pairs]
        pairs = filled if missing == "empty" else [(doc, answer) for doc, answer in pairs if answer is not None]
    if answers:
        if extra == "count":
            pairs += [(task.empty(answer), answer) for answer in answers.values()]
        done = "scored against an empty key" if extra == "count" else "ignored"
        warnings.append(f"{where}: {_some(list(answers))} not in the key, {done}")
    return pairs, warnings


def _lacks(name: str) -> str:
    return f"found no document {name!r}, expected one as in the key: add it, or score it as empty with --missing empty"


def _has_extra(name: str) -> str:
    return f"found document {name!r}, expected only documents of the key: remove it, or use --extra ignore"


def _no_shared_name(wanted: Sequence[str], found: Sequence[str]) -> str:
    return (
        f"found documents named {found[0]!r}…, expected the key's names such as {wanted[0]!r}: "
        "give both sides the same document names"
    )


def _some(names: Sequence[str], most: int = 3) -> str:
    listed = ", ".join(names[:most]) + (", …" if len(names) > most else "")
    return f"{len(names)} document{'s' if len(names) > 1 else ''} ({listed})"


def system_names(responses: Sequence[str]) -> dict[str, str]:
    """Names for responses given as `path` or `name=path`; a path's own name where none is given.

    >>> system_names(["out/a.conll.gz", "best=out/b.conll"])
    {'a': 'out/a.conll.gz', 'best': 'out/b.conll'}
    """
    named: dict[str, str] = {}
    for given in responses:
        name, equals, path = given.partition("=")
        own = bool(equals) and "/" not in name and not Path(given).exists()
        candidates = [name] if own else _possible_names(given)
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
    return Path(plain_name(name)).stem or name
