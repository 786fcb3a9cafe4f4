"""The documents of a key with their mentions in other chains."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

from aune.core.arrays import Numbers
from aune.tasks.coref.model import Document, renumbered

Language: TypeAlias = Annotated[
    Literal["auto", "english", "french"], "whose closed-class words: those the text uses most, or a language's"
]


def regrouped(document: Document, groups: Sequence[Hashable]) -> Document:
    """The same mentions, those with equal groups in one chain."""
    numbers: Numbers[Hashable] = Numbers()
    return replace(document, chains=renumbered(numbers.of(groups, len(document)))[0], labels=None, relations=())
