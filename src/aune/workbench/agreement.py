"""How far the annotators of a text agree: every measure pair by pair, and κ and α beyond chance.

For a measure that is not the same both ways, the first annotator of a pair is the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import msgspec

from aune.core.errors import UsageError
from aune.explain.annotators import annotators_agreement
from aune.workbench.comparison import PLAIN, Conventions, Score, score_of, scores, within
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
    if len(layers) < 2:
        raise UsageError("agreement needs at least two layers")
    kept = {name: within(state, conventions.start, conventions.end) for name, state in layers.items()}
    words = shared_words(text, kept.values())
    documents = {name: [measured(text, state, words).document] for name, state in kept.items()}
    chance: dict[str, list[Score]] = {}
    for found in annotators_agreement(text.task, documents):
        chance.setdefault(found.system, []).append(score_of(found))
    return Agreement(
        pairs=[
            Pair(first=first, second=second, scores=scores(text, layers[first], layers[second], conventions))
            for first, second in combinations(layers, 2)
        ],
        chance=chance,
    )
