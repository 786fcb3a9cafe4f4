"""Questions about doubtful items of a campaign's key, and the scores of runs by each version of the key."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import correct_key
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication.visible_results import run_labels
from aune.corrections.key_revision import parse_review
from aune.files import sha256_hex
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser
from aune.server.campaign.background_jobs import (
    RESCORED,
    ensure_requested,
    job_result,
    request_letters,
)
from aune.server.campaign.pages import render_page
from aune.server.policy import whole_number

PATIENCE = 30.0  # seconds that a page waits for a result before it reports that it is being computed
MOST_CORRECTIONS = 100  # on one page


@require_http_methods(["GET", "POST"])
@campaign_view
def doubts(request: HttpRequest, dataset: str) -> HttpResponse:
    """The page of questions about the newest key; answers create the next version, and every run is scored again."""
    require_organiser(request)
    here = campaign()
    if dataset not in here.state.keys:
        raise Http404
    if request.method == "POST":
        correct_key(here, dataset, parse_review(request.POST.get("answers", "")), person(request).name)
        request_letters()
        return redirect(f"/campaign/rescored/{dataset}")
    context = {
        "action": f"/campaign/doubts/{dataset}", "dataset": dataset, "key_version": here.state.version(dataset),
        "digest": here.state.keys[dataset][-1].digest,
    }  # fmt: skip
    return render(request, "doubts.html", context)


@require_GET
@campaign_view
def show_versions(request: HttpRequest, dataset: str) -> HttpResponse:
    """The scores of every run by two versions of a key, with the corrections that cause the differences."""
    require_organiser(request)
    here = campaign()
    if dataset not in here.state.keys:
        raise Http404
    newest = here.state.version(dataset)
    old = whole_number(request.GET.get("from", "")) or newest - 1
    if not 0 < old < newest:
        return render_page(request, "rescored", dataset=dataset, newest=newest, rescoring=None)
    subject = _subject(here, dataset, old)
    rescoring, failed = job_result(RESCORED, subject), ""
    if rescoring is None:
        failed = ensure_requested(RESCORED, subject, dataset=dataset, old=old)
        rescoring = job_result(RESCORED, subject, PATIENCE)
    if rescoring is None:
        return render_page(request, "waiting", what="Every run by both versions", whole=True, failed=failed)
    return render_page(
        request, "rescored", dataset=dataset, newest=newest, old=old, rescoring=_name_runs(here, dataset, rescoring),
        versions=range(1, newest), number=len(rescoring["corrections"]),
    )  # fmt: skip


def _subject(here: Campaign, dataset: str, old: int) -> str:
    """A digest that identifies the computation: dataset, both versions, runs, and protocol."""
    runs = [run.id for run in here.state.standing_submissions(dataset)]
    parts = [dataset, str(old), str(here.state.version(dataset)), here.protocol.digest, *runs]
    return sha256_hex("\0".join(parts).encode())


def _name_runs(here: Campaign, dataset: str, rescoring: dict[str, Any]) -> dict[str, Any]:
    """The same result with the names of runs, scores in hundredths, and at most as many corrections as a page shows."""
    names = run_labels(here, THE_ORGANISER, here.state.standing_submissions(dataset))
    changes = sorted(
        rescoring["changes"], key=lambda change: (change["rank_after"] or len(names) + 1, change["system"])
    )
    return {
        **rescoring,
        "changes": [_change_row(change, names) for change in changes],
        "corrections": [
            {
                "document": row["document"], "text": row["text"],
                "effects": [_effect_row(effect, names) for effect in row["effects"] if _has_effect(effect)],
            }
            for row in rescoring["corrections"][:MOST_CORRECTIONS]
        ],
    }  # fmt: skip


def _change_row(change: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        "run": names.get(change["system"], change["system"]),
        "before": _value(change["before"], change["before_interval"]),
        "after": _value(change["after"], change["after_interval"]),
        "change": _value(change["change"], change["change_interval"], "+"),
        "ranks": (change["rank_before"], change["rank_after"]),
        "moves": change["rank_before"] != change["rank_after"],
    }


def _value(value: float | None, interval: list[float] | None, sign: str = "") -> str:
    if value is None:
        return "–"
    bounds = f" [{100 * interval[0]:{sign}.2f}, {100 * interval[1]:{sign}.2f}]" if interval else ""
    return f"{100 * value:{sign}.2f}{bounds}"


def _has_effect(effect: dict[str, Any]) -> bool:
    return bool(effect["before"] != effect["after"] or effect["rank_before"] != effect["rank_after"])


def _effect_row(effect: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    change = 0.0 if effect["before"] is None or effect["after"] is None else effect["after"] - effect["before"]
    return {
        "run": names.get(effect["system"], effect["system"]), "change": f"{100 * change:+.2f}",
        "ranks": (effect["rank_before"], effect["rank_after"]),
        "moves": effect["rank_before"] != effect["rank_after"],
    }  # fmt: skip
