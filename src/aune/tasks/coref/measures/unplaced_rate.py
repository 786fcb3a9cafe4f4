"""Unplaced rate: the share of the mentions of a response that have no place in the key's text.

    unplaced = (absent + repeated + unlike its surroundings + out of order + cut off) / given

It is 0 for a response over the key's own text. Under `--realign words`, and for mentions given as strings, it says how
much of a response could not be scored on its merits: under `--unplaced count` these mentions stand past the end of the
key, so that their chains keep their sizes; under `--unplaced ignore` they are as if they had not been given.

Source: aune; GRACE (Adda et al.) reports what could not be realigned in the same spirit.
Edges: undefined where the response gives nothing.

>>> MEASURE([{1, 2}], [{1}])
coref.unplaced_rate(unplaced=0.0000)
"""

from __future__ import annotations

import numpy as np

from aune.alignment.unplaced_rate import Counts, score, unplaced_counts
from aune.contract.measure import Measure
from aune.tasks.coref.comparison import Comparison


def count(comparison: Comparison) -> Counts:
    return unplaced_counts(comparison.placements, np.array([len(response) for _, response in comparison.pairs]))


MEASURE = Measure(count, score, better="lower", perfect=0.0, undefined={"unplaced": "the response gives nothing"})
