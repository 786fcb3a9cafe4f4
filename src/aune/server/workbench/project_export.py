"""Export of a project as one archive: a file per source and annotator, the keys, and what formats could not hold."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from aune import __version__
from aune.contract import registry
from aune.reading.conversion import Conversion
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import access, file_exchange, layers, projects
from aune.server.workbench.file_exchange import NEW_FILE_FORMATS, SourceExport
from aune.server.workbench.models import Layer, Project, Source
from aune.server.workbench.project_schemas import schema_files
from aune.workbench.files import PLAIN, export_formats

UNSAFE = re.compile(r"[^\w.-]+")
"""Characters of a layer's name that a folder name should not contain."""


class _Folder(NamedTuple):
    """The layers of one source that are written to one file: those with the same author, kind and name."""

    source: Source
    name: str
    layers: Mapping[str, Layer]
    """By text."""


@require_GET
def export(request: HttpRequest, project: str) -> HttpResponse | FileResponse:
    """Export a zip file with a folder for each annotator and key, the guidelines, and a list of the files."""
    account = person(request)
    row = projects.led_project(account, project)
    selection, form = request.GET.get("of", "done"), request.GET.get("format", "")
    known_formats = {name for task in NEW_FILE_FORMATS for name in export_formats(task, PLAIN)}
    if selection not in projects.SELECTIONS or form not in ("", *known_formats):
        expected = ", ".join(projects.SELECTIONS)
        return refusal(request, 422, f"Found {selection!r} in {form!r:.40}, expected one of {expected} in a format.")
    archive = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 - the response closes it
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        _write_archive(packed, account, row, selection, form)
    archive.seek(0)
    name = UNSAFE.sub("-", row.name).strip("-.") or "project"
    return FileResponse(archive, as_attachment=True, filename=f"{name}.zip", content_type="application/zip")


def _write_archive(packed: zipfile.ZipFile, account: Account, project: Project, selection: str, form: str) -> None:
    """Write the files of a project, and `project.json`, which lists them."""
    folders = list(_folders(account, project, selection))
    items = [
        SourceExport(
            folder.source,
            {text: layers.head(layer).state for text, layer in folder.layers.items()},
            _format(folder.source, form),
        )
        for folder in folders
    ]
    taken: set[str] = set()
    listed = [
        _write_file(packed, folder, item.format, outcome, taken)
        for folder, item, outcome in zip(folders, items, file_exchange.export_sources(items), strict=True)
    ]
    about = {
        "project": project.name, "made": timezone.now(), "aune": __version__, "selection": selection, "files": listed,
    }  # fmt: skip
    packed.writestr("project.json", msgspec.json.format(msgspec.json.encode(about), indent=1))
    if project.guidelines:
        packed.writestr("guidelines.md", project.guidelines)
    for name, data in schema_files(project).items():
        packed.writestr(name, data)


def _folders(account: Account, project: Project, selection: str) -> Iterator[_Folder]:
    """The content of the archive, source by source."""
    for source in project.sources.filter(listed=True).order_by("made", "pk"):
        texts = list(source.texts.order_by("number").defer("content"))
        by_folder: dict[str, dict[str, Layer]] = {}
        for text, seen in access.layers_of_texts(account, texts).items():
            for layer in seen:
                if _is_selected(layer, selection):
                    _free_folder(by_folder, _folder_name(layer, source), text)[text] = layer
        for name, chosen in sorted(by_folder.items()):
            yield _Folder(source, name, chosen)


def _free_folder(by_folder: dict[str, dict[str, Layer]], name: str, text: str) -> dict[str, Layer]:
    """The layers of a folder, or of `NAME-2` and so on where the folder has a layer of the text already."""
    number = 1
    while text in (chosen := by_folder.setdefault(name if number == 1 else f"{name}-{number}", {})):
        number += 1
    return chosen


def _is_selected(layer: Layer, selection: str) -> bool:
    if layer.withdrawn or layer.kind == "proposal":
        return False
    kinds = {"done": ("annotation", "key"), "keys": ("key",)}.get(selection)
    return kinds is None or (layer.done and layer.kind in kinds)


def _folder_name(layer: Layer, source: Source) -> str:
    """The folder of a layer: `annotations/ANNOTATOR`, `keys/NAME`, `systems/NAME`, `files`, or `files/ANNOTATOR`."""
    author = layer.author.name if layer.author else ""
    is_of_file = layer.name.startswith(PurePosixPath(source.name).name[:100])
    parts = {
        "imported": ("files",) if is_of_file else ("files", layer.name), "key": ("keys", layer.name),
        "system": ("systems", layer.name),
        "annotation": ("annotations", author if layer.name == author else f"{author} {layer.name}"),
    }[layer.kind]  # fmt: skip
    return "/".join(UNSAFE.sub("-", part).strip("-.") or "-" for part in parts)


def _format(source: Source, chosen: str) -> str:
    """The chosen format if the task of the source has it; else that of the file, or the usual one of the task."""
    formats = export_formats(source.task, source.format)
    if chosen in formats:
        return chosen
    return source.format if source.format in formats else NEW_FILE_FORMATS[source.task]


def _write_file(
    packed: zipfile.ZipFile, folder: _Folder, form: str, outcome: Conversion | str, taken: set[str]
) -> dict[str, Any]:
    """Write one file with its companions, and return its entry in the list."""
    entry: dict[str, Any] = {
        "source": folder.source.name, "task": folder.source.task, "format": form,
        "layers": [
            {"text": layer.text.name, "layer": layer.pk, "name": layer.name, "kind": layer.kind, "done": layer.done,
             "author": layer.author.name if layer.author else "", "version": layer.version}
            for layer in folder.layers.values()
        ],
    }  # fmt: skip
    if isinstance(outcome, str):
        return {**entry, "file": None, "problem": outcome}
    path = _free_path(PurePosixPath(folder.name, _file_name(folder.source, form)), taken)
    packed.writestr(str(path), outcome.data)
    for ending, data in outcome.beside.items():
        packed.writestr(str(path.with_suffix(ending)), data)
    return {**entry, "file": str(path), "lost": dict(outcome.lost)}


def _file_name(source: Source, form: str) -> str:
    """The name of a source's file in a format."""
    if form == source.format:
        return source.name
    suffix = next(iter(registry.format(source.task, form).suffixes), ".txt")
    path = PurePosixPath(source.name)
    return str(path.with_name(f"{path.name.split('.')[0] or 'text'}{suffix}"))


def _free_path(path: PurePosixPath, taken: set[str]) -> PurePosixPath:
    """A path that is unused in the archive, also where names in capital letters are the same."""
    candidate, number = path, 1
    while str(candidate.with_suffix("")).casefold() in taken:
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    taken.add(str(candidate.with_suffix("")).casefold())
    return candidate
