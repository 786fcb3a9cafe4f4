"""Replace the chains in the documents of a key."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

from aune.numeric.arrays import Numbering
from aune.tasks.coref.model import Document, renumber

Language: TypeAlias = Annotated[
    Literal["auto", "english", "french"], "whose closed-class words: those the text uses most, or a language's"
]


def regroup_mentions(document: Document, groups: Sequence[Hashable]) -> Document:
    """The same mentions, with one chain for each group."""
    numbers: Numbering[Hashable] = Numbering()
    return replace(document, chains=renumber(numbers.codes(groups, len(document)))[0], labels=None, relations=())
