"""The descriptions that teams give of their runs, under the headings of the protocol.

A description may contain names, so the ledger only has a salted digest, and the text is in the store.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from aune.campaign.ledger.ledger_file import Writer, canonical_json
from aune.campaign.ledger.state import Submission
from aune.campaign.protocol.protocol_file import Protocol
from aune.errors import UsageError
from aune.files import sha256_hex
from aune.store import Store

LONGEST_TEXT = 2000  # characters under one heading


def check_metadata(protocol: Protocol, metadata: Mapping[str, str], *, must_be_complete: bool) -> dict[str, str]:
    """The normalised description of a run; raises UsageError if a field is missing, too long or unknown."""
    unknown = [name for name in metadata if name not in protocol.metadata]
    if unknown:
        known = ", ".join(protocol.metadata) or "none"
        raise UsageError(f"metadata: found {unknown[0]!r}, expected one of: {known}")
    texts = {name: " ".join(text.split()) for name, text in metadata.items() if text.strip()}
    for name, text in texts.items():
        if len(text) > LONGEST_TEXT:
            raise UsageError(f"metadata: {name} has {len(text):,} letters, expected {LONGEST_TEXT:,} at most")
    missing = [
        heading.title for heading in protocol.metadata.values() if heading.required and heading.name not in texts
    ]
    if missing and must_be_complete:
        raise UsageError(f"metadata: found nothing under {missing[0]!r}, which the organisers ask for")
    return texts


def record_metadata(store: Store, writer: Writer, submission_id: str, texts: Mapping[str, str]) -> None:
    """Store a team's description of a run and record its digest."""
    content = canonical_json({"salt": secrets.token_hex(16), "metadata": dict(texts)})
    writer.append("described", {"submission": submission_id, "digest": store.add(content)})


def read_description(store: Store, submission: Submission) -> dict[str, Any]:
    """A team's description of a run, with the salt of its digest; empty if there is none."""
    description: dict[str, Any] = json.loads(store.get(submission.description)) if submission.description else {}
    return description


def read_metadata(store: Store, submission: Submission) -> dict[str, str]:
    """A team's description of a run, by heading."""
    texts: dict[str, str] = read_description(store, submission).get("metadata", {})
    return texts


def description_digest(description: Mapping[str, Any]) -> str:
    """The digest of a description, as recorded in the ledger."""
    return sha256_hex(canonical_json(description))
