"""Chains with split antecedents: they, for Ann and Bob together.

A chain whose antecedent is split holds, beside its mentions, one more element: the set of chains that are its parts.
The split antecedents of key and response are paired one to one so that their likeness is largest: the F that the
measure `of` gives when the parts of one are a key and those of the other a response (a part of one mention counts as
one link for MUC). Where sums of F are equal, as fractions, it is the pairing whose chains share most mentions, then the
first one in the text: the first key chain has the first response chain that it can have, then the next one, and so on.
An aligned split antecedent is then a mention found, as far as the two are alike: its recall counts in recall, its
precision in precision, its F in CEAF. `recall`, `precision` and `f1` are those of the chains; `split_…` those of the
parts of aligned split antecedents alone.

Source: Paun, Yu, Moosavi and Poesio 2023, Scoring Coreference Chains with Split-Antecedent Anaphors, as in the
Universal Anaphora scorer (`--keep-split-antecedents`, `--only-split-antecedent`).
Edges: parts that have split antecedents themselves stand for the parts of those. Chains with the same split antecedent
are one chain. Without any split antecedent the values are those of the measure itself, and `split_…` `undefined`. BLANC
is not among the measures: the scorer's table of cases leaves its values blank, and nothing says what they should be.

>>> round(MEASURE([{1, 2, 3}], [{1, 2}, {3}]).recall, 4)
0.5556
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import fsum
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.core.groups import grouped
from aune.core.matching import best_matching, first_matching
from aune.core.measure import Column, Measure, two_ratios
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.preparation import MentionColumns
from aune.tasks.coref.model import SPLIT

Of: TypeAlias = Annotated[
    Literal["muc", "b_cubed", "ceaf_m", "ceaf_e", "lea"], "the measure whose chains hold split antecedents"
]
Mentions: TypeAlias = frozenset[int]


class Counts(NamedTuple):
    """What the measure counts, by document: found and expected, right and given; then for split antecedents alone."""

    found: Column
    expected: Column
    right: Column
    given: Column
    split_found: Column
    split_expected: Column
    split_right: Column
    split_given: Column


class Score(NamedTuple):
    """Of the chains, and of split antecedents alone."""

    split_recall: Column
    split_precision: Column
    split_f1: Column
    recall: Column
    precision: Column
    f1: Column


@dataclass(frozen=True)
class Chain:
    """A chain, with the parts of its split antecedent if it has one."""

    mentions: Mentions
    parts: frozenset[Mentions] = frozenset()

    def __len__(self) -> int:
        return len(self.mentions) + bool(self.parts)


class Numbers(NamedTuple):
    """The numerators and denominators of recall and precision; of parts, `found` and `right` are fractions."""

    found: Any
    expected: int
    right: Any
    given: int

    @property
    def recall(self) -> Any:
        return self.found / self.expected if self.expected else self.found

    @property
    def precision(self) -> Any:
        return self.right / self.given if self.given else self.right

    @property
    def f1(self) -> Any:
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else total

    @property
    def rounded(self) -> Numbers:
        """The same without fractions."""
        return self._replace(found=float(self.found), right=float(self.right))


Alignment: TypeAlias = Mapping[tuple[Chain, Chain], Numbers]
"""The pairs of a key chain and a response chain whose split antecedents are aligned, and how alike these are."""
NOTHING: Alignment = MappingProxyType({})


def count(comparison: Comparison, *, of: Of = "b_cubed") -> Counts:
    key, response = comparison.key, comparison.response
    names = np.arange(len(key.chains), len(key.chains) + len(response.chains))
    names[comparison.matched[1]] = comparison.matched[0]
    sides = _chains(comparison, key, 0, np.arange(len(key.chains))), _chains(comparison, response, 1, names)
    rows = [_counted(mine, theirs, of) for mine, theirs in zip(*sides, strict=True)]
    return Counts(*np.asarray(rows, float).reshape(-1, len(Counts._fields)).T)


def score(counts: Counts, *, undefined: Undefined = "zero") -> Score:
    return Score(*two_ratios(*counts[4:], undefined), *two_ratios(*counts[:4], undefined))


# Chains with their split antecedents.


def _chains(comparison: Comparison, side: MentionColumns, which: int, names: Column) -> list[list[Chain]]:
    """The chains of each document of a side; mentions that both sides have are named alike."""
    members = {
        chain: frozenset(mentions)
        for chain, mentions in grouped(zip(side.chains.tolist(), names.tolist(), strict=True)).items()
    }
    parts = _parts(comparison, side, which)
    found: list[list[Chain]] = [[] for _ in comparison.pairs]
    for chain, mentions in members.items():
        leaves = _leaves(chain, parts)
        split = frozenset(members[leaf] for leaf in leaves) if leaves != {chain} else frozenset()
        found[int(side.chain_document[chain])].append(Chain(mentions, split))
    return [_one_for_each_antecedent(chains) for chains in found]


def _parts(comparison: Comparison, side: MentionColumns, which: int) -> dict[int, set[int]]:
    """The chains that the split antecedents of each chain are made of."""
    links = side.linked([both[which] for both in comparison.pairs])
    split = grouped((link.source, link.target) for link in links if link.kind == SPLIT and link.source != link.target)
    return {chain: set(parts) for chain, parts in split.items()}


def _leaves(chain: int, parts: Mapping[int, set[int]]) -> set[int]:
    """The chains without parts that a chain is made of, itself if it has none."""
    leaves, seen, waiting = set(), {chain}, [chain]
    while waiting:
        one = waiting.pop()
        if one not in parts:
            leaves.add(one)
        fresh = parts.get(one, set()) - seen
        seen |= fresh
        waiting += fresh
    return leaves


def _one_for_each_antecedent(chains: Sequence[Chain]) -> list[Chain]:
    """The chains with those of one split antecedent joined."""
    joined: dict[frozenset[Mentions], Mentions] = {}
    for chain in chains:
        if chain.parts:
            joined[chain.parts] = joined.get(chain.parts, frozenset()) | chain.mentions
    plain = [chain for chain in chains if not chain.parts]
    return plain + [Chain(mentions, parts) for parts, mentions in joined.items()]


# One document.


def _counted(key: Sequence[Chain], response: Sequence[Chain], of: str) -> tuple[float, ...]:
    measure = MEASURES[of]
    chosen = best_alignment(key, response, of)
    alone = [
        fsum(numbers.found for numbers in chosen.values()),
        sum(measure(_plain(one.parts), [], {}, True).expected for one in key if one.parts),
        fsum(numbers.right for numbers in chosen.values()),
        sum(measure([], _plain(other.parts), {}, True).given for other in response if other.parts),
    ]
    return (*measure(key, response, chosen, False), *alone)


def best_alignment(key: Sequence[Chain], response: Sequence[Chain], of: str) -> Alignment:
    """The one-to-one pairing of split antecedents with the largest sum of F; see the top of the file for ties."""
    mine, theirs = ([chain for chain in chains if chain.parts] for chains in (key, response))
    inside = [[Chain(frozenset().union(*chain.parts)) for chain in chains] for chains in (mine, theirs)]
    meeting = [(i, j) for i, several in enumerate(_meeting(inside[0], inside[1])) for j in several]
    alike = [MEASURES[of](_plain(mine[i].parts), _plain(theirs[j].parts), {}, True) for i, j in meeting]
    shared = [len(mine[i].mentions & theirs[j].mentions) for i, j in meeting]
    left, right = np.asarray(meeting, np.int64).reshape(-1, 2).T
    likeness = np.asarray([numbers.f1 for numbers in alike], object)
    chosen = np.flatnonzero(first_matching(left, right, likeness, np.asarray(shared, np.int64))).tolist()
    return {(mine[left[edge]], theirs[right[edge]]): alike[edge].rounded for edge in chosen}


def _plain(parts: frozenset[Mentions]) -> list[Chain]:
    return [Chain(mentions) for mentions in parts]


def _paired(likeness: Mapping[tuple[int, int], Any]) -> list[tuple[int, int]]:
    """The one-to-one pairing with the largest sum of likeness."""
    if not likeness:
        return []
    left, right = (np.asarray(column) for column in zip(*likeness, strict=True))
    chosen = best_matching(left, right, np.asarray(list(likeness.values()), float))
    return [pair for pair, taken in zip(likeness, chosen.tolist(), strict=True) if taken]


def _meeting(
    chains: Sequence[Chain], others: Sequence[Chain], aligned: Alignment = NOTHING, which: int = 0
) -> list[list[int]]:
    """For each chain, the numbers of the others that share a mention or a split antecedent with it.

    All others add nothing to any measure; `which` is the side of the chains in an alignment.
    """
    holding = grouped((mention, number) for number, other in enumerate(others) for mention in other.mentions)
    numbers = {other: number for number, other in enumerate(others)}
    beside = grouped((both[which], numbers[both[1 - which]]) for both in aligned)
    return [
        sorted({*beside.get(chain, ()), *(number for mention in chain.mentions for number in holding.get(mention, ()))})
        for chain in chains
    ]


def _total(values: Iterable[Any], parts: bool) -> Any:
    """A sum that is the same in any order: for parts a fraction, so that equal sums of F are seen."""
    return sum(values, Fraction(0)) if parts else fsum(values)


def _over(part: Any, whole: int, parts: bool) -> Any:
    return Fraction(part, whole) if parts else part / whole


def _muc(key: Sequence[Chain], response: Sequence[Chain], aligned: Alignment, parts: bool) -> Numbers:
    """Links kept; a part of one mention has one link, kept when the other side has the same part."""

    def side(chains: Sequence[Chain], others: Sequence[Chain], likeness: Mapping[Chain, float]) -> tuple[Any, int]:
        kept = total = 0
        known = set(others)
        for chain, meeting in zip(chains, _meeting(chains, others), strict=True):
            if parts and len(chain) == 1:
                total += 1
                kept += chain in known
                continue
            total += len(chain) - 1
            pieces = [len(chain.mentions & others[number].mentions) for number in meeting]
            kept += sum(size - 1 for size in pieces if size)
        return _total([kept, *likeness.values()], parts), total

    def tied(which: int) -> dict[Chain, float]:
        """How far the split antecedents of chains are tied to the right mentions."""
        return {
            both[which]: (numbers.recall, numbers.precision)[which]
            for both, numbers in aligned.items()
            if both[0].mentions & both[1].mentions
        }

    found, expected = side(key, response, tied(0))
    right, given = side(response, key, tied(1))
    return Numbers(found, expected, right, given)


def _b_cubed(key: Sequence[Chain], response: Sequence[Chain], aligned: Alignment, parts: bool) -> Numbers:
    """For each chain, the squares of what it shares with others, over its size."""
    found, right = [], []
    for one, meeting in zip(key, _meeting(key, response, aligned), strict=True):
        for other in map(response.__getitem__, meeting):
            shared = len(one.mentions & other.mentions)
            numbers = aligned.get((one, other))
            found.append(_over((shared + (numbers.recall if numbers else 0)) ** 2, len(one), parts))
            right.append(_over((shared + (numbers.precision if numbers else 0)) ** 2, len(other), parts))
    return Numbers(_total(found, parts), sum(map(len, key)), _total(right, parts), sum(map(len, response)))


def _ceaf(key: Sequence[Chain], response: Sequence[Chain], aligned: Alignment, parts: bool, by_entity: bool) -> Numbers:
    """What the best pairing of chains has in common: mentions, or their share (φ₄)."""
    likeness = {}
    for i, meeting in enumerate(_meeting(key, response, aligned)):
        for j in meeting:
            one, other = key[i], response[j]
            numbers = aligned.get((one, other))
            shared = len(one.mentions & other.mentions) + (numbers.f1 if numbers else 0)
            if shared:
                likeness[i, j] = _over(2 * shared, len(one) + len(other), parts) if by_entity else shared
    total = _total((likeness[pair] for pair in _paired(likeness)), parts)
    expected, given = (len(chains) if by_entity else sum(map(len, chains)) for chains in (key, response))
    return Numbers(total, expected, total, given)


def _lea(key: Sequence[Chain], response: Sequence[Chain], aligned: Alignment, parts: bool) -> Numbers:
    """For each chain, the share of its pairs that others hold, by its size; a singleton is its own pair."""

    def side(chains: Sequence[Chain], others: Sequence[Chain], which: int) -> Any:
        resolved: list[Any] = []
        singletons = {other.mentions for other in others if len(other) == 1}
        for chain, meeting in zip(chains, _meeting(chains, others, aligned, which), strict=True):
            if len(chain) == 1:
                resolved.append(chain.mentions in singletons)
                continue
            pairs = []
            for other in map(others.__getitem__, meeting):
                shared = len(chain.mentions & other.mentions)
                numbers = aligned.get((chain, other) if which == 0 else (other, chain))
                alike = (numbers.recall, numbers.precision)[which] if numbers else 0
                pairs.append(shared * (shared - 1) // 2 + shared * alike)
            resolved.append(_over(2 * _total(pairs, parts), len(chain) - 1, parts))
        return _total(resolved, parts)

    return Numbers(side(key, response, 0), sum(map(len, key)), side(response, key, 1), sum(map(len, response)))


MEASURES: Mapping[str, Callable[[Sequence[Chain], Sequence[Chain], Alignment, bool], Numbers]] = {
    "muc": _muc,
    "b_cubed": _b_cubed,
    "ceaf_m": partial(_ceaf, by_entity=False),
    "ceaf_e": partial(_ceaf, by_entity=True),
    "lea": _lea,
}

MEASURE = Measure(count, score, main="f1")
