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

from aune.contract.measure import Column, Measure, ratio
from aune.numeric.arrays import Ints, Numbering
from aune.tasks.entities.comparison import OUTSIDE, Comparison
from aune.tasks.entities.token_agreement import count_agreement


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
    if all(document.tags is not None for pair in comparison.pairs for document in pair):
        return _by_tags(comparison)
    return Counts(*count_agreement(comparison))


def _by_tags(comparison: Comparison) -> Counts:
    """Tag by tag, each distinct one looked at once."""
    numbers = Numbering({OUTSIDE: 0})
    known: dict[tuple[str, ...], Ints] = {}
    columns: list[list[Ints]] = [[], []]
    positions = []
    for (key, response), offset in zip(comparison.pairs, comparison.offsets.tolist(), strict=True):
        size = len(key.tags.codes) if key.tags else 0
        positions.append(np.arange(size) + offset)
        for side, document in zip(columns, (key, response), strict=True):
            assert document.tags is not None
            if document.tags.names not in known:
                known[document.tags.names] = np.append(
                    numbers.codes(map(comparison.label_filter.split_tag, document.tags.names)), -1
                )
            codes = np.append(document.tags.codes[:size], np.full(max(0, size - len(document.tags.codes)), -1))
            side.append(known[document.tags.names][codes])
    key_codes, response_codes = (np.concatenate(side) for side in columns)
    sentence = np.searchsorted(comparison.sentence_starts, np.concatenate(positions), "right") - 1
    entity = key_codes != 0
    parts = (key_codes == response_codes, np.ones(len(entity)), (key_codes == response_codes) & entity, entity)
    return Counts(*(np.bincount(sentence, part, len(comparison.sentence_starts)) for part in parts))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.right, counts.tokens), ratio(counts.entity_right, counts.entity_tokens))


MEASURE = Measure(count, score, main="accuracy", units="sentence_units", undefined={
    "accuracy": "no token", "entity_accuracy": "no token inside an entity of the key",
}, aliases=("accuracy", "acc"))  # fmt: skip
