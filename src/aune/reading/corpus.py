"""Read documents, from files to pairs of key and response.

A `Source` is one input: its name, its text, its digest, and the reports of its reader. `read` recognises the format and
returns the documents; `pair` puts key and response documents with the same name together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from aune.contract import registry
from aune.contract.format import Format
from aune.contract.notes import Note, file_note_texts
from aune.contract.options import file_version, options_of, signed_options
from aune.contract.task import Task
from aune.errors import InputError, Problem, UsageError
from aune.files import sha256_hex
from aune.reading.pieces import UTF16_MARKS, Origin
from aune.reading.recognition import NAME_FORMAT_REMEDIES, companion_names, recognise_format
from aune.reading.source import Source, is_file_like, origins


class InputRecord(NamedTuple):
    """Where documents come from; every result contains these records."""

    role: str
    path: str | None
    sha256: str | None
    format: str | None
    documents: int
    system: str | None = None
    version: str | None = None
    """The name of the version of a key, if the caller gave one."""

    @property
    def named_fields(self) -> dict[str, Any]:
        """The fields by name, without a system or a version that nobody named."""
        optional = ("system", "version")
        return {name: value for name, value in self._asdict().items() if value is not None or name not in optional}


@dataclass(frozen=True)
class Corpus:
    """Documents with their origin."""

    documents: list[Any]
    path: str | None = None
    sha256: str | None = None
    format: str | None = None
    warnings: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """The reader's options, including those left at their defaults."""
    version: str | None = None
    """The name of the version of a key, if the caller gave one."""

    def input_record(self, role: str, system: str | None = None) -> InputRecord:
        return InputRecord(role, self.path, self.sha256, self.format, len(self.documents), system, self.version)


def read(task: Task, source: Any, format: str | None = None, **options: Any) -> Corpus:
    """The documents in a path, an open file, `-`, or a plain Python structure.

    The options are those of the reader; options that the format does not take are ignored.
    """
    corpus, problems = read_with_problems(task, source, format, **options)
    if problems:
        raise InputError(problems)
    return corpus


def read_with_problems(
    task: Task, source: Any, format: str | None = None, **options: Any
) -> tuple[Corpus, list[Problem]]:
    """As `read`, but returns the readable documents of files with problems, and the problems."""
    if isinstance(source, Corpus):
        return source, []
    if not is_file_like(source):
        documents = documents_in(task, source, reader_options(task.reading.documents, options))
        recorded = recorded_options(task.reading.documents, options)
        return Corpus(documents, options=recorded), repeated_name_problems(documents, "the documents given")
    return read_opened_files(task, open_files(task, source, format, options), options)


def read_opened_files(task: Task, files: OpenedFiles, options: Mapping[str, Any]) -> tuple[Corpus, list[Problem]]:
    """As `read_with_problems`, for files whose format is known."""
    corpus, problems = read_files(files, options)
    return corpus if problems else warn_of_no_annotation(task, corpus), problems


def warn_of_no_annotation(task: Task, corpus: Corpus) -> Corpus:
    """A corpus, with a warning if its format finds no annotation in it: it may be in another format."""
    _, is_annotated = task.reading.annotation
    if any(map(is_annotated, corpus.documents)):
        return corpus
    text = unannotated_warning(task, corpus.path, corpus.format)
    return replace(corpus, warnings=(*corpus.warnings, text))


def unannotated_warning(task: Task, path: str | None, format: str | None) -> str:
    return f"{path}: read as {format}, this {task.empty_response_message}"


def documents_in(task: Task, structure: Any, options: Mapping[str, Any]) -> list[Any]:
    """The documents in a plain Python structure."""
    try:
        return task.reading.documents(structure, **options)
    except RecursionError:
        raise UsageError("found lists in lists in lists without an end, expected documents: give them flat") from None


class OpenedFiles(NamedTuple):
    """The files of one corpus; only their beginnings are read yet."""

    path: str
    files: Sequence[tuple[Origin, Format | None]]
    """The format of each file; None for a file that belongs to others and is not read."""
    notes: Mapping[str, Sequence[Note]]
    """The notes of recognising the files, by file."""
    options: Mapping[str, Any]
    """The readers' options, including those left at their defaults."""
    problems: tuple[Problem, ...] = ()

    @property
    def sha256(self) -> str:
        digests = [origin.sha256 for origin, _ in self.files]
        return digests[0] if len(digests) == 1 else sha256_hex("".join(digests).encode())

    @property
    def formats(self) -> dict[str, Format]:
        return {form.name: form for _, form in self.files if form is not None}

    @property
    def size(self) -> int:
        return sum(origin.size for origin, form in self.files if form is not None)

    def input_record(self, role: str, documents: int, system: str | None = None) -> InputRecord:
        return InputRecord(role, self.path, self.sha256, "+".join(self.formats) or None, documents, system)

    def check_unchanged(self) -> None:
        """Refuse files that changed after they were opened: their recorded digests would be wrong."""
        changed = [origin for origin, _ in self.files if origin.version and file_version(origin.file) != origin.version]
        if changed:
            raise InputError([origin.changed_problem for origin in changed])


def open_files(task: Task, location: Any, format: str | None, options: Mapping[str, Any]) -> OpenedFiles:
    """The files behind a path, an open file or `-`, and the format of each."""
    found_origins = origins(location)
    files: list[tuple[Origin, Format | None]] = []
    notes: dict[str, Sequence[Note]] = {}
    used_options: dict[str, Any] = {}
    known_formats = [registry.format(task.name, format)] if format else registry.formats(task.name)
    companions = companion_names(known_formats, [origin.name for origin in found_origins])
    for origin in found_origins:
        if origin.name in companions:
            files.append((origin, None))
            notes[origin.name] = []
            continue
        source = Source(origin.name, _read_beginning(origin), origin.path)
        chosen = (
            registry.format(task.name, format) if format else recognise_format(task, source, len(found_origins) > 1)
        )
        files.append((origin, chosen))
        notes[origin.name] = source.notes
        if chosen is not None:
            used_options |= recorded_options(chosen.read, options)
    path = found_origins[0].name if len(found_origins) == 1 else str(location)
    if any(form for _, form in files):
        return OpenedFiles(path, files, notes, used_options)
    names = ", ".join(form.name for form in registry.formats(task.name))
    problem = Problem.in_file(
        "format.unknown",
        str(location),
        found=f"no file in a known {task.name} format",
        expected=f"one of {names}",
        remedies=NAME_FORMAT_REMEDIES,
    )
    return OpenedFiles(path, files, notes, used_options, (problem,))


def _read_beginning(origin: Origin) -> bytes:
    """Enough text of a file to recognise its format: whole lines, or all of it."""
    if origin.size <= len(origin.head):
        return origin.head
    end = origin.head.rfind(b"\n") + 1
    return origin.head[:end] if end and origin.head[:2] not in UTF16_MARKS else origin.read(0, origin.size)


def read_files(files: OpenedFiles, options: Mapping[str, Any]) -> tuple[Corpus, list[Problem]]:
    """All documents of files, and the problems found in them."""
    documents: list[Any] = []
    problems: list[Problem] = list(files.problems)
    notes: dict[str, list[Note]] = {}
    for origin, form in files.files:
        source = Source(origin.name, origin.read(0, origin.size), origin.path)
        source.notes.extend(files.notes[origin.name])
        if form is not None:
            try:
                documents += form.read(source, **reader_options(form.read, options))
                source.raise_problems()
            except InputError as error:
                problems += error.problems
        if source.notes:
            notes[source.name] = source.notes
    files.check_unchanged()
    problems += repeated_name_problems(documents, files.path)
    formats = "+".join(files.formats) or None
    warnings = tuple(file_note_texts(notes)) if notes else ()
    return Corpus(documents, files.path, files.sha256, formats, warnings, files.options), problems


def recorded_options(reader: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a reader takes; those that signatures hide at their defaults only if they were given."""
    reading = reader_options(reader, options)
    signed = signed_options(reader, reading)
    return {name: value for name, value in reading.items() if name in options or name in signed}


def reader_options(reader: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a reader takes: as given, or their defaults."""
    known = options_of(reader)
    return {
        name: option.convert(options[name]) if name in options else option.default for name, option in known.items()
    }


def repeated_name_problems(documents: Iterable[Any], path: str) -> list[Problem]:
    """A problem for every document name that occurs more than once."""
    seen: dict[str, str] = {}
    problems = []
    for document in documents:
        file = getattr(document, "path", None) or path
        if document.id in seen:
            line = int(getattr(document, "line", 0) or 1)
            remedies = ["rename or remove it"]
            if seen[document.id] != file:
                remedies.append("give the files of several systems one by one")
            actual = f"document {document.id!r} a second time"
            problems.append(
                Problem.in_file(
                    "document.repeated", file, line, found=actual, expected="every name once", remedies=remedies
                )
            )
        seen.setdefault(document.id, file)
    return problems
