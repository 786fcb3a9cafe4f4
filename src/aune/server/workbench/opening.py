"""Files become texts with their first layer; layers become files again."""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple

import msgspec
from django.db import transaction

from aune.core import registry
from aune.core.conversion import Conversion, converted
from aune.server import apart
from aune.server.accounts.models import Account
from aune.server.workbench import access, layers, room, store
from aune.server.workbench.models import Layer, Text
from aune.server.workbench.models import Source as SourceRow
from aune.server.workbench.reading import WORK, Asked, Exporting, Heading, Laid, Laying, source_of
from aune.workbench.files import PLAIN, TASKS, edited
from aune.workbench.measured import measured
from aune.workbench.model import EMPTY, State, restricted
from aune.workbench.model import Text as Words

BESIDE = {".ann": (".txt",)}
"""Endings of files, and of what stands beside them."""
NEW = {"coref": "jsonlines", "entities": "jsonl"}
"""The formats in which texts are written that had no file."""
LONGEST = 255  # characters of the name of a file
REMEMBERED, REMEMBERED_BYTES = 8, 8_000_000
"""Files that were written last, and how long they may be."""


class File(NamedTuple):
    """A file as it came: its name, its bytes as an open file, and those beside it by ending."""

    name: str
    data: IO[bytes]
    beside: Mapping[str, IO[bytes]]

    @property
    def files(self) -> list[IO[bytes]]:
        return [self.data, *self.beside.values()]

    def asked(self, **more: Any) -> Asked:
        """What is said of it to its readers."""
        return Asked(name=self.name, endings=tuple(self.beside), **more)


def gathered(files: Iterable[tuple[str, IO[bytes]]]) -> list[File]:
    """Files with those that stand beside them: a text belongs to the annotation of the same name."""
    named = {_plain(name): data for name, data in files}
    companions = {
        str(path.with_suffix(ending))
        for path in map(PurePosixPath, named)
        for ending in BESIDE.get(path.suffix, ())
        if str(path.with_suffix(ending)) in named
    }
    return [File(name, data, _beside(name, named)) for name, data in named.items() if name not in companions]


def _beside(name: str, named: Mapping[str, IO[bytes]]) -> dict[str, IO[bytes]]:
    path = PurePosixPath(name)
    there = {ending: str(path.with_suffix(ending)) for ending in BESIDE.get(path.suffix, ())}
    return {ending: named[name] for ending, name in there.items() if name in named}


def _plain(name: str) -> str:
    """A file's name without anything that leads elsewhere."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(part.replace("\0", "")[:100] for part in parts[-3:]) or "file"


def is_known(file: File) -> bool:
    """Whether a file is in a format of ours, or a text by its name: a licence in a folder is nothing to annotate."""
    return file.name.endswith(".txt") or _recognised(file, "")[1] != PLAIN


def _recognised(file: File, task: str) -> tuple[str, str]:
    """The task and the format of a file."""
    with apart.done(WORK, "recognised", file.asked(task=task), file.files) as found:
        return msgspec.msgpack.decode(found.read(), type=tuple[str, str])


class Reading(NamedTuple):
    """What was read of a file: nothing of it is kept yet."""

    file: File
    about: Mapping[str, Any]
    """What tells its source from others: its digests, its task and format, the options it was read with, whether it is
    listed."""
    heading: Heading
    texts: IO[bytes]
    """Of each text the content and the state, a line each; nothing where the source is known already."""
    known: SourceRow | None


def opened(
    file: File, owner: Account | None, task: str = "", typology: str = "", *, listed: bool = True
) -> tuple[SourceRow, bool]:
    """The source of a file, and whether it is new here: the same bytes read in the same way are the same source."""
    return kept(reading(file, task, typology, listed=listed), owner)


def reading(file: File, task: str = "", typology: str = "", *, listed: bool = True, plain: bool = False) -> Reading:
    """A file as it can be kept, or as `plain` text whatever it holds; one that is refused leaves nothing."""
    home, form = (task or TASKS[0], PLAIN) if plain else _recognised(file, task)
    about: dict[str, Any] = {
        "digest": _digest(file.data), "task": home, "format": form, "listed": listed,
        "beside": {ending: _digest(data) for ending, data in file.beside.items()},
        "options": {"typology": typology} if typology and home == "entities" else {},
    }  # fmt: skip
    if known := SourceRow.objects.filter(**about).first():
        return Reading(file, about, Heading([], []), io.BytesIO(), known)
    asked = file.asked(task=home, format=form, options=about["options"])
    found = apart.done(WORK, "read", asked, file.files)
    return Reading(file, about, msgspec.json.decode(found.readline(), type=Heading), found, None)


def _digest(data: IO[bytes]) -> str:
    data.seek(0)
    return hashlib.file_digest(data, "sha256").hexdigest()  # type: ignore[arg-type]


def kept(read: Reading, owner: Account | None) -> tuple[SourceRow, bool]:
    """The source of a file that was read, and whether it is new here."""
    if read.known is not None:
        return read.known, False
    name = read.file.name
    size = sum(data.seek(0, io.SEEK_END) for data in read.file.files)
    with store.together(), read.texts as lines:
        row = SourceRow.objects.create(name=name[-LONGEST:], warnings=read.heading.warnings, owner=owner, **read.about)
        for number, about in enumerate(read.heading.texts):
            text = Text.objects.create(
                source=row, number=number, name=about.name, task=row.task, words=about.words,
                content=lines.readline().rstrip(b"\n"),
            )  # fmt: skip
            state = lines.readline().rstrip(b"\n")
            layer = layers.began(text, PurePosixPath(name).name, "imported", owner, state, done=owner is None)
            room.take(layer, len(text.content) + (0 if number else size))
        for data in read.file.files:  # when there is room for all of it
            store.kept(data)
    return row, True


def forgotten(row: SourceRow) -> None:
    """A source goes, and its bytes with it, unless another source has them."""
    with store.LOCK:
        row.delete()
        beside = {digest for one in SourceRow.objects.values_list("beside", flat=True) for digest in one.values()}
        for digest in {row.digest, *row.beside.values()} - beside:
            if not SourceRow.objects.filter(digest=digest).exists():
                store.dropped(digest)


def brought(row: SourceRow, files: Sequence[File], owner: Account) -> list[str]:
    """What a user should know of files of systems, each of which is a layer of the texts of a source from now on.

    All of them are read before any is kept: whoever saves something meanwhile waits for no reader.
    """
    read = [_laid(row, file) for file in files]
    with transaction.atomic():
        for file, laid in zip(files, read, strict=True):
            for text in row.texts.order_by("number"):
                if (state := laid.states.get(_key(text))) is not None:
                    layers.began(text, PurePosixPath(file.name).name, "system", owner, state, done=True)
    return [note for laid in read for note in laid.notes]


def _laid(row: SourceRow, file: File) -> Laid:
    with ExitStack() as opened:
        own = _kept_file(row, opened)
        asked = Laying(**msgspec.structs.asdict(_asked(row, own)), other=file.asked())
        with apart.done(WORK, "laid", asked, [*own.files, *file.files]) as found:
            return msgspec.msgpack.decode(found.read(), type=Laid)


def written_anew(words: Words, state: State, name: str, owner: Account) -> tuple[SourceRow, Mapping[str, int]]:
    """A text that has no file yet as a file, opened; and what the file does not hold."""
    form = registry.format(words.task, NEW[words.task])
    document = measured(words, state).document
    if words.task == "coref":  # what measures call mentions is nothing that a file says
        document = replace(document, features={name: one for name, one in document.features.items() if name != "id"})
    file = f"{name}{form.suffixes[0]}"
    conversion = converted(registry.task(words.task), form, [document], file)
    row, _ = opened(File(_plain(file), io.BytesIO(conversion.data), {}), owner, words.task)
    return row, conversion.lost


def written(
    layer: Layer,
    reader: Account,
    to: str = "",
    *,
    grouped: bool = True,
    alone: bool = False,
    chains: Sequence[str] = (),
) -> Conversion:
    """The file of a layer's text with what the layer says; the text `alone` is a file of its own.

    Other texts of the file have the layer of the same name, or what the file says, or nothing where the reader may not
    see that. Of the layer itself some `chains` may be chosen. What was made last is remembered: first one is told what
    a file would lose, then one takes it.
    """
    row = layer.text.source
    said = {text.pk: _said(text, layer, reader) for text in ([layer.text] if alone else row.texts.all())}
    stand = tuple((text, one and (one.pk, one.version)) for text, one in said.items())
    asked = (row.pk, to, grouped, alone, tuple(chains), stand)
    with _lock:
        if asked in _conversions:
            return _conversions[asked]
    with apart.turn():
        states = {text: layers.head(one).state if one else EMPTY for text, one in said.items()}
        if chains:
            states[layer.text_id] = restricted(states[layer.text_id], chains)
        if alone:
            name = _key(layer.text)
            conversion = _written(row, {name: states[layer.text_id]}, to=to, grouped=grouped, text=name)
        else:
            conversion = with_states(row, states, to, grouped=grouped)
    with _lock:
        if len(conversion.data) <= REMEMBERED_BYTES:
            _conversions[asked] = conversion
        while len(_conversions) > REMEMBERED:
            _conversions.popitem(last=False)
    return conversion


_conversions: OrderedDict[tuple[Any, ...], Conversion] = OrderedDict()
_lock = threading.Lock()


def with_states(
    row: SourceRow, said: Mapping[str, State], to: str = "", *, grouped: bool = True, untouched: bool = False
) -> Conversion:
    """The file of a source with states of its texts; the others have nothing, or what they have when `untouched`."""
    with apart.turn():
        texts = list(row.texts.defer("content"))
        states = {_key(text): said.get(text.pk, EMPTY) for text in texts if text.pk in said or not untouched}
        characters = {_key(text): layers.words_of(text.pk).characters for text in texts}
        return _written(row, states, to=to, grouped=grouped, characters=characters)


def _written(row: SourceRow, states: Mapping[str, State], **how: Any) -> Conversion:
    with ExitStack() as opened:
        own = _kept_file(row, opened)
        asked = Exporting(**msgspec.structs.asdict(_asked(row, own)), states=dict(states), **how)
        with apart.done(WORK, "written", asked, own.files) as found:
            return Conversion(*msgspec.msgpack.decode(found.read()))


def documents(row: SourceRow, text: Text, state: State) -> tuple[Any, Any]:
    """A document of a source as its file has it, and with a state."""
    beside = {ending: store.data_of(digest) for ending, digest in row.beside.items()}
    with apart.turn(), source_of(row.name, store.data_of(row.digest), beside) as source:
        return edited(source, row.task, row.format, _key(text), state, **row.options)


def _key(text: Text) -> str:
    return layers.words_of(text.pk).id


def _said(text: Text, layer: Layer, reader: Account) -> Layer | None:
    """The layer of a text that goes out with a layer of the same file, if the reader sees it."""
    if text.pk == layer.text_id:
        return layer
    same = text.layers.filter(name=layer.name, author=layer.author, kind=layer.kind).first()
    first = text.layers.filter(kind="imported").order_by("made").first()
    shown = same or first
    return shown if shown and access.sees(reader, shown) else None


def _kept_file(row: SourceRow, opened: ExitStack) -> File:
    """The file of a source as it came."""
    beside = {ending: opened.enter_context(store.place(digest).open("rb")) for ending, digest in row.beside.items()}
    return File(row.name, opened.enter_context(store.place(row.digest).open("rb")), beside)


def _asked(row: SourceRow, file: File) -> Asked:
    """A source as the readers had it when it was opened."""
    return file.asked(task=row.task, format=row.format, options=row.options)
