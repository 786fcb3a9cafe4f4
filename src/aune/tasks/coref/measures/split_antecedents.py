"""Chains with split antecedents: they, for Ann and Bob together.

A chain whose antecedent is split holds, beside its mentions, one more element: the set of chains that are its parts.
Under `split_antecedents:count` the measures `muc`, `b_cubed`, `ceaf_m`, `ceaf_e`, `lea` and `conll` do the same.
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

from aune.contract.measure import Column, Measure, two_ratios
from aune.numeric.arrays import Ints
from aune.numeric.grouping import group_items
from aune.numeric.matching import best_matching, first_matching
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.preparation import MentionColumns
from aune.tasks.coref.model import SPLIT

BaseMeasure: TypeAlias = Annotated[
    Literal["muc", "b_cubed", "ceaf_m", "ceaf_e", "lea"], "the measure whose chains hold split antecedents"
]
MentionSet: TypeAlias = frozenset[int]


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
class SplitChain:
    """A chain, with the parts of its split antecedent if it has one."""

    mentions: MentionSet
    parts: frozenset[MentionSet] = frozenset()

    def __len__(self) -> int:
        return len(self.mentions) + bool(self.parts)


class PairNumbers(NamedTuple):
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
    def as_floats(self) -> PairNumbers:
        """The same without fractions."""
        return self._replace(found=float(self.found), right=float(self.right))


Alignment: TypeAlias = Mapping[tuple[SplitChain, SplitChain], PairNumbers]
"""The pairs of a key chain and a response chain whose split antecedents are aligned, and how alike these are."""
NO_ALIGNMENT: Alignment = MappingProxyType({})


def count(comparison: Comparison, *, of: BaseMeasure = "b_cubed") -> Counts:
    rows = [_count_document(*chains, of) for chains in zip(*_both_sides(comparison), strict=True)]
    return Counts(*np.asarray(rows, float).reshape(-1, len(Counts._fields)).T)


def count_split_documents(comparison: Comparison, of: BaseMeasure, mentions: str) -> tuple[Ints, tuple[Column, ...]]:
    """The documents with split antecedents, and what the measure `of` counts in them.

    The columns are the numerator and denominator of recall, then those of precision.
    """
    documents = [
        number
        for number, pair in enumerate(comparison.pairs)
        if any(link.kind == SPLIT for document in pair for link in document.relations)
    ]
    sides = _both_sides(comparison) if documents else ([], [])
    rows = []
    for number in documents:
        chains = sides[0][number], sides[1][number]
        if mentions == "complete":
            chains = _with_singletons(*chains), _with_singletons(*reversed(chains))
        rows.append(MEASURES[of](*chains, best_alignment(*chains, of), False))
    return np.asarray(documents, np.int64), tuple(np.asarray(rows, float).reshape(-1, 4).T)


def score(counts: Counts, *, undefined: Undefined = "zero") -> Score:
    return Score(*two_ratios(*counts[4:], undefined), *two_ratios(*counts[:4], undefined))


# Chains with their split antecedents.


def _both_sides(comparison: Comparison) -> tuple[list[list[SplitChain]], list[list[SplitChain]]]:
    """The chains of key and response, document by document; mentions that both sides have are named alike."""
    key, response = comparison.key, comparison.response
    names = np.arange(len(key.chains), len(key.chains) + len(response.chains))
    names[comparison.matched[1]] = comparison.matched[0]
    return _chains(comparison, key, 0, np.arange(len(key.chains))), _chains(comparison, response, 1, names)


def _with_singletons(chains: Sequence[SplitChain], others: Sequence[SplitChain]) -> list[SplitChain]:
    """Chains completed with the mentions that only the others have, each alone."""
    known = frozenset().union(*(chain.mentions for chain in chains))
    return [*chains, *(SplitChain(frozenset([name])) for other in others for name in sorted(other.mentions - known))]


def _chains(comparison: Comparison, side: MentionColumns, which: int, names: Column) -> list[list[SplitChain]]:
    """The chains of each document of a side; mentions that both sides have are named alike."""
    members = {
        chain: frozenset(mentions)
        for chain, mentions in group_items(zip(side.chains.tolist(), names.tolist(), strict=True)).items()
    }
    parts = _split_parts(comparison, side, which)
    by_document: list[list[SplitChain]] = [[] for _ in comparison.pairs]
    for chain, mentions in members.items():
        leaves = _leaves(chain, parts)
        split = frozenset(members[leaf] for leaf in leaves) if leaves != {chain} else frozenset()
        by_document[int(side.chain_document[chain])].append(SplitChain(mentions, split))
    return [_one_for_each_antecedent(chains) for chains in by_document]


def _split_parts(comparison: Comparison, side: MentionColumns, which: int) -> dict[int, set[int]]:
    """The chains that the split antecedents of each chain are made of."""
    links = side.chain_relations([pair[which] for pair in comparison.pairs])
    split = group_items(
        (link.source, link.target) for link in links if link.kind == SPLIT and link.source != link.target
    )
    return {chain: set(parts) for chain, parts in split.items()}


def _leaves(chain: int, parts: Mapping[int, set[int]]) -> set[int]:
    """The chains without parts that a chain is made of, itself if it has none."""
    leaves, seen, waiting = set(), {chain}, [chain]
    while waiting:
        current = waiting.pop()
        if current not in parts:
            leaves.add(current)
        fresh = parts.get(current, set()) - seen
        seen |= fresh
        waiting += fresh
    return leaves


def _one_for_each_antecedent(chains: Sequence[SplitChain]) -> list[SplitChain]:
    """The chains with those of one split antecedent joined."""
    joined: dict[frozenset[MentionSet], MentionSet] = {}
    for chain in chains:
        if chain.parts:
            joined[chain.parts] = joined.get(chain.parts, frozenset()) | chain.mentions
    plain = [chain for chain in chains if not chain.parts]
    return plain + [SplitChain(mentions, parts) for parts, mentions in joined.items()]


# One document.


def _count_document(key: Sequence[SplitChain], response: Sequence[SplitChain], of: str) -> tuple[float, ...]:
    measure = MEASURES[of]
    chosen = best_alignment(key, response, of)
    alone = [
        fsum(numbers.found for numbers in chosen.values()),
        sum(measure(_plain_chains(key_chain.parts), [], {}, True).expected for key_chain in key if key_chain.parts),
        fsum(numbers.right for numbers in chosen.values()),
        sum(
            measure([], _plain_chains(response_chain.parts), {}, True).given
            for response_chain in response
            if response_chain.parts
        ),
    ]
    return (*measure(key, response, chosen, False), *alone)


def best_alignment(key: Sequence[SplitChain], response: Sequence[SplitChain], of: str) -> Alignment:
    """The one-to-one pairing of split antecedents with the largest sum of F; see the top of the file for ties."""
    split_keys, split_responses = ([chain for chain in chains if chain.parts] for chains in (key, response))
    inside = [
        [SplitChain(frozenset().union(*chain.parts)) for chain in chains] for chains in (split_keys, split_responses)
    ]
    meeting = [(i, j) for i, several in enumerate(_meeting_chains(inside[0], inside[1])) for j in several]
    alike = [
        MEASURES[of](_plain_chains(split_keys[i].parts), _plain_chains(split_responses[j].parts), {}, True)
        for i, j in meeting
    ]
    shared = [len(split_keys[i].mentions & split_responses[j].mentions) for i, j in meeting]
    left, right = np.asarray(meeting, np.int64).reshape(-1, 2).T
    likeness = np.asarray([numbers.f1 for numbers in alike], object)
    chosen = np.flatnonzero(first_matching(left, right, likeness, np.asarray(shared, np.int64))).tolist()
    return {(split_keys[left[edge]], split_responses[right[edge]]): alike[edge].as_floats for edge in chosen}


def _plain_chains(parts: frozenset[MentionSet]) -> list[SplitChain]:
    return [SplitChain(mentions) for mentions in parts]


def _best_pairing(likeness: Mapping[tuple[int, int], Any]) -> list[tuple[int, int]]:
    """The one-to-one pairing with the largest sum of likeness."""
    if not likeness:
        return []
    left, right = (np.asarray(column) for column in zip(*likeness, strict=True))
    chosen = best_matching(left, right, np.asarray(list(likeness.values()), float))
    return [pair for pair, taken in zip(likeness, chosen.tolist(), strict=True) if taken]


def _meeting_chains(
    chains: Sequence[SplitChain], others: Sequence[SplitChain], aligned: Alignment = NO_ALIGNMENT, which: int = 0
) -> list[list[int]]:
    """For each chain, the numbers of the others that share a mention or a split antecedent with it.

    All others add nothing to any measure; `which` is the side of the chains in an alignment.
    """
    holding = group_items((mention, number) for number, other in enumerate(others) for mention in other.mentions)
    numbers = {other: number for number, other in enumerate(others)}
    beside = group_items((pair[which], numbers[pair[1 - which]]) for pair in aligned)
    return [
        sorted({*beside.get(chain, ()), *(number for mention in chain.mentions for number in holding.get(mention, ()))})
        for chain in chains
    ]


def _total(values: Iterable[Any], parts: bool) -> Any:
    """A sum that is the same in any order: for parts a fraction, so that equal sums of F are seen."""
    return sum(values, Fraction(0)) if parts else fsum(values)


def _quotient(part: Any, whole: int, parts: bool) -> Any:
    return Fraction(part, whole) if parts else part / whole


def _muc(key: Sequence[SplitChain], response: Sequence[SplitChain], aligned: Alignment, parts: bool) -> PairNumbers:
    """Links kept; a part of one mention has one link, kept when the other side has the same part."""

    def side(
        chains: Sequence[SplitChain], others: Sequence[SplitChain], likeness: Mapping[SplitChain, float]
    ) -> tuple[Any, int]:
        links_kept = total = 0
        known = set(others)
        for chain, meeting in zip(chains, _meeting_chains(chains, others), strict=True):
            if parts and len(chain) == 1:
                total += 1
                links_kept += chain in known
                continue
            total += len(chain) - 1
            pieces = [len(chain.mentions & others[number].mentions) for number in meeting]
            links_kept += sum(size - 1 for size in pieces if size)
        return _total([links_kept, *likeness.values()], parts), total

    def tied_shares(which: int) -> dict[SplitChain, float]:
        """How far the split antecedents of chains are tied to the right mentions."""
        return {
            pair[which]: (numbers.recall, numbers.precision)[which]
            for pair, numbers in aligned.items()
            if pair[0].mentions & pair[1].mentions
        }

    key_kept, key_total = side(key, response, tied_shares(0))
    response_kept, response_total = side(response, key, tied_shares(1))
    return PairNumbers(key_kept, key_total, response_kept, response_total)


def _b_cubed(key: Sequence[SplitChain], response: Sequence[SplitChain], aligned: Alignment, parts: bool) -> PairNumbers:
    """For each chain, the squares of what it shares with others, over its size."""
    key_shares, response_shares = [], []
    for key_chain, meeting in zip(key, _meeting_chains(key, response, aligned), strict=True):
        for response_chain in map(response.__getitem__, meeting):
            shared = len(key_chain.mentions & response_chain.mentions)
            numbers = aligned.get((key_chain, response_chain))
            key_shares.append(_quotient((shared + (numbers.recall if numbers else 0)) ** 2, len(key_chain), parts))
            response_shares.append(
                _quotient((shared + (numbers.precision if numbers else 0)) ** 2, len(response_chain), parts)
            )
    return PairNumbers(
        _total(key_shares, parts), sum(map(len, key)), _total(response_shares, parts), sum(map(len, response))
    )


def _ceaf(
    key: Sequence[SplitChain], response: Sequence[SplitChain], aligned: Alignment, parts: bool, by_entity: bool
) -> PairNumbers:
    """What the best pairing of chains has in common: mentions, or their share (φ₄)."""
    likeness = {}
    for i, meeting in enumerate(_meeting_chains(key, response, aligned)):
        for j in meeting:
            key_chain, response_chain = key[i], response[j]
            numbers = aligned.get((key_chain, response_chain))
            shared = len(key_chain.mentions & response_chain.mentions) + (numbers.f1 if numbers else 0)
            if shared:
                likeness[i, j] = (
                    _quotient(2 * shared, len(key_chain) + len(response_chain), parts) if by_entity else shared
                )
    total = _total((likeness[pair] for pair in _best_pairing(likeness)), parts)
    key_total, response_total = (len(chains) if by_entity else sum(map(len, chains)) for chains in (key, response))
    return PairNumbers(total, key_total, total, response_total)


def _lea(key: Sequence[SplitChain], response: Sequence[SplitChain], aligned: Alignment, parts: bool) -> PairNumbers:
    """For each chain, the share of its pairs that others hold, by its size; a singleton is its own pair."""

    def side(chains: Sequence[SplitChain], others: Sequence[SplitChain], which: int) -> Any:
        resolved: list[Any] = []
        singletons = {other.mentions for other in others if len(other) == 1}
        for chain, meeting in zip(chains, _meeting_chains(chains, others, aligned, which), strict=True):
            if len(chain) == 1:
                resolved.append(chain.mentions in singletons)
                continue
            pairs = []
            for other in map(others.__getitem__, meeting):
                shared = len(chain.mentions & other.mentions)
                numbers = aligned.get((chain, other) if which == 0 else (other, chain))
                alike = (numbers.recall, numbers.precision)[which] if numbers else 0
                pairs.append(shared * (shared - 1) // 2 + shared * alike)
            resolved.append(_quotient(2 * _total(pairs, parts), len(chain) - 1, parts))
        return _total(resolved, parts)

    return PairNumbers(side(key, response, 0), sum(map(len, key)), side(response, key, 1), sum(map(len, response)))


MEASURES: Mapping[str, Callable[[Sequence[SplitChain], Sequence[SplitChain], Alignment, bool], PairNumbers]] = {
    "muc": _muc,
    "b_cubed": _b_cubed,
    "ceaf_m": partial(_ceaf, by_entity=False),
    "ceaf_e": partial(_ceaf, by_entity=True),
    "lea": _lea,
}

MEASURE = Measure(count, score, main="f1")
