"""Boards, the report of each run, the archive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from aune.campaign.archive.archive_builder import zip_path
from aune.campaign.campaign import Campaign
from aune.campaign.protocol.phases import ARCHIVE, SUBMITTING
from aune.campaign.protocol.visibility import ORGANISER, Viewer
from aune.campaign.publication import run_report, visible_results
from aune.campaign.publication.static_pages import board_parts, collapsible_section, condition_parts, difference_table
from aune.campaign.runs.jobs import board_is_ready, waiting_submissions
from aune.server.campaign import background_jobs
from aune.server.campaign.access import campaign, campaign_view, viewer
from aune.server.campaign.background_jobs import BOARD, FOR_EVER, REPORT, ensure_requested, recent_failure, request_job
from aune.server.campaign.pages import has_results, render_page


@require_GET
@campaign_view
def results(request: HttpRequest, dataset: str) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if dataset not in here.protocol.datasets or not has_results(here, who, dataset):
        raise Http404
    if not board_is_ready(here, dataset):
        failed = ensure_requested(BOARD, dataset, dataset=dataset)
        counted = (
            scoring_progress(here, dataset) if who.role == ORGANISER else {}
        )  # how many there are is nobody else's business
        return render_page(request, "waiting", what=f"The results of {dataset}", failed=failed, **counted)
    board = visible_results.visible_board(here, who, dataset)
    if request.GET.get("format") == "csv":
        response = HttpResponse(visible_results.board_csv(board), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{dataset}.csv"'
        return response
    parts = [*board_parts(board, _own_labels(here, who, dataset)), *_other_conditions(here, who, board)]
    if changed := difference_table(dataset, visible_results.score_differences(here, who, dataset)):
        parts.append(collapsible_section("Before and after: the scores by each version of the key", [changed]))
    return render_page(
        request,
        "results",
        dataset=dataset,
        board=mark_safe("\n".join(parts)),
        runs=len(here.state.standing_submissions(dataset)),
        condition=here.protocol.conditions[here.dataset(dataset).condition],
        is_last=here.phase == ARCHIVE,
        is_behind=scoring_progress(here, dataset)["left"],
        reports=_reports(here, who, dataset),
    )


def _other_conditions(here: Campaign, who: Viewer, board: Mapping[str, Any]) -> list[str]:
    """The same runs in every condition of the phase, as far as their boards are made."""
    names = [dataset.name for dataset in here.protocol.datasets_in(here.dataset(board["dataset"]).phase)]
    seen = [name for name in names if has_results(here, who, name) and board_is_ready(here, name)]
    boards = [board if name == board["dataset"] else visible_results.visible_board(here, who, name) for name in seen]
    return condition_parts(boards)


def _own_labels(here: Campaign, who: Viewer, dataset: str) -> set[str]:
    """What the runs of whoever looks are called for them."""
    runs = here.state.standing_submissions(dataset)
    names = visible_results.run_labels(here, who, runs)
    return {names[run.id] for run in runs if who.team and run.team == who.team}


def _reports(here: Campaign, who: Viewer, dataset: str) -> list[tuple[str, str]]:
    """The runs whose report somebody may read, with what they are called for them."""
    runs = here.state.standing_submissions(dataset)
    names = visible_results.run_labels(here, who, runs)
    return sorted((names[run.id], run.id) for run in runs if run_report.may_read(here, who, run.id))


@require_GET
@campaign_view
def report(request: HttpRequest, submission: str) -> HttpResponse:
    """Aune's report of one run, for those who may see the run, its scores and the key."""
    here, who = campaign(), viewer(request)
    if not run_report.may_read(here, who, submission):
        raise Http404
    if not run_report.is_ready(here, submission):
        failed = ensure_requested(REPORT, submission, submission=submission)
        return render_page(request, "waiting", what="The report of this run", whole=True, failed=failed)
    page = run_report.report_page(here, who, submission)
    response = HttpResponse(page)
    response["Content-Security-Policy"] = report_policy(page)
    return response


POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def report_policy(page: str) -> str:
    """What a report may do: what it names by digest itself, and nothing that reaches out of it.

    >>> report_policy('<meta http-equiv="Content-Security-Policy" content="img-src data:">')
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    """
    match = POLICY.search(page)
    assert match, "a report has a policy"
    return f"{match[1]}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"


def scoring_progress(here: Campaign, dataset: str) -> dict[str, int]:
    """How many runs of a dataset were scored by its newest key, and how many are left."""
    left = sum(waiting_run.dataset == dataset for waiting_run, _ in waiting_submissions(here.state))
    total = sum(submission.dataset == dataset for submission in here.state.submissions.values())
    return {"done": total - left, "every": total, "left": left}


@require_GET
@campaign_view
def archive(request: HttpRequest) -> Any:
    """The whole archive, once there is one for everybody and every board is made."""
    here = campaign()
    here.check(viewer(request), "archive")
    if here.phase != ARCHIVE:
        raise Http404
    behind = [
        name for name in here.state.keys if here.dataset(name).phase in SUBMITTING and not board_is_ready(here, name)
    ]
    missing = [run for run in run_report.missing_pages(here) if not recent_failure(REPORT, run, FOR_EVER)]
    failed = "; ".join(filter(None, (ensure_requested(BOARD, name, dataset=name) for name in behind)))
    for run in missing:
        request_job(REPORT, run, submission=run)
    left, zip_file = len(behind) + len(missing), zip_path(here)
    if not left and not zip_file.is_file():
        failed = ensure_requested(background_jobs.ARCHIVE, zip_file.name)
    if left or not zip_file.is_file():
        page = render_page(request, "waiting", what="The archive", whole=True, failed=failed, left=left)
        page.status_code = HTTPStatus.ACCEPTED  # so that no program takes the page for the archive
        return page
    name = f"{here.protocol.name}-archive.zip"
    file: Any = FileResponse(zip_file.open("rb"), as_attachment=True, filename=name, content_type="application/zip")
    return file
