"""What is computed about large layers, and shown of them, is so for few at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aune.server import sandbox
from aune.server.workbench.models import Layer

LARGE_BYTES = 4_000_000  # bytes that a layer of a text holds, its text among them


def limit_concurrency(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view that takes memory and time by what layers hold: whoever asks about large ones waits for a turn."""

    @wraps(view)
    def wrapper(request: HttpRequest, **named: str) -> HttpResponse:
        names = [name.partition("@")[0] for name in (*named.values(), request.GET.get("against", ""))]
        is_work = request.method in ("GET", "POST") and _is_large(names)  # any other is refused without a look
        with sandbox.work_slot() if is_work else nullcontext():
            return view(request, **named)

    return wrapper


def in_turn(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view that looks at many layers: whoever asks waits for a turn."""

    @wraps(view)
    def wrapper(request: HttpRequest, **named: str) -> HttpResponseBase:
        with sandbox.work_slot() if request.method in ("GET", "POST") else nullcontext():
            return view(request, **named)

    return wrapper


def _is_large(names: list[str]) -> bool:
    """Whether one of these is a text with a large layer, or any layer of such a text."""
    return Layer.objects.filter(Q(text__in=names) | Q(text__layers__in=names), size__gt=LARGE_BYTES).exists()
