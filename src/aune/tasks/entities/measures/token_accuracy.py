"""Token accuracy: the share of tokens with the right annotation.

    accuracy        = tokens with the same labels on both sides / tokens
    entity_accuracy = the same over the tokens that are inside an entity of the key

Where both files hold one tag per token, a token is right when its tag is the key's as it stands in the file, before any
repair, as in conlleval: `I-PER` for `B-PER` is wrong, even where both begin the same entity. Otherwise it is right when
the same labels cover it and the same entities begin at it, which for flat entities is to have the same IOB2 tag. Most
tokens are outside of entities, so `accuracy` is high for systems that find nothing.

Source: Tjong Kim Sang and De Meulder 2003 (conlleval's accuracy, with and without O).
Edges: undefined without tokens. `_` and `-` are O. A token that the response lacks is wrong, one that the key lacks is
not looked at. In formats with character offsets the tokens are characters. Where the length of the text is unknown it
ends with the last entity. It has no values by label.

>>> MEASURE(["B-PER", "I-PER", "O", "O"], ["B-PER", "O", "O", "O"])
entities.token_accuracy(accuracy=0.7500, entity_accuracy=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.core.arrays import Ints, Numbers
from aune.core.measure import Column, Measure, ratio
from aune.tasks.entities.comparison import OUTSIDE, Comparison
from aune.tasks.entities.stretches import by_stretch


class Counts(NamedTuple):
    """Tokens, by sentence."""

    right: Column
    tokens: Column
    entity_right: Column
    entity_tokens: Column


class Score(NamedTuple):
    """Over all tokens, and over those in entities of the key."""

    accuracy: Column
    entity_accuracy: Column


def count(comparison: Comparison) -> Counts:
    if all(one.tags is not None for pair in comparison.pairs for one in pair):
        return _by_tags(comparison)
    return Counts(*by_stretch(comparison))


def _by_tags(comparison: Comparison) -> Counts:
    """Tag by tag, each distinct one looked at once."""
    numbers = Numbers({OUTSIDE: 0})
    known: dict[tuple[str, ...], Ints] = {}
    columns: list[list[Ints]] = [[], []]
    place = []
    for (key, response), offset in zip(comparison.pairs, comparison.offsets.tolist(), strict=True):
        size = len(key.tags.codes) if key.tags else 0
        place.append(np.arange(size) + offset)
        for side, one in zip(columns, (key, response), strict=True):
            assert one.tags is not None
            if one.tags.names not in known:
                known[one.tags.names] = np.append(numbers.of(map(comparison.wanted.tag, one.tags.names)), -1)
            codes = np.append(one.tags.codes[:size], np.full(max(0, size - len(one.tags.codes)), -1))
            side.append(known[one.tags.names][codes])
    expected, given = (np.concatenate(side) for side in columns)
    sentence = np.searchsorted(comparison.sentence_starts, np.concatenate(place), "right") - 1
    entity = expected != 0
    parts = (expected == given, np.ones(len(entity)), (expected == given) & entity, entity)
    return Counts(*(np.bincount(sentence, part, len(comparison.sentence_starts)) for part in parts))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.right, counts.tokens), ratio(counts.entity_right, counts.entity_tokens))


MEASURE = Measure(count, score, main="accuracy", units="sentence_units", undefined={
    "accuracy": "no token", "entity_accuracy": "no token inside an entity of the key",
}, aliases=("accuracy", "acc"))  # fmt: skip
