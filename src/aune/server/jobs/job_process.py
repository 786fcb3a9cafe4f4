"""The process that does jobs where nothing can be forked: it sets Django up before it imports any model."""

from __future__ import annotations

import json

import django


def answer_job(message: bytes) -> bytes:
    """The outcome of a job of the site, as JSON; the message is its kind and its request."""
    django.setup()
    from django.db import connections  # noqa: PLC0415 - models can be imported only after django.setup()

    from aune.server.job_kinds import WORK  # noqa: PLC0415
    from aune.server.jobs.worker import job_outcome  # noqa: PLC0415

    kind, request = json.loads(message)
    try:
        return json.dumps(job_outcome(WORK[kind], request)._asdict()).encode()
    finally:
        connections.close_all()
