"""Files become texts with their first layer; layers become files again."""

from __future__ import annotations

import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec
from django.db import transaction

from aune.core import registry
from aune.core.conversion import Conversion, converted
from aune.core.corpus import Source
from aune.core.errors import InputError, Problem
from aune.core.files import digest_of
from aune.core.unpacking import decompressed, packed_like
from aune.server.accounts.models import Account
from aune.server.workbench import access, layers, room, store
from aune.server.workbench.models import Layer, Text
from aune.server.workbench.models import Source as SourceRow
from aune.workbench.files import PLAIN, TASKS, edited, exported, exported_alone, laid, recognise, texts
from aune.workbench.measured import measured
from aune.workbench.model import EMPTY, State, restricted
from aune.workbench.model import Text as Words

BESIDE = {".ann": (".txt",)}
"""Endings of files, and of what stands beside them."""
NEW = {"coref": "jsonlines", "entities": "jsonl"}
"""The formats in which texts are written that had no file."""
MOST_TEXTS = 5_000
LONGEST = 255  # characters of the name of a file or a text
ONE_AT_A_TIME = threading.RLock()
"""Held while a file is read: dense markup takes a hundred times its bytes, so only one is read at once."""
REMEMBERED, REMEMBERED_BYTES = 8, 8_000_000
"""Files that were written last, and how long they may be."""


class File(NamedTuple):
    """A file as it came: its name, its bytes, and those beside it by ending."""

    name: str
    data: bytes
    beside: Mapping[str, bytes]


def gathered(files: Iterable[tuple[str, bytes]]) -> list[File]:
    """Files with those that stand beside them: a text belongs to the annotation of the same name."""
    named = {_plain(name): data for name, data in files}
    companions = {
        str(path.with_suffix(ending))
        for path in map(PurePosixPath, named)
        for ending in BESIDE.get(path.suffix, ())
        if str(path.with_suffix(ending)) in named
    }
    return [File(name, data, _beside(name, named)) for name, data in named.items() if name not in companions]


def _beside(name: str, named: Mapping[str, bytes]) -> dict[str, bytes]:
    path = PurePosixPath(name)
    there = {ending: str(path.with_suffix(ending)) for ending in BESIDE.get(path.suffix, ())}
    return {ending: named[name] for ending, name in there.items() if name in named}


def _plain(name: str) -> str:
    """A file's name without anything that leads elsewhere."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(part.replace("\0", "")[:100] for part in parts[-3:]) or "file"


def is_known(file: File) -> bool:
    """Whether a file is in a format of ours, or a text by its name: a licence in a folder is nothing to annotate."""
    if file.name.endswith(".txt"):
        return True
    with _source(file.name, file.data, file.beside) as source:
        return recognise(source)[1] != PLAIN


class Reading(NamedTuple):
    """What was read of a file: nothing of it is kept yet."""

    file: File
    about: Mapping[str, Any]
    """What tells its source from others: its digests, its task and format, the options it was read with, whether it is
    listed."""
    warnings: list[str]
    texts: Sequence[tuple[Words, State]]
    """None of them where the source is known already."""
    known: SourceRow | None


def opened(
    file: File, owner: Account | None, task: str = "", typology: str = "", *, listed: bool = True
) -> tuple[SourceRow, bool]:
    """The source of a file, and whether it is new here: the same bytes read in the same way are the same source."""
    return kept(reading(file, task, typology, listed=listed), owner)


def reading(file: File, task: str = "", typology: str = "", *, listed: bool = True, plain: bool = False) -> Reading:
    """A file as it can be kept, or as `plain` text whatever it holds; one that is refused leaves nothing."""
    with ONE_AT_A_TIME, _source(file.name, file.data, file.beside) as source:
        home, form = (task or TASKS[0], PLAIN) if plain else recognise(source, task)
        about: dict[str, Any] = {
            "digest": digest_of(file.data), "task": home, "format": form, "listed": listed,
            "beside": {ending: digest_of(data) for ending, data in file.beside.items()},
            "options": {"typology": typology} if typology and home == "entities" else {},
        }  # fmt: skip
        known = SourceRow.objects.filter(**about).first()
        found = [] if known else texts(source, home, form, **about["options"])
        warnings = source.warnings
    if not known and not found:
        raise InputError([Problem(file.name, 1, 1, "found no text, expected one or more: check the file")])
    if len(found) > MOST_TEXTS:
        what = f"found {len(found)} texts, expected at most {MOST_TEXTS}: open the file in parts"
        raise InputError([Problem(file.name, 1, 1, what)])
    return Reading(file, about, warnings, found, known)


def kept(read: Reading, owner: Account | None) -> tuple[SourceRow, bool]:
    """The source of a file that was read, and whether it is new here."""
    if read.known is not None:
        return read.known, False
    name = read.file.name
    files = (read.file.data, *read.file.beside.values())
    with store.together():
        row = SourceRow.objects.create(name=name[-LONGEST:], warnings=read.warnings, owner=owner, **read.about)
        for number, (words, state) in enumerate(read.texts):
            text = Text.objects.create(
                source=row, number=number, name=text_name(words), task=row.task, words=len(words.tokens) // 2,
                content=msgspec.json.encode(words),
            )  # fmt: skip
            layer = layers.began(text, PurePosixPath(name).name, "imported", owner, state, done=owner is None)
            room.take(layer, len(text.content) + (0 if number else sum(map(len, files))))
        for data in files:  # when there is room for all of it
            store.kept(data)
    return row, True


def text_name(words: Words) -> str:
    """What a text is called here."""
    return words.id[:LONGEST]


def brought(row: SourceRow, files: Sequence[File], owner: Account) -> list[str]:
    """What a user should know of files of systems, each of which is a layer of the texts of a source from now on.

    All of them are read before any is kept: whoever saves something meanwhile waits for no reader.
    """
    read = [_laid(row, file) for file in files]
    with transaction.atomic():
        for file, (states, _) in zip(files, read, strict=True):
            for text in row.texts.order_by("number"):
                if (state := states.get(_key(text))) is not None:
                    layers.began(text, PurePosixPath(file.name).name, "system", owner, state, done=True)
    return [note for _, notes in read for note in notes]


def _laid(row: SourceRow, file: File) -> tuple[dict[str, State], list[str]]:
    with ONE_AT_A_TIME, _kept_source(row) as source, _source(file.name, file.data, file.beside) as other:
        return laid(source, row.task, row.format, other, **row.options)


def written_anew(words: Words, state: State, name: str, owner: Account) -> tuple[SourceRow, Mapping[str, int]]:
    """A text that has no file yet as a file, opened; and what the file does not hold."""
    form = registry.format(words.task, NEW[words.task])
    document = measured(words, state).document
    if words.task == "coref":  # what measures call mentions is nothing that a file says
        document = replace(document, features={name: one for name, one in document.features.items() if name != "id"})
    file = f"{name}{form.suffixes[0]}"
    conversion = converted(registry.task(words.task), form, [document], file)
    row, _ = opened(File(_plain(file), conversion.data, {}), owner, words.task)
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
    states = {text: layers.head(one).state if one else EMPTY for text, one in said.items()}
    if chains:
        states[layer.text_id] = restricted(states[layer.text_id], chains)
    if alone:
        with _kept_source(row) as source:
            conversion = exported_alone(
                source, row.task, row.format, _key(layer.text), states[layer.text_id], to or row.format,
                grouped=grouped, **row.options,
            )  # fmt: skip
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
    texts = list(row.texts.all())
    states = {_key(text): said.get(text.pk, EMPTY) for text in texts if text.pk in said or not untouched}
    characters = {_key(text): layers.words_of(text.pk).characters for text in texts}
    with _kept_source(row) as source:
        conversion = exported(
            source, row.task, row.format, states, to=to, grouped=grouped, characters=characters, **row.options
        )
    if to not in ("", row.format):
        return conversion
    original = store.data_of(row.digest)
    same = decompressed(original, row.name) == conversion.data
    conversion = conversion._replace(data=original if same else packed_like(original, conversion.data))
    beside = {ending: store.data_of(digest) for ending, digest in row.beside.items()}
    return conversion._replace(beside={**beside, **conversion.beside})


def documents(row: SourceRow, text: Text, state: State) -> tuple[Any, Any]:
    """A document of a source as its file has it, and with a state."""
    with _kept_source(row) as source:
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


@contextmanager
def _kept_source(row: SourceRow) -> Iterator[Source]:
    """A source as the readers had it when it was opened."""
    beside = {ending: store.data_of(digest) for ending, digest in row.beside.items()}
    with _source(row.name, store.data_of(row.digest), beside) as source:
        yield source


@contextmanager
def _source(name: str, data: bytes, beside: Mapping[str, bytes]) -> Iterator[Source]:
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
