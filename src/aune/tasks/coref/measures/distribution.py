"""D-error: in which direction the sizes of the chains are wrong.

Over the lists of chain sizes in decreasing order, filled up with zeros, take the mean place where the response's chains
are larger and the mean place where the key's are larger, both weighted by the size difference:

    d_error = (mean place where |R_i| > |K_i|  −  mean place where |K_i| > |R_i|) / number of places

Positive: the response has too many, too small chains (a recall error). Negative: too few, too large ones (a precision
error). Zero: the differences are evenly spread, or there are none.

Source: Popescu-Belis 1999 (§4.6), who omits the formula; this one gives the published direction (r or p) on every row
of his table 2. The published magnitudes cannot be derived from the text.
Edges: 0 when all sizes are equal. Sizes are sorted inside each document, and places and differences added up over
documents. Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2, 3, 4}], [{1}, {2}, {3}, {4}])
coref.distribution(d_error=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.contract.options import Range
from aune.tasks.coref.comparison import Comparison, Completed


class Counts(NamedTuple):
    """Places weighted by differences in size, relative to the number of places, by document; and the weights."""

    response_larger_places: Column
    response_larger: Column
    key_larger_places: Column
    key_larger: Column


class Score(NamedTuple):
    """Direction of the error."""

    d_error: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    sizes = table.size_differences
    places = np.maximum(table.key_chains, table.response_chains)
    share = sizes.place / places[sizes.document]
    more, less = np.maximum(sizes.difference, 0), np.maximum(-sizes.difference, 0)
    return Counts(*(table.per_document(column, sizes.document) for column in (more * share, more, less * share, less)))


def score(counts: Counts) -> Score:
    more_places, more, less_places, less = counts
    return Score(ratio(more_places, more, 0.0) - ratio(less_places, less, 0.0))


MEASURE = Measure(count, score, range=Range(-1, 1), better="zero", perfect=0.0)
