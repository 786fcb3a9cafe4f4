"""The limits on guessing passphrases: few failures per name, more per client address.

An attempt is counted before its outcome is known, and taken back if it is no failure: attempts at the same moment
count each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

from aune.server.accounts.models import Attempt, digest, since
from aune.server.request_buffering import client_address

WINDOW = timedelta(minutes=15)
APPLYING = "\0application"
"""The name under which applications are counted; no account can have it."""


class Limit(NamedTuple):
    """How many failures of a subject are allowed within the window."""

    subject: str
    most: int


class CountedAttempt(NamedTuple):
    """An attempt that counts as a failure until it is taken back."""

    rows: Sequence[int]

    def take_back(self) -> None:
        """The attempt was no failure."""
        Attempt.objects.filter(pk__in=self.rows).delete()


def limits(request: HttpRequest, name: str) -> list[Limit]:
    """The counted subjects: the name from this address, the name from anywhere, the address. Wrong guesses for a known
    name lock its owner out only at the address of the guesses, unless they come from many addresses.
    """
    address = client_address(request.META)
    return [
        Limit(digest(f"{name.casefold()}\0{address}"), 5),
        Limit(digest(f"name\0{name.casefold()}"), 50),
        Limit(digest(f"address\0{address}"), 50),
    ]


def count_attempt(request: HttpRequest, name: str) -> CountedAttempt | None:
    """Count an attempt, and delete those older than the window; None if there were too many."""
    now, counted = timezone.now(), limits(request, name)
    Attempt.objects.filter(at__lt=since(WINDOW)).delete()
    rows = Attempt.objects.bulk_create([Attempt(subject=limit.subject, at=now) for limit in counted])
    attempt = CountedAttempt([row.pk for row in rows])
    if any(Attempt.objects.filter(subject=limit.subject).count() > limit.most for limit in counted):
        attempt.take_back()
        return None
    return attempt
