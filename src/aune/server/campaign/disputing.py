"""Disputes: pointing at an item of the key, claiming, deciding, and the new version of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import disputes as claims
from aune.campaign import publication
from aune.campaign.campaign import Campaign
from aune.campaign.items import EXAMPLES as EDITS
from aune.campaign.jobs import waiting
from aune.campaign.ledger import canonical
from aune.campaign.listing import ADD, EXAMPLES, Item, edit_of, items
from aune.campaign.phases import SUBMITTING, discussed_in
from aune.campaign.policy import ANNOTATOR, ORGANISER, PARTICIPANT, Viewer
from aune.campaign.records import Dispute
from aune.campaign.wording import described
from aune.core.errors import UsageError
from aune.core.files import digest_of, json_of
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, organiser, viewer
from aune.server.campaign.pages import shown
from aune.server.campaign.work import EFFECTS, SCORE, begun, letters_are_due, made, wanted
from aune.server.policy import whole_number
from aune.workbench.files import TASKS

AT_ONCE = 100  # items of a key on one page
MOST_NAMES = 1000  # documents that a page lists
PATIENCE = 30.0  # seconds that an organiser waits for effects before a page says that they are being computed


def disputing(request: HttpRequest) -> Viewer:
    """Whoever asks, if they may have disputes."""
    who = viewer(request)
    if who.role not in (ORGANISER, PARTICIPANT):
        raise Http404
    return who


def disputable(here: Campaign, who: Viewer, name: str) -> bool:
    """Whether somebody may dispute a key now."""
    phase = here.dataset(name).phase
    is_time = here.phase == discussed_in(phase) if phase in SUBMITTING else False
    return is_time or (who.role == ORGANISER and phase in SUBMITTING and name in here.state.keys)


@require_GET
@answering
def disputes(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), disputing(request)
    effects: dict[str, list[dict[str, Any]]] = {}
    if who.role == ORGANISER and request.GET.get("effects"):
        subject, failed = _as_it_stands(here), ""
        computed = made(EFFECTS, subject)
        if computed is None:
            failed = begun(EFFECTS, subject)
            computed = made(EFFECTS, subject, PATIENCE)
        if computed is None:
            return shown(request, "waiting", what="What each acceptance would do", whole=True, failed=failed)
        effects = _effects(here, who, computed)
    order = {name: place for place, name in enumerate(effects)}
    seen = sorted(claims.seen(here, who), key=lambda one: (bool(one.decision), order.get(one.id, 0)))
    quotable = _documents(here, who, {one.dataset for one in seen})
    rows = [_row(here, who, one, quotable, effects.get(one.id)) for one in seen]
    about = [dataset.name for dataset in here.protocol.datasets.values() if disputable(here, who, dataset.name)]
    fresh = sorted({one.dataset for one in seen if one.waits_for_a_key})
    return shown(
        request, "disputes", rows=rows, datasets=about, claims=[one for one in claims.CLAIMS if _fits(here, one)],
        fresh=fresh, example=EDITS[here.protocol.task], open=sum(not one.decision for one in seen),
        computed=bool(request.GET.get("effects")), when=_when(here),
        left={name: claims.disputes_left(here, who.team, name) for name in about if who.team},
    )  # fmt: skip


def _fits(here: Campaign, claim: str) -> bool:
    return claim != claims.TABLE or here.protocol.task == "tagging"


def _when(here: Campaign) -> list[str]:
    """The phases in which keys can be disputed."""
    return [phase for phase in map(discussed_in, SUBMITTING) if phase in here.protocol.phases]


def _row(
    here: Campaign, who: Viewer, dispute: Dispute, quotable: Mapping[str, Mapping[str, Any]],
    effects: list[dict[str, Any]] | None,
) -> dict[str, Any]:  # fmt: skip
    document = quotable.get(dispute.dataset, {}).get(dispute.document)
    is_shown = who.role == ORGANISER or dispute.team == who.team
    by = here.state.teams[dispute.team].name if who.role == ORGANISER and dispute.team in here.state.teams else ""
    edit = dispute.edit if is_shown else publication.told_edit(here, who, dispute)["edit"] or {}
    return {
        "one": dispute, "edit": _in_words(here.protocol.task, edit, document), "effects": effects, "team": by,
        "is_own": dispute.team == who.team and who.role == PARTICIPANT,
        "argument": dispute.argument if is_shown else "",
    }  # fmt: skip


def _in_words(task: str, edit: Mapping[str, Any], document: Any) -> str:
    try:
        return described(task, edit, document)
    except (IndexError, KeyError, ValueError):  # the key has changed since: the words are elsewhere
        return described(task, edit)


def _documents(here: Campaign, who: Viewer, datasets: set[str]) -> dict[str, dict[str, Any]]:
    """The documents of the keys that somebody may see, to quote from."""
    return {
        name: {document.id: document for document in claims.key_documents(here, who, name)}
        for name in datasets
        if here.may(who, f"{here.dataset(name).phase} key")
    }


def _as_it_stands(here: Campaign) -> str:
    """What the effects of disputes depend on, as one name: computed once for the same."""
    state = here.state
    runs = {name: [(run.id, state.version(name)) for run in state.standing(name)] for name in state.keys}
    waiting = [one.id for one in state.disputes.values() if not one.decision]
    return digest_of(canonical([waiting, runs, here.protocol.scoring_digest]))


def _effects(here: Campaign, who: Viewer, computed: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """What accepting each open dispute would change, those first that could change the ranking most."""
    names: dict[str, str] = {}
    for dataset in here.state.keys:
        names |= publication.labels(here, who, here.state.standing(dataset))
    return {
        name: [
            {**effect._asdict(), "run": names[effect.run], "moves": effect.rank_before != effect.rank_after}
            for effect in (claims.Effect(*one) for one in effects)
            if effect.change or effect.rank_before != effect.rank_after
        ]
        for name, effects in computed
    }


@require_GET
@answering
def key(request: HttpRequest, dataset: str) -> HttpResponse:
    """The items of a key, of one document or of all, some at a time; the one that is pointed at has an editor."""
    here, who = campaign(), viewer(request)
    if dataset not in here.state.keys or who.role not in (ORGANISER, PARTICIPANT, ANNOTATOR):
        raise Http404
    documents = {document.id: document for document in claims.key_documents(here, who, dataset)}
    chosen = request.GET.get("document", "") if len(documents) > 1 else next(iter(documents))
    searched = {chosen: documents[chosen]} if chosen in documents else documents
    is_open = who.role != ANNOTATOR and disputable(here, who, dataset)
    find = request.GET.get("find", "").strip()
    listed = [_Listed(name, item) for name, one in searched.items() for item in items(here.protocol.task, one)]
    matching = [one for one in listed if one.item.place != ADD and one.has(find)]
    first = whole_number(request.GET.get("from", "")) or 0
    asked = {**({"document": chosen} if chosen else {}), **({"find": find} if find else {})}
    pointed = (request.GET.get("in", chosen), request.GET.get("place"))
    return shown(
        request, "key", dataset=dataset, document=chosen if chosen in documents else "", find=find,
        documents=list(documents)[:MOST_NAMES], rows=matching[first : first + AT_ONCE], number=len(matching),
        first=first + 1, last=min(first + AT_ONCE, len(matching)),
        after=urlencode({**asked, "from": first + AT_ONCE}) if first + AT_ONCE < len(matching) else "",
        before=urlencode({**asked, "from": max(first - AT_ONCE, 0)}) if first else "",
        here=urlencode({**asked, "from": first}), example=EXAMPLES[here.protocol.task], open=is_open, add=ADD,
        draws=here.protocol.task in TASKS, key_version=here.state.version(dataset),
        pointed=next((one for one in listed if is_open and (one.document, one.item.place) == pointed), None),
    )  # fmt: skip


class _Listed(NamedTuple):
    """An item of a document of a key."""

    document: str
    item: Item

    def has(self, words: str) -> bool:
        return words.casefold() in f"{self.item.text} {self.item.value}".casefold()


@require_POST
@answering
def claim(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), disputing(request)
    place = request.POST.get("place")
    try:
        edit = json_of(request.POST.get("edit", "") or "{}")
        if place is not None:
            edit = edit_of(here.protocol.task, place, request.POST.get("value", ""))
    except ValueError:
        raise UsageError(f"found an edit that is no JSON, expected such as {EDITS[here.protocol.task]}") from None
    if not isinstance(edit, dict):
        raise UsageError("found an edit that is no object, expected such as {}")
    given = {name: request.POST.get(name, "") for name in ("dataset", "document", "claim", "argument")}
    claims.dispute(here, who, given["dataset"], given["document"], given["claim"], edit, given["argument"])
    letters_are_due()
    return redirect("/campaign/disputes")


@require_POST
@answering
def decide(request: HttpRequest, dispute: str) -> HttpResponse:
    organiser(request)
    claims.decide(
        campaign(), dispute, request.POST.get("decision", ""), person(request).name, request.POST.get("reason", "")
    )
    letters_are_due()
    return redirect("/campaign/disputes")


@require_POST
@answering
def rekey(request: HttpRequest, dataset: str) -> HttpResponse:
    """A new version of a key; every run is to be scored again."""
    organiser(request)
    claims.new_version(campaign(), dataset)
    for one, _ in waiting(campaign().state):
        wanted(SCORE, one.id)
    letters_are_due()
    return redirect("/campaign/manage")
