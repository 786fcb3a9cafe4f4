"""The kinds of jobs, by name: whatever an app hands to the worker stands here."""

from __future__ import annotations

from collections.abc import Mapping

from aune.server.campaign import work as campaign
from aune.server.jobs.worker import Work
from aune.server.workbench.analysis import losses_of

WORK: Mapping[str, Work] = {"workbench.losses": Work(losses_of, seconds=120), **campaign.WORK}
