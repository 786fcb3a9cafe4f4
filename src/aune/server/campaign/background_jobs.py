"""The jobs of a campaign in the database: making boards and reports, sending emails. Submissions have no such job."""

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

from aune.campaign.archive.archive_builder import make_zip
from aune.campaign.disputes.resolution import open_disputes, score_versions
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication import run_report
from aune.campaign.publication.board_index import is_large, write_index
from aune.campaign.runs import scoring_process
from aune.campaign.runs.jobs import (
    LONGEST_BOARD,
    Engine,
    board_is_ready,
    make_board,
)
from aune.campaign.scaffold import open_campaign
from aune.server.campaign.email_delivery import Mail, has_mail_server, send_new_letters
from aune.server.jobs.models import Job, create_job
from aune.server.jobs.worker import JobKind

BOARD, REPORT, MAIL = "campaign.board", "campaign.report", "campaign.mail"
EFFECTS, ARCHIVE, RESCORED = "campaign.effects", "campaign.archive", "campaign.rescored"
PAUSE = timedelta(minutes=1)
"""How long after a failure a job is not tried again."""
FOR_EVER = timedelta(days=36_500)
log = logging.getLogger(__name__)


def board(request: dict[str, Any]) -> Any:
    """Make the board of a dataset."""
    campaign = open_campaign(Path(settings.SITE.folder))
    board = make_board(campaign, request["dataset"], engine=Engine.from_environment())
    if is_large(campaign, request["dataset"]) and board_is_ready(campaign, request["dataset"]):
        write_index(campaign, request["dataset"], board)
    return {"dataset": request["dataset"]}


def report(request: dict[str, Any]) -> Any:
    """Make the report of a run, unless it exists."""
    campaign = open_campaign(Path(settings.SITE.folder))
    if not run_report.is_ready(campaign, request["submission"]):
        run_report.make_page(campaign, request["submission"])
    return {"submission": request["submission"]}


def effects(request: dict[str, Any]) -> Any:
    """What accepting each open dispute would change for every run; the largest possible changes of rank come first."""
    return [
        [dispute.id, impacts]
        for dispute, impacts in open_disputes(open_campaign(Path(settings.SITE.folder)), THE_ORGANISER)
    ]


def score_key_versions(request: dict[str, Any]) -> Any:
    """The scores of every run by an older version of a key and by the newest one."""
    return score_versions(open_campaign(Path(settings.SITE.folder)), request["dataset"], request["old"])


def archive(request: dict[str, Any]) -> Any:
    """Write the archive to one file."""
    make_zip(open_campaign(Path(settings.SITE.folder)))
    return {}


def send_letters(request: dict[str, Any]) -> Any:
    """Write emails about new notices, and send all waiting ones."""
    mail = Mail.from_environment()
    return {"sent": send_new_letters(open_campaign(Path(settings.SITE.folder)), mail) if mail else 0}


def request_letters() -> None:
    """Request a job that writes and sends emails, if a mail server is configured."""
    if has_mail_server():
        request_job(MAIL, "outbox")


@cache
def load_modules() -> None:
    """Import the modules that jobs of this campaign need, once, in the process from which every job is forked."""
    scoring_process.load_modules(open_campaign(Path(settings.SITE.folder)).protocol)


LARGE_MEGABYTES = 16_384  # megabytes
JOB_KINDS: Mapping[str, JobKind] = {
    BOARD: JobKind(board, LONGEST_BOARD + 600, load=load_modules, is_long=True, is_contained=True),
    REPORT: JobKind(report, 3600, load=load_modules, is_long=True, is_contained=True),
    EFFECTS: JobKind(effects, 3600, load=load_modules, is_long=True, is_contained=True),
    RESCORED: JobKind(score_key_versions, 3600, load=load_modules, is_long=True, is_contained=True),
    ARCHIVE: JobKind(archive, 3600, LARGE_MEGABYTES, load_modules, is_long=True),
    MAIL: JobKind(send_letters, 600, load=load_modules, works_on_snapshot=True),
}


def recent_failure(kind: str, subject: str, within: timedelta = PAUSE) -> str:
    """Why the newest job about a subject failed, if it failed recently; after this time it may be tried again."""
    newest = Job.objects.filter(kind=kind, subject=subject).order_by("-made").first()
    if newest is None or newest.state not in ("refused", "failed") or newest.ended is None:
        return ""
    return "; ".join(newest.problems) or "it failed" if timezone.now() - newest.ended < within else ""


def ensure_requested(kind: str, subject: str, **request: Any) -> str:
    """Request a job, unless it failed recently; the reason of that failure, or an empty string."""
    failed = recent_failure(kind, subject)
    if not failed:
        request_job(kind, subject, **request)
    return failed


def job_result(kind: str, subject: str, patience: float = 0.0) -> Any:
    """The result of the finished job about a subject, waiting at most `patience` seconds; None if there is none."""
    until = monotonic() + patience
    while (job := Job.objects.filter(kind=kind, subject=subject, state="done").first()) is None:
        if monotonic() > until or recent_failure(kind, subject):
            return None
        sleep(0.1)
    return job.result


def request_job(kind: str, subject: str, **request: Any) -> None:
    """Create a job, unless the same one is already requested.

    If the database refuses it (a full disk), this is only logged: the job is requested again when its result is needed.
    """
    states = ["queued"] if JOB_KINDS[kind].works_on_snapshot else ["queued", "running"]
    try:
        if not Job.objects.filter(kind=kind, subject=subject, state__in=states).exists():
            create_job(kind, request, subject)
    except OperationalError:
        log.exception("%s of %s could not be asked for", kind, subject)
