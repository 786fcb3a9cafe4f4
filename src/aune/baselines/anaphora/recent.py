"""Most recent: the nearest candidate before the anaphor that agrees with it in gender and number."""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.anaphora._antecedent_choice import choose_antecedents
from aune.tasks.anaphora.model import Document, nearest_agreeing


def respond(documents: Sequence[Document]) -> list[Document]:
    """Every anaphor with its nearest agreeing candidate, or without an antecedent when it has none."""
    return choose_antecedents(
        documents, lambda document, anaphor: [nearest] if (nearest := nearest_agreeing(anaphor)) else []
    )


BASELINE = Baseline(respond)
