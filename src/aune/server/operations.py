"""Pages for those who run a server: `/health` (whether it works), `/metrics` (how much it does), and personal data.

Everybody may read `/health`, which reports only whether each part works. Metrics are for organisers, and for programs
with the token of an organiser. They contain numbers and no names of people.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.runs.jobs import longest_wait as longest_wait_for_scores
from aune.errors import AuneError, UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import organiser
from aune.server.campaign.access import campaign
from aune.server.jobs.models import Job
from aune.server.personal_data import delete_person, export_person
from aune.server.policy import refusal

LEAST_FREE = 64 << 20  # bytes: with less free disk space, uploads will soon be refused
LONGEST_WAIT = timedelta(minutes=15)
"""How long a job may be queued: leaderboards take minutes, and with a single worker other jobs wait for them."""
OK, FAILING = "ok", "failing"


@require_GET
def health(request: HttpRequest) -> HttpResponse:
    """Whether the database responds, the disk has free space, and jobs are being done."""
    parts = {"database": OK, "disk": OK if free_bytes() >= LEAST_FREE else FAILING, "queue": OK}
    try:
        if longest_wait() > LONGEST_WAIT:
            parts["queue"] = FAILING
    except (DatabaseError, InterfaceError):
        parts |= {"database": FAILING, "queue": FAILING}
    except (AuneError, OSError):  # the ledger cannot be read
        parts["queue"] = FAILING
    status = OK if set(parts.values()) == {OK} else FAILING
    return JsonResponse({"status": status, **parts}, status=200 if status == OK else 503)


def free_bytes() -> int:
    """The free space on the disk of the site, in bytes."""
    return shutil.disk_usage(settings.SITE.folder or Path.cwd()).free


def longest_wait() -> timedelta:
    """How long the oldest queued job, or submission, has been waiting."""
    oldest = Job.objects.filter(state="queued").order_by("made").values_list("made", flat=True).first()
    wait = timezone.now() - oldest if oldest else timedelta()
    return max(wait, longest_wait_for_scores(campaign())) if settings.SITE.has_campaign else wait


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics in the text format of Prometheus."""
    if not (isinstance(request.user, Account) and request.user.is_organiser and settings.SITE.accounts):
        raise Http404
    lines = [line for metric in _metrics() for line in metric.lines()]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; version=0.0.4; charset=utf-8")


class Metric(NamedTuple):
    """A number, or one number per set of labels."""

    name: str
    about: str
    values: Mapping[tuple[tuple[str, str], ...], float]

    @classmethod
    def single(cls, name: str, about: str, value: float) -> Metric:
        return cls(name, about, {(): value})

    def lines(self) -> Iterator[str]:
        """The lines of the metric in the Prometheus format.

        >>> list(Metric("aune_jobs", "Jobs.", {(("state", "done"),): 2}).lines())[-1]
        'aune_jobs{state="done"} 2'
        """
        yield f"# HELP {self.name} {self.about}"
        yield f"# TYPE {self.name} gauge"
        for labels, value in self.values.items():
            shown = ",".join(f'{label}="{text}"' for label, text in labels)
            yield f"{self.name}{{{shown}}} {value:g}" if shown else f"{self.name} {value:g}"


def _metrics() -> Iterator[Metric]:
    jobs = Job.objects.order_by().values_list("kind", "state").annotate(number=Count("pk"))
    yield Metric(
        "aune_jobs", "Jobs by kind and state.",
        {(("kind", kind), ("state", state)): number for kind, state, number in jobs},
    )  # fmt: skip
    yield Metric.single("aune_longest_wait_seconds", "How long the oldest job waits.", longest_wait().total_seconds())
    yield Metric.single("aune_disk_free_bytes", "Room on the disk of the site.", free_bytes())
    yield Metric.single("aune_memory_peak_bytes", "The most memory that the answering process had.", _peak_bytes())
    roles = Account.objects.filter(is_active=True).order_by().values_list("role").annotate(number=Count("pk"))
    yield Metric("aune_accounts", "Open accounts by role.", {(("role", role),): number for role, number in roles})
    if settings.SITE.has_campaign:
        yield from _campaign_metrics()


def _peak_bytes() -> int:
    import resource  # noqa: PLC0415 - only Unix has it, and metrics are of servers with accounts

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _campaign_metrics() -> Iterator[Metric]:
    here = campaign()
    with here.snapshot():
        states = Counter(submission.state for submission in here.state.submissions.values())
        yield Metric(
            "aune_campaign_submissions", "Submissions by state.",
            {(("state", state),): number for state, number in sorted(states.items())},
        )  # fmt: skip
        yield Metric.single("aune_campaign_teams", "Teams, baselines among them.", len(here.state.teams))
        undecided = sum(not dispute.decision for dispute in here.state.disputes.values())
        yield Metric.single("aune_campaign_disputes_undecided", "Disputes that wait for a decision.", undecided)
        yield Metric.single("aune_ledger_entries", "Entries of the ledger.", len(here.entries))


@require_GET
def person_data(request: HttpRequest, account: str) -> HttpResponse:
    """The data stored about a person, for organisers, who pass them on to that person."""
    organiser(request)
    data = export_person(get_object_or_404(Account, pk=account))
    response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = 'attachment; filename="person.json"'
    return response


@require_POST
def forget(request: HttpRequest, account: str) -> HttpResponse:
    """Delete the data stored about a person."""
    chief = organiser(request)
    person = get_object_or_404(Account, pk=account)
    if person == chief:
        return refusal(request, 422, "You cannot delete your own account: let another organiser do it.")
    try:
        left = delete_person(person)
    except UsageError as error:
        return refusal(request, 422, str(error))
    return render(request, "forgotten.html", {"left": left})


urlpatterns = [
    path("health", health),
    path("metrics", metrics),
    path("people/<str:account>/data", person_data),
    path("people/<str:account>/forget", forget),
]
"""The URLs. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""
