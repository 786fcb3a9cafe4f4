"""The pages of a team: its agreements, its submissions, and its remaining quota."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import SCORED, TEAM, Team
from aune.campaign.protocol.deadlines import format_instant as in_zones
from aune.campaign.protocol.deadlines import now
from aune.campaign.protocol.phases import ARCHIVE, PUBLICATION, SUBMITTING, TEST, TEST_ADJUDICATION, has_reached
from aune.campaign.protocol.protocol_file import PIVOT_TASK, Dataset, Protocol
from aune.campaign.protocol.visibility import ORGANISER, PARTICIPANT
from aune.campaign.publication.run_report import may_read
from aune.campaign.runs.handouts import make_handout
from aune.campaign.runs.run_actions import is_open_run
from aune.campaign.runs.uploads import write_zip
from aune.errors import UsageError
from aune.server import work_slots
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, is_member, team_of, viewer
from aune.server.campaign.background_jobs import request_letters
from aune.server.campaign.models import Membership
from aune.server.campaign.pages import render_page
from aune.server.campaign.run_forms import asked_metadata
from aune.server.campaign.steps import steps
from aune.server.request_buffering import ARRIVED


@require_POST
@campaign_view
def register(request: HttpRequest) -> HttpResponse:
    """Create a team, of which the participant's account becomes the first member."""
    account = person(request)
    if account.role != PARTICIPANT or is_member(account):
        raise Http404
    name, country = request.POST.get("name", "").strip(), request.POST.get("country", "").strip()
    with suppress(IntegrityError), transaction.atomic():  # a double click must not create two teams
        row = Membership.objects.create(account=account, team="")
        row.team = campaign().register(name, country[:80], members=[account.name]).id
        row.save()
    request_letters()
    return redirect("/campaign/team")


@require_GET
@campaign_view
def team(request: HttpRequest) -> HttpResponse:
    """The team's own page."""
    here, team_id, who = campaign(), team_of(request), viewer(request)
    plan, record = here.protocol, here.team(team_id)
    datasets = [
        {
            "name": dataset.name, "condition": _about_dataset(plan, dataset),
            "tables": plan.for_dataset(dataset.name).task == PIVOT_TASK,
            "used": here.submission_counts(team_id, dataset.name),
            "quota": plan.quotas[dataset.phase], "ends": plan.deadlines.get(dataset.phase),
            "zones": in_zones(plan.deadlines[dataset.phase], plan.zone) if dataset.phase in plan.deadlines else "",
            "over": here.deadline_passed(dataset.phase), "needs_licence": bool(plan.licence) and not record.licence,
        }
        for dataset in plan.datasets_in(here.phase) if dataset.phase in SUBMITTING and dataset.name in here.state.texts
    ]  # fmt: skip
    primaries = _primary_runs(here, team_id)
    sent = [
        {"receipt": receipt, "run": here.state.submissions[receipt.submission],
         "is_primary": receipt.submission in primaries}
        for receipt in reversed(here.receipts(who, team_id))
    ]  # fmt: skip
    return render_page(
        request, "team", team=record, datasets=datasets, sent=sent,
        steps=steps(here, who), stands=_consent_stands(here, record),
        is_over=has_reached(here.phase, ARCHIVE) and not record.is_late,
        code=join_code(record), has_primaries=any(
            plan.for_dataset(name).scoring.rank == "primary" for name in plan.datasets
        ), fields=list(plan.metadata.values()),
        may_stand=has_reached(here.phase, TEST_ADJUDICATION) and not record.is_late,
    )  # fmt: skip


def _about_dataset(plan: Protocol, dataset: Dataset) -> str:
    """The track and the condition of a dataset."""
    track = plan.tracks.get(dataset.track)
    return f"{track.title}, {plan.conditions[dataset.condition]}" if track else plan.conditions[dataset.condition]


def _primary_runs(here: Campaign, team: str) -> set[str]:
    """The primary submissions of a team; empty if all runs are ranked."""
    ranked = [name for name in here.state.keys if here.plan_of(name).scoring.rank == "primary"]
    primaries = [here.state.primary_submissions(name) for name in ranked]
    return {by_team[team] for by_team in primaries if team in by_team}


def _consent_stands(here: Campaign, team: Team) -> bool:
    """Whether a team can no longer change its consent."""
    if team.is_late:
        return False
    return has_reached(here.phase, PUBLICATION) or (has_reached(here.phase, TEST) and bool(team.consent))


@require_POST
@campaign_view
def act(request: HttpRequest, what: str) -> HttpResponse:
    """Actions of a team: accept the licence, consent, confirm results, withdraw, remove a member."""
    here, team_id = campaign(), team_of(request)
    if what == "licence":
        here.accept_licence(team_id)
    elif what == "consent":
        here.consent(team_id, request.POST.get("consent", ""))
    elif what == "validate":
        here.validate(team_id)
    elif what == "withdraw":
        if has_reached(here.phase, ARCHIVE) and not here.team(team_id).is_late:
            raise UsageError("everything is published: nobody can withdraw any more")
        here.withdraw(team_id, request.POST.get("reason", "")[:500])
    elif what == "leave":
        name = request.POST.get("name", "")
        here.remove_member(team_id, name)
        Membership.objects.filter(account__name=name, team=team_id).delete()
    else:
        raise Http404
    request_letters()
    return redirect("/campaign/team")


def join_code(team: Team) -> str:
    """A signed code for joining a team; when a member leaves, earlier codes become void."""
    return signing.dumps([team.id, len(team.former)], salt=JOIN_SALT)


JOIN_SALT, JOIN_PERIOD = "aune.campaign.join", timedelta(days=14)


@require_POST
@campaign_view
def join(request: HttpRequest) -> HttpResponse:
    """Join a team by its code. Teams cannot add accounts by name, which would reveal the accounts that exist."""
    here, account = campaign(), person(request)
    if account.role != PARTICIPANT or is_member(account):
        raise Http404
    try:
        name, left = signing.loads(request.POST.get("code", "").strip(), salt=JOIN_SALT, max_age=JOIN_PERIOD)
        team = here.team(name)
    except (signing.BadSignature, UsageError, ValueError, TypeError):
        team = None
    if team is None or len(team.former) != left:
        raise UsageError("found a code that is none, or no longer: ask the team for a new one, from its page")
    add_account(here, team.id, account)
    return redirect("/campaign/team")


def add_account(here: Campaign, team: str, account: Account) -> None:
    """Make an account a member of a team."""
    try:
        with transaction.atomic():
            Membership.objects.create(account=account, team=team)
            here.add_member(team, account.name)
    except IntegrityError:
        raise UsageError(f"{account.name} is in a team already") from None


@require_GET
@campaign_view
def texts(request: HttpRequest, dataset: str) -> Any:
    """Download the texts of a dataset, if the policy allows it (licence accepted); the download is recorded."""
    here = campaign()
    if dataset not in here.state.texts:
        raise Http404
    with work_slots.work_slot():
        files = make_handout(here, viewer(request), dataset)
        zip_file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 - closed after it is sent
        write_zip(files, zip_file)
    zip_file.seek(0)
    name = f"{here.protocol.name}-{dataset}.zip"
    return FileResponse(zip_file, as_attachment=True, filename=name, content_type="application/zip")


@require_POST
@campaign_view
def submit(request: HttpRequest, dataset: str) -> HttpResponse:
    return redirect(f"/campaign/submission/{receive_run(request, dataset)}")


def receive_run(request: HttpRequest, dataset: str) -> str:
    """Store a submitted run and record it in the ledger; the id of the submission."""
    here, team_id = campaign(), team_of(request)
    if dataset not in here.protocol.datasets:
        raise Http404
    arrived = request.META.get(ARRIVED) or now()
    sent, table = uploaded_run(request)
    receipt = here.receive(
        team_id, dataset, request.POST.get("run", "") or "run", sent.name or "run", sent.chunks(),
        table=table.chunks() if table and table.size else b"", table_name=(table.name or "table.tsv") if table else "",
        idempotency=request.headers.get("Idempotency-Key", "")[:200], at=arrived,
        metadata=asked_metadata(request, here),
    )  # fmt: skip
    request_letters()
    return receipt.submission


def uploaded_run(request: HttpRequest) -> tuple[UploadedFile[bytes], UploadedFile[bytes] | None]:
    """The run in a form, and its table if there is one."""
    sent, table = request.FILES.get("file"), request.FILES.get("table")
    if sent is None:
        raise UsageError("found no file, expected the run as the field 'file'")
    return sent, table


@require_GET
@campaign_view
def submission(request: HttpRequest, submission: str) -> HttpResponse:
    """The receipt of a run, and its state."""
    here, who = campaign(), viewer(request)
    status = here.status(who, submission)
    is_own = here.state.submissions[submission].team == who.team
    record, phase = here.state.submissions[submission], here.dataset(status["dataset"]).phase
    stands = any(run.id == submission for run in here.state.standing_submissions(status["dataset"]))
    is_team = is_own and here.team(record.team).kind == TEAM
    described = status.get("metadata", {})
    tells, is_open = here.may_see(who, f"{phase} scores", record.team), is_open_run(here, record)
    return render_page(
        request,
        "submission",
        status=status,
        waits=status["state"] == "received",
        own=is_own,
        stands=stands,
        may_choose=is_team and stands and here.phase == phase and status.get("primary") is False,
        may_withdraw=is_team and stands and (is_open or not has_reached(here.phase, PUBLICATION)),
        may_describe=is_team and (is_open or not has_reached(here.phase, ARCHIVE)),
        described=[(heading, described.get(heading.name, "")) for heading in here.protocol.metadata.values()],
        scoring=here.plan_of(status["dataset"]).scoring,
        judges=who.role == ORGANISER and record.state == SCORED,
        tells_scores=tells,
        explains=may_read(here, who, submission),
        is_away=bool(record.waits_for),
        of=here.team(record.team).name if not is_own else "",
    )
