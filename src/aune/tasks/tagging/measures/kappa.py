"""κ: agreement of two annotations beyond chance.

Over the words that both sides have and give exactly one tag (in a relative evaluation, an entry of the response's
table), with p₀ the share on which they agree and pₑ the share on which two annotators with these tag frequencies would
agree by chance:

    κ = (p₀ − pₑ) / (1 − pₑ),   pₑ = Σ over tags of (share in the key) · (share in the response)

What is left undecided or out does not count against a response here, so κ comes with the share of the key's words that
were compared.

Source: Cohen 1960, as Carletta 1996 recommends it and GRACE reports it (Adda et al. 1999, §5).
Edges: undefined when chance alone agrees on everything (one tag on both sides) or no word is shared. Chance looks at
the frequencies of every tag over the whole corpus.

>>> MEASURE([("a", "N"), ("b", "V"), ("c", "N"), ("d", "V")], [("a", "N"), ("b", "V"), ("c", "V"), ("d", "V")])
tagging.kappa(kappa=0.5000, compared=1.0000)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.contract.options import Range
from aune.errors import UsageError
from aune.numeric.arrays import Ints
from aune.results.rows import shrink_type
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.grace.readings import Tags

MOST_CELLS = 30_000_000  # of units by tags: a gigabyte


class Counts(NamedTuple):
    """Words with one tag on each side, by unit."""

    agreed: Column
    key: Column
    """(units, tags)"""
    response: Column
    """(units, tags)"""
    words: Column
    """All of the key's, however many tags they have."""


class Score(NamedTuple):
    """Agreement beyond chance."""

    kappa: Column
    compared: Column
    """The share of the key's words that have one tag on both sides."""


class TaggedPairs(NamedTuple):
    """Words with one tag on each side, of a chunk: their units, and their tags as numbers into a list."""

    units: int
    unit: Ints
    key: Ints
    response: Ints
    labels: tuple[str, ...]
    words: Ints
    """By unit, all words of the key."""


def count(comparison: Comparison) -> TaggedPairs:
    keys, responses = comparison.paired
    of_key, of_response = comparison.compared_tags
    one_tag = _single(of_key)[comparison.key_readings.codes[keys]]
    one_tag &= _single(of_response)[comparison.response_readings.codes[responses]]
    keys, responses = keys[one_tag], responses[one_tag]
    return TaggedPairs(
        comparison.unit_count,
        comparison.key_unit[keys],
        comparison.key_label[keys],
        comparison.response_label[responses],
        tuple(comparison.labels),
        np.bincount(comparison.key_unit, minlength=comparison.unit_count),
    )


def settle(chunks: Sequence[TaggedPairs]) -> list[Counts]:
    """The counts of every chunk over the tags of all, since chance looks at the whole corpus."""
    tags = {tag: number for number, tag in enumerate(sorted({tag for chunk in chunks for tag in chunk.labels}))}
    if sum(chunk.units for chunk in chunks) * len(tags) > MOST_CELLS:
        raise UsageError("kappa: too many documents and tags to compare at once: score parts, or --aspect category")
    return [_count_chunk(chunk, tags) for chunk in chunks]


def _count_chunk(chunk: TaggedPairs, tags: Mapping[str, int]) -> Counts:
    numbers = np.array([tags[tag] for tag in chunk.labels] or [0])
    key_tags, response_tags = numbers[chunk.key], numbers[chunk.response]
    return Counts(
        np.bincount(chunk.unit, key_tags == response_tags, chunk.units),
        _by_tag(chunk.unit, key_tags, chunk.units, len(tags)),
        _by_tag(chunk.unit, response_tags, chunk.units, len(tags)),
        chunk.words,
    )


def _by_tag(unit: Ints, tag: Ints, units: int, tags: int) -> Column:
    """How many words of each unit have each tag."""
    return shrink_type(np.bincount(unit * tags + tag, minlength=units * tags)).reshape(units, tags)


def score(words: Counts) -> Score:
    """κ with both sides multiplied by n², so that 1 − pₑ is 0 exactly when it should be."""
    total = words.key.sum(axis=-1)
    chance = (words.key * np.asarray(words.response, float)).sum(axis=-1)
    return Score(ratio(words.agreed * total - chance, total**2 - chance), ratio(total, words.words))


def _single(cells: Sequence[Tags]) -> Column:
    """Which cells have exactly one tag."""
    return np.array([len(tags) == 1 for tags in cells] or [False])


MEASURE = Measure(
    count,
    score,
    main="kappa",
    range={"kappa": Range(-1, 1)},
    settle=settle,
    undefined={"kappa": "chance alone agrees on every word, or no word is shared", "compared": "the key has no word"},
)
