"""Same string: mentions with the same words, whatever their case, are one chain. Mentions without words stay alone."""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.coref._grouping import regroup_mentions
from aune.tasks.coref.mentions.traits import mention_texts
from aune.tasks.coref.model import Document


def respond(documents: Sequence[Document]) -> list[Document]:
    """Mentions grouped by their words."""
    return [regroup_mentions(document, _groups(document)) for document in documents]


def _groups(document: Document) -> list[object]:
    texts = mention_texts(document) if document.tokens is not None else [""] * len(document)
    return [text.lower() or index for index, text in enumerate(texts)]


BASELINE = Baseline(respond)
