"""How much of a response has no position in the key's text: the counts of `unplaced_rate` in every task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aune.alignment.placement_records import PlacementRecord
from aune.alignment.projection import Status
from aune.contract.measure import Column, ratio


class Counts(NamedTuple):
    """The number of items and of unplaced items, and how each was placed or why it was not, by document."""

    unplaced: Column
    given: Column
    exact: Column
    normalised: Column
    approximate: Column
    moved: Column
    absent: Column
    repeated: Column
    unlike: Column
    out_of_order: Column
    cut_off: Column


class Score(NamedTuple):
    """The only value."""

    unplaced: Column


def unplaced_counts(records: Sequence[PlacementRecord], amounts: Column) -> Counts:
    """The counts of documents; `amounts` are the numbers of items of documents whose response was not realigned."""
    if not records:
        zeros = np.zeros(len(amounts))
        return Counts._make([zeros, amounts, amounts, *[zeros] * (len(Counts._fields) - 3)])
    placed = (np.array([record.statuses.get(status, 0) for record in records]) for status in Status)
    totals = np.array([(record.unplaced_total, record.total, record.lost) for record in records]).T
    return Counts._make([totals[0], totals[1], *placed, totals[2]])


def score(counts: Counts) -> Score:
    return Score(ratio(counts.unplaced, counts.given))
