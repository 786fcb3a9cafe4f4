"""Everything in one chain: full recall for the asking, and MUC's indulgence in plain sight."""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.coref._grouping import regroup_mentions
from aune.tasks.coref.model import Document


def respond(documents: Sequence[Document]) -> list[Document]:
    """Every document as one chain."""
    return [regroup_mentions(document, [0] * len(document)) for document in documents]


BASELINE = Baseline(respond)
