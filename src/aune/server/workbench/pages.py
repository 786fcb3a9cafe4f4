"""The pages of the workbench: thin, on what the domain computes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import IO, Any
from urllib.parse import quote, urlencode

import msgspec
from django.conf import settings
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from aune.core import registry
from aune.core.errors import AuneError, InputError
from aune.core.recognition import plain_name
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import followed, refused
from aune.server.workbench import access, api, layers, opening, store
from aune.server.workbench.models import Layer, Source
from aune.tasks.entities.typology import SHIPPED
from aune.workbench.files import TASKS, writable
from aune.workbench.model import EMPTY, State, members, shown

LISTED = 200  # texts on the home page, chains to choose from
UNFIT = re.compile(r"[^\w.-]+")
"""What the name of a text has that the name of a file should not."""
SHOWN = 20  # problems of one refusal


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Texts and layers, and a place to drop files."""
    account = person(request)
    if account.role == "participant" and settings.SITE.has_campaign:
        return redirect("/campaign/")  # where everything is that a participant may see
    asked = request.GET.get("name", "").strip()
    found = access.texts(account).filter(Q(name__icontains=asked) | Q(source__name__icontains=asked))
    texts = list(found[:LISTED])
    seen = access.layers_of_texts(account, texts)
    listed: list[dict[str, object]] = [
        {"source": source, "texts": [{"text": text, "layers": seen[text.pk]} for text in of_source]}
        for source, of_source in groupby(texts, key=lambda text: text.source)
    ]
    return render(
        request,
        "home.html",
        {
            "sources": listed, "tasks": TASKS, "typologies": SHIPPED, "may_open": account.is_organiser,
            "asked": asked, "more": found.count() - len(texts),
        },
    )  # fmt: skip


@require_POST
def files(request: HttpRequest) -> HttpResponse:
    """Open the files that were dropped: all of them, or none and the reasons."""
    account = person(request)
    if not account.is_organiser:
        return refused(request, 403, "Only organisers open files here.")
    task = request.POST.get("task", "")
    uploads = sent(request)
    if not uploads:
        return refused(request, 422, "Found no file: choose one or more.")
    if task not in ("", *TASKS):
        return refused(request, 422, f"Found the task {task!r}, expected {' or '.join(TASKS)}.")
    labels = request.POST.get("typology", "")
    if labels not in ("", *SHIPPED):
        return refused(request, 422, f"Found the typology {labels!r}, expected one of {', '.join(SHIPPED)}.")
    task = task or ("entities" if labels else "")  # whoever chooses labels means entities
    plain = request.POST.get("plain") == "yes"
    problems: list[str] = []
    read: list[opening.Reading] = []
    for file in opening.gathered(uploads):
        try:
            read.append(opening.reading(file, task, labels, plain=plain))
        except AuneError as error:
            problems += reasons(error)
    if problems:
        return refused(request, 422, *problems, *[PLAINLY] * (not plain))
    with store.together():
        opened = [opening.kept(one, account)[0] for one in read]
    return moved(request, f"/text/{opened[0].texts.order_by('number')[0].pk}/" if len(opened) == 1 else "/")


def sent(request: HttpRequest) -> list[tuple[str, IO[bytes]]]:
    """The files of a form, by their names, as they lie on the disk."""
    return [(upload.name or "file", upload.file) for upload in request.FILES.getlist("files") if upload.file]


PLAINLY = "Nothing was opened. Tick ‘plain text’ to open a file as it stands, with all that is written in it."


def reasons(error: AuneError) -> list[str]:
    """What is wrong, a line each, not more than a page can show."""
    every = [str(problem) for problem in error.problems] if isinstance(error, InputError) else [str(error)]
    more = [f"… and {len(every) - SHOWN:,} more"] if len(every) > SHOWN else []
    return [*every[:SHOWN], *more]


def moved(request: HttpRequest, target: str) -> HttpResponse:
    """Go on to another page, from a form or from htmx."""
    return followed(request, redirect(target))


@require_GET
def text(request: HttpRequest, text: str) -> HttpResponse:
    """The layers of a text, and what can be done with them."""
    account = person(request)
    row = access.text(account, text)
    seen = access.layers(account, row)
    mine = [layer for layer in seen if layer.author == account]
    hidden = [layer for layer in row.layers.filter(kind="annotation").select_related("author") if layer not in seen]
    team = Account.objects.filter(is_active=True, role__in=("annotator", "organiser")).order_by("name")
    return render(
        request,
        "text.html",
        {
            "text": row,
            "layers": [{"layer": layer, "title": title} for title, layer in layers.named(seen).items()],
            "hidden": hidden,
            "annotates": not account.is_organiser or any(layer.kind == "annotation" for layer in mine),
            "deletable": [layer for layer in mine if layer.kind != "imported"],
            "team": team if account.is_organiser else [],
        },
    )


@require_POST
def begin(request: HttpRequest, text: str) -> HttpResponse:
    """A new layer: empty, or from another one, with its chains or with its mentions alone."""
    account = person(request)
    row = access.text(account, text)
    name = request.POST.get("name", "").strip()[:120] or account.name
    start, keep = request.POST.get("start", ""), request.POST.get("keep", "all")
    author = account
    if (other := request.POST.get("author", "")) and account.is_organiser:
        author = Account.objects.filter(pk=other, is_active=True).first() or account
    state = EMPTY
    if start:
        origin = access.layer(account, start)
        if origin.text_id != row.pk:
            return refused(request, 422, "The layer to start from is about another text.")
        state = layers.head(origin).state
        state = ungrouped(state) if keep == "mentions" else state
    layer = layers.began(row, name, "annotation", author, state)
    return moved(request, f"/layer/{layer.pk}/" if author == account else f"/text/{row.pk}/")


def ungrouped(state: State) -> State:
    """The mentions of a state without their chains."""
    return State({name: msgspec.structs.replace(mention, chain=None) for name, mention in state.mentions.items()})


@require_POST
def bring(request: HttpRequest, text: str) -> HttpResponse:
    """A system's output becomes a layer of every text of the file that it speaks of."""
    account = person(request)
    row = access.text(account, text)
    uploads = sent(request)
    if not uploads:
        return refused(request, 422, "Found no file: choose one.")
    try:
        notes = opening.brought(row.source, opening.gathered(uploads), account)
    except AuneError as error:
        return refused(request, 422, *reasons(error))
    if notes:
        return render(request, "notes.html", {"notes": notes, "text": row})
    return moved(request, f"/text/{row.pk}/")


@require_GET
def layer(request: HttpRequest, layer: str) -> HttpResponse:
    """The page on which people annotate: its modules fill it."""
    return render(request, "layer.html", {"layer": access.layer(person(request), layer)})


@require_POST
def done(request: HttpRequest, layer: str) -> HttpResponse:
    account = person(request)
    row = access.layer(account, layer)
    if not access.finishes(account, row):
        return refused(request, 403, api.NOT_FINISHED)
    api.finished(row, request.POST.get("done") == "yes")
    return moved(request, (row.back or "/") if row.kind == "proposal" else f"/text/{row.text_id}/")


@require_POST
def delete(request: HttpRequest, layer: str) -> HttpResponse:
    """A layer goes, with all its events; whoever asks has typed its name."""
    account = person(request)
    row = access.layer(account, layer)
    if row.author_id != account.pk or row.kind == "imported":
        return refused(request, 403, "Only its author deletes a layer, and what a file says stays.")
    if request.POST.get("name", "").strip() != row.name.strip():
        return refused(request, 422, "The name is another: nothing was deleted.")
    row.delete()
    return moved(request, f"/text/{row.text_id}/")


@require_POST
def forget(request: HttpRequest, source: str) -> HttpResponse:
    """A file that was opened by mistake goes again, as long as nobody has worked on it."""
    account = person(request)
    row = get_object_or_404(Source, pk=source)
    if not account.is_organiser:
        raise Http404
    worked_on = Layer.objects.filter(text__source=row).exclude(kind="imported", version=0).exists()
    if worked_on:
        return refused(request, 422, "Somebody has worked on this file: delete the layers first.")
    opening.forgotten(row)
    return moved(request, "/")


@require_GET
def export(request: HttpRequest, layer: str) -> HttpResponse:
    """The file of a layer; first what it would lose, when that is asked."""
    account = person(request)
    row = access.layer(account, layer)
    source = row.text.source
    if row.kind == "proposal" and not account.is_organiser:
        return refused(request, 403, "A proposal is handed in, not exported.")
    formats = list(dict.fromkeys([source.format, *writable(source.task, source.format)]))  # unedited: also a read one
    to = request.GET.get("format", "") or source.format
    grouped = request.GET.get("grouped", "yes") != "no"
    several = source.texts.count() if source.texts.count() > 1 else 0
    alone = bool(several) and request.GET.get("of") == "this"
    chains = sorted(set(request.GET.getlist("chain")))
    if to not in formats:
        return refused(request, 422, f"Found the format {to!r}, expected one of {', '.join(formats)}.")
    if lacking := [chain for chain in chains if chain not in layers.head(row).state.chains]:
        return refused(request, 422, f"Found the chain {lacking[0]!r}, which the layer does not have: choose others.")
    try:
        conversion = opening.written(row, account, to, grouped=grouped, alone=alone, chains=chains)
    except AuneError as error:
        return refused(request, 422, *reasons(error))
    name = exported_name(row, to, alone=alone)
    beside = {ending: str(PurePosixPath(name).with_suffix(ending)) for ending in conversion.beside}
    if "losses" in request.GET:
        options = [("format", to), *[("grouped", "no")] * (not grouped), *[("of", "this")] * alone]
        told = {
            "layer": row, "formats": formats, "format": to, "grouped": grouped, "lost": conversion.lost,
            "beside": beside, "name": name, "size": len(conversion.data), "several": several, "alone": alone,
            "asked": urlencode([*options, *(("chain", chain) for chain in chains)]),
        }  # fmt: skip
        if request.headers.get("HX-Request"):
            return render(request, "losses.html", told)
        return render(request, "export.html", {**told, **_chains_to_choose(row, chains)})
    companion = request.GET.get("beside", "")
    if companion:
        if companion not in conversion.beside:
            return refused(request, 404, f"No file with the ending {companion!r} stands beside this one.")
        return download(conversion.beside[companion], beside[companion])
    return download(conversion.data, name)


def _chains_to_choose(row: Layer, chosen: Sequence[str]) -> dict[str, Any]:
    """The chains of a layer, large ones first, each with its name or its first mention."""
    state, words = layers.head(row).state, layers.words_of(row.text_id)
    sized = sorted(((chain, names) for chain, names in members(state).items() if names), key=lambda one: -len(one[1]))
    listed = [
        {
            "id": chain,
            "name": state.chains[chain].name or shown(words, state.mentions[names[0]]),
            "size": len(names),
            "chosen": chain in chosen,
        }
        for place, (chain, names) in enumerate(sized)
        if place < LISTED or chain in chosen
    ]
    return {"chains": listed, "smaller": len(sized) - len(listed), "chosen": len(chosen)}


def exported_name(row: Layer, to: str, *, alone: bool = False) -> str:
    """The name of the exported file: the source's own in its own format, and the text's for a text alone."""
    source = row.text.source
    path = PurePosixPath(PurePosixPath(source.name).name)
    if alone:
        path = PurePosixPath(UNFIT.sub("_", row.text.name).strip("._") or f"text-{row.text.number + 1}")
        return f"{path}{next(iter(registry.format(source.task, to).suffixes), '.txt')}"
    if to == source.format:
        return str(path)
    suffixes = registry.format(source.task, to).suffixes
    return str(PurePosixPath(plain_name(path.name)).with_suffix(suffixes[0] if suffixes else ".txt"))


def download(data: bytes, name: str) -> HttpResponse:
    """Bytes to keep, never to show: they may be anything."""
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return response
