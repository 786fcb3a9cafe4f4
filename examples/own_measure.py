"""How many of the key's longer entities the response has, exactly: a measure of one's own.

    recall = longer entities of the key that the response has / longer entities of the key

aune score ner examples/entities/key.conll examples/entities/rules.conll -m examples.own_measure:LONG --least 2
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.contract.options import Range


class Counts(NamedTuple):
    """What each unit (a sentence and a label) contributes."""

    hits: Column
    key_entities: Column


class Score(NamedTuple):
    """What any pile of counts is worth."""

    recall: Column


Least = Annotated[int, "the shortest entity that counts, in words", Range(1)]


def count(comparison: Any, *, least: Least = 2) -> Counts:
    """Count by unit, without a loop over documents."""
    is_long = comparison.key.end - comparison.key.start >= least
    hits = comparison.exact_pairs[0]
    return Counts(comparison.count_key(hits[is_long[hits]]), comparison.count_key(np.flatnonzero(is_long)))


def score(counts: Counts) -> Score:
    """Divide; without a longer entity the value is undefined."""
    return Score(ratio(counts.hits, counts.key_entities))


LONG = Measure(count, score, label="long_entities", undefined={"recall": "the key has no entity of this length"})
