"""How far the annotators of a text agree: every measure pair by pair, and κ and α beyond chance.

For a measure that is not the same both ways, the first annotator of a pair is the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from aune.core.errors import UsageError
from aune.explain.annotators import annotators_agreement
from aune.workbench.comparison import PLAIN, Conventions, Score, score_of, scores_of, within
from aune.workbench.comparison import pair as documents_of
from aune.workbench.measured import measured, shared_words
from aune.workbench.model import State, Text


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two annotators, and what every measure says of them."""

    first: str
    second: str
    scores: list[Score]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """All annotators of a text."""

    pairs: list[Pair]
    chance: dict[str, list[Score]]
    """Agreement beyond chance: of each pair, and `overall` of all of them."""


def agreement(text: Text, layers: Mapping[str, State], conventions: Conventions = PLAIN) -> Agreement:
    """The agreement of layers, by their names."""
    return pooled([(text, layers)], conventions)


def pooled(annotated: Sequence[tuple[Text, Mapping[str, State]]], conventions: Conventions = PLAIN) -> Agreement:
    """The agreement of the same annotators over several texts of one task."""
    names = list(annotated[0][1]) if annotated else []
    if len(names) < 2:
        raise UsageError("agreement needs at least two layers")
    if other := next((text.id for text, layers in annotated if set(layers) != set(names)), None):
        raise UsageError(f"found other annotators of {other!r} than of {annotated[0][0].id!r}: choose the same ones")
    task = annotated[0][0].task
    documents: dict[str, list[Any]] = {name: [] for name in names}
    for text, layers in annotated:
        kept = {name: within(layers[name], conventions.start, conventions.end) for name in names}
        words = shared_words(text, kept.values())
        for name, state in kept.items():
            documents[name].append(measured(text, state, words).document)
    chance: dict[str, list[Score]] = {}
    for found in annotators_agreement(task, documents):
        chance.setdefault(found.system, []).append(score_of(found))
    return Agreement(
        pairs=[
            Pair(
                first=first, second=second,
                scores=scores_of(task, [documents_of(text, layers[first], layers[second], conventions)
                                        for text, layers in annotated], conventions),
            )
            for first, second in combinations(names, 2)
        ],
        chance=chance,
    )  # fmt: skip
