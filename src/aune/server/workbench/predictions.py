"""Predictions of systems for the texts of a project: imported file by file, and suggested to annotators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from aune.compression import uncompressed_name
from aune.errors import AuneError
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import access, file_exchange, layers, projects
from aune.server.workbench.api import answer
from aune.server.workbench.models import Layer, Project, Source
from aune.server.workbench.pages import problem_lines, redirect_to, uploaded_files
from aune.workbench.model import in_text_order
from aune.workbench.suggested import settled_predictions

PURPOSE = "predictions"
"""The purpose of system layers that are suggested to annotators; keys and other layers are never suggested."""


@require_POST
def import_predictions(request: HttpRequest, project: str) -> HttpResponse:
    """Import files of a system as predictions for texts whose files have the same names; all of them, or none."""
    account = person(request)
    row = projects.led_project(account, project)
    name = request.POST.get("system", "").strip()[:120] or "system"
    incoming = file_exchange.group_companions(uploaded_files(request))
    if not incoming:
        return refusal(request, 422, "Found no file: choose one or more.")
    sources = _sources_by_stem(row)
    unmatched = [file.name for file in incoming if _stem(file.name) not in sources]
    if unmatched:
        shown = ", ".join(unmatched[:5])
        problem = f"Found no text for {len(unmatched)} of {len(incoming)} files ({shown})"
        return refusal(request, 422, f"{problem}: name each as the file of its text, with any ending.")
    notes: list[str] = []
    try:
        with transaction.atomic():
            for file in incoming:
                for source in sources[_stem(file.name)]:
                    notes += file_exchange.add_responses(source, [file], account, name=name, purpose=PURPOSE)
    except AuneError as error:
        return refusal(request, 422, *problem_lines(error))
    if notes:
        template = "problems.html" if request.headers.get("HX-Request") else "prediction_notes.html"
        return render(request, template, {"problems": notes, "project": row})
    return redirect_to(request, f"/project/{row.pk}/")


def _sources_by_stem(project: Project) -> dict[str, list[Source]]:
    """The files of a project by their names without folders and suffixes."""
    by_stem: dict[str, list[Source]] = {}
    for source in project.sources.filter(listed=True):
        by_stem.setdefault(_stem(source.name), []).append(source)
    return by_stem


def _stem(name: str) -> str:
    return PurePosixPath(uncompressed_name(PurePosixPath(name).name)).stem


@require_GET
def predictions(request: HttpRequest, layer: str) -> HttpResponse:
    """The newest predictions for a layer's text, and which of them its annotator has rejected or changed."""
    account = person(request)
    row = access.layer(account, layer)
    if row.kind != "annotation" or account.role not in access.WORKERS:
        raise Http404
    newest = Layer.objects.filter(text=row.text_id, kind="system", purpose=PURPOSE).order_by("-made").first()
    if newest is None:
        return answer({"system": "", "mentions": [], "relations": [], "settled": []})
    state = layers.head(newest).state
    mentions: list[dict[str, Any]] = [
        {"id": name, "parts": mention.parts, "chain": mention.chain, "label": mention.label,
         "features": mention.features}
        for name in in_text_order(state.mentions) if not (mention := state.mentions[name]).is_zero
    ]  # fmt: skip
    relations = [
        {"kind": relation.kind, "source": relation.source, "targets": relation.targets}
        for relation in state.relations.values()
        if relation.source in state.mentions  # between mentions, not between chains
    ]
    settled = sorted(_decided_predictions(row))
    return answer({"system": newest.name, "mentions": mentions, "relations": relations, "settled": settled})


def _decided_predictions(row: Layer) -> set[str]:
    """The predictions that the annotator rejected or changed, without undone decisions."""
    counted: Sequence[int] = layers.head(row).undoable.undo
    events = row.events.filter(version__in=counted) if len(counted) < 500 else row.events
    known = set(counted)
    return settled_predictions(layers.event_of(event) for event in events.iterator(layers.FETCH_SIZE)
                               if event.version in known)  # fmt: skip
