"""Jobs in the database: their requests, leases, states and results."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any, ClassVar

from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from aune.server.accounts.models import identifier
from aune.server.work_slots import BusyError

LEASE = timedelta(seconds=30)
"""How long a worker may send no sign of life before another worker gets its job."""
ATTEMPTS = 2
KEPT_RESULTS = 200  # finished jobs of a kind whose results are kept
STATES = {
    "queued": "waits for its turn",
    "running": "is being done",
    "done": "was done",
    "refused": "cannot be done, for reasons that whoever asked can mend",
    "failed": "our fault",
}
ENDED = ("done", "refused", "failed")


class Job(models.Model):
    """A background job."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    kind = models.CharField(max_length=64)
    """The kind of the job, a name in `aune.server.job_kinds`."""
    subject = models.CharField(max_length=80, blank=True, db_index=True)
    """What the job is about, for example the id of a submission."""
    request = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    problems = models.JSONField(default=list)
    """The reasons for a refusal or failure, as sentences."""
    state = models.CharField(max_length=16, default="queued", choices=list(STATES.items()))
    attempts = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=64, blank=True)
    leased_until = models.DateTimeField(null=True)
    made = models.DateTimeField(default=timezone.now)
    ended = models.DateTimeField(null=True)

    class Meta:
        """The queue is read by state, oldest job first."""

        indexes: ClassVar[list[Any]] = [models.Index(fields=["state", "made"])]


def create_job(kind: str, request: dict[str, Any], subject: str = "") -> Job:
    """Create a job, which is stored when the surrounding transaction is committed."""
    return Job.objects.create(kind=kind, request=request, subject=subject)


def find_or_create_job(kind: str, request: dict[str, Any], subject: str, most: int) -> Job:
    """The existing job about a subject, or a new one. Of the finished jobs of the kind only the newest are kept.

    Raises `BusyError` if `most` jobs of the kind are queued already, so that other kinds get a turn.
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
    """Whether a job can be leased, not counting the kinds in `but`."""
    silent = Q(state="running", leased_until__lt=timezone.now())
    return Job.objects.filter(Q(state="queued") | silent).exclude(kind__in=but).exists()


def lease_job(worker: str, but: Collection[str] = ()) -> Job | None:
    """Lease the next job to a worker: a queued one, or one whose lease has expired.

    A job whose lease has expired twice is marked as failed. `but` are the kinds that this worker does not do.
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
    """Renew the lease of a job; False if the worker no longer has it."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    return bool(leased_rows.update(leased_until=timezone.now() + LEASE))


def end_job(job: Job, state: str, result: Any = None, problems: list[str] | None = None) -> bool:
    """Record how a job ended; False if the worker no longer has the lease and nothing was recorded."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    return bool(leased_rows.update(state=state, result=result, problems=problems or [], ended=timezone.now()))


def release_job(job: Job) -> None:
    """Put a job that was interrupted back into the queue; it does not count as an attempt."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    leased_rows.update(state="queued", worker="", leased_until=None, attempts=job.attempts - 1)


def return_job(job: Job) -> None:
    """Put a job whose process ended unexpectedly back into the queue; the second time, mark it as failed."""
    leased_rows = Job.objects.filter(pk=job.pk, worker=job.worker, attempts=job.attempts, state="running")
    if job.attempts >= ATTEMPTS:
        leased_rows.update(state="failed", ended=timezone.now(), problems=["The process that did this ended twice."])
    else:
        leased_rows.update(state="queued", worker="", leased_until=None)
