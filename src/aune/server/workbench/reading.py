"""What is read of files and written into them, as it is done apart: from open files to what an open file holds then.

Nothing here knows the database: whoever asks does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

import msgspec

from aune.core import registry
from aune.core.conversion import Conversion
from aune.core.corpus import Source
from aune.core.errors import InputError, Problem
from aune.core.unpacking import decompressed, packed_like
from aune.server.apart import Work
from aune.workbench.files import PLAIN, TASKS, exported, exported_alone, laid, recognise, texts
from aune.workbench.model import State, Text

MOST_TEXTS = 5_000
LARGEST = 32_000_000  # bytes of a text, or of what is said of it, as they are kept: what a browser can show, and more
LONGEST = 255  # characters of the name of a text


class Asked(msgspec.Struct, kw_only=True):
    """A file, which comes first, with those that stand beside it; and how it is read."""

    name: str
    endings: tuple[str, ...] = ()
    task: str = ""
    format: str = ""
    options: dict[str, str] = {}


class Laying(Asked, kw_only=True):
    """A system's file on the texts of another, behind whose files it comes."""

    other: Asked


class Exporting(Asked, kw_only=True):
    """A file with other states of its texts, or one `text` of it alone."""

    states: dict[str, State]
    to: str = ""
    grouped: bool = True
    characters: dict[str, str] = {}
    text: str = ""


class About(msgspec.Struct):
    """A text, before its content and its state."""

    name: str
    words: int


class Heading(msgspec.Struct):
    """The first line of what was read; two follow for each text."""

    warnings: list[str]
    texts: list[About]


class Laid(msgspec.Struct):
    """What a system says, by text, and what a user should know."""

    states: dict[str, State]
    notes: list[str]


def recognised(said: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """The task and the format of a file."""
    asked = msgspec.msgpack.decode(said, type=Asked)
    with _source(asked, files) as source:
        out.write(msgspec.msgpack.encode(recognise(source, asked.task)))


def read(said: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """The texts of a file, each on two lines: its content and its state."""
    asked = msgspec.msgpack.decode(said, type=Asked)
    with _source(asked, files) as source:
        if asked.format == PLAIN:
            _check_fits(len(source.text), "a text", asked.name, source.stem)
        found = texts(source, asked.task, asked.format, **asked.options)
        warnings = source.warnings
    if not found:
        raise InputError([Problem(asked.name, 1, 1, "found no text, expected one or more: check the file")])
    if len(found) > MOST_TEXTS:
        what = f"found {len(found)} texts, expected at most {MOST_TEXTS}: open the file in parts"
        raise InputError([Problem(asked.name, 1, 1, what)])
    about = [About(text_name(text), len(text.tokens) // 2) for text, _ in found]
    out.write(msgspec.json.encode(Heading(warnings, about)) + b"\n")
    for text, state in found:
        for part, what in ((text, "a text"), (state, "annotation of a text")):
            kept = msgspec.json.encode(part)
            _check_fits(len(kept), what, asked.name, text.id)
            out.write(kept + b"\n")


def _check_fits(size: int, what: str, file: str, text: str) -> None:
    """Refuse what no page could show."""
    if size > LARGEST:
        found = f"found {what} ({text!r:.80}) that takes {size:,} bytes, expected at most {LARGEST:,}"
        raise InputError([Problem(file, 1, 1, f"{found}: open it in parts")])


def text_name(text: Text) -> str:
    """What a text is called here."""
    return text.id[:LONGEST]


def laid_on(said: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """A system's file on the texts of another."""
    asked = msgspec.msgpack.decode(said, type=Laying)
    own = 1 + len(asked.endings)
    with _source(asked, files[:own]) as source, _source(asked.other, files[own:]) as other:
        states, notes = laid(source, asked.task, asked.format, other, **asked.options)
    for name, state in states.items():
        _check_fits(len(msgspec.json.encode(state)), "annotation of a text", asked.other.name, name)
    out.write(msgspec.msgpack.encode(Laid(states, notes)))


def written(said: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    """A file with other states of its texts, packed as it was; or one of its texts alone."""
    asked = msgspec.msgpack.decode(said, type=Exporting)
    with _source(asked, files) as source:
        conversion = _alone(asked, source) if asked.text else _whole(asked, source, files)
    out.write(msgspec.msgpack.encode((conversion.data, dict(conversion.beside), dict(conversion.lost))))


def _alone(asked: Exporting, source: Source) -> Conversion:
    return exported_alone(
        source, asked.task, asked.format, asked.text, asked.states[asked.text], asked.to or asked.format,
        grouped=asked.grouped, **asked.options,
    )  # fmt: skip


def _whole(asked: Exporting, source: Source, files: Sequence[IO[bytes]]) -> Conversion:
    conversion = exported(
        source, asked.task, asked.format, asked.states, to=asked.to, grouped=asked.grouped,
        characters=asked.characters, **asked.options,
    )  # fmt: skip
    if asked.to not in ("", asked.format):
        return conversion
    original, *beside = _contents(files)
    same = decompressed(original, asked.name) == conversion.data
    conversion = conversion._replace(data=original if same else packed_like(original, conversion.data))
    return conversion._replace(beside={**dict(zip(asked.endings, beside, strict=True)), **conversion.beside})


def _contents(files: Sequence[IO[bytes]]) -> list[bytes]:
    for file in files:
        file.seek(0)
    return [file.read() for file in files]


@contextmanager
def _source(asked: Asked, files: Sequence[IO[bytes]]) -> Iterator[Source]:
    """A source for the readers; where files stand beside it, in a folder of its own."""
    data, *others = _contents(files)
    with source_of(asked.name, data, dict(zip(asked.endings, others, strict=True))) as source:
        yield source


@contextmanager
def source_of(name: str, data: bytes, beside: Mapping[str, bytes]) -> Iterator[Source]:
    """A source for the readers; where files stand beside it, in a folder of its own."""
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
    """Import what readers need."""
    return [registry.formats(task) for task in TASKS]


WORK: Mapping[str, Work] = {"recognised": recognised, "read": read, "laid": laid_on, "written": written}
