"""The home page: the annotator's open texts, projects, all texts, and a place to drop files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from aune.server.accounts.views import person
from aune.server.spawned_process import CAN_FORK, MISSING_LIMITS
from aune.server.workbench import access, projects
from aune.server.workbench.models import Layer, Text
from aune.server.workbench.open_work import open_texts
from aune.workbench.files import TASKS
from aune.workbench.schemas import LABEL_SETS
from aune.workbench.segmentation import LANGUAGES

PAGE_SIZE = 50  # texts on one page
MAX_WAITING = 20  # open texts of an annotator that are listed


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Texts and layers, and a place to drop files."""
    account = person(request)
    if account.role == "participant" and settings.SITE.has_campaign:
        return redirect("/campaign/")  # where participants find everything that they may see
    query = request.GET.get("name", "").strip()
    matches = access.texts(account).filter(Q(name__icontains=query) | Q(source__name__icontains=query))
    paginator = Paginator(matches, PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    texts = list(page)
    seen = access.layers_of_texts(account, texts)
    waiting = open_texts(account) if account.role in access.WORKERS and settings.SITE.accounts else []
    return render(
        request,
        "home.html",
        {
            "panels": _panels(texts, seen), "tasks": TASKS, "label_sets": LABEL_SETS.items(), "languages": LANGUAGES,
            "may_open": account.is_organiser,
            "asked": query, "page": page, "is_long": paginator.num_pages > 1,
            "projects": projects.home_summaries(account), "waiting": waiting[:MAX_WAITING],
            "missing_limits": "" if CAN_FORK else MISSING_LIMITS,
            "more_waiting": max(0, len(waiting) - MAX_WAITING),
        },
    )  # fmt: skip


def _panels(texts: Sequence[Text], seen: Mapping[str, Sequence[Layer]]) -> list[dict[str, Any]]:
    """The texts with their layers: a panel for each file, and one for many files of a single text without warnings."""
    panels: list[dict[str, Any]] = []
    for source, of_source in groupby(texts, key=lambda text: text.source):
        rows = [{"text": text, "layers": seen[text.pk], "source": source} for text in of_source]
        is_plain = len(rows) == 1 and not rows[0]["text"].number and not source.warnings
        last = panels[-1] if panels else None
        if is_plain and last is not None and last["is_plain"] and last["project"] == source.project_id:
            last["rows"] += rows
            last["source"] = None
        else:
            panels.append({"source": source, "rows": rows, "is_plain": is_plain, "project": source.project_id})
    return panels
