"""Precision, recall and F: are the entities there, with the right boundaries and labels.

    precision = correct / entities of the response,    recall = correct / entities of the key
    f = (1 + β²) · precision · recall / (β² · precision + recall)

`match` says when a response entity is correct:

    strict     same boundaries and same label
    boundary   same boundaries, whatever the label
    type       same label and some text in common (HIPE's fuzzy, SemEval's type)
    overlap    some text in common, whatever the label

Each entity is used once: pairs are one-to-one, and as many as possible. Per label, recall is over the key's label and
precision over the response's; `macro(f_measure, by=label)` is the mean over labels. The convention `hipe` gives the
figures of the HIPE scorer: each response entity takes the first key entity that it meets (`pairing` first), and one
with a wrong label is charged to the label of the key.

Source: eqs 4.1 to 4.3 of Ben Jannet 2015; Tjong Kim Sang and De Meulder 2003 (conlleval); Ehrmann et al. 2022 (HIPE).
Edges: a ratio without a denominator is `undefined` (zero, as in conlleval). Under `pairing` first, a key entity that
two nested entities of a response take is found once (HIPE's files hold no such response).

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (3, 6, "LOC")])
entities.f_measure(precision=0.5000, recall=0.5000, f1=0.5000)
>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (3, 6, "LOC")], match="type").f1
1.0
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import UNDEFINED_VALUES, WEIGHT_RANGE, Column, Measure, f_score, ratio, rename_for_beta
from aune.numeric.arrays import Ints
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.conventions import Undefined
from aune.tasks.entities.pairing.spans import Pairing, first_overlap_pairing

Match: TypeAlias = Annotated[
    Literal["strict", "boundary", "type", "overlap"], "when an entity is correct: see aune explain entities.f_measure"
]
PairingOption: TypeAlias = Annotated[
    Literal["optimal", "first"], "optimal: as many correct pairs as possible; first: the HIPE scorer's first overlap"
]
GAINS = {
    "strict": (2, 0, 0, 0, 0, 0),
    "boundary": (2, 2, 2, 0, 0, 0),
    "type": (2, 0, 0, 2, 0, 0),
    "overlap": (2, 2, 2, 2, 2, 2),
}
"""What a pair is worth, by what is wrong in it (see `pairing.py`)."""


class Counts(NamedTuple):
    """Entities, by unit."""

    key_correct: Column
    key: Column
    response_correct: Column
    response: Column


class Score(NamedTuple):
    """The three values."""

    precision: Column
    recall: Column
    f1: Column


def count(comparison: Comparison, *, match: Match = "strict", pairing: PairingOption = "optimal") -> Counts:
    if pairing == "first":
        return _count_first_overlaps(comparison, match)
    left, right = comparison.exact_pairs if match == "strict" else _correct(comparison.pairing(GAINS[match]), match)
    return Counts(
        comparison.count_key(left),
        comparison.count_key(),
        comparison.count_response(right),
        comparison.count_response(),
    )


def _correct(pairs: Pairing, match: str) -> tuple[Ints, Ints]:
    good = np.asarray(GAINS[match], bool)[pairs.kind]
    return pairs.key[good], pairs.response[good]


def _count_first_overlaps(comparison: Comparison, match: str) -> Counts:
    pairs = first_overlap_pairing(comparison.edges)
    left, _ = _correct(pairs, match)
    alone = np.setdiff1d(np.arange(len(comparison.response)), pairs.response)
    response = comparison.count_key(pairs.key) + comparison.count_response(alone)
    key_correct = comparison.count_key(np.unique(left))  # one that nested entities take twice is found once
    return Counts(key_correct, comparison.count_key(), comparison.count_key(left), response)


def score(
    counts: Counts,
    *,
    beta: Annotated[float, "how much more recall weighs than precision", WEIGHT_RANGE] = 1.0,
    undefined: Undefined = "zero",
) -> Score:
    key_correct, key, response_correct, response = counts
    recall = ratio(key_correct, key, UNDEFINED_VALUES[undefined])
    precision = ratio(response_correct, response, UNDEFINED_VALUES[undefined])
    return Score(precision, recall, f_score(recall, precision, beta))


MEASURE = Measure(count, score, rename_values=rename_for_beta, aliases=("f1", "f", "prf", "seqeval"))
