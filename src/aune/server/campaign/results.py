"""Boards, the report of each run, the archive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from aune.campaign import explained, publication
from aune.campaign.archive import zip_of
from aune.campaign.campaign import Campaign
from aune.campaign.jobs import board_is_ready, waiting
from aune.campaign.pages import board_parts, condition_parts, difference_table, folded
from aune.campaign.phases import ARCHIVE, SUBMITTING
from aune.campaign.policy import ORGANISER, Viewer
from aune.server.campaign import work
from aune.server.campaign.access import answering, campaign, viewer
from aune.server.campaign.pages import has_results, shown
from aune.server.campaign.work import BOARD, FOR_EVER, REPORT, begun, failure, wanted


@require_GET
@answering
def results(request: HttpRequest, dataset: str) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if dataset not in here.protocol.datasets or not has_results(here, who, dataset):
        raise Http404
    if not board_is_ready(here, dataset):
        failed = begun(BOARD, dataset, dataset=dataset)
        counted = scored(here, dataset) if who.role == ORGANISER else {}  # how many there are is nobody else's business
        return shown(request, "waiting", what=f"The results of {dataset}", failed=failed, **counted)
    found = publication.results(here, who, dataset)
    if request.GET.get("format") == "csv":
        response = HttpResponse(publication.as_csv(found), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{dataset}.csv"'
        return response
    parts = [*board_parts(found, _own(here, who, dataset)), *_other_conditions(here, who, found)]
    if changed := difference_table(dataset, publication.differences(here, who, dataset)):
        parts.append(folded("Before and after: the scores by each version of the key", [changed]))
    return shown(
        request, "results", dataset=dataset, board=mark_safe("\n".join(parts)), runs=len(here.state.standing(dataset)),
        condition=here.protocol.conditions[here.dataset(dataset).condition], is_last=here.phase == ARCHIVE,
        is_behind=scored(here, dataset)["left"], reports=_reports(here, who, dataset),
    )  # fmt: skip


def _other_conditions(here: Campaign, who: Viewer, found: Mapping[str, Any]) -> list[str]:
    """The same runs in every condition of the phase, as far as their boards are made."""
    names = [one.name for one in here.protocol.of_phase(here.dataset(found["dataset"]).phase)]
    seen = [name for name in names if has_results(here, who, name) and board_is_ready(here, name)]
    boards = [found if name == found["dataset"] else publication.results(here, who, name) for name in seen]
    return condition_parts(boards)


def _own(here: Campaign, who: Viewer, dataset: str) -> set[str]:
    """What the runs of whoever looks are called for them."""
    runs = here.state.standing(dataset)
    names = publication.labels(here, who, runs)
    return {names[run.id] for run in runs if who.team and run.team == who.team}


def _reports(here: Campaign, who: Viewer, dataset: str) -> list[tuple[str, str]]:
    """The runs whose report somebody may read, with what they are called for them."""
    runs = here.state.standing(dataset)
    names = publication.labels(here, who, runs)
    return sorted((names[run.id], run.id) for run in runs if explained.may_read(here, who, run.id))


@require_GET
@answering
def report(request: HttpRequest, submission: str) -> HttpResponse:
    """Aune's report of one run, for those who may see the run, its scores and the key."""
    here, who = campaign(), viewer(request)
    if not explained.may_read(here, who, submission):
        raise Http404
    if not explained.is_ready(here, submission):
        failed = begun(REPORT, submission, submission=submission)
        return shown(request, "waiting", what="The report of this run", whole=True, failed=failed)
    page = explained.page(here, who, submission)
    response = HttpResponse(page)
    response["Content-Security-Policy"] = policy_of(page)
    return response


POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def policy_of(page: str) -> str:
    """What a report may do: what it names by digest itself, and nothing that reaches out of it.

    >>> policy_of('<meta http-equiv="Content-Security-Policy" content="img-src data:">')
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    """
    found = POLICY.search(page)
    assert found, "a report has a policy"
    return f"{found[1]}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"


def scored(here: Campaign, dataset: str) -> dict[str, int]:
    """How many runs of a dataset were scored by its newest key, and how many are left."""
    left = sum(one.dataset == dataset for one, _ in waiting(here.state))
    every = sum(submission.dataset == dataset for submission in here.state.submissions.values())
    return {"done": every - left, "every": every, "left": left}


@require_GET
@answering
def archive(request: HttpRequest) -> Any:
    """The whole archive, once there is one for everybody and every board is made."""
    here = campaign()
    here.check(viewer(request), "archive")
    if here.phase != ARCHIVE:
        raise Http404
    behind = [
        name for name in here.state.keys if here.dataset(name).phase in SUBMITTING and not board_is_ready(here, name)
    ]
    missing = [one for one in explained.to_make(here) if not failure(REPORT, one, FOR_EVER)]
    failed = "; ".join(filter(None, (begun(BOARD, name, dataset=name) for name in behind)))
    for one in missing:
        wanted(REPORT, one, submission=one)
    left, made = len(behind) + len(missing), zip_of(here)
    if not left and not made.is_file():
        failed = begun(work.ARCHIVE, made.name)
    if left or not made.is_file():
        page = shown(request, "waiting", what="The archive", whole=True, failed=failed, left=left)
        page.status_code = HTTPStatus.ACCEPTED  # so that no program takes the page for the archive
        return page
    name = f"{here.protocol.name}-archive.zip"
    file: Any = FileResponse(made.open("rb"), as_attachment=True, filename=name, content_type="application/zip")
    return file
