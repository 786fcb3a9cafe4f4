"""BLANC: links that are there, and links that are not, each worth half.

Every pair of mentions of a document is a link: a coreference link inside a chain, a non-coreference link between two.
Recall and precision are taken over each of the two sorts and averaged; so is F:

    recall = (C/C_K + N/N_K) / 2,   precision = (C/C_R + N/N_R) / 2,   F = (F_C + F_N) / 2

with C the coreference links and N the non-coreference links on which both sides agree. All of them are sums of n(n−1)/2
over chains, overlaps and documents; no pair is ever enumerated.

Source: Recasens and Hovy 2011, for differing mention sets Luo et al. 2014, as in the CoNLL scorer 8.01.
Edges: a sort of link that the key has none of is left out (the official cases M and N); a key without any link (at most
one mention) is `undefined`. A precision over no link of the response is 0. The rule is applied once, to the totals. The
scorers of CorefUD and Universal Anaphora leave a sort out only when neither side has any (`links:either`). Under
`duplicates:conll` links are sets of pairs of spans, as in the scorer 8.01: a span in two chains has a coreference link
to the members of both, a non-coreference link from each chain to the members of the other, and one to itself.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.blanc(recall=0.3333, precision=1.0000, f1=0.5000)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import UNDEFINED_VALUES, Column, Measure, RecallPrecision, f_score, ratio
from aune.numeric.arrays import Ints
from aune.numeric.grouping import group_items
from aune.tasks.coref.comparison import Comparison, Contingency, Mentions
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.matches import extent_numbers

Sorts: TypeAlias = Annotated[
    Literal["key", "either"],
    "which sorts of links count: those that the key has (CoNLL 8.01), or those that either side has (CorefUD)",
]


class Counts(NamedTuple):
    """Links of both sorts, by document."""

    common_coreferent: Column
    key_coreferent: Column
    response_coreferent: Column
    common_distinct: Column
    key_distinct: Column
    response_distinct: Column


def count(comparison: Comparison, *, mentions: Mentions = "conll") -> Counts:
    counts = _count_links(comparison.table(mentions))
    if mentions == "complete" or not comparison.has_repeats:
        return counts
    columns = Counts(*(np.array(column, float) for column in counts))
    for document, links in _repeated_links(comparison):
        for column, value in zip(columns, links, strict=True):
            column[document] = value
    return columns


def _count_links(table: Contingency) -> Counts:
    common = table.cell_sums(pair_counts(table.cell_size))
    key = table.key_sums(pair_counts(table.key_sizes))
    response = table.response_sums(pair_counts(table.response_sizes))
    # mentions that both sides have: all their pairs, less those together on either side, plus those counted twice
    shared_by_key = np.bincount(table.cell_key, table.cell_size, len(table.key_sizes))
    shared_by_response = np.bincount(table.cell_response, table.cell_size, len(table.response_sizes))
    together = (
        table.key_sums(pair_counts(shared_by_key)) + table.response_sums(pair_counts(shared_by_response)) - common
    )
    return Counts(
        common,
        key,
        response,
        pair_counts(table.common_mentions) - together,
        pair_counts(table.key_mentions) - key,
        pair_counts(table.response_mentions) - response,
    )


def pair_counts(sizes: Column) -> Column:
    return np.asarray(sizes * (sizes - 1) / 2)


# Documents in which a side has a span more than once: links are pairs of names, the same for mentions of one extent.


def _repeated_links(comparison: Comparison) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The documents with repeated spans, and the six numbers of each."""
    key, response = comparison.key, comparison.response
    key_names = extent_numbers(comparison.pairs, key, 0)
    response_names = extent_numbers(comparison.pairs, response, 1) + key_names.max(initial=-1) + 1
    response_names[comparison.matched[1]] = key_names[comparison.matched[0]]
    for document in range(len(comparison.pairs)):
        inside = key.owner == document, response.owner == document
        names = key_names[inside[0]], response_names[inside[1]]
        if any(len(np.unique(side)) < len(side) for side in names):
            numbers = np.unique(np.concatenate(names), return_inverse=True)[1]
            key_side = _NamedChains(numbers[: len(names[0])], key.chains[inside[0]], numbers.max() + 1)
            response_side = _NamedChains(numbers[len(names[0]) :], response.chains[inside[1]], numbers.max() + 1)
            yield document, _count_named_links(key_side, response_side)


class _NamedChains:
    """The chains of one side of a document, as sets of numbered spans."""

    def __init__(self, names: Ints, chains: Ints, count: int) -> None:
        self.times = np.bincount(names, minlength=count)
        places, repetitions = np.unique(np.stack([names, chains]), axis=1, return_counts=True)
        self.chain_counts = np.bincount(places[0], minlength=count)
        self.chain_of = np.full(count, -1)
        self.chain_of[names] = chains
        name_column, chain_column = places.tolist()
        self.chains_by_name = group_items(zip(name_column, chain_column, strict=True))
        self.names_by_chain = group_items(zip(chain_column, name_column, strict=True))
        self.twice_in_a_chain = set(places[0][repetitions > 1].tolist())

    def links_of(self, name: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The names to which a name has a coreference link, and those to which it has another."""
        coreferent, distinct = np.zeros((2, len(self.times)), bool)
        for chain in self.chains_by_name.get(name, ()):
            inside = np.zeros(len(self.times), bool)
            inside[self.names_by_chain[chain]] = True
            coreferent |= inside
            distinct |= self.chain_counts > inside
        coreferent[name] = name in self.twice_in_a_chain
        return coreferent, distinct


def _count_named_links(key: _NamedChains, response: _NamedChains) -> tuple[int, ...]:
    """The six numbers of a document: links without a repeated span by their sums, the others one by one."""
    repeated = (key.times > 1) | (response.times > 1)
    in_key, in_response = (key.times > 0) & ~repeated, (response.times > 0) & ~repeated
    shared = in_key & in_response
    key_chains, response_chains = key.chain_of, response.chain_of
    common = _same_pairs(key_chains[shared], response_chains[shared])
    together = _same_pairs(key_chains[shared]) + _same_pairs(response_chains[shared]) - common
    coreferent: list[int] = [common, _same_pairs(key_chains[in_key]), _same_pairs(response_chains[in_response])]
    total = [pair_counts(names.sum()) for names in (shared, in_key, in_response)]
    distinct: list[int] = [int(total[0]) - together, int(total[1]) - coreferent[1], int(total[2]) - coreferent[2]]
    open_names = np.ones(len(repeated), bool)
    for name in np.flatnonzero(repeated).tolist():
        links_of_both = zip(key.links_of(name), response.links_of(name), strict=True)
        for sums, (of_key, of_response) in zip((coreferent, distinct), links_of_both, strict=True):
            for place, links in enumerate((of_key & of_response, of_key, of_response)):
                sums[place] += int((links & open_names).sum())
        open_names[name] = False
    return (*map(int, coreferent), *map(int, distinct))


def _same_pairs(*labels: Ints) -> int:
    """The pairs of places with the same labels."""
    return int(pair_counts(np.unique(np.stack(labels), axis=1, return_counts=True)[1]).sum())


def score(counts: Counts, *, undefined: Undefined = "zero", links: Sorts = "key") -> RecallPrecision:
    together, key_together, response_together, distinct, key_distinct, response_distinct = map(np.asarray, counts)
    recalls = ratio(together, key_together, 0.0), ratio(distinct, key_distinct, 0.0)
    precisions = ratio(together, response_together, 0.0), ratio(distinct, response_distinct, 0.0)
    fs = [f_score(recall, precision) for recall, precision in zip(recalls, precisions, strict=True)]
    has = key_together > 0, key_distinct > 0
    if links == "either":
        has = has[0] | (response_together > 0), has[1] | (response_distinct > 0)
    return RecallPrecision(*(_mean(sorts, has, UNDEFINED_VALUES[undefined]) for sorts in (recalls, precisions, fs)))


def _mean(sorts: tuple[Column, Column] | list[Column], has: tuple[Column, Column], empty: float) -> Column:
    """The mean over the sorts of links that count."""
    total = sum(np.where(is_counted, value, 0.0) for value, is_counted in zip(sorts, has, strict=True))
    return ratio(np.asarray(total), has[0].astype(float) + has[1], empty)


MEASURE = Measure(count, score)
