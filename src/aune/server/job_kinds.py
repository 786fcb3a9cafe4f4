"""The kinds of jobs, by name: whatever an app hands to the worker stands here."""

from __future__ import annotations

from collections.abc import Mapping

from aune.server.campaign import background_jobs as campaign
from aune.server.jobs.worker import JobKind
from aune.server.workbench.analysis_api import compute_losses

WORK: Mapping[str, JobKind] = {"workbench.losses": JobKind(compute_losses, seconds=120), **campaign.JOB_KINDS}
