"""The annotator's page: texts, the annotator's layers, and the agreement, as soon as the policy shows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER, Viewer
from aune.campaign.publication import visible_results
from aune.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser, viewer
from aune.server.campaign.background_jobs import request_letters
from aune.server.campaign.pages import render_page
from aune.server.policy import whole_number
from aune.server.workbench import access
from aune.server.workbench.layers import create_layer
from aune.server.workbench.models import Layer, Text
from aune.workbench.model import EMPTY

MOST_TEXTS = 500  # texts on one page
DEFAULT_ANNOTATORS = 2  # annotators per text: agreement needs at least two


@require_GET
@campaign_view
def annotate(request: HttpRequest) -> HttpResponse:
    """The page of an annotator: what there is to do, and what may be seen."""
    here, who = campaign(), viewer(request)
    if who.role not in (ANNOTATOR, ORGANISER):
        raise Http404
    account = person(request)
    texts = list(access.texts(account)[:MOST_TEXTS])
    seen = access.layers_of_texts(account, texts)
    rows = [_row(account, text, seen[text.pk]) for text in texts]
    return render_page(
        request, "annotate", rows=rows, agreements=_agreements(here, who), keys=_keys(here, who),
        assigned=sum(bool(row["own"]) for row in rows), done=sum(row["is_done"] for row in rows),
        is_open=[dataset.name for dataset in here.protocol.datasets.values() if not here.state.version(dataset.name)],
        annotators=_annotators() if who.role == ORGANISER else [], each=DEFAULT_ANNOTATORS,
    )  # fmt: skip


def _annotators() -> list[Account]:
    return list(Account.objects.filter(is_active=True, role=ANNOTATOR).order_by("name"))


@require_POST
@campaign_view
def assign(request: HttpRequest) -> HttpResponse:
    """Assign texts to annotators, each text to several of them, and notify them."""
    require_organiser(request)
    here, account = campaign(), person(request)
    chosen = [item for item in _annotators() if item.pk in request.POST.getlist("annotator")]
    each_text = request.POST.get("each", "")
    each = whole_number(each_text) or 0
    if not 1 <= each <= len(chosen):
        raise UsageError(
            f"found {each_text!r} annotators for each text and {len(chosen)} chosen, expected that many at least"
        )
    texts = {item.pk: item for item in access.texts(account)}
    layers = Layer.objects.filter(text__in=list(texts), kind="annotation").values_list("text_id", "author_id")
    have: dict[str, set[str]] = {name: set() for name in texts}
    for text, author in layers:
        have[text].add(str(author))
    shares = share_texts(have, [item.pk for item in chosen], each)
    for annotator in chosen:
        names = shares[annotator.pk]
        for name in names:
            create_layer(texts[name], annotator.name, "annotation", annotator, EMPTY)
        if names:
            here.assign(annotator.name, [texts[name].name for name in names], account.name)
    request_letters()
    return redirect("/campaign/annotate")


def share_texts(have: Mapping[str, Collection[str]], annotators: Sequence[str], each: int) -> dict[str, list[str]]:
    """The texts of each annotator, so that every text gets `each` annotators and the work is shared evenly.

    >>> share_texts({"one": {"Ann"}, "two": (), "three": ()}, ["Ann", "Ben", "Cid"], 2)
    {'Ann': ['two'], 'Ben': ['one', 'three'], 'Cid': ['two', 'three']}
    """
    shares: dict[str, list[str]] = {name: [] for name in annotators}
    load = {name: sum(name in authors for authors in have.values()) for name in annotators}
    for text, authors in have.items():
        free = sorted((name for name in annotators if name not in authors), key=lambda name: load[name])
        for name in free[: max(each - len(authors), 0)]:
            shares[name].append(text)
            load[name] += 1
    return shares


def _row(account: Account, text: Text, layers: list[Layer]) -> dict[str, Any]:
    """A text with the annotator's own layers, and the number of other finished layers."""
    author_layers = [layer for layer in layers if layer.author_id == account.pk and layer.kind == "annotation"]
    others = [layer for layer in layers if layer.author_id != account.pk and layer.kind == "annotation" and layer.done]
    is_done = bool(author_layers) and all(layer.done for layer in author_layers)
    return {
        "text": text,
        "own": author_layers,
        "others": len(others),
        "is_done": is_done,
        "agrees": is_done and bool(others),
    }


def _agreements(here: Campaign, who: Viewer) -> dict[str, dict[str, float]]:
    """The agreement of the annotators of each key, if the viewer may see it."""
    if not here.may_see(who, "agreement"):
        return {}
    agreements = {
        name: visible_results.agreement(here, who, name).get("ranking", {}) for name in here.protocol.datasets
    }
    return {name: pairs for name, pairs in agreements.items() if pairs}


def _keys(here: Campaign, who: Viewer) -> list[str]:
    """The keys that the viewer may see."""
    return [name for name in here.state.keys if here.may_see(who, f"{here.dataset(name).phase} key")]
