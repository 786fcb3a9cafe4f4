"""MUC's slot counts: correct, incorrect, partial, missing, spurious, under the schemas of SemEval 2013.

    possible = correct + incorrect + partial + missing      (entities of the key)
    actual   = correct + incorrect + partial + spurious     (entities of the response)
    recall   = (correct + partial / 2) / possible,    precision = (correct + partial / 2) / actual

`schema` says what each pair of overlapping entities is:

    schema     correct                        partial             incorrect
    strict     same boundaries and label      -                   all other pairs
    exact      same boundaries                -                   all other pairs
    partial    same boundaries                other boundaries    -
    type       same label                     -                   all other pairs

Pairs are one-to-one, with the largest recall and precision; among those as few missing, spurious and wrong properties
as possible (see `pairing.py`). Per label: pairs and missing entities go with the key's label, spurious ones with their
own.

Source: Chinchor and Sundheim 1993 (MUC-5); Segura-Bedmar et al. 2013 (SemEval 2013, task 9.1).
Edges: a ratio without a denominator is `undefined` (zero).

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (3, 6, "LOC")], schema="partial").f1
0.75
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.conventions import Undefined

Schema: TypeAlias = Annotated[Literal["strict", "exact", "partial", "type"], "what makes a pair correct"]
CREDIT = {
    "strict": (2, 0, 0, 0, 0, 0),
    "exact": (2, 2, 2, 0, 0, 0),
    "partial": (2, 2, 2, 1, 1, 1),
    "type": (2, 0, 0, 2, 0, 0),
}
"""2 for a correct pair, 1 for a partial one, by what is wrong in it (see `pairing.py`)."""


class Counts(NamedTuple):
    """Entities, by unit."""

    correct: Column
    incorrect: Column
    partial: Column
    missing: Column
    spurious: Column


def count(comparison: Comparison, *, schema: Schema = "strict") -> Counts:
    pairs = comparison.pairing(CREDIT[schema])
    credit = np.asarray(CREDIT[schema])[pairs.kind]
    correct, incorrect, partial = (comparison.count_key(pairs.key[credit == worth]) for worth in (2, 0, 1))
    return Counts(
        correct,
        incorrect,
        partial,
        comparison.count_key() - comparison.count_key(pairs.key),
        comparison.count_response() - comparison.count_response(pairs.response),
    )


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    correct, incorrect, partial, missing, spurious = counts
    good, pairs = correct + partial / 2, correct + incorrect + partial
    return recall_precision(good, pairs + missing, pairs + spurious, undefined)


MEASURE = Measure(count, score)
