"""DA, denotation assignments: which expressions are said to denote the right referent.

Key and response chains are put in one-to-one correspondence by the expressions that identify a referent best. The
similarity of two chains is a weighted mean of Dice coefficients over classes of descriptive specificity c:

    sim(K, R) = Σ_c w_c · 2|K_c∩R_c| / (|K_c|+|R_c|)  /  Σ_c w_c       (over the classes that K or R has)

and the correspondence C is the one with the largest total similarity. One expression of each chain stands for its
referent; every other one is an assignment. With m corresponding pairs of chains:

    possible = |E| − |P_K|,   actual = |E| − |P_R|,   correct = Σ (|K∩C(K)| − 1)
    spurious = |P_K| − m,     missing = |P_R| − m,    incorrect = actual − correct − spurious
    recall = correct / possible,   precision = correct / actual
    substitution, overgeneration, undergeneration = incorrect, spurious, missing / their sum

The details hold the correspondence itself: the pairs of chains with the expression that represents each, every
assignment as correct, incorrect, spurious or missing, and in how many documents the greedy heuristic differs.

Source: Trouilleux, Gaussier, Bès and Zaenen 2000.
Edges: a recall without possible, a precision without actual and shares without errors are undefined, as in the paper.
Kinds that are not among the classes belong to the last one; so without any kind the similarity is the plain Dice
coefficient. Equal similarities: the pairs whose related referents are aligned (§4.2), then those that share more
expressions, then as few of them as possible; what this leaves open changes no count, only which pairs the details show.
Under `kinds:whole` each class of K is compared with all of R, as printed: a class that K lacks is 0/(0+|R|) = 0, and no
weight is rescaled. Mention sets are always completed with singletons, which are referential chains too. Without kinds a
warning says so.

>>> key = [{"Mandela"}, {"Clinton", "his", "he"}, {"African Americans"}, {"slavery", "it"}, {"Africans"}]
>>> response = [{"Mandela", "his", "he"}, {"Clinton"}, {"African Americans", "Africans"}, {"slavery"}, {"it"}]
>>> MEASURE(key, response).counts["possible"]
3
>>> MEASURE([{1, 2, 3}, {4}], [{1, 2}, {3, 4}])
coref.denotation(recall=0.5000, precision=0.5000, f1=0.5000, substitution=1.0000, overgeneration=0.0000,
undergeneration=0.0000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, f_score, ratio
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.correspondence import SPECIFICITY, parse_specificity
from aune.tasks.coref.denotation_details import Heuristic, Specificity, correspond_chains, details
from aune.tasks.coref.mentions.kinds import Kinds, has_no_kinds, note_unknown_kinds


class Counts(NamedTuple):
    """Denotation assignments, by document."""

    possible: Column
    actual: Column
    correct: Column
    incorrect: Column
    spurious: Column
    missing: Column


class Score(NamedTuple):
    """What the measure gives."""

    recall: Column
    precision: Column
    f1: Column
    substitution: Column
    overgeneration: Column
    undergeneration: Column


def count(
    comparison: Comparison,
    *,
    mentions: Completed = "complete",
    specificity: Specificity = SPECIFICITY,
    kinds: Kinds = "format",
    correspondence: Heuristic = "optimal",
) -> Counts:
    table = comparison.table(mentions)
    note_unknown_kinds(comparison, "denotation", kinds)
    document, shared = _aligned_pairs(comparison, specificity, kinds, correspondence)
    pairs = np.bincount(document, minlength=table.documents)
    correct = np.bincount(document, shared - 1, table.documents)
    possible, actual = table.key_mentions - table.key_chains, table.key_mentions - table.response_chains
    spurious = table.key_chains - pairs
    return Counts(possible, actual, correct, actual - correct - spurious, spurious, table.response_chains - pairs)


def _aligned_pairs(comparison: Comparison, specificity: str, kinds: str, correspondence: str) -> tuple[Column, Column]:
    """The document of each corresponding pair of chains, and how many expressions it shares."""
    table = comparison.complete
    if _is_plain(comparison, kinds, correspondence):
        parse_specificity(specificity)
        return table.cell_document[table.matched_by_dice], table.cell_size[table.matched_by_dice]
    expressions, _, chosen = correspond_chains(comparison, specificity, kinds, correspondence)
    return expressions.cell_document[chosen], expressions.cell_size[chosen]


def _is_plain(comparison: Comparison, kinds: str, correspondence: str) -> bool:
    """Whether the similarity is φ₄ on one set of mentions, so that the matching can be shared with CEAFe."""
    related = any(pair[0].relations and pair[1].relations for pair in comparison.pairs)
    same_mentions = comparison.complete is comparison.conll
    return correspondence == "optimal" and same_mentions and not related and has_no_kinds(comparison, kinds)


def score(counts: Counts) -> Score:
    possible, actual, correct, incorrect, spurious, missing = counts
    recall, precision = ratio(correct, possible), ratio(correct, actual)
    errors = incorrect + spurious + missing
    shares = (ratio(kind, errors) for kind in (incorrect, spurious, missing))
    return Score(recall, precision, f_score(recall, precision), *shares)


MEASURE = Measure(
    count,
    score,
    better_by_value={"substitution": "lower", "overgeneration": "lower", "undergeneration": "lower"},
    perfect={
        "recall": 1.0, "precision": 1.0, "f1": 1.0,
        "substitution": float("nan"), "overgeneration": float("nan"), "undergeneration": float("nan"),
    },
    main="f1",
    details=details,
    undefined={
        "recall": "the key assigns no denotation: all its chains are singletons",
        "precision": "the response assigns no denotation: all its chains are singletons",
        "f1": "recall or precision is undefined",
        **dict.fromkeys(("substitution", "overgeneration", "undergeneration"), "there is no error to share out"),
    },
)  # fmt: skip
