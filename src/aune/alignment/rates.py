"""How much of a response has no place in the key's text: what the `unplaced_rate` of every task counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aune.alignment.records import Record
from aune.core.measure import Column, ratio


class Counts(NamedTuple):
    """What was given, and what of it has no place, by document."""

    unplaced: Column
    given: Column


class Score(NamedTuple):
    """The one value."""

    unplaced: Column


def counts_of(records: Sequence[Record], given: Column) -> Counts:
    """The counts of documents; `given` is how much each gives where the response was taken as it is."""
    if not records:
        return Counts(np.zeros(len(given)), given)
    return Counts(np.array([record.unplaced for record in records]), np.array([record.given for record in records]))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.unplaced, counts.given))
