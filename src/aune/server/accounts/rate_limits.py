"""The limits on guessing passphrases: few failures per name, more per client address."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

from aune.server.accounts.models import Attempt, digest, since
from aune.server.request_buffering import client_address

WINDOW = timedelta(minutes=15)


class Limit(NamedTuple):
    """How many failures of a subject are allowed within the window."""

    subject: str
    most: int


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


def is_exceeded(request: HttpRequest, name: str) -> bool:
    start = since(WINDOW)
    return any(
        Attempt.objects.filter(subject=limit.subject, at__gt=start).count() >= limit.most
        for limit in limits(request, name)
    )


def record_failure(request: HttpRequest, name: str) -> None:
    """Count a failure, and delete those older than the window."""
    now = timezone.now()
    Attempt.objects.filter(at__lt=since(WINDOW)).delete()
    Attempt.objects.bulk_create([Attempt(subject=limit.subject, at=now) for limit in limits(request, name)])
