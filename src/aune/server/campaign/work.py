"""What takes long: scoring a submission, making a board or a report, sending letters. The site's worker does it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from aune.campaign import explained, worker
from aune.campaign.archive import make_zip
from aune.campaign.campaign import Campaign
from aune.campaign.disputes import open_disputes
from aune.campaign.jobs import WAITS, Engine, done, make_board, taken, to_do
from aune.campaign.policy import THE_ORGANISER
from aune.campaign.starting import opened
from aune.server.campaign.letters import Mail, has_office, sent
from aune.server.jobs.models import Job, asked
from aune.server.jobs.worker import Work

SCORE, BOARD, REPORT, MAIL = "campaign.score", "campaign.board", "campaign.report", "campaign.mail"
EFFECTS, ARCHIVE = "campaign.effects", "campaign.archive"
PAUSE = timedelta(minutes=1)
"""How long after a failure a job is tried again."""
FOR_EVER = timedelta(days=36_500)
log = logging.getLogger(__name__)


def score(request: dict[str, Any]) -> Any:
    """Score whatever waits longest; how it ended."""
    campaign = opened(Path(settings.SITE.folder))
    job = taken(campaign)
    if job is None:
        return {"state": "nothing waits"}
    state = done(campaign, job, Engine.of_environment())
    if state != WAITS:
        ask_for_what_waits(campaign, but=1)
        letters_are_due()
    return {"state": state}


def ask_for_what_waits(campaign: Campaign, but: int = 0) -> None:
    """Have somebody score what waits and was forgotten: by a server that was killed, or whose disk was full.

    `but` is how many jobs there are of which one need not think: the one that asks.
    """
    if to_do(campaign):
        busy = Job.objects.filter(kind=SCORE, state__in=("queued", "running"))
        if busy.count() <= but:
            wanted(SCORE, f"next {len(campaign.ledger.entries())}")


def board(request: dict[str, Any]) -> Any:
    """Make the board of a dataset."""
    make_board(opened(Path(settings.SITE.folder)), request["dataset"], engine=Engine.of_environment())
    return {"dataset": request["dataset"]}


def report(request: dict[str, Any]) -> Any:
    """Make the report of a run."""
    campaign = opened(Path(settings.SITE.folder))
    if not explained.is_ready(campaign, request["submission"]):
        explained.make(campaign, request["submission"])
    return {"submission": request["submission"]}


def effects(request: dict[str, Any]) -> Any:
    """What accepting each open dispute would do to every run, those first that could change the ranking most."""
    return [[one.id, found] for one, found in open_disputes(opened(Path(settings.SITE.folder)), THE_ORGANISER)]


def archive(request: dict[str, Any]) -> Any:
    """Make the archive as one file."""
    make_zip(opened(Path(settings.SITE.folder)))
    return {}


def letters(request: dict[str, Any]) -> Any:
    """Write the letters that are new, and send those that wait."""
    mail = Mail.of_environment()
    return {"sent": sent(opened(Path(settings.SITE.folder)), mail) if mail else 0}


def letters_are_due() -> None:
    """Have letters about what happened written and sent, where there is a mail server."""
    if has_office():
        wanted(MAIL, "outbox")


@cache
def loaded() -> None:
    """What jobs of this campaign import, once for the process that is copied to do each of them."""
    worker.load(opened(Path(settings.SITE.folder)).protocol)


LARGE = 16_384  # megabytes
WORK: Mapping[str, Work] = {
    SCORE: Work(score, 3600, LARGE, loaded),  # its own child has the protocol's limits
    BOARD: Work(board, 3600, LARGE, loaded),
    REPORT: Work(report, 3600, LARGE, loaded),
    EFFECTS: Work(effects, 3600, LARGE, loaded),
    ARCHIVE: Work(archive, 3600, LARGE, loaded),
    MAIL: Work(letters, 600, load=loaded, sees_its_start=True),
}


def failure(kind: str, subject: str, within: timedelta = PAUSE) -> str:
    """Why the newest job about something was not done, if it ended so a short while ago; then it is tried again."""
    newest = Job.objects.filter(kind=kind, subject=subject).order_by("-made").first()
    if newest is None or newest.state not in ("refused", "failed") or newest.ended is None:
        return ""
    return "; ".join(newest.problems) or "it failed" if timezone.now() - newest.ended < within else ""


def begun(kind: str, subject: str, **request: Any) -> str:
    """Have something made; or why that failed just now."""
    failed = failure(kind, subject)
    if not failed:
        wanted(kind, subject, **request)
    return failed


def made(kind: str, subject: str, patience: float = 0.0) -> Any:
    """What a job about something made, if it is done within so many seconds; None otherwise."""
    until = monotonic() + patience
    while (done := Job.objects.filter(kind=kind, subject=subject, state="done").first()) is None:
        if monotonic() > until or failure(kind, subject):
            return None
        sleep(0.1)
    return done.result


def wanted(kind: str, subject: str, **request: Any) -> None:
    """Ask for a job, unless it is asked for already.

    What the ledger has stands, even where the database is full: then it is asked for when somebody looks for it next.
    """
    states = ["queued"] if WORK[kind].sees_its_start else ["queued", "running"]
    try:
        if not Job.objects.filter(kind=kind, subject=subject, state__in=states).exists():
            asked(kind, request, subject)
    except OperationalError:
        log.exception("%s of %s could not be asked for", kind, subject)
