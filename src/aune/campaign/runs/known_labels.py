"""Labels of entities that participants know from the keys they were given; a note reports other labels in a run.

The key that scores a run is not used: a note about it would reveal its content.
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
    """A key of an earlier phase; keys are equal if digest, file name, format and protocol are."""

    digest: str
    name: str
    form: str
    protocol_text: str
    data: bytes = field(compare=False, repr=False)
    protocol: Protocol = field(compare=False, repr=False)


def known_labels(campaign: Campaign, dataset: str) -> list[str]:
    """The labels in the keys of earlier phases that every team may see now; empty if the task has no labels."""
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
    except AuneError:  # a key that cannot be read is reported when it is used for scoring
        return frozenset()
