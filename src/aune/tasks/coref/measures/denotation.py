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
expressions, then the first in the text. Under `kinds:whole` each class of K is
compared with all of R, as printed: a class that K lacks is 0/(0+|R|) = 0, and no weight is rescaled. Mention sets are
always completed with singletons, which are referential chains too. Without kinds a warning says so.

>>> key = [{"Mandela"}, {"Clinton", "his", "he"}, {"African Americans"}, {"slavery", "it"}, {"Africans"}]
>>> response = [{"Mandela", "his", "he"}, {"Clinton"}, {"African Americans", "Africans"}, {"slavery"}, {"it"}]
>>> MEASURE(key, response).counts["possible"]
3
>>> MEASURE([{1, 2, 3}, {4}], [{1, 2}, {3, 4}])
coref.denotation(recall=0.5000, precision=0.5000, f1=0.5000, substitution=1.0000, overgeneration=0.0000,
undergeneration=0.0000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.core.matching import Mask
from aune.core.measure import Column, Measure, f_score, ratio
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    Expressions,
    expressions,
    greedy,
    optimal,
    parsed_specificity,
    similarities,
)
from aune.tasks.coref.mentions.kinds import Kinds, note_unknown_kinds, says_nothing
from aune.tasks.coref.mentions.traits import mention_texts

Specificity: TypeAlias = Annotated[
    str, "classes of mentions with decreasing weights, the first larger than the others together"
]
Heuristic: TypeAlias = Annotated[Literal["optimal", "greedy"], "how chains are put in correspondence"]


class Counts(NamedTuple):
    """Denotation assignments, by document."""

    possible: Column
    actual: Column
    correct: Column
    incorrect: Column
    spurious: Column
    missing: Column


class Values(NamedTuple):
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
    document, shared = _aligned(comparison, specificity, kinds, correspondence)
    pairs = np.bincount(document, minlength=table.documents)
    correct = np.bincount(document, shared - 1, table.documents)
    possible, actual = table.key_mentions - table.key_chains, table.key_mentions - table.response_chains
    spurious = table.key_chains - pairs
    return Counts(possible, actual, correct, actual - correct - spurious, spurious, table.response_chains - pairs)


def _aligned(comparison: Comparison, specificity: str, kinds: str, correspondence: str) -> tuple[Column, Column]:
    """The document of each corresponding pair of chains, and how many expressions it shares."""
    table = comparison.complete
    if _is_plain(comparison, kinds, correspondence):
        parsed_specificity(specificity)
        return table.cell_document[table.matched_by_dice], table.cell_size[table.matched_by_dice]
    found, _, chosen = corresponding(comparison, specificity, kinds, correspondence)
    return found.cell_document[chosen], found.cell_size[chosen]


def _is_plain(comparison: Comparison, kinds: str, correspondence: str) -> bool:
    """Whether the similarity is φ₄ on one set of mentions, so that the matching can be shared with CEAFe."""
    related = any(both[0].relations and both[1].relations for both in comparison.pairs)
    same_mentions = comparison.complete is comparison.conll
    return correspondence == "optimal" and same_mentions and not related and says_nothing(comparison, kinds)


def score(counts: Counts) -> Values:
    possible, actual, correct, incorrect, spurious, missing = counts
    recall, precision = ratio(correct, possible), ratio(correct, actual)
    errors = incorrect + spurious + missing
    shares = (ratio(kind, errors) for kind in (incorrect, spurious, missing))
    return Values(recall, precision, f_score(recall, precision), *shares)


def corresponding(
    comparison: Comparison, specificity: str, kinds: str, correspondence: str
) -> tuple[Expressions, NDArray[Any], Mask]:
    """The expressions of a comparison, the similarity of each cell, and the cells of the correspondence."""
    classes = parsed_specificity(specificity)
    found = expressions(comparison, list(classes), kinds)
    similarity = similarities(found, list(classes.values()), kinds)
    return found, similarity, (greedy if correspondence == "greedy" else optimal)(found, similarity)


# The correspondence, for people.


def details(
    comparisons: Sequence[Comparison],
    *,
    specificity: Specificity = SPECIFICITY,
    kinds: Kinds = "format",
    correspondence: Heuristic = "optimal",
) -> dict[str, Any]:
    """The correspondence and the assignments of each document, and where the greedy heuristic differs."""
    documents: list[dict[str, Any]] = []
    differing = 0
    for comparison in comparisons:
        found, similarity, chosen = corresponding(comparison, specificity, kinds, correspondence)
        other = (optimal if correspondence == "greedy" else greedy)(found, similarity)
        differing += len(np.unique(found.cell_document[chosen != other]))
        documents += _explained(comparison, found, similarity, chosen)
    return {
        "kinds": kinds,
        "greedy_differs_from_optimal_in": differing,
        "documents": documents,
    }


class _Referent(NamedTuple):
    """What a key chain, a response chain or both of a pair denote."""

    key: list[int]
    response: list[int]
    best: int
    """The expression that stands for it."""
    similarity: float = 0.0


def _referents(found: Expressions, partner: dict[int, int], likeness: dict[int, float]) -> list[_Referent]:
    mine, theirs = _members(found.key_chain), _members(found.response_chain)
    referents = []
    for chain, members in mine.items():
        there = theirs.pop(partner[chain]) if chain in partner else []
        best = _representative(found, sorted(set(members) & set(there)) or members)
        referents.append(_Referent(members, there, best, likeness.get(chain, 0.0)))
    return referents + [_Referent([], members, _representative(found, members)) for members in theirs.values()]


def _explained(
    comparison: Comparison, found: Expressions, similarity: NDArray[Any], chosen: Mask
) -> list[dict[str, Any]]:
    texts = texts_of(comparison, found)
    partner = dict(zip(found.cell_key[chosen].tolist(), found.cell_response[chosen].tolist(), strict=True))
    likeness = dict(zip(found.cell_key[chosen].tolist(), similarity[chosen].tolist(), strict=True))
    referents = _referents(found, partner, likeness)
    explained: list[dict[str, Any]] = [
        {"document": key.id, "pairs": [], "assignments": []} for key, _ in comparison.pairs
    ]
    for one in referents:
        if len(one.key) > 1 or len(one.response) > 1 or one.key != one.response:  # a singleton of both says nothing
            explained[int(found.document[one.best])]["pairs"].append(
                {
                    "key": [texts[member] for member in one.key],
                    "response": [texts[member] for member in one.response],
                    "representative": texts[one.best],
                    "similarity": round(one.similarity, 6),
                }
            )
    expected = {member: one.best for one in referents for member in one.key}
    given = {member: one.best for one in referents for member in one.response}
    for place, text in enumerate(texts):
        same = partner.get(int(found.key_chain[place])) == int(found.response_chain[place])
        verdict = _verdict(expected[place] != place, given[place] != place, same)
        if verdict:
            explained[int(found.document[place])]["assignments"].append(
                {
                    "expression": text,
                    "key": None if expected[place] == place else texts[expected[place]],
                    "response": None if given[place] == place else texts[given[place]],
                    "verdict": verdict,
                }
            )
    return explained


def _verdict(expected: bool, given: bool, same: bool) -> str:
    """What an assignment is worth; '' for an expression that stands for its referent on both sides."""
    if expected and given:
        return "correct" if same else "incorrect"
    return "missing" if expected else "spurious" if given else ""


def _members(chains: NDArray[Any]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for one, chain in enumerate(chains.tolist()):
        members.setdefault(chain, []).append(one)
    return members


def _representative(found: Expressions, among: list[int]) -> int:
    """The most specific expression, the first in the text among equals."""
    return min(among, key=lambda one: (int(found.key_class[one]), one))


def texts_of(comparison: Comparison, found: Expressions) -> list[str]:
    """The words of each expression, or its place in a text without words."""
    by_document = [[mention_texts(one) for one in both] for both in comparison.pairs]
    texts = []
    for mine, theirs in zip(found.key_mention.tolist(), found.response_mention.tolist(), strict=True):
        which, side, number = (0, comparison.key, mine) if mine >= 0 else (1, comparison.response, theirs)
        texts.append(by_document[int(side.owner[number])][which][int(side.mention[number])])
    return texts


MEASURE = Measure(
    count,
    score,
    mixed={"substitution": "lower", "overgeneration": "lower", "undergeneration": "lower"},
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
