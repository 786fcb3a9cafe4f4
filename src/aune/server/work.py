"""The kinds of jobs, by name: whatever an app hands to the worker stands here."""

from __future__ import annotations

from collections.abc import Mapping

from aune.server.campaign import work as campaign
from aune.server.jobs.worker import Work
from aune.server.workbench.analysis import losses_of

LARGE = 16_384  # megabytes
WORK: Mapping[str, Work] = {
    "workbench.losses": Work(losses_of, seconds=120),
    campaign.SCORE: Work(campaign.score, 3600, LARGE, campaign.loaded),  # its own child has the protocol's limits
    campaign.BOARD: Work(campaign.board, 3600, LARGE, campaign.loaded),
    campaign.REPORT: Work(campaign.report, 3600, LARGE, campaign.loaded),
    campaign.MAIL: Work(campaign.letters, 600, load=campaign.loaded),
}
