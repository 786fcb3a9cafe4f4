"""Entropies of two partitions, for the information-theoretic measures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.tasks.coref.comparison import Contingency


class Information(NamedTuple):
    """Bits times the number of mentions, by document."""

    common: NDArray[Any]
    """|E|·I(P_K; P_R)"""
    key: NDArray[Any]
    """|E|·H(P_K)"""
    response: NDArray[Any]
    """|E|·H(P_R)"""


def information(table: Contingency) -> Information:
    """Mutual information and entropies of the completed partitions.

    The results are exactly 0 where they must be: a single chain has no entropy, and the mutual information is 0 if
    every overlap equals its value under independence, |K∩R|·|E| = |K|·|R|. The latter is decided on integers.
    """
    total = table.key_mentions
    expected = table.cell_key_size * table.cell_response_size
    observed = table.cell_size * total[table.cell_document].astype(np.int64)
    common = table.cell_sums(table.cell_size * np.log2(observed / expected))
    key = table.key_sums(table.key_sizes * np.log2(total[table.key_document] / table.key_sizes))
    response = table.response_sums(
        table.response_sizes * np.log2(total[table.response_document] / table.response_sizes)
    )
    independent = table.cell_sums(observed != expected) == 0
    common = np.where(independent, 0.0, np.minimum(common, np.minimum(key, response)))
    return Information(np.maximum(common, 0.0), key, response)
