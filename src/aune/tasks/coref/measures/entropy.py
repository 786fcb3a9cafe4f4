"""H, referential information: how much of the information that one side carries the other one carries too.

Key and response are two random variables on the mentions; what they have in common is their mutual information I:

    recall    = (H(P_R) − H(P_R|P_K)) / H(P_R) = I / H(P_R)
    precision = (H(P_K) − H(P_K|P_R)) / H(P_K) = I / H(P_K)

Source: Popescu-Belis 1999 (DÉF. 14–16). The names are his: errors of recall are distinctions that the response makes
and the key does not, so recall divides by the response's information.
Edges: 1 when the entropy below the line is 0 (DÉF. 16), whatever the convention, decided on the number of chains and
not on a rounded logarithm. F is 0 for one big chain on one side only, and for independent partitions (PROP. 11). For a
corpus, Σ|E_d|·I_d is divided by Σ|E_d|·H_d. Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2}, {3, 4}], [{1, 2}, {3}, {4}])
coref.entropy(recall=0.6667, precision=1.0000, f1=0.8000)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column, Measure, RecallPrecision, f_score, ratio
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.information import information


class Counts(NamedTuple):
    """Information in bits, times the mentions of the document."""

    common: Column
    key: Column
    response: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    return Counts(*information(comparison.table(mentions)))


def score(bits: Counts) -> RecallPrecision:
    recall, precision = _share(bits.common, bits.response), _share(bits.common, bits.key)
    return RecallPrecision(recall, precision, f_score(recall, precision))


def _share(common: Column, total: Column) -> NDArray[Any]:
    return np.clip(ratio(common, total, 1.0), 0.0, 1.0)


MEASURE = Measure(count, score, support=())
