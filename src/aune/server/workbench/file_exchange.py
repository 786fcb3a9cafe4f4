"""Import of files as texts with a first layer, and export of layers as files."""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain, count, product
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple

import msgspec
from django.db import transaction

from aune.contract import registry
from aune.errors import AuneError, InputError, UsageError
from aune.reading.conversion import Conversion, convert_documents
from aune.server import fork_server, work_slots
from aune.server.accounts.models import Account
from aune.server.workbench import access, layers, quotas, store
from aune.server.workbench.models import Layer, Project, Text
from aune.server.workbench.models import Source as SourceRow
from aune.server.workbench.sandbox_tasks import (
    WORK,
    AlignedResponses,
    AlignRequest,
    ExportRequest,
    OpenedFile,
    ReadHeader,
    ReadRequest,
    known_options,
    open_source,
)
from aune.workbench.documents import state_document
from aune.workbench.files import PLAIN, TASKS, document_versions
from aune.workbench.model import EMPTY, State, restrict_to_chains
from aune.workbench.model import Text as Words
from aune.workbench.segmentation import Segmentation

COMPANION_ENDINGS = {".ann": (".txt",)}
"""By file suffix, the suffixes of companion files with the same stem."""
NEW_FILE_FORMATS = {"coref": "jsonlines", "entities": "jsonl", "tagging": "jsonl", "anaphora": "jsonlines"}
"""By task, the format of texts that were not read from a file."""
READ_BATCH, SMALL_BYTES = 25, 100_000
"""How many small files are read in one sandbox task, and how many bytes each of them may have."""
EXPORT_BATCH = 25  # sources, each with at most one companion: one message can carry 64 files
MAX_NAME = 255  # characters of a file name
MAX_CACHED, MAX_CACHED_BYTES = 8, 8_000_000
"""How many conversions are cached, and how many bytes each of them may have."""


class IncomingFile(NamedTuple):
    """An uploaded file: its name, its bytes as an open file, and its companion files by suffix."""

    name: str
    data: IO[bytes]
    beside: Mapping[str, IO[bytes]]

    @property
    def files(self) -> list[IO[bytes]]:
        return [self.data, *self.beside.values()]

    def read_request(self, **more: Any) -> ReadRequest:
        """The request with which the sandbox reads the file."""
        return ReadRequest(name=self.name, endings=tuple(self.beside), **more)


def group_companions(files: Iterable[tuple[str, IO[bytes]]]) -> list[IncomingFile]:
    """Group files with their companions: a text belongs to the annotation file with the same folder and stem.

    Files of the same name are all kept; those after the first one get a number.
    """
    named: dict[PurePosixPath, IO[bytes]] = {}
    for name, data in files:
        named[_free_path(_inner_path(name), named)] = data
    by_ending = {_stem_and_ending(path): path for path in named}
    beside = {path: _companions(path, by_ending) for path in named}
    companions = {companion for paths in beside.values() for companion in paths.values()}
    return [
        IncomingFile(_safe_name(path), data, {ending: named[other] for ending, other in beside[path].items()})
        for path, data in named.items()
        if path not in companions
    ]


def _free_path(path: PurePosixPath, taken: Container[PurePosixPath]) -> PurePosixPath:
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(candidate for candidate in chain([path], numbered) if candidate not in taken)


def _stem_and_ending(path: PurePosixPath) -> tuple[PurePosixPath, str]:
    """A path without its ending, and the ending in small letters: some tools of Windows write capitals."""
    return path.with_suffix(""), path.suffix.lower()


def _companions(
    path: PurePosixPath, by_ending: Mapping[tuple[PurePosixPath, str], PurePosixPath]
) -> dict[str, PurePosixPath]:
    """The companions of a file, by their endings."""
    stem, ending = _stem_and_ending(path)
    endings = COMPANION_ENDINGS.get(ending, ())
    return {ending: by_ending[stem, ending] for ending in endings if (stem, ending) in by_ending}


def _inner_path(name: str) -> PurePosixPath:
    """A path without parts that could lead outside a folder."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return PurePosixPath(*(part.replace("\0", "")[:100] for part in parts)) if parts else PurePosixPath("file")


def _safe_name(path: PurePosixPath) -> str:
    """The name of a file, with the two folders that it is in."""
    return "/".join(path.parts[-3:]) or "file"


def is_annotatable(file: IncomingFile) -> bool:
    """Whether a file is in an annotation format, or a text by its suffix; other files, such as a licence, are not."""
    return file.name.lower().endswith(".txt") or _recognise(file, "")[1] != PLAIN


def _recognise(file: IncomingFile, task: str) -> tuple[str, str]:
    """The task and the format of a file."""
    with fork_server.run_work(WORK, "recognised", file.read_request(task=task), file.files) as output:
        return msgspec.msgpack.decode(output.read(), type=tuple[str, str])


class Reading(NamedTuple):
    """The content read from a file; nothing of it is stored yet."""

    file: IncomingFile
    about: Mapping[str, Any]
    """The fields that identify its source: digests, task and format, reading options, project, and whether it is
    listed."""
    heading: ReadHeader
    texts: IO[bytes]
    """The content and the states of each text, one line each; empty if the source is known already."""
    known: SourceRow | None


def open_file(
    file: IncomingFile,
    owner: Account | None,
    task: str = "",
    typology: str = "",
    *,
    listed: bool = True,
    project: Project | None = None,
) -> tuple[SourceRow, bool]:
    """The source of a file, and whether it is new: identical bytes read in the same way for a project share one."""
    return store_reading(read_file(file, task, typology, listed=listed, project=project), owner)


def read_file(
    file: IncomingFile,
    task: str = "",
    typology: str = "",
    *,
    language: str = "",
    listed: bool = True,
    plain: bool = False,
    project: Project | None = None,
) -> Reading:
    """Read a file without storing it; with `plain`, as plain text whatever it contains."""
    home, form = (task or TASKS[0], PLAIN) if plain else _recognise(file, task)
    options = known_options(home, form, {"typology": typology, "language": language})
    about = _about(file, home, form, options, project=(project or default_project()) if listed else None, listed=listed)
    if known := SourceRow.objects.filter(**about).first():
        return Reading(file, about, ReadHeader([], []), io.BytesIO(), known)
    request = file.read_request(task=home, format=form, options=about["options"])
    output = fork_server.run_work(WORK, "read", request, file.files)
    return Reading(file, about, msgspec.json.decode(output.readline(), type=ReadHeader), output, None)


def read_files(
    files: Sequence[IncomingFile],
    task: str = "",
    typology: str = "",
    *,
    language: str = "",
    plain: bool = False,
    project: Project | None = None,
) -> Iterator[Reading | AuneError]:
    """Read many files: the content of each, or the error that refuses it. Small files are read in batches."""
    small = [file for file in files if sum(data.seek(0, io.SEEK_END) for data in file.files) <= SMALL_BYTES]
    home = (task or TASKS[0]) if plain else task
    opened: dict[int, OpenedFile] = {}
    for first in range(0, len(small), READ_BATCH) if len(small) > 1 else ():
        batch = small[first : first + READ_BATCH]
        options = {"typology": typology, "language": language}
        requests = [file.read_request(task=home, format=PLAIN if plain else "", options=options) for file in batch]
        with suppress(UsageError):  # one of them exceeds the limits: read each alone, so that only that one is refused
            with fork_server.run_work(
                WORK, "opened several", requests, [data for file in batch for data in file.files]
            ) as output:
                outcomes = msgspec.msgpack.decode(output.read(), type=list[OpenedFile])
            opened |= {id(file): outcome for file, outcome in zip(batch, outcomes, strict=True)}
    for file in files:
        try:
            if (outcome := opened.get(id(file))) is None:
                yield read_file(file, task, typology, language=language, plain=plain, project=project)
            else:
                options = {"typology": typology, "language": language}
                yield _reading_of(file, outcome, known_options(outcome.task, outcome.format, options), project)
        except AuneError as error:
            yield error


def _reading_of(file: IncomingFile, opened: OpenedFile, options: Mapping[str, str], project: Project | None) -> Reading:
    """The content of one file of a batch; raises an `AuneError` if it was refused."""
    if opened.problems:
        raise InputError(opened.problems)
    if opened.refusal:
        raise UsageError(opened.refusal)
    about = _about(file, opened.task, opened.format, options, project=project or default_project())
    if known := SourceRow.objects.filter(**about).first():
        return Reading(file, about, ReadHeader([], []), io.BytesIO(), known)
    content = io.BytesIO(opened.content)
    return Reading(file, about, msgspec.json.decode(content.readline(), type=ReadHeader), content, None)


def _about(
    file: IncomingFile,
    task: str,
    form: str,
    options: Mapping[str, str],
    *,
    project: Project | None,
    listed: bool = True,
) -> dict[str, Any]:
    """The fields that identify the source of a file."""
    return {
        "digest": _digest(file.data), "task": task, "format": form, "listed": listed, "project": project,
        "beside": {ending: _digest(data) for ending, data in file.beside.items()},
        "options": dict(options),
    }  # fmt: skip


def _digest(data: IO[bytes]) -> str:
    data.seek(0)
    return hashlib.file_digest(data, "sha256").hexdigest()  # type: ignore[arg-type]


def store_reading(read: Reading, owner: Account | None) -> tuple[SourceRow, bool]:
    """Store a file that was read; its source, and whether it is new."""
    if read.known is not None:
        return read.known, False
    name = read.file.name
    size = sum(data.seek(0, io.SEEK_END) for data in read.file.files)
    with store.transaction_with_files(), read.texts as lines:
        row = SourceRow.objects.create(name=name[-MAX_NAME:], warnings=read.heading.warnings, owner=owner, **read.about)
        for number, about in enumerate(read.heading.texts):
            text = Text.objects.create(
                source=row, number=number, name=about.name, task=row.task, words=about.words,
                content=lines.readline().rstrip(b"\n"),
            )  # fmt: skip
            for place, annotator in enumerate(about.annotators):
                state = lines.readline().rstrip(b"\n")
                title = annotator or PurePosixPath(name).name
                layer = layers.create_layer(text, title, "imported", owner, state, done=owner is None)
                quotas.charge(layer, 0 if place else len(text.content) + (0 if number else size))
        for data in read.file.files:  # after the quota was checked
            store.store_file(data)
    return row, True


def delete_source(row: SourceRow) -> None:
    """Delete a source, and those of its files that no other source uses."""
    with store.LOCK:
        row.delete()
        beside = {
            digest for digests in SourceRow.objects.values_list("beside", flat=True) for digest in digests.values()
        }
        for digest in {row.digest, *row.beside.values()} - beside:
            if not SourceRow.objects.filter(digest=digest).exists():
                store.delete_file(digest)


def add_responses(
    row: SourceRow, files: Sequence[IncomingFile], owner: Account, *, name: str = "", purpose: str = ""
) -> list[str]:
    """Add the output of systems as layers of the texts of a source, and return notes for the user.

    Each layer gets the name of its file, or all get `name`. A file of several annotators gives a layer for each, named
    after the annotator too; with a purpose, which a text has one layer for, it is refused.

    All files are read before any is stored, so that other writers need not wait for a reader.
    """
    read = [_align_response(row, file, by_annotator=not purpose) for file in files]
    with transaction.atomic():
        for file, aligned in zip(files, read, strict=True):
            title = name or PurePosixPath(file.name).name
            for text, (annotator, states) in product(row.texts.order_by("number"), aligned.states.items()):
                if (state := states.get(_text_id(text))) is not None:
                    full_title = f"{title}: {annotator}" if annotator else title
                    layers.create_layer(text, full_title, "system", owner, state, done=True, purpose=purpose)
    return [note for aligned in read for note in aligned.notes]


def _align_response(row: SourceRow, file: IncomingFile, *, by_annotator: bool) -> AlignedResponses:
    with ExitStack() as stack:
        stored = _stored_file(row, stack)
        about, other = msgspec.structs.asdict(_source_request(row, stored)), file.read_request()
        request = AlignRequest(**about, other=other, by_annotator=by_annotator)
        with fork_server.run_work(WORK, "laid", request, [*stored.files, *file.files]) as output:
            return msgspec.msgpack.decode(output.read(), type=AlignedResponses)


def default_project() -> Project:
    """The project of files for which none is named: the oldest one."""
    return Project.objects.order_by("made", "pk").first() or Project.objects.create(name="Texts")


def adopt_sources() -> None:
    """Put listed files without a project, which older backups contain, into the default project."""
    orphans = SourceRow.objects.filter(listed=True, project=None)
    if orphans.exists():
        orphans.update(project=default_project())


def create_file(
    words: Words, state: State, name: str, owner: Account, project: Project | None = None
) -> tuple[SourceRow, Mapping[str, int]]:
    """Write a text that has no file yet to a file, and open that; the source, and what the format cannot express."""
    form = registry.format(words.task, NEW_FILE_FORMATS[words.task])
    document = state_document(words, state).document
    if words.task == "coref":  # the ids that measures use for mentions do not belong into a file
        document = replace(
            document, features={name: values for name, values in document.features.items() if name != "id"}
        )
    file = f"{name}{form.suffixes[0]}"
    conversion = convert_documents(registry.task(words.task), form, [document], file)
    made = IncomingFile(_safe_name(_inner_path(file)), io.BytesIO(conversion.data), {})
    row, _ = open_file(made, owner, words.task, project=project)
    return row, conversion.lost


def export_layer(
    layer: Layer,
    reader: Account,
    to: str = "",
    *,
    grouped: bool = True,
    alone: bool = False,
    chains: Sequence[str] = (),
) -> Conversion:
    """The file of a layer's text with the annotation of the layer; with `alone`, a file with only this text.

    Other texts in the file get the annotation of their accompanying layers. `chains` restricts the layer to some
    of its chains. The last conversions are cached: a page first shows what a file would lose, then sends it.
    """
    row = layer.text.source
    exported_layers = (
        {layer.text_id: layer}
        if alone
        else {text.pk: accompanying for text, accompanying in accompanying_layers(layer, reader)}
    )
    layer_versions = tuple(
        (text, exported and (exported.pk, exported.version)) for text, exported in exported_layers.items()
    )
    cache_key = (row.pk, to, grouped, alone, tuple(chains), layer_versions)
    with _lock:
        if cache_key in _conversions:
            return _conversions[cache_key]
    with work_slots.work_slot():
        states = {
            text: layers.head(exported).state if exported else EMPTY for text, exported in exported_layers.items()
        }
        if chains:
            states[layer.text_id] = restrict_to_chains(states[layer.text_id], chains)
        if alone:
            name = _text_id(layer.text)
            conversion = _export(row, {name: states[layer.text_id]}, to=to, grouped=grouped, text=name)
        else:
            conversion = export_source(row, states, to, grouped=grouped)
    with _lock:
        if len(conversion.data) <= MAX_CACHED_BYTES:
            _conversions[cache_key] = conversion
        while len(_conversions) > MAX_CACHED:
            _conversions.popitem(last=False)
    return conversion


_conversions: OrderedDict[tuple[Any, ...], Conversion] = OrderedDict()
_lock = threading.Lock()


def export_source(
    row: SourceRow, states_by_text: Mapping[str, State], to: str = "", *, grouped: bool = True, untouched: bool = False
) -> Conversion:
    """The file of a source with new states of texts; other texts are empty, or keep their annotation if `untouched`."""
    with work_slots.work_slot():
        texts = list(row.texts.defer("content"))
        states = {
            _text_id(text): states_by_text.get(text.pk, EMPTY)
            for text in texts
            if text.pk in states_by_text or not untouched
        }
        characters = {_text_id(text): layers.text_content(text.pk).characters for text in texts}
        return _export(row, states, to=to, grouped=grouped, characters=characters)


def _export(row: SourceRow, states: Mapping[str, State], **how: Any) -> Conversion:
    with ExitStack() as stack:
        stored = _stored_file(row, stack)
        request = ExportRequest(**msgspec.structs.asdict(_source_request(row, stored)), states=dict(states), **how)
        with fork_server.run_work(WORK, "written", request, stored.files) as output:
            return Conversion(*msgspec.msgpack.decode(output.read()))


class SourceExport(NamedTuple):
    """A source to be exported with new states of its texts."""

    source: SourceRow
    states: Mapping[str, State]
    """By text."""
    format: str


def export_sources(items: Sequence[SourceExport]) -> Iterator[Conversion | str]:
    """Export many sources in batches: the file of each, or the reason why it cannot be written."""
    with work_slots.work_slot():
        for first in range(0, len(items), EXPORT_BATCH):
            batch = items[first : first + EXPORT_BATCH]
            with ExitStack() as stack:
                requests, files = [], []
                for item in batch:
                    stored = _stored_file(item.source, stack)
                    source_request = _source_request(item.source, stored)
                    requests.append(_export_request(item, source_request))
                    files += stored.files
                with fork_server.run_work(WORK, "written several", requests, files) as output:
                    for outcome in msgspec.msgpack.decode(output.read()):
                        yield outcome if isinstance(outcome, str) else Conversion(*outcome)


def _export_request(item: SourceExport, request: ReadRequest) -> ExportRequest:
    texts = list(item.source.texts.defer("content"))
    return ExportRequest(
        **msgspec.structs.asdict(request),
        states={_text_id(text): item.states.get(text.pk, EMPTY) for text in texts},
        characters={_text_id(text): layers.text_content(text.pk).characters for text in texts},
        to=item.format,
    )


def stored_versions(row: SourceRow, text: Text, state: State) -> tuple[Any, Any]:
    """A document of a source as stored in its file, and with a new state."""
    beside = {ending: store.read_file(digest) for ending, digest in row.beside.items()}
    with work_slots.work_slot(), open_source(row.name, store.read_file(row.digest), beside) as source:
        return document_versions(source, row.task, row.format, _text_id(text), state, **row.options)


def _text_id(text: Text) -> str:
    return layers.text_content(text.pk).id


def accompanying_layers(layer: Layer, reader: Account) -> list[tuple[Text, Layer | None]]:
    """The texts of a layer's file, each with the layer to be exported along with this one; None for no annotation."""
    texts = list(layer.text.source.texts.order_by("number").defer("content"))
    visible = access.layers_of_texts(reader, texts)
    return [
        (text, layer if text.pk == layer.text_id else _accompanying_layer(layer, visible[text.pk])) for text in texts
    ]


def _accompanying_layer(layer: Layer, candidates: Sequence[Layer]) -> Layer | None:
    """A layer of the same author and kind, with the same name if there is one: never the annotation of others.

    An exported key must not be mixed with a response, nor an annotator's layer with the file's own annotation.
    """
    same = [other for other in candidates if (other.author_id, other.kind) == (layer.author_id, layer.kind)]
    named = [other for other in same if other.name == layer.name]
    if named or layer.kind != "annotation":
        return named[0] if named else None
    return same[-1] if same else None


def _stored_file(row: SourceRow, stack: ExitStack) -> IncomingFile:
    """The stored file of a source, opened."""
    beside = {ending: stack.enter_context(store.file_path(digest).open("rb")) for ending, digest in row.beside.items()}
    return IncomingFile(row.name, stack.enter_context(store.file_path(row.digest).open("rb")), beside)


def _source_request(row: SourceRow, file: IncomingFile) -> ReadRequest:
    """The request with which a source was read; for a plain text, with its current words and sentences."""
    request = file.read_request(task=row.task, format=row.format, options=row.options)
    if row.format != PLAIN:
        return request
    [words] = [layers.text_content(text.pk) for text in row.texts.defer("content")]
    return msgspec.structs.replace(request, segmentation=Segmentation(list(words.words()), words.sentences))
