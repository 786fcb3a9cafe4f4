"""Boards, reports of runs, the archive."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from aune.campaign.archive.archive_builder import json_bytes, zip_path
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import score_changes
from aune.campaign.protocol.phases import ARCHIVE, DISCUSSED, has_reached
from aune.campaign.protocol.visibility import ORGANISER, Viewer
from aune.campaign.publication import board_index, run_report, visible_results
from aune.campaign.publication.board_index import BoardIndex
from aune.campaign.publication.board_pages import ORDERS, ROWS_PER_PAGE, LargeBoard
from aune.campaign.publication.static_pages import board_parts, collapsible_section, condition_parts, difference_table
from aune.campaign.runs.jobs import board_is_ready, board_progress, waiting_submissions
from aune.server.campaign import background_jobs
from aune.server.campaign.access import campaign, campaign_view, viewer
from aune.server.campaign.background_jobs import BOARD, FOR_EVER, REPORT, ensure_requested, recent_failure, request_job
from aune.server.campaign.pages import datasets_with_results, has_results, render_page


@require_GET
@campaign_view
def results(request: HttpRequest, dataset: str) -> HttpResponse:
    here, who = campaign(), viewer(request)
    if dataset not in here.protocol.datasets or not has_results(here, who, dataset):
        raise Http404
    if board_index.is_large(here, dataset):
        index = board_index.read_index(here, dataset)
        return _waiting_page(request, here, dataset) if index is None else _large_results(request, dataset, index)
    if not board_is_ready(here, dataset):
        return _waiting_page(request, here, dataset)
    board = visible_results.visible_board(here, who, dataset)
    if (form := request.GET.get("format", "")) in BOARD_FORMATS:
        content_type, ending, write = BOARD_FORMATS[form]
        response = HttpResponse(write(board), content_type=f"{content_type}; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{dataset}{ending}"'
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
        is_last=_is_archived(here, dataset),
        is_behind=scoring_progress(here, dataset)["left"],
        reports=_reports(here, who, dataset),
    )


BOARD_FORMATS: Mapping[str, tuple[str, str, Callable[[Mapping[str, Any]], str]]] = {
    "csv": ("text/csv", ".csv", visible_results.board_csv),
    "latex": ("application/x-latex", ".tex", visible_results.board_latex),
    "json": ("application/json", ".json", lambda board: json_bytes(board).decode()),
}
"""The download formats of a board: content type, file suffix, writer."""


def _waiting_page(request: HttpRequest, here: Campaign, dataset: str) -> HttpResponse:
    """The page shown while a board is being made: its progress; for the organiser also how many runs are scored."""
    failed = ensure_requested(BOARD, dataset, dataset=dataset)
    is_organiser = viewer(request).role == ORGANISER
    counted = scoring_progress(here, dataset) if is_organiser else {}  # the number of runs is not shown to others
    progress = board_progress(here, dataset)
    share = None if progress is None else 100 * progress[0] // max(progress[1], 1)
    return render_page(request, "waiting", what=f"The results of {dataset}", failed=failed, share=share, **counted)


def _large_results(request: HttpRequest, dataset: str, index: BoardIndex) -> Any:
    """A page of a large board, sorted by the server; the tests of one run; or the whole board as CSV."""
    here, who = campaign(), viewer(request)
    board = LargeBoard(here, who, dataset, index)
    if request.GET.get("format") == "csv":
        file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 - closed after it is sent
        for chunk in board.csv():
            file.write(chunk.encode())
        file.seek(0)
        content_type = "text/csv; charset=utf-8"
        return FileResponse(file, as_attachment=True, filename=f"{dataset}.csv", content_type=content_type)
    query = request.GET
    number = int(query["page"][:9]) if query.get("page", "").isdecimal() else 1
    page = board.page(query.get("block", ""), query.get("order", ""), number)
    page = page._replace(runs=[run._replace(figure=mark_safe(run.figure)) for run in page.runs])
    changed = ""
    if here.state.version(dataset) > 1:
        labels = {shown.id: shown.label for shown in page.runs}
        rows = score_changes(here, who, dataset, board.submissions(page))
        changed = difference_table(dataset, [{**row, "run": labels[row["run"]]} for row in rows])
    return render_page(
        request, "large_results", dataset=dataset, board=page, orders=ORDERS, warnings=board.warnings,
        disqualified=board.disqualified,
        query=urlencode({"block": page.block, "order": page.order, "page": page.page}),
        undefined=dict(list(board.unranked_reasons.items())[:ROWS_PER_PAGE]), measure=index.about["measure"],
        value=index.about["value"], tested=query.get("pairs", ""),
        pairs=mark_safe(board.pairs(query["pairs"])) if query.get("pairs") else "",
        values=mark_safe(page.values), certainty=mark_safe(page.certainty), changed=mark_safe(changed),
        readable={shown.id for shown in page.runs if run_report.may_read(here, who, shown.id)},
        runs=len(index.rows), condition=here.protocol.conditions[here.dataset(dataset).condition],
        is_last=_is_archived(here, dataset), is_behind=scoring_progress(here, dataset)["left"],
        others=[name for name in datasets_with_results(here, who) if name != dataset],
    )  # fmt: skip


def _is_archived(here: Campaign, dataset: str) -> bool:
    """Whether the results of a dataset are published in the archive."""
    return has_reached(here.phase, ARCHIVE) and here.dataset(dataset).phase in DISCUSSED


def _other_conditions(here: Campaign, who: Viewer, board: Mapping[str, Any]) -> list[str]:
    """The same runs in all conditions of the phase whose boards are ready."""
    names = [dataset.name for dataset in here.protocol.datasets_in(here.dataset(board["dataset"]).phase)]
    names = [name for name in names if not board_index.is_large(here, name)]
    seen = [name for name in names if has_results(here, who, name) and board_is_ready(here, name)]
    boards = [board if name == board["dataset"] else visible_results.visible_board(here, who, name) for name in seen]
    return condition_parts(boards)


def _own_labels(here: Campaign, who: Viewer, dataset: str) -> set[str]:
    """The labels of the viewer's own runs, as the viewer sees them."""
    runs = here.state.standing_submissions(dataset)
    names = visible_results.run_labels(here, who, runs)
    return {names[run.id] for run in runs if who.team and run.team == who.team}


def _reports(here: Campaign, who: Viewer, dataset: str) -> list[tuple[str, str]]:
    """The runs whose report the viewer may read, with their labels as the viewer sees them."""
    runs = here.state.standing_submissions(dataset)
    names = visible_results.run_labels(here, who, runs)
    return sorted((names[run.id], run.id) for run in runs if run_report.may_read(here, who, run.id))


@require_GET
@campaign_view
def report(request: HttpRequest, submission: str) -> HttpResponse:
    """The report of one run, for viewers who may see the run, its scores and the key."""
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
    """The content security policy of a report: its own one, plus rules that prevent access to anything outside.

    >>> report_policy('<meta http-equiv="Content-Security-Policy" content="img-src data:">')
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    """
    match = POLICY.search(page)
    assert match, "a report has a policy"
    return f"{match[1]}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"


def scoring_progress(here: Campaign, dataset: str) -> dict[str, int]:
    """How many runs of a dataset are scored by its newest key, and how many are not yet."""
    left = sum(waiting_run.dataset == dataset for waiting_run, _ in waiting_submissions(here.state))
    total = sum(submission.dataset == dataset for submission in here.state.submissions.values())
    return {"done": total - left, "every": total, "left": left}


@require_GET
@campaign_view
def archive(request: HttpRequest) -> Any:
    """Download the archive, as soon as the phase publishes it and all boards and reports are made."""
    here = campaign()
    here.check(viewer(request), "archive")
    if not has_reached(here.phase, ARCHIVE):
        raise Http404
    behind = [
        name for name in here.state.keys if here.dataset(name).phase in DISCUSSED and not board_is_ready(here, name)
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
        page.status_code = HTTPStatus.ACCEPTED  # so that programs do not take this page for the archive
        return page
    name = f"{here.protocol.name}-archive.zip"
    file: Any = FileResponse(zip_file.open("rb"), as_attachment=True, filename=name, content_type="application/zip")
    return file
