"""κ: agreement of two annotations beyond chance.

Over the words that both sides have and give exactly one tag, with p₀ the share on which they agree and pₑ the share on
which two annotators with these tag frequencies would agree by chance:

    κ = (p₀ − pₑ) / (1 − pₑ),   pₑ = Σ over tags of (share in the key) · (share in the response)

Source: Cohen 1960, as Carletta 1996 recommends it and GRACE reports it (Adda et al. 1999, §5).
Edges: undefined when chance alone agrees on everything (one tag on both sides) or no word is shared. For a document, a
tag or another part of the corpus chance is that of the whole corpus, so that parts add up; tag frequencies are those of
at most 20,000 documents compared at once.

>>> MEASURE([("a", "N"), ("b", "V"), ("c", "N"), ("d", "V")], [("a", "N"), ("b", "V"), ("c", "V"), ("d", "V")])
tagging.kappa(kappa=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.readings import Readings


class Counts(NamedTuple):
    """Words with one tag on each side, by unit."""

    agreed: Column
    expected: Column
    """How many agreements chance would give."""
    words: Column


class Score(NamedTuple):
    """Agreement beyond chance."""

    kappa: Column


def count(comparison: Comparison) -> Counts:
    keys, responses = comparison.paired
    one_tag = _single(comparison.key_readings)[keys] & _single(comparison.response_readings)[responses]
    keys, responses = keys[one_tag], responses[one_tag]
    left, right = comparison.key_label[keys], comparison.response_label[responses]
    frequency = np.bincount(right, minlength=len(comparison.labels)) / max(len(right), 1)
    unit = comparison.key_unit[keys]
    return Counts(
        comparison.per_unit(unit, (left == right).astype(float)),
        comparison.per_unit(unit, frequency[left]),
        comparison.per_unit(unit),
    )


def score(words: Counts) -> Score:
    return Score(ratio(words.agreed - words.expected, _without_dust(words.words - words.expected, words.words)))


def _without_dust(rest: Column, whole: Column) -> Column:
    """What is left of a difference of sums, 0 where only rounding is."""
    return np.where(np.abs(rest) <= 1e-9 * np.abs(whole), 0.0, rest)


def _single(readings: Readings) -> Column:
    """Which words have exactly one tag."""
    return np.array([len(tags) == 1 for tags in readings.tags] or [False])[readings.codes]


MEASURE = Measure(count, score, undefined={"kappa": "chance alone agrees on every word, or no word is shared"})
