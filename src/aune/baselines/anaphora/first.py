"""First mention: the candidate that comes first in the text, among those that agree in gender and number."""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.anaphora._antecedent_choice import choose_antecedents
from aune.tasks.anaphora.model import Anaphor, Document, text_order


def respond(documents: Sequence[Document]) -> list[Document]:
    """Every anaphor with its first agreeing candidate."""
    return choose_antecedents(documents, lambda document, anaphor: _first(anaphor))


def _first(anaphor: Anaphor) -> list[str]:
    agreeing = [candidate.mention for candidate in anaphor.candidates if candidate.agrees]
    return [min(agreeing, key=text_order)] if agreeing else []


BASELINE = Baseline(respond)
