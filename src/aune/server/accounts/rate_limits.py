"""How often a passphrase may be guessed: few times for a name, more often from one address."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

from aune.server.accounts.models import Attempt, digest, since
from aune.server.request_buffering import client_address

WINDOW = timedelta(minutes=15)


class Limit(NamedTuple):
    """So many failures of a subject within the window."""

    subject: str
    most: int


def limits(request: HttpRequest, name: str) -> list[Limit]:
    """What is counted: the name from this address, the name from anywhere, the address. A guesser who knows a name can
    shut its owner out from the guesser's own address only, until many addresses guess.
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
    """Count a failure, and forget old ones."""
    now = timezone.now()
    Attempt.objects.filter(at__lt=since(WINDOW)).delete()
    Attempt.objects.bulk_create([Attempt(subject=limit.subject, at=now) for limit in limits(request, name)])
