"""The jobs of a campaign are asked for as often as is needed, and no more."""

from __future__ import annotations

import pytest

from aune.server.campaign.background_jobs import JOB_KINDS, MAIL, request_job, request_letters
from aune.server.job_kinds import WORK as EVERY
from aune.server.jobs.models import Job, lease_job

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("beside_a_browser")]


@pytest.mark.parametrize("kind", JOB_KINDS)
def test_one_under_way_is_enough_unless_its_work_says_otherwise(kind: str) -> None:
    for _ in range(2):
        request_job(kind, "something")
    assert Job.objects.filter(kind=kind).count() == 1, "one that waits is enough"
    lease_job("a worker")
    for _ in range(2):
        request_job(kind, "something")
    states = sorted(Job.objects.filter(kind=kind).values_list("state", flat=True))
    assert states == (["queued", "running"] if JOB_KINDS[kind].works_on_snapshot else ["running"])


def test_letters_tell_what_happened_before_they_were_begun() -> None:
    assert [kind for kind, work in EVERY.items() if work.works_on_snapshot] == [MAIL]


def test_nobody_looks_for_letters_without_a_mail_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUNE_MAIL", raising=False)
    request_letters()
    assert not Job.objects.exists()
    monkeypatch.setenv("AUNE_MAIL", "whatever, rightly or not")
    request_letters()
    assert Job.objects.get().kind == MAIL
