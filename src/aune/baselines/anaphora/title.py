"""Title match: the candidates that share a word with the title of the text (its attribute `title`).

GAP's items come from pages about someone, and the pronoun is often that person. What stands in parentheses at the end
of a title is left out. Candidates that share no word are never chosen, so many anaphors stay unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.anaphora._antecedent_choice import choose_antecedents
from aune.tasks.anaphora.model import Anaphor, Document

APPENDIX = re.compile(r"\s*\(.*")


def respond(documents: Sequence[Document]) -> list[Document]:
    """Every anaphor with the candidates that share a word with the title."""
    return choose_antecedents(documents, _named_in_title)


def _named_in_title(document: Document, anaphor: Anaphor) -> list[str]:
    title = set(APPENDIX.sub("", document.attributes.get("title", "")).lower().split())
    return [
        candidate.mention
        for candidate in anaphor.candidates
        if title & set((candidate.text or document.texts.get(candidate.mention, "")).lower().split())
    ]


BASELINE = Baseline(respond)
