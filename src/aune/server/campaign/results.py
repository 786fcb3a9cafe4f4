"""Boards, the report of each run, the archive."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from aune.campaign import publication
from aune.campaign.archive import as_zip
from aune.campaign.campaign import Campaign
from aune.campaign.jobs import board_is_ready, waiting
from aune.campaign.pages import board_parts, difference_table, folded
from aune.campaign.phases import ARCHIVE, SUBMITTING
from aune.server.campaign.access import answering, campaign, viewer
from aune.server.campaign.pages import has_results, shown
from aune.server.campaign.work import BOARD, wanted


@require_GET
@answering
def results(request: HttpRequest, dataset: str) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if dataset not in here.protocol.datasets or not has_results(here, who, dataset):
        raise Http404
    if not board_is_ready(here, dataset):
        wanted(BOARD, dataset, dataset=dataset)
        return shown(request, "waiting", what=f"The results of {dataset}", **scored(here, dataset))
    found = publication.results(here, who, dataset)
    if request.GET.get("format") == "csv":
        response = HttpResponse(publication.as_csv(found), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{dataset}.csv"'
        return response
    parts = board_parts(found)
    if changed := difference_table(dataset, publication.differences(here, who, dataset)):
        parts.append(folded("Before and after: the scores by each version of the key", [changed]))
    return shown(
        request, "results", dataset=dataset, board=mark_safe("\n".join(parts)), runs=len(here.state.standing(dataset)),
        condition=here.protocol.conditions[here.dataset(dataset).condition], is_last=here.phase == ARCHIVE,
        is_behind=scored(here, dataset)["left"],
    )  # fmt: skip


def scored(here: Campaign, dataset: str) -> dict[str, int]:
    """How many runs of a dataset were scored by its newest key, and how many are left."""
    left = sum(one.dataset == dataset for one, _ in waiting(here.state))
    every = sum(one.dataset == dataset for one in here.state.submissions.values())
    return {"done": every - left, "every": every, "left": left}


@require_GET
@answering
def archive(request: HttpRequest) -> HttpResponse:
    """The whole archive, once there is one for everybody and every board is made."""
    here = campaign()
    here.check(viewer(request), "archive")
    if here.phase != ARCHIVE:
        raise Http404
    behind = [
        name for name in here.state.keys if here.dataset(name).phase in SUBMITTING and not board_is_ready(here, name)
    ]
    for name in behind:
        wanted(BOARD, name, dataset=name)
    if behind:
        return shown(request, "waiting", what="The archive", done=0, every=0, left=0)
    response = HttpResponse(as_zip(here), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{here.protocol.name}-archive.zip"'
    return response
