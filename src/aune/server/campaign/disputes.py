"""Disputes: choosing an item of the key, filing, deciding, and making the new version of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.disputes import resolution as claims
from aune.campaign.ledger.ledger_file import canonical_json
from aune.campaign.ledger.state import Dispute
from aune.campaign.protocol.phases import DISCUSSED, discussion_phase
from aune.campaign.protocol.protocol_file import PIVOT_TASK
from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER, PARTICIPANT, Viewer
from aune.campaign.publication import visible_results
from aune.corrections.edit_wording import describe_edit
from aune.corrections.item_edits import EXAMPLES as EDITS
from aune.corrections.item_listing import ADD, EXAMPLES, Item, list_items, parse_edit
from aune.errors import UsageError
from aune.files import parse_strict_json, sha256_hex
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser, viewer
from aune.server.campaign.background_jobs import (
    EFFECTS,
    ensure_requested,
    job_result,
    request_letters,
)
from aune.server.campaign.pages import render_page
from aune.server.policy import whole_number
from aune.workbench.files import TASKS

ITEMS_PER_PAGE = 100  # items of a key on one page
MOST_NAMES = 1000  # documents that a page lists
PATIENCE = 30.0  # seconds that a page waits for the effects before it reports that they are being computed


def require_disputant(request: HttpRequest) -> Viewer:
    """The viewer, if it is an organiser or a team; others get the answer 404."""
    who = viewer(request)
    if who.role not in (ORGANISER, PARTICIPANT):
        raise Http404
    return who


def is_disputable(here: Campaign, who: Viewer, name: str) -> bool:
    """Whether the viewer may dispute a key now."""
    phase = here.dataset(name).phase
    is_time = here.phase == discussion_phase(phase) if phase in DISCUSSED else False
    return is_time or (who.role == ORGANISER and phase in DISCUSSED and name in here.state.keys)


@require_GET
@campaign_view
def disputes(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), require_disputant(request)
    effects: dict[str, list[dict[str, Any]]] = {}
    if who.role == ORGANISER and request.GET.get("effects"):
        subject, failed = _effects_digest(here), ""
        computed = job_result(EFFECTS, subject)
        if computed is None:
            failed = ensure_requested(EFFECTS, subject)
            computed = job_result(EFFECTS, subject, PATIENCE)
        if computed is None:
            return render_page(request, "waiting", what="What each acceptance would do", whole=True, failed=failed)
        effects = _effects(here, who, computed)
    order = {name: place for place, name in enumerate(effects)}
    visible = sorted(claims.visible_disputes(here, who), key=lambda item: (bool(item.decision), order.get(item.id, 0)))
    quotable = _documents(here, who, {item.dataset for item in visible})
    rows = [_dispute_row(here, who, item, quotable, effects.get(item.id)) for item in visible]
    about = [dataset.name for dataset in here.protocol.datasets.values() if is_disputable(here, who, dataset.name)]
    unapplied = sorted({item.dataset for item in visible if item.waits_for_a_key})
    return render_page(
        request,
        "disputes",
        rows=rows,
        datasets=about,
        claims=[item for item in claims.CLAIMS if _is_claim_possible(here, item)],
        fresh=unapplied,
        versions={name: here.state.version(name) for name in here.state.keys},
        example="; ".join(EDITS[task] for task in here.protocol.tasks),
        open=sum(not item.decision for item in visible),
        computed=bool(request.GET.get("effects")),
        when=_dispute_phases(here),
        left={name: claims.remaining_disputes(here, who.team, name) for name in about if who.team},
    )


def _is_claim_possible(here: Campaign, claim: str) -> bool:
    return claim != claims.TABLE or PIVOT_TASK in here.protocol.tasks


def _dispute_phases(here: Campaign) -> list[str]:
    """The phases in which keys can be disputed."""
    return [phase for phase in map(discussion_phase, DISCUSSED) if phase in here.protocol.phases]


def _dispute_row(
    here: Campaign, who: Viewer, dispute: Dispute, quotable: Mapping[str, Mapping[str, Any]],
    effects: list[dict[str, Any]] | None,
) -> dict[str, Any]:  # fmt: skip
    document = quotable.get(dispute.dataset, {}).get(dispute.document)
    is_shown = who.role == ORGANISER or dispute.team == who.team
    by = here.state.teams[dispute.team].name if who.role == ORGANISER and dispute.team in here.state.teams else ""
    edit = dispute.edit if is_shown else visible_results.visible_edit(here, who, dispute)["edit"] or {}
    return {
        "one": dispute, "edit": _in_words(here.plan_of(dispute.dataset).task, edit, document), "effects": effects,
        "team": by,
        "is_own": dispute.team == who.team and who.role == PARTICIPANT,
        "argument": dispute.argument if is_shown else "",
    }  # fmt: skip


def _in_words(task: str, edit: Mapping[str, Any], document: Any) -> str:
    try:
        return describe_edit(task, edit, document)
    except (IndexError, KeyError, ValueError):  # the key has changed since the dispute: do not quote from it
        return describe_edit(task, edit)


def _documents(here: Campaign, who: Viewer, datasets: set[str]) -> dict[str, dict[str, Any]]:
    """The documents of the keys that the viewer may see, from which disputes quote."""
    return {
        name: {document.id: document for document in claims.key_documents(here, who, name)}
        for name in datasets
        if here.may_see(who, f"{here.dataset(name).phase} key")
    }


def _effects_digest(here: Campaign) -> str:
    """A digest of everything that the effects of disputes depend on, so that they are computed only once for it."""
    state = here.state
    runs = {name: [(run.id, state.version(name)) for run in state.standing_submissions(name)] for name in state.keys}
    waiting = [dispute.id for dispute in state.disputes.values() if not dispute.decision]
    return sha256_hex(canonical_json([waiting, runs, here.protocol.scoring_digest]))


def _effects(here: Campaign, who: Viewer, computed: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """What accepting each open dispute would change; disputes that may change the ranking most come first."""
    names: dict[str, str] = {}
    for dataset in here.state.keys:
        names |= visible_results.run_labels(here, who, here.state.standing_submissions(dataset))
    return {
        name: [
            {**effect._asdict(), "run": names[effect.run], "moves": effect.rank_before != effect.rank_after}
            for effect in (claims.Effect(*values) for values in effects)
            if effect.change or effect.rank_before != effect.rank_after
        ]
        for name, effects in computed
    }


@require_GET
@campaign_view
def key(request: HttpRequest, dataset: str) -> HttpResponse:
    """A page of items of a key, from one document or from all; the selected item is shown with an editor."""
    here, who = campaign(), viewer(request)
    if dataset not in here.state.keys or who.role not in (ORGANISER, PARTICIPANT, ANNOTATOR):
        raise Http404
    task = here.plan_of(dataset).task
    documents = {document.id: document for document in claims.key_documents(here, who, dataset)}
    chosen = request.GET.get("document", "") if len(documents) > 1 else next(iter(documents))
    searched = {chosen: documents[chosen]} if chosen in documents else documents
    is_open = who.role != ANNOTATOR and is_disputable(here, who, dataset)
    find = request.GET.get("find", "").strip()
    listed = [_KeyItem(name, item) for name, entry in searched.items() for item in list_items(task, entry)]
    matching = [entry for entry in listed if entry.item.place != ADD and entry.contains(find)]
    first = whole_number(request.GET.get("from", "")) or 0
    query = {**({"document": chosen} if chosen else {}), **({"find": find} if find else {})}
    pointed = (request.GET.get("in", chosen), request.GET.get("place"))
    return render_page(
        request, "key", dataset=dataset, document=chosen if chosen in documents else "", find=find,
        documents=list(documents)[:MOST_NAMES], rows=matching[first : first + ITEMS_PER_PAGE], number=len(matching),
        first=first + 1, last=min(first + ITEMS_PER_PAGE, len(matching)),
        after=urlencode({**query, "from": first + ITEMS_PER_PAGE}) if first + ITEMS_PER_PAGE < len(matching) else "",
        before=urlencode({**query, "from": max(first - ITEMS_PER_PAGE, 0)}) if first else "",
        here=urlencode({**query, "from": first}), example=EXAMPLES[task], open=is_open, add=ADD,
        draws=task in TASKS, key_version=here.state.version(dataset),
        pointed=next((entry for entry in listed if is_open and (entry.document, entry.item.place) == pointed), None),
    )  # fmt: skip


class _KeyItem(NamedTuple):
    """An item of a document of a key."""

    document: str
    item: Item

    def contains(self, words: str) -> bool:
        return words.casefold() in f"{self.item.text} {self.item.value}".casefold()


@require_POST
@campaign_view
def claim(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), require_disputant(request)
    place, task = request.POST.get("place"), here.plan_of(request.POST.get("dataset", "")).task
    try:
        edit = parse_strict_json(request.POST.get("edit", "") or "{}")
        if place is not None:
            edit = parse_edit(task, place, request.POST.get("value", ""))
    except ValueError as error:
        raise UsageError(f"found an edit that is no JSON ({error}), expected such as {EDITS[task]}") from None
    if not isinstance(edit, dict):
        raise UsageError("found an edit that is no object, expected such as {}")
    fields = {name: request.POST.get(name, "") for name in ("dataset", "document", "claim", "argument")}
    claims.file_dispute(here, who, fields["dataset"], fields["document"], fields["claim"], edit, fields["argument"])
    request_letters()
    return redirect("/campaign/disputes")


@require_POST
@campaign_view
def decide(request: HttpRequest, dispute: str) -> HttpResponse:
    require_organiser(request)
    claims.decide_dispute(
        campaign(), dispute, request.POST.get("decision", ""), person(request).name, request.POST.get("reason", "")
    )
    request_letters()
    return redirect("/campaign/disputes")


@require_POST
@campaign_view
def rekey(request: HttpRequest, dataset: str) -> HttpResponse:
    """Make a new version of a key; every run will be scored again."""
    require_organiser(request)
    claims.make_key_version(campaign(), dataset)
    request_letters()
    return redirect("/campaign/manage")
