"""Projects: the leader's overview of texts and annotators, assignments and settings; and an annotator's next text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from aune.errors import AuneError, UsageError
from aune.server.accounts.models import Account, Invitation
from aune.server.accounts.views import person
from aune.server.policy import refusal, whole_number
from aune.server.workbench import access, adjudication_api, analysis_api, layers
from aune.server.workbench.analysis_pages import hundredths, main_value
from aune.server.workbench.api import answer
from aune.server.workbench.guidelines import guidelines_html
from aune.server.workbench.models import AUDIENCES, Comment, Layer, Project, ProjectMember, Text
from aune.server.workbench.open_work import open_texts, work_of
from aune.server.workbench.pages import redirect_to, without_chains
from aune.workbench.agreement import ProjectAgreement, project_agreement
from aune.workbench.assignment import Assignment, assign_texts
from aune.workbench.comparison import Conventions
from aune.workbench.files import PLAIN, TASKS, export_formats
from aune.workbench.model import EMPTY, State
from aune.workbench.model import Text as Words
from aune.workbench.progress import (
    READY,
    PersonSummary,
    TextStatus,
    Work,
    summarize_people,
    text_status,
)
from aune.workbench.schemas import LABEL_SETS
from aune.workbench.segmentation import LANGUAGES

PAGE_SIZE = 250  # texts on one page of a project
MAX_WARNINGS = 100  # notes on files on one page of a project
MAX_PROJECTS = 1_000
MAX_GUIDELINES = 200_000  # characters
MAX_INVITATIONS = 100  # in one request
STARTS = {
    "": "nothing",
    "mentions": "the mentions of the file, without chains",
    "file": "all annotation of the file",
}
"""The initial content of assigned layers."""
HANDOVERS = {
    "keep": "stays with its annotator",
    "continue": "is continued by the other",
    "anew": "is begun anew by the other",
}
"""What happens to a begun layer when its text is reassigned to another annotator."""


def led_project(account: Account, name: str) -> Project:
    """A project, for its leaders, who are all organisers; others get the answer 404."""
    project = Project.objects.filter(pk=name).first()
    if project is None or not account.is_organiser:
        raise Http404
    return project


def visible_project(account: Account, name: str) -> Project:
    """A project whose texts the account may see; otherwise a 404."""
    project = Project.objects.filter(pk=name).first()
    if project is None or not access.sees_project(account, project):
        raise Http404
    return project


SELECTIONS = {
    "done": "annotations that are done, and keys",
    "keys": "keys that are done",
    "all": "all that you may see: files, systems, keys that are being made",
}
"""The contents of an export."""


class Overview(NamedTuple):
    """The state of the work on a project."""

    texts: Sequence[Text]
    work: Mapping[str, Sequence[Work]]
    """By text."""
    keys: Mapping[str, Sequence[Layer]]
    """By text."""

    @property
    def all_work(self) -> list[Work]:
        return [item for items in self.work.values() for item in items]

    def status(self, text: str) -> TextStatus:
        return text_status(self.work[text], [key.done for key in self.keys[text]])


def overview(project: Project) -> Overview:
    """The work on all texts of a project. Of several layers of one annotator and text, the newest begun one counts."""
    texts = list(
        Text.objects.filter(source__project=project, source__listed=True)
        .defer("content")
        .select_related("source")
        .order_by("source__made", "source_id", "number")
    )
    of_project = Layer.objects.filter(text__source__project=project, kind__in=("annotation", "key"), withdrawn=False)
    rows = list(of_project.select_related("author").order_by("made"))
    layers.count_mentions(row for row in rows if row.kind == "annotation")
    work: dict[str, dict[str, Work]] = {text.pk: {} for text in texts}
    keys: dict[str, list[Layer]] = {text.pk: [] for text in texts}
    for row in rows:
        if row.text_id not in work:
            continue
        if row.kind == "key":
            keys[row.text_id].append(row)
        elif row.author is not None:
            known = work[row.text_id].get(row.author.name)
            if known is None or row.version or not known.is_begun:
                work[row.text_id][row.author.name] = work_of(row, row.author.name)
    return Overview(texts, {text: list(items.values()) for text, items in work.items()}, keys)


@require_GET
def next_text(request: HttpRequest) -> HttpResponse:
    """Redirect to the layer to continue with: the last begun one, else the one due first; `skip` excludes a text."""
    account = person(request)
    if account.role not in access.WORKERS:
        raise Http404
    waiting = [item for item in open_texts(account) if item.layer.text_id != request.GET.get("skip")]
    return redirect(f"/layer/{waiting[0].layer.pk}/" if waiting else "/")


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Create a project."""
    account = person(request)
    if not account.is_organiser:
        raise Http404
    name = request.POST.get("name", "").strip()[:120]
    if not name:
        return refusal(request, 422, "Found no name: type one.")
    if Project.objects.count() >= MAX_PROJECTS:
        return refusal(request, 422, f"There are {MAX_PROJECTS} projects already.")
    return redirect_to(request, f"/project/{Project.objects.create(name=name).pk}/")


@require_GET
def page(request: HttpRequest, project: str) -> HttpResponse:
    """The leader's page: a table of texts × annotators, and the actions on many texts at once."""
    account = person(request)
    row = led_project(account, project)
    known, today = overview(row), timezone.now().date()
    people = summarize_people(known.all_work, today)
    columns = [summary.annotator for summary in people]
    statuses = {text.pk: known.status(text.pk) for text in known.texts}
    shown = Paginator(known.texts, PAGE_SIZE).get_page(request.GET.get("page"))
    tasks, names = sorted({text.task for text in known.texts}), Counter(text.name for text in known.texts)
    context = {
        "project": row, "people": [(item, hours(item.seconds)) for item in people], "columns": columns, "page": shown,
        "rows": [
            _text_row(text, known, statuses[text.pk], columns, today, is_repeated=names[text.name] > 1)
            for text in shown
        ],
        "totals": [*_totals(known, statuses, people), ("open comments", f"{_open_comments(row):,}")],
        "annotators": annotators(), "chosen": default_annotators(row),
        "starts": STARTS, "selections": SELECTIONS, "handovers": HANDOVERS, "audiences": AUDIENCES,
        "tasks": TASKS, "label_sets": LABEL_SETS.items(), "languages": LANGUAGES,
        "formats": {task: export_formats(task, PLAIN) for task in tasks}, "each": 2,
        "warnings": _warnings(row),
        "ready": sum(status.state == READY and len(known.work[text]) > 1 for text, status in statuses.items()),
    }  # fmt: skip
    return render(request, "project.html", context)


def annotators() -> list[Account]:
    """All accounts to which texts can be assigned, annotators before organisers."""
    people = Account.objects.filter(is_active=True, role__in=access.WORKERS).order_by("role", "name")
    return list(people)


def default_annotators(project: Project) -> set[str]:
    """The annotators who are initially ticked: the members of the project, or all annotators of the server."""
    if project.everyone:
        return {account.pk for account in annotators() if not account.is_organiser or not settings.SITE.accounts}
    return set(project.members.values_list("account_id", flat=True))


def _text_row(
    text: Text, known: Overview, status: TextStatus, columns: Sequence[str], today: date, *, is_repeated: bool
) -> dict[str, Any]:
    """A line of the table; a name that several texts have is shown with its folder."""
    by_annotator = {item.annotator: item for item in known.work[text.pk]}
    cells = [_cell(by_annotator[name], today) if name in by_annotator else None for name in columns]
    keys = known.keys[text.pk]
    folder = PurePosixPath(text.source.name).parent if is_repeated else ""
    return {"text": text, "folder": folder, "cells": cells, "status": status, "key": keys[-1] if keys else None}


def _cell(item: Work, today: date) -> dict[str, Any]:
    """What the table shows of one annotation of a text."""
    sign, state = ("✓", "done") if item.is_done else ("◐", "begun") if item.is_begun else ("○", "not begun")
    about = [state, f"{hours(item.seconds)} hours"]
    if item.changed:
        about.append(f"changed {item.changed:%Y-%m-%d %H:%M}")
    if item.due:
        about.append(f"due {item.due}")
    return {
        "sign": sign, "state": state, "mentions": item.mentions, "is_late": item.is_overdue(today),
        "about": ", ".join(about),
    }  # fmt: skip


def _totals(
    known: Overview, statuses: Mapping[str, TextStatus], people: Sequence[PersonSummary]
) -> list[tuple[str, str]]:
    """The numbers at the top of the page."""
    work = known.all_work
    states = [status.state for status in statuses.values()]
    return [
        ("texts", f"{len(known.texts):,}"),
        ("words", f"{sum(text.words for text in known.texts):,}"),
        ("annotations done", f"{sum(item.is_done for item in work):,} of {len(work):,}"),
        ("overdue", f"{sum(summary.overdue for summary in people):,}"),
        ("to adjudicate", f"{states.count(READY):,}"),
        ("adjudicated", f"{states.count('adjudicated'):,}"),
        ("time spent", hours(sum(summary.seconds for summary in people))),
    ]


def _warnings(project: Project) -> list[str]:
    """What was noted when the files of a project were opened."""
    sources = project.sources.filter(listed=True).exclude(warnings=[]).order_by("made", "pk")
    return [warning for warnings in sources.values_list("warnings", flat=True) for warning in warnings][:MAX_WARNINGS]


def _open_comments(project: Project) -> int:
    return Comment.objects.filter(text__source__project=project, answers=None, resolved=None).count()


def hours(seconds: int) -> str:
    """A duration in hours and minutes, rounded up.

    >>> hours(59), hours(3_720)
    ('0:01', '1:02')
    """
    minutes = -(-seconds // 60)
    return f"{minutes // 60:,}:{minutes % 60:02}"


@require_POST
def settings_form(request: HttpRequest, project: str) -> HttpResponse:
    """Change the name of a project, its guidelines, and who may see its texts and comments."""
    row = led_project(person(request), project)
    name, guidelines = request.POST.get("name", "").strip()[:120], request.POST.get("guidelines", "")
    if not name or len(guidelines) > MAX_GUIDELINES:
        return refusal(request, 422, f"Expected a name, and guidelines of at most {MAX_GUIDELINES:,} characters.")
    everyone, audience = request.POST.get("everyone", "yes") == "yes", request.POST.get("discussion", row.discussion)
    if audience not in AUDIENCES:
        return refusal(request, 422, f"Expected who sees comments: {', '.join(AUDIENCES)}.")
    members = {account.pk for account in annotators()} & set(request.POST.getlist("member"))
    with transaction.atomic():
        Project.objects.filter(pk=row.pk).update(
            name=name, guidelines=guidelines.replace("\r\n", "\n"), everyone=everyone, discussion=audience
        )
        row.members.all().delete()
        ProjectMember.objects.bulk_create([ProjectMember(project=row, account_id=name) for name in sorted(members)])
    return redirect_to(request, f"/project/{row.pk}/")


@require_POST
def assign(request: HttpRequest, project: str) -> HttpResponse:
    """Assign texts to annotators, each text to several of them, with the work shared evenly."""
    account = person(request)
    row = led_project(account, project)
    each_text, start = request.POST.get("each", ""), request.POST.get("start", "")
    each, chosen = whole_number(each_text) or 0, _chosen_annotators(request)
    if not 1 <= each <= len(chosen):
        return refusal(
            request, 422, f"Found {each_text!r:.20} annotators for each text and {len(chosen)} ticked: tick that many."
        )
    due = parse_day(request.POST.get("due", ""))
    if start not in STARTS or due is INVALID_DAY:
        return refusal(request, 422, f"Expected a start ({', '.join(STARTS)}) and a day such as 2027-01-31, or none.")
    known = overview(row)
    texts = _chosen_texts(request, known)
    names = {person.name: person for person in chosen}
    assigned = assign_texts(
        {text.pk: text.words for text in texts}, list(names), each,
        [Assignment(item.text, item.annotator) for item in known.all_work],
    )  # fmt: skip
    by_name = {text.pk: text for text in texts}
    try:
        states = _initial_states([by_name[item.text] for item in assigned], start)
    except UsageError as error:
        return refusal(request, 422, str(error))
    with transaction.atomic():
        for item in assigned:
            annotator = names[item.person]
            state = states.get(item.text, EMPTY)
            layers.create_layer(by_name[item.text], annotator.name, "annotation", annotator, state, due=due)
        add_members(row, [names[item.person] for item in assigned])
    return redirect_to(request, f"/project/{row.pk}/")


def _chosen_annotators(request: HttpRequest) -> list[Account]:
    ticked = set(request.POST.getlist("annotator"))
    return [account for account in annotators() if account.pk in ticked]


def _chosen_texts(request: HttpRequest, known: Overview) -> list[Text]:
    """The ticked texts, or all texts if none is ticked."""
    ticked = set(request.POST.getlist("text"))
    return [text for text in known.texts if not ticked or text.pk in ticked]


def _initial_states(texts: Sequence[Text], start: str) -> dict[str, State]:
    """The initial states of new layers, by text; texts that are missing start empty."""
    if not start:
        return {}
    imported = list(Layer.objects.filter(kind="imported", text__in={text.pk for text in texts}))
    states = {layer.text_id: layers.head(layer).state for layer in imported}
    if len(states) < len(imported):
        raise UsageError(
            "The files of some texts have the annotation of several people: begin layers from nothing here, or from "
            "that of one of them on the page of the text."
        )
    return {text: without_chains(state) for text, state in states.items()} if start == "mentions" else states


def add_members(project: Project, accounts: Sequence[Account]) -> None:
    """Make accounts members of a project that is not open to all, so that they may see their assigned texts."""
    if not project.everyone:
        members = [ProjectMember(project=project, account=account) for account in dict.fromkeys(accounts)]
        ProjectMember.objects.bulk_create(members, ignore_conflicts=True)


INVALID_DAY = date.min
"""What `parse_day` returns for an invalid date."""


def parse_day(typed: str) -> date | None:
    """Parse a date from a form; None for an empty field.

    >>> parse_day("2027-01-31"), parse_day(""), parse_day("soon") is INVALID_DAY
    (datetime.date(2027, 1, 31), None, True)
    """
    try:
        return date.fromisoformat(typed.strip()) if typed.strip() else None
    except ValueError:
        return INVALID_DAY


@require_POST
def set_due(request: HttpRequest, project: str) -> HttpResponse:
    """Change the due date of the open layers of the ticked texts, or of all texts."""
    row = led_project(person(request), project)
    due = parse_day(request.POST.get("due", ""))
    if due is INVALID_DAY:
        return refusal(request, 422, "Expected a day such as 2027-01-31, or none.")
    known = overview(row)
    texts = {text.pk for text in _chosen_texts(request, known)}
    names = [item.layer for item in known.all_work if item.text in texts and not item.is_done]
    for place in range(0, len(names), 500):
        Layer.objects.filter(pk__in=names[place : place + 500]).update(due=due)
    return redirect_to(request, f"/project/{row.pk}/")


@require_POST
def reassign(request: HttpRequest, project: str) -> HttpResponse:
    """Reassign the unfinished work of one annotator on the ticked texts, or on all, to another annotator."""
    row = led_project(person(request), project)
    people = {account.pk: account for account in annotators()}
    former = Account.objects.filter(pk=request.POST.get("from", "")).first()
    successor, handover = people.get(request.POST.get("to", "")), request.POST.get("begun", "keep")
    if former is None or successor is None or former == successor or handover not in HANDOVERS:
        return refusal(request, 422, "Expected two different annotators, and what happens to what was begun.")
    known = overview(row)
    by_name = {text.pk: text for text in _chosen_texts(request, known)}
    with transaction.atomic():
        for item in known.all_work:
            has_text = any(other.annotator == successor.name for other in known.work[item.text])
            is_kept = item.is_done or (item.is_begun and handover == "keep")
            if item.annotator == former.name and item.text in by_name and not (has_text or is_kept):
                _hand_over(item, by_name[item.text], successor, handover)
        add_members(row, [successor])
    return redirect_to(request, f"/project/{row.pk}/")


def _hand_over(item: Work, text: Text, successor: Account, handover: str) -> None:
    """Reassign one text to another annotator. A begun layer is withdrawn, not deleted."""
    layer = Layer.objects.select_for_update().get(pk=item.layer)
    state = layers.head(layer).state if handover == "continue" or not item.is_begun else layers.state_at(layer, 0)
    layers.create_layer(text, successor.name, "annotation", successor, state, due=item.due)
    if item.is_begun:
        Layer.objects.filter(pk=layer.pk).update(withdrawn=True, due=None)
    else:
        layer.delete()


@require_POST
def invite(request: HttpRequest, project: str) -> HttpResponse:
    """Create an invitation for each typed name, one per line."""
    account = person(request)
    row = led_project(account, project)
    if not settings.SITE.accounts:
        raise Http404
    names = [line.strip()[:200] for line in request.POST.get("names", "").splitlines() if line.strip()]
    if not 1 <= len(names) <= MAX_INVITATIONS:
        return refusal(request, 422, f"Found {len(names)} names, expected 1 to {MAX_INVITATIONS}, one to a line.")
    invitations = [
        (name, f"{settings.SITE.address}/invitation/{Invitation.issue('annotator', account, name)}") for name in names
    ]
    return render(request, "project_invitations.html", {"project": row, "invitations": invitations})


@require_POST
def adjudicate(request: HttpRequest, project: str) -> HttpResponse:
    """Begin a key for every text that has at least two annotators, all of whom are done."""
    account = person(request)
    row = led_project(account, project)
    known = overview(row)
    begun = 0
    for text in _chosen_texts(request, known):
        work = known.work[text.pk]
        if known.status(text.pk).state != READY or len(work) < 2:
            continue
        chosen = [layer for layer in access.layers(account, text) if layer.pk in {item.layer for item in work}]
        if len(chosen) > 1:
            adjudication_api.begin_key(text, account, chosen)
            begun += 1
    if not begun:
        return refusal(request, 422, "No text is ready: a key is made where two annotators or more are all done.")
    return redirect_to(request, f"/project/{row.pk}/")


@require_GET
def guidelines(request: HttpRequest, project: str) -> HttpResponse:
    """The page with the guidelines of a project."""
    row = visible_project(person(request), project)
    return render(request, "guidelines.html", {"project": row, "html": guidelines_html(row)})


@require_GET
def agreement(request: HttpRequest, project: str) -> HttpResponse:
    """The agreement of the annotators of a project before any discussion, over all texts that two have finished."""
    account = person(request)
    row = led_project(account, project)
    try:
        chosen = analysis_api.conventions(request.GET, "coref")
        results = [
            project_agreement(annotated, chosen if task == "coref" else Conventions())
            for task, annotated in finished_states(account, row).items()
        ]
    except (AuneError, msgspec.ValidationError) as error:
        return refusal(request, 422, str(error))
    context = {"project": row, "tables": [_agreement_table(result) for result in results], "convention": chosen}
    is_part = bool(request.headers.get("HX-Request"))
    return render(request, "project_agreement_part.html" if is_part else "project_agreement.html", context)


def finished_states(account: Account, project: Project) -> dict[str, list[tuple[Words, dict[str, State]]]]:
    """By task, the texts that at least two annotators have finished, with the state of each when it was first done."""
    known = overview(project)
    annotated: dict[str, list[tuple[Words, dict[str, State]]]] = {}
    for text in known.texts:
        done = {item.layer: item.annotator for item in known.work[text.pk] if item.is_done}
        if len(done) < 2:
            continue
        rows = [layer for layer in access.layers(account, text) if layer.pk in done]
        states = {done[row.pk]: layers.state_when_first_done(row) for row in rows}
        if len(states) > 1:
            annotated.setdefault(text.task, []).append((layers.text_content(text.pk), states))
    return annotated


def _agreement_table(result: ProjectAgreement) -> dict[str, Any]:
    """A table with a row for each measure, and columns for all texts together and for each pair of annotators."""
    columns = [result.overall, *(pair.scores for pair in result.pairs)]
    return {
        "task": result.task,
        "texts": result.texts,
        "pairs": [(f"{pair.first} – {pair.second}", pair.texts) for pair in result.pairs],
        "rows": [
            (score.short, [main_value(column[place]) for column in columns])
            for place, score in enumerate(result.overall)
        ],
        "chance": [(score.short, hundredths(score.values.get(score.main))) for score in result.chance],
        "signatures": [(score.short, score.signature) for score in (*result.overall, *result.chance)],
    }


@require_GET
def listing(request: HttpRequest) -> HttpResponse:
    """The projects, as JSON."""
    account = person(request)
    if account.role not in access.WORKERS:
        raise Http404
    projects = [row for row in Project.objects.order_by("made") if access.sees_project(account, row)]
    return answer({"projects": [{"id": row.pk, "name": row.name, "made": row.made} for row in projects]})


@require_GET
def content(request: HttpRequest, project: str) -> HttpResponse:
    """Everything that the page of a project shows, as JSON."""
    row = led_project(person(request), project)
    known, today = overview(row), timezone.now().date()
    texts = [
        {
            "id": text.pk, "name": text.name, "file": text.source.name, "task": text.task, "words": text.words,
            "status": known.status(text.pk), "annotations": known.work[text.pk],
            "keys": [{"layer": key.pk, "name": key.name, "is_done": key.done} for key in known.keys[text.pk]],
        }
        for text in known.texts
    ]  # fmt: skip
    about = {"id": row.pk, "name": row.name, "guidelines": row.guidelines, "everyone": row.everyone, "made": row.made}
    return answer({"project": about, "people": summarize_people(known.all_work, today), "texts": texts})


def home_summaries(account: Account) -> list[dict[str, Any]]:
    """The projects that an account may see, with numbers about all work for leaders, and about their own for others."""
    summaries = []
    for row in Project.objects.order_by("made"):
        if not access.sees_project(account, row):
            continue
        texts = Text.objects.filter(source__project=row, source__listed=True).count()
        own_layers = Layer.objects.filter(text__source__project=row, kind="annotation", withdrawn=False)
        if not account.is_organiser:
            own_layers = own_layers.filter(author=account)
        done, assigned = own_layers.filter(done=True).count(), own_layers.count()
        summaries.append({"project": row, "texts": texts, "assigned": assigned, "done": done})
    return summaries
