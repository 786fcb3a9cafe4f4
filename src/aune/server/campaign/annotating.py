"""The annotator's page: the texts, one's own layers, and how far annotators agree as soon as one may know."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import publication
from aune.campaign.campaign import Campaign
from aune.campaign.policy import ANNOTATOR, ORGANISER, Viewer
from aune.core.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, organiser, viewer
from aune.server.campaign.pages import shown
from aune.server.campaign.work import letters_are_due
from aune.server.policy import whole_number
from aune.server.workbench import access
from aune.server.workbench.layers import began
from aune.server.workbench.models import Layer, Text
from aune.workbench.model import EMPTY

LISTED = 500  # texts on one page
EACH = 2  # annotators of a text, who can agree or not


@require_GET
@answering
def annotate(request: HttpRequest) -> HttpResponse:
    """What somebody who annotates has to do, and may see."""
    here, who = campaign(), viewer(request)
    if who.role not in (ANNOTATOR, ORGANISER):
        raise Http404
    account = person(request)
    texts = list(access.texts(account)[:LISTED])
    seen = access.layers_of_texts(account, texts)
    rows = [_row(account, text, seen[text.pk]) for text in texts]
    return shown(
        request, "annotate", rows=rows, agreements=_agreements(here, who), keys=_keys(here, who),
        assigned=sum(bool(row["own"]) for row in rows), done=sum(row["is_done"] for row in rows),
        is_open=[dataset.name for dataset in here.protocol.datasets.values() if not here.state.version(dataset.name)],
        annotators=_annotators() if who.role == ORGANISER else [], each=EACH,
    )  # fmt: skip


def _annotators() -> list[Account]:
    return list(Account.objects.filter(is_active=True, role=ANNOTATOR).order_by("name"))


@require_POST
@answering
def assign(request: HttpRequest) -> HttpResponse:
    """Give texts to annotators, each text to several of them, and tell them."""
    organiser(request)
    here, account = campaign(), person(request)
    chosen = [one for one in _annotators() if one.pk in request.POST.getlist("annotator")]
    asked = request.POST.get("each", "")
    each = whole_number(asked) or 0
    if not 1 <= each <= len(chosen):
        raise UsageError(
            f"found {asked!r} annotators for each text and {len(chosen)} chosen, expected that many at least"
        )
    texts = {one.pk: one for one in access.texts(account)}
    layers = Layer.objects.filter(text__in=list(texts), kind="annotation").values_list("text_id", "author_id")
    have: dict[str, set[str]] = {name: set() for name in texts}
    for text, author in layers:
        have[text].add(str(author))
    given = shared_out(have, [one.pk for one in chosen], each)
    for annotator in chosen:
        own = given[annotator.pk]
        for name in own:
            began(texts[name], annotator.name, "annotation", annotator, EMPTY)
        if own:
            here.assign(annotator.name, [texts[name].name for name in own], account.name)
    letters_are_due()
    return redirect("/campaign/annotate")


def shared_out(have: Mapping[str, Collection[str]], annotators: Sequence[str], each: int) -> dict[str, list[str]]:
    """Which texts each annotator gets, so that every text has as many as asked and nobody has much more than others.

    >>> shared_out({"one": {"Ann"}, "two": (), "three": ()}, ["Ann", "Ben", "Cid"], 2)
    {'Ann': ['two'], 'Ben': ['one', 'three'], 'Cid': ['two', 'three']}
    """
    given: dict[str, list[str]] = {name: [] for name in annotators}
    load = {name: sum(name in authors for authors in have.values()) for name in annotators}
    for text, authors in have.items():
        free = sorted((name for name in annotators if name not in authors), key=lambda name: load[name])
        for name in free[: max(each - len(authors), 0)]:
            given[name].append(text)
            load[name] += 1
    return given


def _row(account: Account, text: Text, layers: list[Layer]) -> dict[str, Any]:
    """A text, what one said of it oneself, and the others' layers once one is done."""
    own = [layer for layer in layers if layer.author_id == account.pk and layer.kind == "annotation"]
    others = [layer for layer in layers if layer.author_id != account.pk and layer.kind == "annotation" and layer.done]
    is_done = bool(own) and all(layer.done for layer in own)
    return {"text": text, "own": own, "others": len(others), "is_done": is_done, "agrees": is_done and bool(others)}


def _agreements(here: Campaign, who: Viewer) -> dict[str, dict[str, float]]:
    """How far annotators of each key agree, where that is told."""
    if not here.may(who, "agreement"):
        return {}
    found = {name: publication.agreement(here, who, name).get("ranking", {}) for name in here.protocol.datasets}
    return {name: pairs for name, pairs in found.items() if pairs}


def _keys(here: Campaign, who: Viewer) -> list[str]:
    """The keys that may be looked at."""
    return [name for name in here.state.keys if here.may(who, f"{here.dataset(name).phase} key")]
