"""Details for readers: which response chain denotes which referent of the key, and every assignment of an expression.

The measure `denotation` counts these assignments (Trouilleux, Gaussier, Bès and Zaenen 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Mask
from aune.numeric.grouping import key_positions
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    Expressions,
    collect_expressions,
    greedy_correspondence,
    optimal_correspondence,
    parse_specificity,
    similarities,
)
from aune.tasks.coref.mentions.kinds import Kinds
from aune.tasks.coref.mentions.traits import mention_texts

Specificity: TypeAlias = Annotated[
    str, "classes of mentions with decreasing weights, the first larger than the others together"
]
Heuristic: TypeAlias = Annotated[Literal["optimal", "greedy"], "how chains are put in correspondence"]


def correspond_chains(
    comparison: Comparison, specificity: str, kinds: str, correspondence: str
) -> tuple[Expressions, NDArray[Any], Mask]:
    """The expressions of a comparison, the similarity of each cell, and the cells of the correspondence."""
    classes = parse_specificity(specificity)
    all_expressions = collect_expressions(comparison, list(classes), kinds)
    similarity = similarities(all_expressions, list(classes.values()), kinds)
    return (
        all_expressions,
        similarity,
        (greedy_correspondence if correspondence == "greedy" else optimal_correspondence)(all_expressions, similarity),
    )


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
        expressions, similarity, chosen = correspond_chains(comparison, specificity, kinds, correspondence)
        alternative = (optimal_correspondence if correspondence == "greedy" else greedy_correspondence)(
            expressions, similarity
        )
        differing += len(np.unique(expressions.cell_document[chosen != alternative]))
        documents += _explain_documents(comparison, expressions, similarity, chosen)
    return {
        "kinds": kinds,
        "greedy_differs_from_optimal_in": differing,
        "documents": documents,
    }


class _Referent(NamedTuple):
    """A referent: a key chain, a response chain, or a pair of corresponding chains."""

    key: list[int]
    response: list[int]
    best: int
    """The expression that represents it."""
    similarity: float = 0.0


def _referents(expressions: Expressions, partner: dict[int, int], likeness: dict[int, float]) -> list[_Referent]:
    key_members, response_members = (
        key_positions(expressions.key_chain.tolist()),
        key_positions(expressions.response_chain.tolist()),
    )
    referents = []
    for chain, members in key_members.items():
        partners = response_members.pop(partner[chain]) if chain in partner else []
        best = _representative(expressions, sorted(set(members) & set(partners)) or members)
        referents.append(_Referent(members, partners, best, likeness.get(chain, 0.0)))
    return referents + [
        _Referent([], members, _representative(expressions, members)) for members in response_members.values()
    ]


def _explain_documents(
    comparison: Comparison, expressions: Expressions, similarity: NDArray[Any], chosen: Mask
) -> list[dict[str, Any]]:
    texts = expression_texts(comparison, expressions)
    partner = dict(zip(expressions.cell_key[chosen].tolist(), expressions.cell_response[chosen].tolist(), strict=True))
    likeness = dict(zip(expressions.cell_key[chosen].tolist(), similarity[chosen].tolist(), strict=True))
    referents = _referents(expressions, partner, likeness)
    explained: list[dict[str, Any]] = [
        {"document": key.id, "pairs": [], "assignments": []} for key, _ in comparison.pairs
    ]
    for entity in referents:
        if (
            len(entity.key) > 1 or len(entity.response) > 1 or entity.key != entity.response
        ):  # a singleton on both sides is not listed
            explained[int(expressions.document[entity.best])]["pairs"].append(
                {
                    "key": [texts[member] for member in entity.key],
                    "response": [texts[member] for member in entity.response],
                    "representative": texts[entity.best],
                    "similarity": round(entity.similarity, 6),
                }
            )
    expected = {member: referent.best for referent in referents for member in referent.key}
    assigned = {member: referent.best for referent in referents for member in referent.response}
    for place, text in enumerate(texts):
        same = partner.get(int(expressions.key_chain[place])) == int(expressions.response_chain[place])
        verdict = _verdict(expected[place] != place, assigned[place] != place, same)
        if verdict:
            explained[int(expressions.document[place])]["assignments"].append(
                {
                    "expression": text,
                    "key": None if expected[place] == place else texts[expected[place]],
                    "response": None if assigned[place] == place else texts[assigned[place]],
                    "verdict": verdict,
                }
            )
    return explained


def _verdict(expected: bool, assigned: bool, same: bool) -> str:
    """The verdict on an assignment; '' for an expression that represents its referent on both sides."""
    if expected and assigned:
        return "correct" if same else "incorrect"
    return "missing" if expected else "spurious" if assigned else ""


def _representative(expressions: Expressions, candidates: list[int]) -> int:
    """The most specific expression; among equals, the first in the text."""
    return min(candidates, key=lambda expression: (int(expressions.key_class[expression]), expression))


def expression_texts(comparison: Comparison, expressions: Expressions) -> list[str]:
    """The words of each expression, or its position in a text without words."""
    by_document = [[mention_texts(document) for document in pair] for pair in comparison.pairs]
    texts = []
    for key_mention, response_mention in zip(
        expressions.key_mention.tolist(), expressions.response_mention.tolist(), strict=True
    ):
        which, side, number = (
            (0, comparison.key, key_mention) if key_mention >= 0 else (1, comparison.response, response_mention)
        )
        texts.append(by_document[int(side.owner[number])][which][int(side.mention[number])])
    return texts
