"""The pages of the workbench: thin views on what the domain package computes."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from aune.compression import uncompressed_name
from aune.contract import registry
from aune.errors import AuneError, InputError
from aune.reading.conversion import Conversion
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import htmx_redirect, refusal
from aune.server.workbench import access, api, file_exchange, layers, store
from aune.server.workbench.guidelines import guidelines_html
from aune.server.workbench.models import Layer, Project, Source
from aune.server.workbench.open_work import open_texts
from aune.workbench.files import PLAIN, TASKS, export_formats
from aune.workbench.model import EMPTY, State, members, mention_text
from aune.workbench.schemas import LABEL_SETS
from aune.workbench.segmentation import LANGUAGES

MAX_LISTED = 200  # chains or texts listed on the export page
UNSAFE_CHARACTERS = re.compile(r"[^\w.-]+")
"""Characters of a text's name that a file name should not contain."""
MAX_PROBLEMS = 20  # problems shown in one refusal


@require_POST
def files(request: HttpRequest) -> HttpResponse:
    """Open the uploaded files: all of them, or none with the reasons."""
    account = person(request)
    if not account.is_organiser:
        return refusal(request, 403, "Only organisers open files here.")
    task = request.POST.get("task", "")
    uploads = uploaded_files(request)
    if not uploads:
        return refusal(request, 422, "Found no file: choose one or more.")
    if task not in ("", *TASKS):
        return refusal(request, 422, f"Found the task {task!r}, expected {' or '.join(TASKS)}.")
    labels = request.POST.get("typology", "")
    homes = [home for home, names in LABEL_SETS.items() if labels in names]
    if labels and (not homes or task not in ("", *homes)):
        known = [name for home, names in LABEL_SETS.items() if task in ("", home) for name in names]
        return refusal(request, 422, f"Found the labels {labels!r}, expected {', '.join(known) or 'none'}.")
    task = task or (homes[0] if labels else "")  # the chosen labels imply their task
    language = request.POST.get("language", "")
    if language not in ("", *LANGUAGES):
        return refusal(request, 422, f"Found the language {language!r:.40}, expected one of {', '.join(LANGUAGES)}.")
    plain, project = request.POST.get("plain") == "yes", Project.objects.filter(pk=request.POST.get("project")).first()
    if request.POST.get("project") and project is None:
        return refusal(request, 422, "Found a project that is not there: load the page again.")
    problems: list[str] = []
    read: list[file_exchange.Reading] = []
    for outcome in file_exchange.read_files(
        file_exchange.group_companions(uploads), task, labels, language=language, plain=plain, project=project
    ):
        if isinstance(outcome, AuneError):
            problems += problem_lines(outcome)
        else:
            read.append(outcome)
    if problems:
        return refusal(request, 422, *problems, *[PLAIN_TEXT_HINT] * (not plain))
    with store.transaction_with_files():
        opened = [file_exchange.store_reading(reading, account)[0] for reading in read]
    if project is not None:
        return redirect_to(request, f"/project/{project.pk}/")
    return redirect_to(request, f"/text/{opened[0].texts.order_by('number')[0].pk}/" if len(opened) == 1 else "/")


def uploaded_files(request: HttpRequest) -> list[tuple[str, IO[bytes]]]:
    """The files of a form with their names, as open files; pasted text becomes a file too.

    Browsers send names without folders; the field `paths` has them with their folders, one for each file.
    """
    sent: list[tuple[str, IO[bytes]]] = [
        (upload.name or "file", upload.file) for upload in request.FILES.getlist("files") if upload.file
    ]
    paths = _sent_paths(request, len(sent))
    uploads = [(path, file) for path, (_, file) in zip(paths, sent, strict=True)] if paths else sent
    if pasted := request.POST.get("pasted", ""):
        name = UNSAFE_CHARACTERS.sub(" ", request.POST.get("name", "")).strip(" .")[:80] or "pasted"
        uploads.append((f"{name}.txt", io.BytesIO(pasted.replace("\r\n", "\n").encode())))  # forms send CRLF
    return uploads


def _sent_paths(request: HttpRequest, files: int) -> list[str]:
    """The paths that the page sent beside the files; none where they do not fit."""
    try:
        paths = msgspec.json.decode(request.POST.get("paths", "") or "[]", type=list[str])
    except msgspec.DecodeError:
        return []
    return paths if len(paths) == files else []


PLAIN_TEXT_HINT = "Nothing was opened. Tick ‘plain text’ to open a file as it stands, with all that is written in it."


def problem_lines(error: AuneError) -> list[str]:
    """The problems of an error, one per line, limited to what a page can show."""
    lines = [str(problem) for problem in error.problems] if isinstance(error, InputError) else [str(error)]
    more = [f"… and {len(lines) - MAX_PROBLEMS:,} more"] if len(lines) > MAX_PROBLEMS else []
    return [*lines[:MAX_PROBLEMS], *more]


def redirect_to(request: HttpRequest, target: str) -> HttpResponse:
    """Redirect to another page, after a plain form or a request by htmx."""
    return htmx_redirect(request, redirect(target))


@require_GET
def text(request: HttpRequest, text: str) -> HttpResponse:
    """The page of a text: its layers, and the actions on them."""
    account = person(request)
    row = access.text(account, text)
    seen = access.layers(account, row)
    own_layers = [layer for layer in seen if layer.author == account]
    annotations = row.layers.filter(kind="annotation", withdrawn=False).select_related("author")
    hidden = [layer for layer in annotations if layer not in seen]
    annotators = {layer.pk for layer in usual_annotators(seen)}
    waiting = [item.layer for item in open_texts(account) if item.layer.text_id != row.pk]
    team = Account.objects.filter(is_active=True, role__in=("annotator", "organiser")).order_by("name")
    return render(
        request,
        "text.html",
        {
            "text": row,
            "layers": [
                {"layer": layer, "title": title, "is_annotator": layer.pk in annotators}
                for title, layer in layers.layers_by_name(seen).items()
            ],
            "sides": usual_sides(seen) if len(seen) > 1 else (),
            "hidden": hidden,
            "annotates": not account.is_organiser or any(layer.kind == "annotation" for layer in own_layers),
            "deletable": [layer for layer in own_layers if layer.kind != "imported"],
            "team": team if account.is_organiser else [],
            "next": waiting[0] if waiting and settings.SITE.accounts else None,
        },
    )


def usual_annotators(seen: Sequence[Layer]) -> Sequence[Layer]:
    """The layers that agreement and adjudication are about by default.

    Both layers where there are two; otherwise those of annotators, with imported ones where there are several.
    """
    annotations = [layer for layer in seen if layer.kind == "annotation"]
    imported = [layer for layer in seen if layer.kind == "imported"]
    if len(seen) == 2:
        return seen
    return [*imported, *annotations] if len(imported) > 1 else annotations


def usual_sides(seen: Sequence[Layer]) -> tuple[str, str]:
    """The two layers compared by default: those with mentions first, and among them keys first."""
    preference = ("key", "imported", "annotation", "system", "proposal")
    is_empty = {layer.pk: not layers.head(layer).state.mentions for layer in seen}
    ranked = sorted(seen, key=lambda layer: (is_empty[layer.pk], preference.index(layer.kind)))
    return ranked[0].pk, ranked[1].pk


@require_POST
def begin(request: HttpRequest, text: str) -> HttpResponse:
    """Create a layer: empty, or a copy of another one, with its chains or only with its mentions."""
    account = person(request)
    row = access.text(account, text)
    start, keep = request.POST.get("start", ""), request.POST.get("keep", "all")
    author = account
    if (other := request.POST.get("author", "")) and account.is_organiser:
        author = Account.objects.filter(pk=other, is_active=True).first() or account
    name = request.POST.get("name", "").strip()[:120] or author.name
    state = EMPTY
    if start:
        origin = access.layer(account, start)
        if origin.text_id != row.pk:
            return refusal(request, 422, "The layer to start from is about another text.")
        state = layers.head(origin).state
        state = without_chains(state) if keep == "mentions" else state
    layer = layers.create_layer(row, name, "annotation", author, state)
    return redirect_to(request, f"/layer/{layer.pk}/" if author == account else f"/text/{row.pk}/")


def without_chains(state: State) -> State:
    """The mentions of a state without their chains."""
    return State({name: msgspec.structs.replace(mention, chain=None) for name, mention in state.mentions.items()})


@require_POST
def import_responses(request: HttpRequest, text: str) -> HttpResponse:
    """Import a system's output as a layer of every text of the file that it covers."""
    account = person(request)
    row = access.text(account, text)
    uploads = uploaded_files(request)
    if not uploads:
        return refusal(request, 422, "Found no file: choose one.")
    try:
        notes = file_exchange.add_responses(row.source, file_exchange.group_companions(uploads), account)
    except AuneError as error:
        return refusal(request, 422, *problem_lines(error))
    if notes:
        return render(request, "notes.html", {"notes": notes, "text": row})
    return redirect_to(request, f"/text/{row.pk}/")


@require_GET
def layer(request: HttpRequest, layer: str) -> HttpResponse:
    """The annotation page, whose content JavaScript modules add."""
    row = access.layer(person(request), layer)
    return render(request, "layer.html", {"layer": row, "guidelines": guidelines_html(row.text.source.project)})


@require_POST
def set_done(request: HttpRequest, layer: str) -> HttpResponse:
    account = person(request)
    row = access.layer(account, layer)
    if not access.can_finish(account, row):
        return refusal(request, 403, api.NOT_FINISHED)
    api.mark_done(row, request.POST.get("done") == "yes")
    return redirect_to(request, (row.back or "/") if row.kind == "proposal" else f"/text/{row.text_id}/")


@require_POST
def delete(request: HttpRequest, layer: str) -> HttpResponse:
    """Delete a layer with all its events; the request must contain its name as confirmation."""
    account = person(request)
    row = access.layer(account, layer)
    if row.author_id != account.pk or row.kind == "imported":
        return refusal(request, 403, "Only its author deletes a layer, and what a file says stays.")
    if request.POST.get("name", "").strip() != row.name.strip():
        return refusal(request, 422, "The name is another: nothing was deleted.")
    row.delete()
    return redirect_to(request, f"/text/{row.text_id}/")


@require_POST
def forget(request: HttpRequest, source: str) -> HttpResponse:
    """Delete a file that was opened by mistake, if nobody has worked on it."""
    account = person(request)
    row = get_object_or_404(Source, pk=source)
    if not account.is_organiser:
        raise Http404
    worked_on = Layer.objects.filter(text__source=row).exclude(kind="imported", version=0).exists()
    if worked_on:
        return refusal(request, 422, "Somebody has worked on this file: delete the layers first.")
    file_exchange.delete_source(row)
    return redirect_to(request, "/")


class _Export(NamedTuple):
    """The options of an export of a layer."""

    layer: Layer
    formats: Sequence[str]
    format: str
    grouped: bool
    alone: bool
    chains: Sequence[str]

    @property
    def query(self) -> str:
        """The query string of the URL of the exported file."""
        options = [("format", self.format), *[("grouped", "no")] * (not self.grouped), *[("of", "this")] * self.alone]
        return urlencode([*options, *(("chain", chain) for chain in self.chains)])

    def convert(self, account: Account) -> Conversion:
        return file_exchange.export_layer(
            self.layer, account, self.format, grouped=self.grouped, alone=self.alone, chains=self.chains
        )


@require_GET
def export(request: HttpRequest, layer: str) -> HttpResponse:
    """Export the file of a layer; with `losses`, the page that offers formats and shows what each would lose."""
    account = person(request)
    row = access.layer(account, layer)
    if row.kind == "proposal" and not account.is_organiser:
        return refusal(request, 403, "A proposal is handed in, not exported.")
    wanted = _requested_export(request, row)
    if wanted.format not in wanted.formats:
        return refusal(
            request, 422, f"Found the format {wanted.format!r}, expected one of {', '.join(wanted.formats)}."
        )
    if unknown := [chain for chain in wanted.chains if chain not in layers.head(row).state.chains]:
        return refusal(request, 422, f"Found the chain {unknown[0]!r}, which the layer does not have: choose others.")
    if "losses" in request.GET:
        return _export_page(request, account, wanted)
    try:
        conversion = wanted.convert(account)
    except AuneError as error:
        return refusal(request, 422, *problem_lines(error))
    name = exported_name(row, wanted.format, alone=wanted.alone)
    companion = request.GET.get("beside", "")
    if companion:
        if companion not in conversion.beside:
            return refusal(request, 404, f"No file with the ending {companion!r} stands beside this one.")
        return download(conversion.beside[companion], str(PurePosixPath(name).with_suffix(companion)))
    return download(conversion.data, name)


def _requested_export(request: HttpRequest, row: Layer) -> _Export:
    """The requested export; the default format is that of the file, or else the usual one of the task."""
    source = row.text.source
    formats = export_formats(source.task, source.format)
    if source.format != PLAIN and source.format not in formats and not row.version and row.kind == "imported":
        formats = [source.format, *formats]  # the format can only be read, but an unedited file is exported unchanged
    usual = source.format if source.format in formats else file_exchange.NEW_FILE_FORMATS[source.task]
    return _Export(
        row,
        formats,
        request.GET.get("format", "") or usual,
        grouped=request.GET.get("grouped", "yes") != "no",
        alone=source.texts.count() > 1 and request.GET.get("of") == "this",
        chains=sorted(set(request.GET.getlist("chain"))),
    )


def _export_page(request: HttpRequest, account: Account, wanted: _Export) -> HttpResponse:
    """The page with the formats, and what the chosen one would lose, or why it cannot represent the layer."""
    row = wanted.layer
    accompanying = file_exchange.accompanying_layers(row, account)
    several = len(accompanying) if len(accompanying) > 1 else 0
    context: dict[str, Any] = {
        "layer": row, "formats": wanted.formats, "format": wanted.format, "grouped": wanted.grouped,
        "several": several, "alone": wanted.alone, "asked": wanted.query, "texts": accompanying[:MAX_LISTED],
        "unlisted": max(0, several - MAX_LISTED),
    }  # fmt: skip
    is_part = bool(request.headers.get("HX-Request"))
    try:
        conversion = wanted.convert(account)
    except AuneError as error:
        if is_part:
            return refusal(request, 422, *problem_lines(error))
        context["problems"] = problem_lines(error)
    else:
        name = exported_name(row, wanted.format, alone=wanted.alone)
        context |= {
            "lost": conversion.lost, "name": name, "size": len(conversion.data),
            "beside": {ending: str(PurePosixPath(name).with_suffix(ending)) for ending in conversion.beside},
        }  # fmt: skip
    if is_part:
        return render(request, "losses.html", context)
    return render(request, "export.html", {**context, **_chains_to_choose(row, wanted.chains)})


def _chains_to_choose(row: Layer, chosen: Sequence[str]) -> dict[str, Any]:
    """The chains of a layer, largest first, each with its name or else its first mention."""
    state, words = layers.head(row).state, layers.text_content(row.text_id)
    sized = sorted(((chain, names) for chain, names in members(state).items() if names), key=lambda item: -len(item[1]))
    listed = [
        {
            "id": chain,
            "name": state.chains[chain].name or mention_text(words, state.mentions[names[0]]),
            "size": len(names),
            "chosen": chain in chosen,
        }
        for place, (chain, names) in enumerate(sized)
        if place < MAX_LISTED or chain in chosen
    ]
    return {"chains": listed, "smaller": len(sized) - len(listed), "chosen": len(chosen)}


def exported_name(row: Layer, to: str, *, alone: bool = False) -> str:
    """The name of the exported file: that of the source in its own format; that of the text if exported alone."""
    source = row.text.source
    path = PurePosixPath(PurePosixPath(source.name).name)
    if alone:
        path = PurePosixPath(UNSAFE_CHARACTERS.sub("_", row.text.name).strip("._") or f"text-{row.text.number + 1}")
        return f"{path}{next(iter(registry.format(source.task, to).suffixes), '.txt')}"
    if to == source.format:
        return str(path)
    suffixes = registry.format(source.task, to).suffixes
    return str(PurePosixPath(uncompressed_name(path.name)).with_suffix(suffixes[0] if suffixes else ".txt"))


def download(data: bytes, name: str) -> HttpResponse:
    """A download of arbitrary bytes, which a browser saves and does not display."""
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return response
