"""RCVT, distributional overlap: do the chains have the right sizes, whatever is in them.

Chain sizes of both sides are sorted in decreasing order and filled up with zeros; then

    overlap = 1 − Σ | |K_i| − |R_i| | / 2|E|

A high value proves nothing, since chains of the right sizes can contain the wrong mentions; a low one proves a bad
response.

Source: Popescu-Belis 1999 (§4.6), which gives no formula; this one reproduces his table 2 except for row 1, where it
gives 76.5 and the table prints 77.
Edges: no mention at all is `undefined`. Sizes are sorted inside each document, and the differences added up over
documents. Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2, 3, 4}], [{1, 2}, {3, 4}])
coref.overlap(overlap=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import UNDEFINED_VALUES, Column, Measure, ratio
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.conventions import Undefined


class Counts(NamedTuple):
    """Mentions, by document."""

    difference: Column
    mentions: Column


class Score(NamedTuple):
    """Likeness of the two lists of sizes."""

    overlap: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    sizes = table.size_differences
    return Counts(table.per_document(np.abs(sizes.difference), sizes.document), table.key_mentions)


def score(counts: Counts, *, undefined: Undefined = "zero") -> Score:
    difference, mentions = counts
    return Score(ratio(2 * mentions - difference, 2 * mentions, UNDEFINED_VALUES[undefined]))


MEASURE = Measure(count, score)
