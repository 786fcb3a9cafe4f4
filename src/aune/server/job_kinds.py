"""The kinds of jobs that the worker can do, by name."""

from __future__ import annotations

from collections.abc import Mapping

from aune.server.campaign import background_jobs as campaign
from aune.server.jobs.worker import JobKind
from aune.server.workbench.analysis_api import compute_losses

WORK: Mapping[str, JobKind] = {"workbench.losses": JobKind(compute_losses, seconds=120), **campaign.JOB_KINDS}
