"""Voters and the weights of their votes, where several systems or annotators are combined into one response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from aune.contract.options import Range
from aune.contract.survey import STANDALONE, Survey
from aune.errors import UsageError

LeastShare: TypeAlias = Annotated[
    float, "the share of votes that something must have more of, or all votes", Range(0, 1)
]


@dataclass
class VoteRecord:
    """What is known of a corpus whose parts are voted on one after the other."""

    facts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Facts that users are told once all parts are counted; about a system if its name comes first."""
    surveys: Mapping[str, Survey] = field(default_factory=dict)
    """The questions that each system's part asks about the corpus; without one, the part is the corpus."""

    def survey(self, system: str) -> Survey:
        return self.surveys.get(system, STANDALONE)

    def add(self, system: str, facts: Mapping[tuple[str, ...], int]) -> None:
        """Add the facts about a system."""
        self.facts.update({(system, *fact): number for fact, number in facts.items()})

    def facts_by_system(self) -> dict[str, dict[tuple[str, ...], int]]:
        """The facts about each system, by system."""
        facts: dict[str, dict[tuple[str, ...], int]] = {}
        for (system, *fact), number in self.facts.items():
            facts.setdefault(system, {})[tuple(fact)] = number
        return facts


def vote_shares(systems: Mapping[str, Any], weights: Mapping[str, float] | None) -> dict[str, Fraction]:
    """The share of all votes that each system has, as an exact number; the default weight of a system is 1.

    >>> vote_shares({"a": [], "b": []}, {"b": 3})
    {'a': Fraction(1, 4), 'b': Fraction(3, 4)}
    """
    if not systems:
        raise UsageError("a combination needs at least one system")
    votes = {name: Fraction((weights or {}).get(name, 1.0)) for name in systems}
    total = sum(votes.values())
    if min(votes.values()) < 0 or not total:
        raise UsageError("weights: expected numbers from 0 on, not all of them 0")
    return {name: weight / total for name, weight in votes.items()}


def is_enough(share: Fraction, least: float) -> bool:
    """Whether an item is accepted: it has more than the minimum share of the votes, or all of them."""
    return share > least or share == 1


def pair_by_name(text: Sequence[Any], documents: Sequence[Any], system: str) -> list[tuple[Any, Any]]:
    """The texts with a system's documents, by name; single documents on both sides are paired whatever their names."""
    if len(text) == len(documents) == 1:
        return [(text[0], documents[0])]
    known = {document.id: document for document in documents}
    if lacking := [document.id for document in text if document.id not in known]:
        raise UsageError(f"{system}: no document {lacking[0]!r}: every system must have every document")
    return [(document, known[document.id]) for document in text]
