"""The jobs of a campaign are asked for as often as is needed, and no more."""

from __future__ import annotations

import pytest

from aune.server.campaign.work import MAIL, WORK, letters_are_due, wanted
from aune.server.jobs.models import Job, leased
from aune.server.work import WORK as EVERY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("beside_a_browser")]


@pytest.mark.parametrize("kind", WORK)
def test_one_under_way_is_enough_unless_its_work_says_otherwise(kind: str) -> None:
    for _ in range(2):
        wanted(kind, "something")
    assert Job.objects.filter(kind=kind).count() == 1, "one that waits is enough"
    leased("a worker")
    for _ in range(2):
        wanted(kind, "something")
    states = sorted(Job.objects.filter(kind=kind).values_list("state", flat=True))
    assert states == (["queued", "running"] if WORK[kind].sees_its_start else ["running"])


def test_letters_tell_what_happened_before_they_were_begun() -> None:
    assert [kind for kind, work in EVERY.items() if work.sees_its_start] == [MAIL]


def test_nobody_looks_for_letters_without_a_mail_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUNE_MAIL", raising=False)
    letters_are_due()
    assert not Job.objects.exists()
    monkeypatch.setenv("AUNE_MAIL", "whatever, rightly or not")
    letters_are_due()
    assert Job.objects.get().kind == MAIL
