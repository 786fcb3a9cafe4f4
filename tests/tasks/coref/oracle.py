"""Every coreference measure a second time: slow, obvious, and in exact fractions wherever the definition allows it.

A partition is a list of sets of mentions. `key` and `response` are taken as they are given, so the conll convention is
`oracle(key, response)` and the 1999 one `oracle(*completed(key, response), empty=1)`. Nothing here is shared with aune.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

Partition = Sequence[frozenset[Hashable]]
Number = Fraction | float | None


def complete_sides(key: Partition, response: Partition) -> tuple[Partition, Partition]:
    """DÉF. 17: each side gets the mentions that only the other side has, as singletons."""
    own_part, other = mentions_of(key), mentions_of(response)
    return (
        [*key, *(frozenset([mention]) for mention in sorted(other - own_part))],
        [*response, *(frozenset([mention]) for mention in sorted(own_part - other))],
    )


def mentions_of(partition: Partition) -> set[Hashable]:
    return {mention for chain in partition for mention in chain}


def chain_of(partition: Partition, mention: Hashable) -> frozenset[Hashable]:
    return next((chain for chain in partition if mention in chain), frozenset())


def divide_counts(part: Fraction | int | float, whole: Fraction | int | float, empty: int | None) -> Number:
    if not whole:
        return None if empty is None else Fraction(empty)
    return part / whole if isinstance(part, float) or isinstance(whole, float) else Fraction(part) / Fraction(whole)


def f1(recall: Number, precision: Number) -> Number:
    if recall is None or precision is None:
        return None
    return 2 * recall * precision / (recall + precision) if recall and precision else Fraction(0)


def triple(recall: Number, precision: Number) -> tuple[Number, Number, Number]:
    return recall, precision, f1(recall, precision)


def mentions(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    common = len(mentions_of(key) & mentions_of(response))
    return triple(divide_counts(common, size(key), empty), divide_counts(common, size(response), empty))


def size(partition: Partition) -> int:
    return sum(map(len, partition))


def fragments(chain: frozenset[Hashable], other: Partition) -> list[frozenset[Hashable]]:
    """π(K): the chain as the other side cuts it; what the other side lacks is cut into single mentions."""
    cut = [chain & rival_value for rival_value in other if chain & rival_value]
    lacking = chain - mentions_of(other)
    return [*cut, *(frozenset([mention]) for mention in lacking)]


def muc(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    """Vilain's own counting: links of a chain, less the links needed to join its fragments again."""

    def side(own_partition: Partition, other: Partition) -> Number:
        total = sum(len(chain) - len(fragments(chain, other)) for chain in own_partition)
        return divide_counts(total, sum(len(chain) - 1 for chain in own_partition), empty)

    return triple(side(key, response), side(response, key))


def b_cubed(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    """Mention by mention (DÉF. 8)."""

    def side(own_partition: Partition, other: Partition) -> Number:
        shares = [
            Fraction(len(chain & chain_of(other, mention)), len(chain)) for chain in own_partition for mention in chain
        ]
        return divide_counts(sum(shares, Fraction(0)), len(shares), empty)

    return triple(side(key, response), side(response, key))


def b_cubed_by_chain(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    def side(own_partition: Partition, other: Partition) -> Number:
        means = [
            sum((Fraction(len(chain & chain_of(other, mention)), len(chain)) for mention in chain), Fraction(0))
            / len(chain)
            for chain in own_partition
        ]
        return divide_counts(sum(means, Fraction(0)), len(means), empty)

    return triple(side(key, response), side(response, key))


def best_total(weights: Sequence[Sequence[Fraction]]) -> Fraction:
    """The largest total of a one-to-one assignment, by trying them all."""
    if not weights or not weights[0]:
        return Fraction(0)
    if len(weights) > len(weights[0]):
        weights = [list(column) for column in zip(*weights, strict=True)]
    rows = range(len(weights))
    return max(
        sum((weights[row][column] for row, column in zip(rows, chosen, strict=True)), Fraction(0))
        for chosen in permutations(range(len(weights[0])), len(weights))
    )


def ceaf_m(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    total = best_total([[Fraction(len(item & other)) for other in response] for item in key])
    return triple(divide_counts(total, size(key), empty), divide_counts(total, size(response), empty))


def ceaf_e(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    total = best_total(
        [[Fraction(2 * len(item & other), len(item) + len(other)) for other in response] for item in key]
    )
    return triple(divide_counts(total, len(key), empty), divide_counts(total, len(response), empty))


def links(partition: Partition) -> tuple[set[frozenset[Hashable]], set[frozenset[Hashable]]]:
    """Every pair of mentions: those in one chain, those in two."""
    pairs = {frozenset(pair) for pair in combinations(sorted(mentions_of(partition)), 2)}
    together = {frozenset(pair) for chain in partition for pair in combinations(sorted(chain), 2)}
    return together, pairs - together


def blanc(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    """Luo et al. 2014, with the degenerate cases of the scorer 8.01: sorts of links that the key lacks do not count."""
    sorts = []
    for key_link, response_link in zip(links(key), links(response), strict=True):
        if key_link:
            recall = Fraction(len(key_link & response_link), len(key_link))
            sorts.append(triple(recall, divide_counts(len(key_link & response_link), len(response_link), 0)))
    if not sorts:
        nothing = None if empty is None else Fraction(empty)
        return nothing, nothing, nothing
    return tuple(sum(values, Fraction(0)) / len(sorts) for values in zip(*sorts, strict=True))


def lea(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    """Moosavi and Strube 2016, pair by pair; a singleton has one link, with itself."""

    def links_of(chain: frozenset[Hashable]) -> set[tuple[Hashable, Hashable]]:
        return set(combinations(sorted(chain), 2)) if len(chain) > 1 else {(only, only) for only in chain}

    def side(own_partition: Partition, other: Partition) -> Number:
        response_chain = set().union(*map(links_of, other)) if other else set()
        total = sum(
            (
                len(chain) * Fraction(len(links_of(chain) & response_chain), len(links_of(chain)))
                for chain in own_partition
            ),
            Fraction(0),
        )
        return divide_counts(total, size(own_partition), empty)

    return triple(side(key, response), side(response, key))


def conll(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    fs = [measure(key, response, empty)[2] for measure in (muc, b_cubed, ceaf_e)]
    return (None,) if None in fs else (sum(f for f in fs if f is not None) / 3,)


# The measures of 1999: of two partitions of one set.


def core(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    """Errors are the mentions outside the core, of those that could be outside (§4.4.1)."""

    def side(own_partition: Partition, other: Partition) -> Number:
        possible = sum(len(chain) - 1 for chain in own_partition)
        errors = sum(
            len(chain) - max(len(chain & response_chain) for response_chain in other) for chain in own_partition
        )
        return divide_counts(possible - errors, possible, empty)

    return triple(side(key, response), side(response, key))


def exclusive_core(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    """The algorithm of §4.5; among equal overlaps the smaller chain, then the one whose first mention comes first."""
    free = sorted(response, key=lambda rival_value: (len(rival_value), min(rival_value)))
    inside = outside = 0
    for chain in sorted(key, key=lambda chain: (-len(chain), min(chain))):
        best = max(free, key=lambda rival_values: len(rival_values & chain), default=frozenset())
        if best & chain:
            inside += len(best & chain)
            outside += len(best - chain)
            free.remove(best)
    total = size(key)
    return triple(divide_counts(inside, total, empty), divide_counts(total - outside, total, empty))


def sizes(partition: Partition, places: int) -> list[int]:
    result = sorted(map(len, partition), reverse=True)
    return result + [0] * (places - len(result))


def overlap(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    places = max(len(key), len(response))
    apart = sum(abs(first - other) for first, other in zip(sizes(key, places), sizes(response, places), strict=True))
    if not size(key):
        return (divide_counts(0, 0, empty),)
    return (1 - Fraction(apart, 2 * size(key)),)


def distribution(key: Partition, response: Partition) -> tuple[Number, ...]:
    places = max(len(key), len(response))
    differences = [other - first for first, other in zip(sizes(key, places), sizes(response, places), strict=True)]
    if not any(differences):
        return (Fraction(0),)
    more = [(place, apart) for place, apart in enumerate(differences, 1) if apart > 0]
    less = [(place, -apart) for place, apart in enumerate(differences, 1) if apart < 0]
    means = [
        Fraction(sum(place * apart for place, apart in part), sum(apart for _, apart in part)) for part in (more, less)
    ]
    return ((means[0] - means[1]) / places,)


def entropy_of(partition: Partition) -> float:
    total = size(partition)
    return math.fsum(-len(chain) / total * math.log2(len(chain) / total) for chain in partition)


def conditional_entropy(partition: Partition, value: Partition) -> float:
    """H(partition | given), DÉF. 15."""
    total = size(partition)
    return math.fsum(
        -len(item & other) / total * math.log2(len(item & other) / len(other))
        for item in partition
        for other in value
        if item & other
    )


def entropy(key: Partition, response: Partition) -> tuple[Number, ...]:
    def share(own_partition: Partition, other: Partition) -> float:
        if len(own_partition) <= 1:
            return 1.0
        whole = entropy_of(own_partition)
        return (whole - conditional_entropy(own_partition, other)) / whole

    return triple(share(response, key), share(key, response))


def variation_of_information(key: Partition, response: Partition) -> tuple[Number, ...]:
    if not size(key):
        return None, None, None
    lost, gained = conditional_entropy(key, response), conditional_entropy(response, key)
    return lost, gained, lost + gained


def kappa(key: Partition, response: Partition) -> tuple[Number, ...]:
    """The 2×2 table of links made or not on each side, then Cohen's definition."""
    total = size(key)
    possible = max(total - 1, 0)
    shared = sum(len(chain) - len(fragments(chain, response)) for chain in key)
    key_chain, response_chain = total - len(key), total - len(response)
    if not possible:
        return (None,)
    neither = possible - key_chain - response_chain + shared
    observed = Fraction(shared + neither, possible)
    chance = Fraction(key_chain * response_chain + (possible - key_chain) * (possible - response_chain), possible**2)
    return (None,) if chance == 1 else ((observed - chance) / (1 - chance),)


def rand(key: Partition, response: Partition, empty: int | None = 0) -> tuple[Number, ...]:
    (together, apart), (together_too, apart_too) = links(key), links(response)
    agreed = len(together & together_too) + len(apart & apart_too)
    return (divide_counts(agreed, len(together) + len(apart), empty),)


def adjusted_rand(key: Partition, response: Partition) -> tuple[Number, ...]:
    """Hubert and Arabie 1985."""
    (together, apart), (together_too, _) = links(key), links(response)
    every = len(together) + len(apart)
    if not every:
        return (None,)
    expected = Fraction(len(together) * len(together_too), every)
    largest = Fraction(len(together) + len(together_too), 2)
    if largest == expected:
        return (Fraction(1),)
    return ((len(together & together_too) - expected) / (largest - expected),)


def mor(key: Iterable[tuple[int, int]], response: Iterable[tuple[int, int]]) -> tuple[Number, ...]:
    """Mentions as half-open spans, every one-to-one pairing tried."""
    key_chain, response_chain = [set(range(*span)) for span in key], [set(range(*span)) for span in response]
    shared = best_total([[Fraction(len(item & other)) for other in response_chain] for item in key_chain])
    return triple(
        divide_counts(shared, sum(map(len, key_chain)), 0), divide_counts(shared, sum(map(len, response_chain)), 0)
    )
