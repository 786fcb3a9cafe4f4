"""Graded score: 1 for a pronoun tied to an entity, ½ for one tied only to pronouns of the right chain.

Each anaphor of the key gets

    1   its antecedent is in its key chain, and the class that the response's links make of it contains a mention of
        that chain that is not a pronoun
    ½   its antecedent is in its key chain, but the class contains only pronouns of it
    0   its antecedent is elsewhere, or there is none

and the score is the mean.

Source: the course notes on evaluating anaphora and coreference (2.4.2.1, second variant).
Edges: links are followed in either direction, since the source asks for a mention that is not a pronoun anywhere in the
chain; a key chain of pronouns alone gives ½ at most, to the key itself too. Where no kind is known, a mention counts as
a pronoun when it is an anaphor. With several antecedents all must be in the chain. No anaphor is undefined.

>>> key = {"he1": "Clinton", "he2": "he1", "he3": "he2"}
>>> MEASURE(key, {"he2": "he1", "he3": "Clinton"}).graded
0.5
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.anaphora.comparison import Comparison


class Counts(NamedTuple):
    """Anaphors by their grade."""

    one: Column
    half: Column
    anaphors: Column


class Score(NamedTuple):
    """The mean grade."""

    graded: Column


def count(comparison: Comparison) -> Counts:
    right, named = comparison.judgements.is_resolved("chain"), comparison.reach.named == 1
    return Counts(right & named, right & ~named, comparison.judgements.anaphoric)


def score(counts: Counts) -> Score:
    full, half, anaphors = counts
    return Score(ratio(full + 0.5 * half, anaphors))


MEASURE = Measure(count, score, undefined={"graded": "the key has no anaphor"})
