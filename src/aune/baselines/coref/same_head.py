"""Same head: mentions whose head is the same word are one chain.

The head is the one that the file gives, or the last or the first noun of the phrase, before its first preposition,
relative or comma: the last one in English and the first one in French, unless `head` says otherwise (Popescu-Belis
1999, note 8, takes the first, which needs no analysis).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from aune.baselines import Baseline
from aune.baselines.coref._grouping import Language, regroup_mentions
from aune.tasks.coref.mentions.traits import describe_mentions
from aune.tasks.coref.model import Document


def respond(
    documents: Sequence[Document],
    *,
    head: Annotated[Literal["language", "first", "last"], "which noun of a phrase is its head"] = "language",
    language: Language = "auto",
) -> list[Document]:
    """Mentions grouped by their heads."""
    side = "" if head == "language" else head
    return [
        regroup_mentions(
            document,
            [word or index for index, word in enumerate(describe_mentions(document, language, head_side=side).heads)],
        )
        for document in documents
    ]


BASELINE = Baseline(respond)
