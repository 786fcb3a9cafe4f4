"""The queue of submissions: the ledger of the campaign, in which a worker leases the submission that it scores.

Whoever adds a submission, or a version of a key, thereby adds to this queue: nothing else is requested. The database
has no job for a submission, so that its lease in the ledger is the only one. Scoring is contained once: the worker
itself starts the process with the limits of the protocol.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from django.db import connections

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.deadlines import now
from aune.campaign.runs.jobs import (
    WAITS,
    Engine,
    Job,
    first_lease_end,
    lease_next_job,
    run_job,
    unleased_submissions,
)
from aune.campaign.scaffold import open_campaign
from aune.server.campaign.background_jobs import request_letters

FAILURE_PAUSE = 5.0  # seconds without scoring after a failure, such as a ledger that cannot be read
AWAY_PAUSE, LONGEST_AWAY_PAUSE = 60.0, 900.0
"""Seconds without scoring while a cluster or a sandbox is not available; each pause is twice as long as the last."""
NEVER = datetime.max.replace(tzinfo=UTC)
log = logging.getLogger(__name__)


class ScoringQueue:
    """The submissions of a campaign that wait for this worker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._campaign: Campaign | None = None
        self._seen, self._look_again = -1, NEVER
        """How long the ledger was when nothing waited, and when the first lease of another worker ends."""
        self._rests_until, self._away_pause = 0.0, AWAY_PAUSE

    def score_next(self) -> bool:
        """Score the submission that has waited longest; False if none waits, or none can be scored now."""
        if monotonic() < self._rests_until:
            return False
        try:
            state = self._score()
        except Exception:  # the lease was released, and counts as an attempt
            log.exception("submissions wait")
            self._rests_until = monotonic() + FAILURE_PAUSE
            return False
        if state == WAITS:
            self._rests_until = monotonic() + self._away_pause
            self._away_pause = min(2 * self._away_pause, LONGEST_AWAY_PAUSE)
            return False
        if state:
            self._away_pause = AWAY_PAUSE
            request_letters()
        return state != ""

    def _score(self) -> str:
        """The state in which a submission ended; '' if none waits."""
        campaign = self._campaign = self._campaign or open_campaign(self._folder)
        job = self._lease(campaign)
        if job is None:
            return ""
        connections.close_all()  # the process that scores must not share them
        return run_job(campaign, job, Engine.from_environment())

    def _lease(self, campaign: Campaign) -> Job | None:
        length = len(campaign.ledger.entries())
        if length == self._seen and now() < self._look_again:
            return None
        job = lease_next_job(campaign) if unleased_submissions(campaign) else None
        if job is None:
            self._seen, self._look_again = length, first_lease_end(campaign) or NEVER
        return job
