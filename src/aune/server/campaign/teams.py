"""The pages of a team: what it agreed to, what it sent, what it may still send."""

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

from aune.campaign.archives import pack
from aune.campaign.campaign import Campaign
from aune.campaign.distribution import handout
from aune.campaign.explained import may_read
from aune.campaign.instants import now
from aune.campaign.instants import shown as in_zones
from aune.campaign.phases import ARCHIVE, SUBMITTING, TEST, TEST_ADJUDICATION, since
from aune.campaign.policy import PARTICIPANT
from aune.campaign.records import Team
from aune.core.errors import UsageError
from aune.server import apart
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, is_member, team_of, viewer
from aune.server.campaign.models import Membership
from aune.server.campaign.pages import shown
from aune.server.campaign.steps import steps
from aune.server.campaign.work import SCORE, ask_for_what_waits, letters_are_due, wanted


@require_POST
@answering
def register(request: HttpRequest) -> HttpResponse:
    """A participant's account makes a team and acts for it."""
    account = person(request)
    if account.role != PARTICIPANT or is_member(account):
        raise Http404
    name, country = request.POST.get("name", "").strip(), request.POST.get("country", "").strip()
    with suppress(IntegrityError), transaction.atomic():  # whoever clicks twice has one team
        row = Membership.objects.create(account=account, team="")
        row.team = campaign().register(name, country[:80], members=[account.name]).id
        row.save()
    letters_are_due()
    return redirect("/campaign/team")


@require_GET
@answering
def team(request: HttpRequest) -> HttpResponse:
    """The team's own page."""
    here, own, who = campaign(), team_of(request), viewer(request)
    plan, found = here.protocol, here.team(own)
    datasets = [
        {
            "name": one.name, "condition": plan.conditions[one.condition], "used": here.used(own, one.name),
            "quota": plan.quotas[one.phase], "ends": plan.deadlines.get(one.phase),
            "zones": in_zones(plan.deadlines[one.phase], plan.zone) if one.phase in plan.deadlines else "",
            "over": here.deadline_passed(one.phase), "needs_licence": bool(plan.licence) and not found.licence,
        }
        for one in plan.of_phase(here.phase) if one.phase in SUBMITTING and one.name in here.state.texts
    ]  # fmt: skip
    sent = [
        {"receipt": receipt, "state": here.state.submissions[receipt.submission].state}
        for receipt in reversed(here.receipts(who, own))
    ]
    return shown(
        request, "team", team=found, datasets=datasets, sent=sent, tables=plan.task == "tagging",
        steps=steps(here, who), has_begun=since(here.phase, TEST), is_over=here.phase == ARCHIVE,
        code=code_of(found), may_stand=since(here.phase, TEST_ADJUDICATION),
    )  # fmt: skip


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
        if here.phase == ARCHIVE:
            raise UsageError("everything is published: nobody can withdraw any more")
        here.withdraw(own, request.POST.get("reason", "")[:500])
    elif what == "leave":
        name = request.POST.get("name", "")
        here.remove_member(own, name)
        Membership.objects.filter(account__name=name, team=own).delete()
    else:
        raise Http404
    letters_are_due()
    return redirect("/campaign/team")


def code_of(team: Team) -> str:
    """What lets somebody join a team; when a member leaves, the codes that were known are void."""
    return signing.dumps([team.id, len(team.former)], salt=JOINING)


JOINING, JOINS = "aune.campaign.join", timedelta(days=14)


@require_POST
@answering
def join(request: HttpRequest) -> HttpResponse:
    """A participant's account acts for a team whose code it has: nobody is put into a team by others, or found out."""
    here, account = campaign(), person(request)
    if account.role != PARTICIPANT or is_member(account):
        raise Http404
    try:
        name, left = signing.loads(request.POST.get("code", "").strip(), salt=JOINING, max_age=JOINS)
        team = here.team(name)
    except (signing.BadSignature, UsageError, ValueError, TypeError):
        team = None
    if team is None or len(team.former) != left:
        raise UsageError("found a code that is none, or no longer: ask the team for a new one, from its page")
    put_in(here, team.id, account)
    return redirect("/campaign/team")


def put_in(here: Campaign, team: str, account: Account) -> None:
    """An account acts for a team too."""
    try:
        with transaction.atomic():
            Membership.objects.create(account=account, team=team)
            here.add_member(team, account.name)
    except IntegrityError:
        raise UsageError(f"{account.name} is in a team already") from None


@require_GET
@answering
def texts(request: HttpRequest, dataset: str) -> Any:
    """The texts of a dataset, to those who accepted the licence; the download is logged."""
    here = campaign()
    if dataset not in here.state.texts:
        raise Http404
    with apart.turn():
        files = handout(here, viewer(request), dataset)
        made = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 - closed when it is sent
        pack(files, made)
    made.seek(0)
    name = f"{here.protocol.name}-{dataset}.zip"
    return FileResponse(made, as_attachment=True, filename=name, content_type="application/zip")


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
    sent, table = run_sent(request)
    receipt = here.receive(
        own, dataset, request.POST.get("run", "") or "run", sent.name or "run", sent.chunks(),
        table=table.chunks() if table and table.size else b"", table_name=(table.name or "table.tsv") if table else "",
        idempotency=request.headers.get("Idempotency-Key", "")[:200], at=arrived,
    )  # fmt: skip
    wanted(SCORE, receipt.submission)
    letters_are_due()
    return receipt.submission


def run_sent(request: HttpRequest) -> tuple[UploadedFile[bytes], UploadedFile[bytes] | None]:
    """The run in a form, and its table where there is one."""
    sent, table = request.FILES.get("file"), request.FILES.get("table")
    if sent is None:
        raise UsageError("found no file, expected the run as the field 'file'")
    return sent, table


@require_GET
@answering
def submission(request: HttpRequest, submission: str) -> HttpResponse:
    """The receipt of a run, and what became of it."""
    here, who = campaign(), viewer(request)
    ask_for_what_waits(here)
    status = here.status(who, submission)
    own = here.state.submissions[submission].team == who.team
    again = [one.run for one in here.state.standing(status["dataset"]) if one.id == submission]
    tells = here.may(who, f"{here.dataset(status['dataset']).phase} scores", here.state.submissions[submission].team)
    return shown(
        request, "submission", status=status, waits=status["state"] == "received", own=own, stands=bool(again),
        tells_scores=tells, explains=may_read(here, who, submission),
        is_away=bool(here.state.submissions[submission].waits_for),
        of=here.team(here.state.submissions[submission].team).name if not own else "",
    )  # fmt: skip
