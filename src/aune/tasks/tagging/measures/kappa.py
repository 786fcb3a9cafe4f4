"""κ: agreement of two annotations beyond chance.

Over the words that both sides have and give exactly one tag, with p₀ the share on which they agree and pₑ the share on
which two annotators with these tag frequencies would agree by chance:

    κ = (p₀ − pₑ) / (1 − pₑ),   pₑ = Σ over tags of (share in the key) · (share in the response)

Source: Cohen 1960, as Carletta 1996 recommends it and GRACE reports it (Adda et al. 1999, §5).
Edges: undefined when chance alone agrees on everything (one tag on both sides) or no word is shared. Chance needs the
frequencies of every tag, so all documents must be compared at once (fewer than 20,000).

>>> MEASURE([("a", "N"), ("b", "V"), ("c", "N"), ("d", "V")], [("a", "N"), ("b", "V"), ("c", "V"), ("d", "V")])
tagging.kappa(kappa=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.errors import UsageError
from aune.evaluation import CHUNK
from aune.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.model import Ints
from aune.tasks.tagging.readings import Readings

MOST_DOCUMENTS = CHUNK
MOST_CELLS = 100_000_000


class Counts(NamedTuple):
    """Words with one tag on each side, by unit."""

    agreed: Column
    key: Column
    """(units, tags)"""
    response: Column
    """(units, tags)"""


class Score(NamedTuple):
    """Agreement beyond chance."""

    kappa: Column


def count(comparison: Comparison) -> Counts:
    keys, responses = comparison.paired
    one_tag = _single(comparison.key_readings)[keys] & _single(comparison.response_readings)[responses]
    keys, responses = keys[one_tag], responses[one_tag]
    left, right = comparison.key_label[keys], comparison.response_label[responses]
    unit = comparison.key_unit[keys]
    return Counts(
        comparison.per_unit(unit, (left == right).astype(float)),
        _by_tag(comparison, unit, left),
        _by_tag(comparison, unit, right),
    )


def _by_tag(comparison: Comparison, unit: Ints, label: Ints) -> Column:
    """How many words of each unit have each tag."""
    tags = len(comparison.labels)
    if len(comparison.key.documents) >= MOST_DOCUMENTS or comparison.unit_count * tags > MOST_CELLS:
        raise UsageError("kappa: too many documents or tags to compare at once: score parts, or --aspect category")
    return np.bincount(unit * tags + label, minlength=comparison.unit_count * tags).reshape(-1, tags)


def score(words: Counts) -> Score:
    """κ with both sides multiplied by n², so that 1 − pₑ is 0 exactly when it should be."""
    total = words.key.sum(axis=-1)
    chance = (words.key * words.response).sum(axis=-1)
    return Score(ratio(words.agreed * total - chance, total**2 - chance))


def _single(readings: Readings) -> Column:
    """Which words have exactly one tag."""
    return np.array([len(tags) == 1 for tags in readings.tags] or [False])[readings.codes]


MEASURE = Measure(count, score, undefined={"kappa": "chance alone agrees on every word, or no word is shared"})
