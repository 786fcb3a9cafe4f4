"""The annotator's page: the texts, one's own layers, and how far annotators agree as soon as one may know."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from aune.campaign import publication
from aune.campaign.campaign import Campaign
from aune.campaign.policy import ANNOTATOR, ORGANISER, Viewer
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, viewer
from aune.server.campaign.pages import shown
from aune.server.workbench import access
from aune.server.workbench.models import Layer, Text

LISTED = 500  # texts on one page


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
        is_open=[one.name for one in here.protocol.datasets.values() if not here.state.version(one.name)],
    )  # fmt: skip


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
