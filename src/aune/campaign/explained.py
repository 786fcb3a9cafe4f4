"""The report page of a run, for those who may see the run, its scores and the key: it shows all three.

A page names nobody and no file that was sent: it is the same for everyone who may read it. It is made in a process of
its own, under the limits of the protocol, and kept.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from aune.campaign.campaign import Campaign, NotYoursError
from aune.campaign.jobs import FaultError, in_a_process, run_files, score_job
from aune.campaign.policy import EVERYBODY, Viewer
from aune.campaign.publication import is_named
from aune.campaign.records import SCORED, Submission
from aune.core.errors import UsageError

LARGEST = 20_000_000  # bytes of a page in an archive


def may_read(campaign: Campaign, viewer: Viewer, submission: str) -> bool:
    """Whether a viewer may read the page of a run."""
    one = campaign.state.submissions.get(submission)
    if one is None or one.state != SCORED:
        return False
    phase = campaign.dataset(one.dataset).phase
    allowed = all(campaign.may(viewer, thing, one.team) for thing in ("runs", f"{phase} scores", f"{phase} key"))
    return allowed and (campaign.may(viewer, "receipts", one.team) or _is_open(campaign, one))


def _is_open(campaign: Campaign, submission: Submission) -> bool:
    """Whether a run is one of those that everybody sees: it counts, and its files tell nobody's name."""
    return submission in campaign.state.standing(submission.dataset) and not tells(campaign, submission)


def page(campaign: Campaign, viewer: Viewer, submission: str) -> str:
    """The page of a run as it was scored last; made now, if it is not there."""
    if not may_read(campaign, viewer, submission):
        raise NotYoursError(submission)
    one = campaign.state.submissions[submission]
    if not is_ready(campaign, submission):
        make(campaign, submission)
    return campaign.store.get(campaign.state.pages[_which(one)]).decode()


def is_ready(campaign: Campaign, submission: str) -> bool:
    """Whether the page of a run is there: a server has it made by its worker if not."""
    return _which(campaign.state.submissions[submission]) in campaign.state.pages


def make(campaign: Campaign, submission: str) -> None:
    """Make the page of a run and keep it."""
    one = campaign.state.submissions[submission]
    which = _which(one)
    try:
        made = in_a_process(campaign, page_job(campaign, one))["page"].encode()
    except FaultError as fault:
        raise UsageError(f"the page of this run cannot be made: {fault}") from None
    campaign.append("page", {"submission": which[0], "version": which[1], "digest": campaign.store.put(made)})


def _which(submission: Submission) -> tuple[str, int]:
    """What a page is about: the run, and the version of the key."""
    return submission.id, max(submission.results, default=0)


def page_job(campaign: Campaign, submission: Submission) -> dict[str, Any]:
    """One run, its key, and its files under names that tell nobody's."""
    version = max(submission.results)
    files = {path: campaign.store.put(data) for path, data in run_files(campaign, submission, version).items()}
    table = submission.table_at(version)
    run = {"id": submission.id, "table": table.path if table else ""}
    return {**score_job(campaign, submission, version), "kind": "page", "runs": [run], "files": files}


def tells(campaign: Campaign, submission: Submission) -> bool:
    """Whether the files of a run, its tables among them, hold the name of a team that is not to be named.

    A name that stands in the text that was handed out as often tells nothing.
    """
    team = campaign.state.teams[submission.team]
    if is_named(campaign, EVERYBODY, team):
        return False
    looked_at = submission.id, *(submission.table_at(version) for version in submission.results), *team.names
    if looked_at not in KNOWN:
        with _looking:  # one at a time: a run may be large, and many ask at once
            if looked_at not in KNOWN:
                given = campaign.store.get(campaign.state.texts[submission.dataset].digest).decode("utf-8", "replace")
                runs = (run_files(campaign, submission, version) for version in submission.results)
                KNOWN[looked_at] = any(team.is_told_by(_whole(files), given) for files in runs)
    return KNOWN[looked_at]


_looking = threading.Lock()


KNOWN: dict[tuple[object, ...], bool] = {}
"""What was looked for in files already: neither a run nor a table ever changes, and a page of results has hundreds."""


def _whole(files: Mapping[str, bytes]) -> str:
    return "\n".join([*files, *(data.decode("utf-8", "replace") for data in files.values())])


def open_pages(campaign: Campaign) -> dict[str, str]:
    """The pages that everybody may read and that are made already, by submission: their digests."""
    state = campaign.state
    found = {}
    for name in state.keys:
        for one in state.standing(name):
            if may_read(campaign, EVERYBODY, one.id) and is_ready(campaign, one.id):
                made = state.pages[_which(one)]
                if campaign.store.path(made).stat().st_size <= LARGEST:
                    found[one.id] = made
    return found


def to_make(campaign: Campaign) -> list[str]:
    """The runs whose page everybody may read, and which is not made yet."""
    state = campaign.state
    runs = [one.id for name in state.keys for one in state.standing(name)]
    return [run for run in runs if may_read(campaign, EVERYBODY, run) and not is_ready(campaign, run)]
