"""Labels of entities that participants know from the keys that they were given: a run with others gets a note.

The key that scores a run is not looked at: a note about it would tell what it contains.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.phases import phase_number
from aune.campaign.protocol.protocol_file import Protocol
from aune.campaign.protocol.visibility import PARTICIPANT, Viewer
from aune.campaign.runs.submission_checks import count_labels, read_texts
from aune.errors import AuneError

ANY_TEAM = Viewer(PARTICIPANT)


@dataclass(frozen=True)
class _Key:
    """A key of an earlier phase; it is the same where its digest, its format and the protocol are."""

    digest: str
    name: str
    form: str
    protocol_text: str
    data: bytes = field(compare=False, repr=False)
    protocol: Protocol = field(compare=False, repr=False)


def known_labels(campaign: Campaign, dataset: str) -> list[str]:
    """The labels in the keys of earlier phases that every team may see now; none where the task has no labels."""
    plan, state, phase = campaign.protocol, campaign.state, campaign.dataset(dataset).phase
    labels: set[str] = set()
    for name, versions in state.keys.items() if campaign.plan_of(dataset).task == "entities" else ():
        earlier = plan.datasets.get(name)
        if earlier is None or earlier.track != campaign.dataset(dataset).track:
            continue
        if phase_number(earlier.phase) >= phase_number(phase):
            continue
        if campaign.may_see(ANY_TEAM, f"{earlier.phase} key"):
            digest = versions[-1].digest
            key = _Key(
                digest,
                Path(earlier.key).name,
                earlier.format,
                plan.text,
                campaign.store.get(digest),
                campaign.plan_of(name),
            )
            labels |= _labels_of_key(key)
    return sorted(labels)


@lru_cache(8)
def _labels_of_key(key: _Key) -> frozenset[str]:
    try:
        return frozenset(count_labels(read_texts(key.protocol, key.name, key.data, key.form).documents))
    except AuneError:  # a key that cannot be read is reported where it scores
        return frozenset()
