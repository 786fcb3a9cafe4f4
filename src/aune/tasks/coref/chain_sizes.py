"""The sizes of key and response chains in parallel, for the distributional measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aune.numeric.arrays import Ints

if TYPE_CHECKING:
    from aune.tasks.coref.comparison import Contingency


class SizeDifferences(NamedTuple):
    """For each document and each rank in its sorted lists of sizes: response size minus key size."""

    document: Ints
    place: Ints
    """From 1, for the largest chain."""
    difference: Ints


def size_differences(table: Contingency) -> SizeDifferences:
    """Compare both lists of sizes in decreasing order, per document; the shorter list is padded with zeros."""
    lengths = np.maximum(table.key_chains, table.response_chains)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    document = np.repeat(np.arange(table.documents), lengths)
    difference = np.zeros(len(document), np.int64)
    for sizes, owner, sign in (
        (table.response_sizes, table.response_document, 1),
        (table.key_sizes, table.key_document, -1),
    ):
        order = np.lexsort((-sizes, owner))
        own_starts = np.searchsorted(owner[order], np.arange(table.documents))
        place = np.arange(len(order)) - own_starts[owner[order]]
        difference[starts[owner[order]] + place] += sign * sizes[order]
    return SizeDifferences(document, np.arange(len(document)) - starts[document] + 1, difference)
