"""The pages of a campaign."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import disputes as claims
from aune.campaign import publication
from aune.campaign.archive import as_zip
from aune.campaign.campaign import Campaign
from aune.campaign.distribution import as_archive, handout
from aune.campaign.entering import baselines, enter_baseline
from aune.campaign.instants import now
from aune.campaign.jobs import board_is_ready, waiting
from aune.campaign.ledger import canonical
from aune.campaign.listing import EXAMPLES, edit_of, items
from aune.campaign.pages import board_parts, difference_table
from aune.campaign.phases import ARCHIVE, MEANING, SUBMITTING, discussed_in
from aune.campaign.policy import ORGANISER, PARTICIPANT, Viewer
from aune.core.errors import UsageError
from aune.core.files import json_of
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, organiser, team_of, viewer
from aune.server.campaign.models import Membership
from aune.server.campaign.work import BOARD, SCORE, wanted

AT_ONCE = 200  # items of a key on one page
MOST_NAMES = 1000  # documents that a page lists


def _shown(request: HttpRequest, template: str, **more: Any) -> HttpResponse:
    """A page of the campaign, with what every one of them shows."""
    here, who = campaign(), viewer(request)
    seen = {
        name: here.may(who, thing)
        for name, thing in (("participants", "participants"), ("changes", "decisions"), ("archive", "archive"))
    }
    results = [one.name for one in here.protocol.datasets.values() if _has_results(here, who, one.name)]
    about = {"plan": here.protocol, "phase": here.phase, "meaning": MEANING[here.phase], "viewer": who, "seen": seen}
    return render(request, f"campaign/{template}.html", {**about, "with_results": results, **more})


def _has_results(here: Campaign, who: Viewer, name: str) -> bool:
    phase = here.dataset(name).phase
    return phase in SUBMITTING and here.state.version(name) > 0 and here.may(who, f"{phase} scores")


@require_GET
@answering
def home(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), viewer(request)
    texts = [
        one.name
        for one in here.protocol.datasets.values()
        if one.name in here.state.texts and here.may(who, f"{one.phase} texts")
    ]
    may_register = isinstance(request.user, Account) and request.user.role == PARTICIPANT and not who.team
    return _shown(
        request, "home", schedule=here.schedule(), heads=here.heads(), commitments=here.commitments(), texts=texts,
        may_register=may_register,
    )  # fmt: skip


@require_GET
@answering
def protocol(request: HttpRequest) -> HttpResponse:
    campaign().check(viewer(request), "protocol")
    return HttpResponse(campaign().protocol.text, content_type="text/plain; charset=utf-8")


@require_GET
@answering
def licence(request: HttpRequest) -> HttpResponse:
    here = campaign()
    here.check(viewer(request), "licence")
    path = here.protocol.licence
    text = (here.folder / path).read_text("utf-8", "replace") if path else ""
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


# A team.


@require_POST
@answering
def register(request: HttpRequest) -> HttpResponse:
    """A participant's account makes a team and acts for it."""
    account = person(request)
    if account.role != PARTICIPANT or Membership.objects.filter(account=account).exists():
        raise Http404
    name, country = request.POST.get("name", "").strip(), request.POST.get("country", "").strip()
    team = campaign().register(name, country[:80], members=[account.name])
    Membership.objects.create(account=account, team=team.id)
    return redirect("/campaign/team")


@require_GET
@answering
def team(request: HttpRequest) -> HttpResponse:
    """The team's own page: what it agreed to, what it sent, what it may still send."""
    here, own = campaign(), team_of(request)
    plan = here.protocol
    datasets = [
        {
            "name": one.name, "condition": plan.conditions[one.condition], "used": here.used(own, one.name),
            "quota": plan.quotas[one.phase], "open": one.phase == here.phase and one.name in here.state.texts,
        }
        for one in plan.datasets.values() if one.phase in SUBMITTING
    ]  # fmt: skip
    sent = [
        {"receipt": receipt, "state": here.state.submissions[receipt.submission].state}
        for receipt in reversed(here.receipts(viewer(request), own))
    ]
    return _shown(request, "team", team=here.team(own), datasets=datasets, sent=sent, tables=plan.task == "tagging")


@require_POST
@answering
def act(request: HttpRequest, what: str) -> HttpResponse:
    """What a team says of itself."""
    here, own = campaign(), team_of(request)
    if what == "licence":
        here.accept_licence(own)
    elif what == "consent":
        here.consent(own, request.POST.get("consent", ""))
    elif what == "validate":
        here.validate(own)
    elif what == "withdraw":
        here.withdraw(own, request.POST.get("reason", "")[:500])
    elif what == "member":
        _add_member(here, own, request.POST.get("name", ""))
    else:
        raise Http404
    return redirect("/campaign/team")


def _add_member(here: Campaign, team: str, name: str) -> None:
    """Another participant's account acts for the team too."""
    account = Account.objects.filter(name=Account.objects.normalised(name), role=PARTICIPANT, is_active=True).first()
    if account is None or Membership.objects.filter(account=account).exists():
        raise UsageError("found no participant of this name without a team: ask the organisers for an invitation first")
    here.add_member(team, account.name)
    Membership.objects.create(account=account, team=team)


@require_GET
@answering
def texts(request: HttpRequest, dataset: str) -> HttpResponse:
    """The texts of a dataset, to those who accepted the licence; the download is logged."""
    here = campaign()
    if dataset not in here.state.texts:
        raise Http404
    data = as_archive(handout(here, viewer(request), dataset))
    response = HttpResponse(data, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{here.protocol.name}-{dataset}.zip"'
    return response


@require_POST
@answering
def submit(request: HttpRequest, dataset: str) -> HttpResponse:
    return redirect(f"/campaign/submission/{taken_in(request, dataset)}")


def taken_in(request: HttpRequest, dataset: str) -> str:
    """A run that was sent, on the disk and in the ledger; the id of the submission."""
    here, own = campaign(), team_of(request)
    if dataset not in here.protocol.datasets:
        raise Http404
    arrived = now()
    sent, table = request.FILES.get("file"), request.FILES.get("table")
    if sent is None:
        raise UsageError("found no file, expected the run as the field 'file'")
    receipt = here.receive(
        own, dataset, request.POST.get("run", "") or "run", sent.name or "run", sent.chunks(),
        table=table.read() if table else b"", table_name=(table.name or "table.tsv") if table else "",
        idempotency=request.headers.get("Idempotency-Key", "")[:200], at=arrived,
    )  # fmt: skip
    wanted(SCORE, receipt.submission)
    return receipt.submission


@require_GET
@answering
def submission(request: HttpRequest, submission: str) -> HttpResponse:
    status = campaign().status(viewer(request), submission)
    return _shown(request, "submission", status=status, waits=status["state"] == "received")


# Results.


@require_GET
@answering
def results(request: HttpRequest, dataset: str) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if dataset not in here.protocol.datasets or not _has_results(here, who, dataset):
        raise Http404
    if here.dataset(dataset).phase == here.phase and who.role != ORGANISER:
        raise Http404  # one's own scores are with one's own submissions until the phase is over
    if not board_is_ready(here, dataset):
        wanted(BOARD, dataset, dataset=dataset)
        return _shown(request, "waiting", dataset=dataset)
    found = publication.results(here, who, dataset)
    if request.GET.get("format") == "csv":
        response = HttpResponse(publication.as_csv(found), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{dataset}.csv"'
        return response
    changed = publication.differences(here, who, dataset)
    parts = [*board_parts(found), difference_table(dataset, changed)]
    return _shown(request, "results", dataset=dataset, board=mark_safe("\n".join(parts)))


@require_GET
@answering
def participants(request: HttpRequest) -> HttpResponse:
    rows = publication.participants(campaign(), viewer(request))
    if request.GET.get("format") == "csv":
        return HttpResponse(publication.participants_csv(rows), content_type="text/csv; charset=utf-8")
    header = list(rows[0]) if rows else []
    return _shown(request, "table", title="Participants", header=header, rows=[list(row.values()) for row in rows])


@require_GET
@answering
def changes(request: HttpRequest) -> HttpResponse:
    rows = claims.changelog(campaign(), viewer(request))
    cells = [[row["time"], row["what"], row["why"], row["who"]] for row in rows]
    return _shown(request, "table", title="Changes", header=["when", "what", "why", "who"], rows=cells)


@require_GET
@answering
def archive(request: HttpRequest) -> HttpResponse:
    """The whole archive, once there is one for everybody and every board is made."""
    here = campaign()
    here.check(viewer(request), "archive")
    if here.phase != ARCHIVE:
        raise Http404
    behind = [
        name for name in here.state.keys if here.dataset(name).phase in SUBMITTING and not board_is_ready(here, name)
    ]
    for name in behind:
        wanted(BOARD, name, dataset=name)
    if behind:
        return _shown(request, "waiting", dataset="The archive")
    response = HttpResponse(as_zip(here), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{here.protocol.name}-archive.zip"'
    return response


# Disputes.


@require_GET
@answering
def disputes(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if who.role not in (ORGANISER, PARTICIPANT):
        raise Http404
    effects = _effects(here, who) if who.role == ORGANISER and request.GET.get("effects") else {}
    order = {name: place for place, name in enumerate(effects)}
    shown = sorted(claims.seen(here, who), key=lambda one: (bool(one.decision), order.get(one.id, 0)))
    rows = [
        {"one": one, "edit": canonical(dict(one.edit)).decode(), "effects": effects.get(one.id),
         "team": here.state.teams[one.team].name if who.role == ORGANISER and one.team in here.state.teams else ""}
        for one in shown
    ]  # fmt: skip
    about = [one.name for one in here.protocol.datasets.values() if _disputable(here, who, one.name)]
    fresh = sorted({one.dataset for one in shown if one.decision == claims.ACCEPTED and not one.version})
    return _shown(request, "disputes", rows=rows, datasets=about, claims=claims.CLAIMS, fresh=fresh)


@require_GET
@answering
def key(request: HttpRequest, dataset: str) -> HttpResponse:
    """The items of a key, some at a time, each with a place to say what it should be."""
    here, who = campaign(), viewer(request)
    if dataset not in here.state.keys or who.role not in (ORGANISER, PARTICIPANT):
        raise Http404
    documents = {one.id: one for one in claims.key_documents(here, who, dataset)}
    name = request.GET.get("document", "")
    chosen = documents.get(name) or next(iter(documents.values()))
    first = max(int(request.GET["from"]), 0) if request.GET.get("from", "").isdigit() else 0
    listed = items(here.protocol.task, chosen)
    return _shown(
        request, "key", dataset=dataset, document=chosen.id, documents=list(documents)[:MOST_NAMES], first=first,
        rows=listed[first : first + AT_ONCE], after=first + AT_ONCE if first + AT_ONCE < len(listed) else 0,
        before=max(first - AT_ONCE, 0), example=EXAMPLES[here.protocol.task], number=len(listed),
        open=_disputable(here, who, dataset),
    )  # fmt: skip


def _effects(here: Campaign, who: Viewer) -> dict[str, list[dict[str, Any]]]:
    """What accepting each open dispute would change, those first that could change the ranking most."""
    runs = [run for dataset in here.state.keys for run in here.state.standing(dataset)]
    names = publication.labels(here, who, runs)
    return {
        one.id: [
            {**effect._asdict(), "run": names[effect.run]}
            for effect in effects
            if effect.change or effect.rank_before != effect.rank_after
        ]
        for one, effects in claims.open_disputes(here, who)
    }


def _disputable(here: Campaign, who: Viewer, name: str) -> bool:
    phase = here.dataset(name).phase
    return phase in SUBMITTING and (who.role == ORGANISER or here.phase == discussed_in(phase))


@require_POST
@answering
def claim(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if who.role not in (ORGANISER, PARTICIPANT):
        raise Http404
    place = request.POST.get("place")
    try:
        edit = json_of(request.POST.get("edit", "") or "{}")
        if place is not None:
            edit = edit_of(here.protocol.task, place, request.POST.get("value", ""))
    except ValueError:
        raise UsageError('found an edit that is no JSON, expected such as {"word": 12, "tags": "Ncms"}') from None
    if not isinstance(edit, dict):
        raise UsageError("found an edit that is no object, expected such as {}")
    given = {name: request.POST.get(name, "") for name in ("dataset", "document", "claim", "argument")}
    claims.dispute(here, who, given["dataset"], given["document"], given["claim"], edit, given["argument"])
    return redirect("/campaign/disputes")


@require_POST
@answering
def decide(request: HttpRequest, dispute: str) -> HttpResponse:
    organiser(request)
    claims.decide(
        campaign(), dispute, request.POST.get("decision", ""), person(request).name, request.POST.get("reason", "")
    )
    return redirect("/campaign/disputes")


@require_POST
@answering
def rekey(request: HttpRequest, dataset: str) -> HttpResponse:
    """A new version of a key; every run is to be scored again."""
    organiser(request)
    claims.new_version(campaign(), dataset)
    for one, _ in waiting(campaign().state):
        wanted(SCORE, one.id)
    return redirect("/campaign/manage")


# The organiser.


@require_GET
@answering
def manage(request: HttpRequest) -> HttpResponse:
    organiser(request)
    here = campaign()
    state = here.state
    datasets = [one.name for one in here.protocol.datasets.values() if one.phase in SUBMITTING]
    following = here.protocol.phases[here.protocol.phases.index(here.phase) + 1 :][:1]
    return _shown(
        request, "manage", teams=state.teams.values(), waiting=len(waiting(state)), downloads=len(state.downloads),
        next=following[0] if following else "", submissions=len(state.submissions), protocols=state.protocols,
        baselines=baselines(here), datasets=datasets,
    )  # fmt: skip


@require_POST
@answering
def steer(request: HttpRequest, what: str) -> HttpResponse:
    """What the organiser does: the next phase, a new version of the protocol, a baseline."""
    organiser(request)
    here = campaign()
    if what == "phase":
        here.go_to(request.POST.get("phase", ""))
    elif what == "freeze":
        here.freeze(request.POST.get("reason", ""), person(request).name)
    elif what == "baseline":
        receipt = enter_baseline(here, request.POST.get("name", ""), request.POST.get("dataset", ""))
        wanted(SCORE, receipt.submission)
    else:
        raise Http404
    return redirect("/campaign/manage")
