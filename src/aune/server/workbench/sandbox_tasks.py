"""The sandbox tasks that read and write files: functions from open input files to an open output file.

This module does not use the database; its callers do.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

import msgspec

from aune.compression import compress_like, decompress
from aune.contract import registry
from aune.corrections.key_revision import parse_review, revise_key
from aune.errors import AuneError, InputError, Problem
from aune.reading.conversion import Conversion
from aune.reading.source import Source
from aune.server.fork_server import Work
from aune.workbench.files import (
    PLAIN,
    TASKS,
    AnnotatedText,
    annotated_texts,
    export_file,
    export_text,
    recognise,
    response_states,
    response_states_by_annotator,
)
from aune.workbench.model import State, Text
from aune.workbench.schemas import LABEL_SETS
from aune.workbench.segmentation import LANGUAGES, Segmentation

MAX_TEXTS = 5_000
MAX_STORED_BYTES = 32_000_000  # bytes of a stored text or annotation: the limit is above what a browser can display
MAX_NAME = 255  # characters of the name of a text


class ReadRequest(msgspec.Struct, kw_only=True):
    """How to read a file. The file comes first in the list of files, followed by its companions."""

    name: str
    endings: tuple[str, ...] = ()
    task: str = ""
    format: str = ""
    options: dict[str, str] = {}
    segmentation: Segmentation | None = None
    """The current words and sentences of a plain text that was opened before."""

    def reading_options(self) -> dict[str, Any]:
        """The keyword arguments for the readers."""
        return {**self.options, **({"segmentation": self.segmentation} if self.segmentation else {})}


class AlignRequest(ReadRequest, kw_only=True):
    """A file, and a system's file for the same texts, which comes after it in the list of files."""

    other: ReadRequest
    by_annotator: bool = False
    """Whether a file of several annotators gives the states of each; otherwise it is refused."""


class ExportRequest(ReadRequest, kw_only=True):
    """A file to write with new states of its texts, or only one `text` of it."""

    states: dict[str, State]
    to: str = ""
    grouped: bool = True
    characters: dict[str, str] = {}
    text: str = ""


class RevisionRequest(msgspec.Struct, kw_only=True):
    """The name of a key's file, and answers about its items as JSON."""

    name: str
    answers: str


class TextSummary(msgspec.Struct):
    """The name and length of a text, and whose annotations of it the file has; '' where it names nobody."""

    name: str
    words: int
    annotators: tuple[str, ...] = ("",)


class ReadHeader(msgspec.Struct):
    """The first line of the output of `read`; the lines of each text follow: its content, a state per annotator."""

    warnings: list[str]
    texts: list[TextSummary]


class AlignedResponses(msgspec.Struct):
    """The states from a system's file, by annotator or '' and by text, and notes for the user."""

    states: dict[str, dict[str, State]]
    notes: list[str]


def recognise_file(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Recognise the task and the format of a file."""
    request = msgspec.msgpack.decode(encoded, type=ReadRequest)
    with _open_source(request, files) as source:
        out.write(msgspec.msgpack.encode(recognise(source, request.task)))


class OpenedFile(msgspec.Struct):
    """One of several files: its task, format and content, or its problems."""

    task: str = ""
    format: str = ""
    content: bytes = b""
    """The output of `read`."""
    problems: list[Problem] = []
    refusal: str = ""


def open_several(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Recognise and read several files; a problem in one does not affect the others."""
    opened = []
    remaining = list(files)
    for request in msgspec.msgpack.decode(encoded, type=list[ReadRequest]):
        own_files, remaining = remaining[: 1 + len(request.endings)], remaining[1 + len(request.endings) :]
        try:
            opened.append(_open_one(request, own_files))
        except InputError as error:
            opened.append(OpenedFile(problems=list(error.problems)))
        except AuneError as error:
            opened.append(OpenedFile(refusal=str(error)))
    out.write(msgspec.msgpack.encode(opened))


def _open_one(request: ReadRequest, files: Sequence[IO[bytes]]) -> OpenedFile:
    """Read one of several files, after recognising its format if none is given."""
    task, form = request.task, request.format
    if not form:
        with _open_source(request, files) as source:
            task, form = recognise(source, request.task)
    options = known_options(task, form, request.options)
    content = io.BytesIO()
    read(
        msgspec.msgpack.encode(msgspec.structs.replace(request, task=task, format=form, options=options)),
        files,
        content,
    )
    return OpenedFile(task, form, content.getvalue())


def known_options(task: str, form: str, options: Mapping[str, str]) -> dict[str, str]:
    """The options that apply to a task and a format: a typology of the task, the language of a plain text."""
    chosen = {"typology": LABEL_SETS.get(task, ()), "language": LANGUAGES if form == PLAIN else ()}
    return {name: value for name, value in options.items() if value in chosen.get(name, ())}


def read(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Read the texts of a file and write each as several lines: its content, and its state by each annotator."""
    request = msgspec.msgpack.decode(encoded, type=ReadRequest)
    with _open_source(request, files) as source:
        if request.format == PLAIN:
            _check_fits(len(source.text), "a text", request.name, source.stem)
        annotated = annotated_texts(source, request.task, request.format, **request.reading_options())
        warnings = [*source.warnings, *_annotator_notes(request.name, annotated)]
    if not annotated:
        problem = Problem.in_file(
            "file.no-text", request.name, found="no text", expected="one or more", remedies=["check the file"]
        )
        raise InputError([problem])
    if len(annotated) > MAX_TEXTS:
        problem = Problem.in_file(
            "file.too-many-texts",
            request.name,
            found=f"{len(annotated)} texts",
            expected=f"at most {MAX_TEXTS}",
            remedies=["open the file in parts"],
        )
        raise InputError([problem])
    about = [TextSummary(text_name(text), len(text.tokens) // 2, tuple(states)) for text, states in annotated]
    out.write(msgspec.json.encode(ReadHeader(warnings, about)) + b"\n")
    for text, states in annotated:
        for part in (text, *states.values()):
            line = msgspec.json.encode(part)
            _check_fits(len(line), "a text" if part is text else "annotation of a text", request.name, text.id)
            out.write(line + b"\n")


def _annotator_notes(file: str, annotated: Sequence[AnnotatedText]) -> list[str]:
    """A note that names the annotators of a file with several: each text has a layer of each who annotated it."""
    names = list(dict.fromkeys(name for _, states in annotated for name in states if name))
    if len(names) < 2:
        return []
    return [f"{file}: {len(names)} annotators ({', '.join(names)}), each with layers of their own"]


def _check_fits(size: int, kind: str, file: str, text: str) -> None:
    """Refuse a text or annotation that is too large to be shown on a page."""
    if size > MAX_STORED_BYTES:
        problem = Problem.in_file(
            "text.too-large",
            file,
            found=f"{kind} ({text!r:.80}) that takes {size:,} bytes",
            expected=f"at most {MAX_STORED_BYTES:,}",
            remedies=["open it in parts"],
        )
        raise InputError([problem])


def text_name(text: Text) -> str:
    """The name of a text in the workbench."""
    return text.id[:MAX_NAME]


def align_response(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Align a system's file with the texts of another file."""
    request = msgspec.msgpack.decode(encoded, type=AlignRequest)
    source_count = 1 + len(request.endings)
    with (
        _open_source(request, files[:source_count]) as source,
        _open_source(request.other, files[source_count:]) as other,
    ):
        about, options = (source, request.task, request.format, other), request.reading_options()
        if request.by_annotator:
            states, notes = response_states_by_annotator(*about, **options)
        else:
            only, notes = response_states(*about, **options)
            states = {"": only}
    for by_text in states.values():
        for name, state in by_text.items():
            _check_fits(len(msgspec.json.encode(state)), "annotation of a text", request.other.name, name)
    out.write(msgspec.msgpack.encode(AlignedResponses(states, notes)))


def export(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Write a file with new states of its texts, compressed as before; or only one of its texts."""
    request = msgspec.msgpack.decode(encoded, type=ExportRequest)
    with _open_source(request, files) as source:
        conversion = _export_text(request, source) if request.text else _export_file(request, source, files)
    out.write(msgspec.msgpack.encode((conversion.data, dict(conversion.beside), dict(conversion.lost))))


def export_several(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Write several files with new states of their texts; for a file that fails, the reason."""
    outcomes: list[Any] = []
    remaining = list(files)
    for request in msgspec.msgpack.decode(encoded, type=list[ExportRequest]):
        own_files, remaining = remaining[: 1 + len(request.endings)], remaining[1 + len(request.endings) :]
        try:
            with _open_source(request, own_files) as source:
                conversion = _export_file(request, source, own_files)
        except AuneError as error:
            outcomes.append(str(error))
        else:
            outcomes.append((conversion.data, dict(conversion.beside), dict(conversion.lost)))
    out.write(msgspec.msgpack.encode(outcomes))


def _export_text(request: ExportRequest, source: Source) -> Conversion:
    return export_text(
        source, request.task, request.format, request.text, request.states[request.text], request.to or request.format,
        grouped=request.grouped, **request.reading_options(),
    )  # fmt: skip


def _export_file(request: ExportRequest, source: Source, files: Sequence[IO[bytes]]) -> Conversion:
    conversion = export_file(
        source, request.task, request.format, request.states, to=request.to, grouped=request.grouped,
        characters=request.characters, **request.reading_options(),
    )  # fmt: skip
    if request.to not in ("", request.format):
        return conversion
    original, *beside = _contents(files)
    same = decompress(original, request.name) == conversion.data
    conversion = conversion._replace(data=original if same else compress_like(original, conversion.data))
    return conversion._replace(beside={**dict(zip(request.endings, beside, strict=True)), **conversion.beside})


def _contents(files: Sequence[IO[bytes]]) -> list[bytes]:
    for file in files:
        file.seek(0)
    return [file.read() for file in files]


@contextmanager
def _open_source(request: ReadRequest, files: Sequence[IO[bytes]]) -> Iterator[Source]:
    """Open the file of a request for the readers; with companions, in a temporary folder."""
    data, *others = _contents(files)
    with open_source(request.name, data, dict(zip(request.endings, others, strict=True))) as source:
        yield source


@contextmanager
def open_source(name: str, data: bytes, beside: Mapping[str, bytes]) -> Iterator[Source]:
    """Open a file for the readers; with companions, in a temporary folder."""
    if not beside:
        yield Source(name, data)
        return
    with tempfile.TemporaryDirectory(prefix="aune-") as folder:
        path = Path(folder, PurePosixPath(name).name)
        for ending, content in beside.items():
            path.with_suffix(ending).write_bytes(content)
        path.write_bytes(data)
        yield Source(name, data, path)


def load() -> Any:
    """Import the modules that readers need."""
    return [registry.formats(task) for task in TASKS]


def revise(encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """Write the file of a key with its corrections."""
    request = msgspec.msgpack.decode(encoded, type=RevisionRequest)
    [data] = _contents(files)
    out.write(revise_key(request.name, data, "", parse_review(request.answers)))


WORK: Mapping[str, Work] = {
    "recognised": recognise_file, "read": read, "laid": align_response, "written": export,
    "written several": export_several, "opened several": open_several,
    "revised": revise,
}  # fmt: skip
