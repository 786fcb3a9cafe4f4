"""The report page of a run, for viewers who may see the run, its scores and the key: the page shows all three.

A page contains no team name and no name of an uploaded file, so that all readers get the same page. It is made in a
separate process, under the limits of the protocol, and stored.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.ledger.state import SCORED, Submission
from aune.campaign.protocol.phases import DISCUSSED
from aune.campaign.protocol.visibility import EVERYBODY, Viewer
from aune.campaign.publication.visible_results import is_named
from aune.campaign.runs.jobs import FaultError, run_files, run_in_process, score_job
from aune.campaign.runs.run_metadata import read_metadata
from aune.errors import UsageError

LARGEST_PAGE = 20_000_000  # bytes of a page in an archive


def may_read(campaign: Campaign, viewer: Viewer, submission_id: str) -> bool:
    """Whether a viewer may read the page of a run."""
    submission = campaign.state.submissions.get(submission_id)
    if submission is None or submission.state != SCORED:
        return False
    phase = campaign.dataset(submission.dataset).phase
    allowed = all(
        campaign.may_see(viewer, thing, submission.team) for thing in ("runs", f"{phase} scores", f"{phase} key")
    )
    return allowed and (campaign.may_see(viewer, "receipts", submission.team) or _is_public(campaign, submission))


def _is_public(campaign: Campaign, submission: Submission) -> bool:
    """Whether a run is public: it counts, and its files do not reveal the name of an unnamed team."""
    return submission in campaign.state.standing_submissions(submission.dataset) and not reveals_team(
        campaign, submission
    )


def report_page(campaign: Campaign, viewer: Viewer, submission_id: str) -> str:
    """The page of a run for its last scoring; made now if it does not exist."""
    if not may_read(campaign, viewer, submission_id):
        raise NotVisibleError(submission_id)
    submission = campaign.state.submissions[submission_id]
    if not is_ready(campaign, submission_id):
        make_page(campaign, submission_id)
    return campaign.store.get(campaign.state.pages[_page_key(submission)]).decode()


def is_ready(campaign: Campaign, submission: str) -> bool:
    """Whether the page of a run exists; otherwise, a server lets its worker make it."""
    return _page_key(campaign.state.submissions[submission]) in campaign.state.pages


def make_page(campaign: Campaign, submission_id: str) -> None:
    """Make the page of a run and store it."""
    submission = campaign.state.submissions[submission_id]
    page_key = _page_key(submission)
    try:
        page_bytes = run_in_process(campaign, page_job(campaign, submission))["page"].encode()
    except FaultError as fault:
        raise UsageError(f"the page of this run cannot be made: {fault}") from None
    campaign.append(
        "page", {"submission": page_key[0], "version": page_key[1], "digest": campaign.store.add(page_bytes)}
    )


def _page_key(submission: Submission) -> tuple[str, int]:
    """The key of a page in the state: the run, and the version of the key that scored it last."""
    return submission.id, max(submission.results, default=0)


def page_job(campaign: Campaign, submission: Submission) -> dict[str, Any]:
    """The job for one run, with its key, and its files under names that reveal no one."""
    version = max(submission.results)
    files = {path: campaign.store.add(data) for path, data in run_files(campaign, submission, version).items()}
    table = submission.table_at(version)
    run = {"id": submission.id, "table": table.path if table else ""}
    return {**score_job(campaign, submission, version), "kind": "page", "runs": [run], "files": files}


def reveals_team(campaign: Campaign, submission: Submission) -> bool:
    """Whether the files of a run, including its tables, contain the name of a team that must not be named.

    A name that occurs as often in the text that was handed out does not count.
    """
    team = campaign.state.teams[submission.team]
    if is_named(campaign, EVERYBODY, team):
        return False
    cache_key = (
        submission.id,
        submission.description,
        *(submission.table_at(version) for version in submission.results),
        *team.names,
    )
    if cache_key not in REVEALED:
        with _reveal_lock:  # only one thread: a run may be large, and many requests come together
            if cache_key not in REVEALED:
                text = campaign.store.get(campaign.state.texts[submission.dataset].digest).decode("utf-8", "replace")
                runs = (run_files(campaign, submission, version) for version in submission.results)
                description = " ".join(read_metadata(campaign.store, submission).values())
                REVEALED[cache_key] = team.is_named_in(description) or any(
                    team.is_named_in(_joined_text(files), text) for files in runs
                )
    return REVEALED[cache_key]


_reveal_lock = threading.Lock()


REVEALED: dict[tuple[object, ...], bool] = {}
"""Results that are known already: runs and tables never change, and a page of results checks hundreds of them."""


def _joined_text(files: Mapping[str, bytes]) -> str:
    return "\n".join([*files, *(data.decode("utf-8", "replace") for data in files.values())])


def open_pages(campaign: Campaign) -> dict[str, str]:
    """The digests of the pages that are public and made already, by submission."""
    state = campaign.state
    pages = {}
    for name in state.keys:
        for submission in state.standing_submissions(name):
            if may_read(campaign, EVERYBODY, submission.id) and is_ready(campaign, submission.id):
                digest = state.pages[_page_key(submission)]
                if campaign.store.path(digest).stat().st_size <= LARGEST_PAGE:
                    pages[submission.id] = digest
    return pages


def missing_pages(campaign: Campaign) -> list[str]:
    """The runs of the campaign's own phases whose page is public but not made yet."""
    state = campaign.state
    names = [name for name in state.keys if campaign.dataset(name).phase in DISCUSSED]
    runs = [submission.id for name in names for submission in state.standing_submissions(name)]
    return [run for run in runs if may_read(campaign, EVERYBODY, run) and not is_ready(campaign, run)]
