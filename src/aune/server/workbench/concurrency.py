"""Limits on concurrency: only a few requests at a time may compute or show something about large layers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aune.server import work_slots
from aune.server.workbench.models import Layer

LARGE_BYTES = 4_000_000  # bytes of a layer above which it counts as large, including its text


def limit_concurrency(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a view whose cost grows with the size of layers wait for a slot if the requested layers are large."""

    @wraps(view)
    def wrapper(request: HttpRequest, **named: str) -> HttpResponse:
        names = [name.partition("@")[0] for name in (*named.values(), request.GET.get("against", ""))]
        is_work = request.method in ("GET", "POST") and _is_large(names)  # views refuse other methods immediately
        with work_slots.work_slot() if is_work else nullcontext():
            return view(request, **named)

    return wrapper


def in_turn(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let a view that reads many layers always wait for a slot."""

    @wraps(view)
    def wrapper(request: HttpRequest, **named: str) -> HttpResponseBase:
        with work_slots.work_slot() if request.method in ("GET", "POST") else nullcontext():
            return view(request, **named)

    return wrapper


def _is_large(names: list[str]) -> bool:
    """Whether any of these ids is a text with a large layer, or a layer of such a text."""
    return Layer.objects.filter(Q(text__in=names) | Q(text__layers__in=names), size__gt=LARGE_BYTES).exists()
