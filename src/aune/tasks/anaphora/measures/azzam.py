"""Azzam's score: whether a pronoun's response class holds something that names its entity.

    recall    = pronouns whose response class holds a mention of their key chain that is no pronoun / pronouns
    precision = pronouns resolved whose class contains no such mention of another key chain / pronouns resolved

Source: Azzam, Humphreys and Gaizauskas 1998, as told by Popescu-Belis 1999 (§5.4), who finds recall too indulgent (an
antecedent in the class is no proof that the pronoun was tied to it) and precision too severe (one foreign mention is an
error for every pronoun of the class). The paper leaves the formulas out; these are ours.
Edges: pronouns whose key chain has no other mention than pronouns have nothing to find and are left out of recall.
Resolved means that the response's class has another mention. Mentions unknown to the key are chains of their own there
(DÉF. 17). Where no kind is known, a mention counts as a pronoun when it is an anaphor. Without pronouns: undefined.

>>> key = {"his": "Clinton", "he": "his", "it": "slavery"}
>>> MEASURE(key, {"his": "Mandela", "he": "his", "it": "slavery"})
anaphora.azzam(recall=0.3333, precision=0.3333, f1=0.3333)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, RecallPrecision, two_ratios
from aune.tasks.anaphora.comparison import Comparison


class Counts(NamedTuple):
    """Pronouns."""

    tied: Column
    nameable: Column
    clean: Column
    resolved: Column


def count(comparison: Comparison) -> Counts:
    reach = comparison.reach
    pronouns = (reach.pronominal == 1) & (comparison.judgements.anaphoric == 1)
    nameable, resolved = pronouns & (reach.nameable == 1), pronouns & (reach.linked == 1)
    return Counts(nameable & (reach.names_entity == 1), nameable, resolved & (reach.foreign == 0), resolved)


def score(counts: Counts) -> RecallPrecision:
    return two_ratios(*counts)


MEASURE = Measure(count, score)
