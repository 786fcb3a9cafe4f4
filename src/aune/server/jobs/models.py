"""Jobs in the database: what is to be done, who does it until when, and how it ended."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any, ClassVar

from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from aune.server.accounts.models import identifier
from aune.server.sandbox import BusyError

LEASE = timedelta(seconds=30)
"""How long a worker may be silent before its job goes to another."""
ATTEMPTS = 2
KEPT_RESULTS = 200  # results of a kind that can be had again
STATES = {
    "queued": "waits for its turn",
    "running": "is being done",
    "done": "was done",
    "refused": "cannot be done, for reasons that whoever asked can mend",
    "failed": "our fault",
}
ENDED = ("done", "refused", "failed")


class Job(models.Model):
    """One piece of work."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    kind = models.CharField(max_length=64)
    """The name of the work, as `aune.server.job_kinds` has it."""
    subject = models.CharField(max_length=80, blank=True, db_index=True)
    """What it is about: the id of a submission, say."""
    request = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    problems = models.JSONField(default=list)
    """Why it was refused or failed, in words."""
    state = models.CharField(max_length=16, default="queued", choices=list(STATES.items()))
    attempts = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=64, blank=True)
    leased_until = models.DateTimeField(null=True)
    made = models.DateTimeField(default=timezone.now)
    ended = models.DateTimeField(null=True)

    class Meta:
        """The queue is read by state, oldest first."""

        indexes: ClassVar[list[Any]] = [models.Index(fields=["state", "made"])]


def create_job(kind: str, request: dict[str, Any], subject: str = "") -> Job:
    """A new job, durable when the transaction around this call is."""
    return Job.objects.create(kind=kind, request=request, subject=subject)


def find_or_create_job(kind: str, request: dict[str, Any], subject: str, most: int) -> Job:
    """The job about a subject: the one that is there, or a new one. Of those that ended the newest are kept.

    A `BusyError` where so many of the kind wait already: others want the worker, too.
    """
    with transaction.atomic():
        known = Job.objects.filter(kind=kind, subject=subject).order_by("-made").first()
        if known is None and Job.objects.filter(kind=kind, state="queued").count() >= most:
            raise BusyError
        if known is None:
            finished = Job.objects.filter(kind=kind, state__in=ENDED).order_by("-made")
            Job.objects.filter(pk__in=[*finished.values_list("pk", flat=True)[KEPT_RESULTS:]]).delete()
        return known or create_job(kind, request, subject)


def is_waiting(but: Collection[str] = ()) -> bool:
    """Whether there is a job for somebody to do who leaves some kinds to others."""
    silent = Q(state="running", leased_until__lt=timezone.now())
    return Job.objects.filter(Q(state="queued") | silent).exclude(kind__in=but).exists()


def lease_job(worker: str, but: Collection[str] = ()) -> Job | None:
    """The next job, leased to a worker: one that waits, or one whose worker fell silent.

    A job whose second worker fell silent too has failed. `but` are kinds that this worker leaves to others.
    """
    now = timezone.now()
    silent = Q(state="running", leased_until__lt=now)
    Job.objects.filter(silent, attempts__gte=ATTEMPTS).update(
        state="failed", ended=now, problems=["The process that did this ended twice before it was done."]
    )
    with transaction.atomic():
        waiting = (
            Job.objects.select_for_update()
            .filter(Q(state="queued") | silent)
            .exclude(kind__in=but)
            .order_by("made")
            .first()
        )
        if waiting is None:
            return None
        waiting.state, waiting.worker, waiting.leased_until = "running", worker, now + LEASE
        waiting.attempts += 1
        waiting.save(update_fields=["state", "worker", "leased_until", "attempts"])
        return waiting


def renew_lease(job: Job) -> bool:
    """Whether the worker still holds its job, for another while."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    return bool(leased_rows.update(leased_until=timezone.now() + LEASE))


def end_job(job: Job, state: str, result: Any = None, problems: list[str] | None = None) -> bool:
    """Whether the end of a job was noted: only whoever holds it says how it ended."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    return bool(leased_rows.update(state=state, result=result, problems=problems or [], ended=timezone.now()))


def return_job(job: Job) -> None:
    """A job that its process could not finish goes back to the queue, once; then it is our fault."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    if job.attempts >= ATTEMPTS:
        leased_rows.update(state="failed", ended=timezone.now(), problems=["The process that did this ended twice."])
    else:
        leased_rows.update(state="queued", worker="", leased_until=None)
