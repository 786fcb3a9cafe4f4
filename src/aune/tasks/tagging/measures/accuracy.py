"""Accuracy: the share of words with the right tag.

    accuracy = right / words of the key        aligned = right / words that could be evaluated

A word is right when the response gives it one tag and the key accepts that tag. `ambiguous` says what several tags are
worth: nothing (`wrong`), the share of right ones among them, as a random choice would get (`share`), or a point if any
of them is right (`any`). `--tagset` and `--aspect` compare categories or single features instead of whole tags; with a
lexicon, `--by word` shows known and unknown words apart. The details give accuracy by category and by feature.

Source: the usual definition; `share` is GRACE's P_mean on words that could be evaluated (Adda et al. 1999, §3).
Edges: undefined without words. A word that is not realigned is wrong for `accuracy` and left out of `aligned`; one
without a tag in the key, or without the feature that is compared, is left out of both.

>>> MEASURE([("le", "D"), ("chat", "N")], [("le", "D"), ("chat", "N|V")])
tagging.accuracy(aligned=0.5000, accuracy=0.5000)
>>> MEASURE([("le", "D"), ("chat", "N")], [("le", "D"), ("chat", "N|V")], ambiguous="share").accuracy
0.75
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Cases, Comparison

Ambiguous = Annotated[Literal["wrong", "share", "any"], "what several tags for one word are worth"]


class Counts(NamedTuple):
    """Words, by unit."""

    right: Column
    evaluated: Column
    words: Column


class Score(NamedTuple):
    """Accuracy on the words that could be evaluated, and on all."""

    aligned: Column
    accuracy: Column


def count(comparison: Comparison, *, ambiguous: Ambiguous = "wrong") -> Counts:
    cases = comparison.cases
    return Counts(
        comparison.per_unit(cases.unit, cases.weight * worth(cases, ambiguous)),
        comparison.per_unit(cases.unit, cases.weight * cases.is_evaluated),
        comparison.per_unit(cases.unit, cases.weight * cases.expected),
    )


def score(words: Counts) -> Score:
    return Score(ratio(words.right, words.evaluated), ratio(words.right, words.words))


def worth(cases: Cases, ambiguous: str) -> Column:
    """What each case is worth, between 0 and 1."""
    if ambiguous == "share":
        return cases.share
    return np.where((cases.correct > 0) & (cases.strict | (ambiguous == "any")), 1.0, 0.0)


def details(comparisons: Sequence[Comparison], *, ambiguous: Ambiguous = "wrong") -> dict[str, Any]:
    """Accuracy on aligned words when only the category, or only one feature, is compared."""
    by_aspect: dict[str, Any] = {}
    for aspect in comparisons[0].aspects:
        parts = [comparison.aspect_cases(aspect) for comparison in comparisons]
        right = sum(float((cases.weight * worth(cases, ambiguous)).sum()) for cases in parts)
        evaluated = sum(float((cases.weight * cases.is_evaluated).sum()) for cases in parts)
        share = float(ratio(np.array(right), np.array(evaluated)))
        by_aspect[aspect] = {"accuracy": None if np.isnan(share) else share, "right": right, "words": evaluated}
    return {"by_aspect": by_aspect} if by_aspect else {}


MEASURE = Measure(count, score, details=details, aliases=("acc",))
