"""Which chain of the response denotes which referent of the key's, and every assignment of an expression: for people.

The measure `denotation` counts what is listed here (Trouilleux, Gaussier, Bès and Zaenen 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.core.arrays import Mask
from aune.core.groups import places
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    Expressions,
    expressions,
    greedy,
    optimal,
    parsed_specificity,
    similarities,
)
from aune.tasks.coref.mentions.kinds import Kinds
from aune.tasks.coref.mentions.traits import mention_texts

Specificity: TypeAlias = Annotated[
    str, "classes of mentions with decreasing weights, the first larger than the others together"
]
Heuristic: TypeAlias = Annotated[Literal["optimal", "greedy"], "how chains are put in correspondence"]


def corresponding(
    comparison: Comparison, specificity: str, kinds: str, correspondence: str
) -> tuple[Expressions, NDArray[Any], Mask]:
    """The expressions of a comparison, the similarity of each cell, and the cells of the correspondence."""
    classes = parsed_specificity(specificity)
    found = expressions(comparison, list(classes), kinds)
    similarity = similarities(found, list(classes.values()), kinds)
    return found, similarity, (greedy if correspondence == "greedy" else optimal)(found, similarity)


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


def _referents(expressions: Expressions, partner: dict[int, int], likeness: dict[int, float]) -> list[_Referent]:
    mine, theirs = places(expressions.key_chain.tolist()), places(expressions.response_chain.tolist())
    referents = []
    for chain, members in mine.items():
        there = theirs.pop(partner[chain]) if chain in partner else []
        best = _representative(expressions, sorted(set(members) & set(there)) or members)
        referents.append(_Referent(members, there, best, likeness.get(chain, 0.0)))
    return referents + [_Referent([], members, _representative(expressions, members)) for members in theirs.values()]


def _explained(
    comparison: Comparison, expressions: Expressions, similarity: NDArray[Any], chosen: Mask
) -> list[dict[str, Any]]:
    texts = texts_of(comparison, expressions)
    partner = dict(zip(expressions.cell_key[chosen].tolist(), expressions.cell_response[chosen].tolist(), strict=True))
    likeness = dict(zip(expressions.cell_key[chosen].tolist(), similarity[chosen].tolist(), strict=True))
    referents = _referents(expressions, partner, likeness)
    explained: list[dict[str, Any]] = [
        {"document": key.id, "pairs": [], "assignments": []} for key, _ in comparison.pairs
    ]
    for one in referents:
        if len(one.key) > 1 or len(one.response) > 1 or one.key != one.response:  # a singleton of both says nothing
            explained[int(expressions.document[one.best])]["pairs"].append(
                {
                    "key": [texts[member] for member in one.key],
                    "response": [texts[member] for member in one.response],
                    "representative": texts[one.best],
                    "similarity": round(one.similarity, 6),
                }
            )
    expected = {member: referent.best for referent in referents for member in referent.key}
    given = {member: referent.best for referent in referents for member in referent.response}
    for place, text in enumerate(texts):
        same = partner.get(int(expressions.key_chain[place])) == int(expressions.response_chain[place])
        verdict = _verdict(expected[place] != place, given[place] != place, same)
        if verdict:
            explained[int(expressions.document[place])]["assignments"].append(
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


def _representative(expressions: Expressions, among: list[int]) -> int:
    """The most specific expression, the first in the text among equals."""
    return min(among, key=lambda one: (int(expressions.key_class[one]), one))


def texts_of(comparison: Comparison, expressions: Expressions) -> list[str]:
    """The words of each expression, or its place in a text without words."""
    by_document = [[mention_texts(one) for one in both] for both in comparison.pairs]
    texts = []
    for mine, theirs in zip(expressions.key_mention.tolist(), expressions.response_mention.tolist(), strict=True):
        which, side, number = (0, comparison.key, mine) if mine >= 0 else (1, comparison.response, theirs)
        texts.append(by_document[int(side.owner[number])][which][int(side.mention[number])])
    return texts
