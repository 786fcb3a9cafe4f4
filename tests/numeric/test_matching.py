"""One-to-one matching, against every matching there is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.numeric import matching
from aune.numeric.matching import best_matching, first_matching

Edge = tuple[int, int]
WEIGHTS = st.one_of(st.integers(-2, 6).map(float), st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 2 / 3]))
GRAPHS = st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), WEIGHTS, max_size=11)


def best_total(edges: list[tuple[Edge, float]]) -> float:
    """The largest total over all sets of edges that share no node."""
    if not edges:
        return 0.0
    ((left, right), weight), *rest = edges
    apart = [(edge, other) for edge, other in rest if edge[0] != left and edge[1] != right]
    return max(best_total(rest), weight + best_total(apart))


def choose_edges(graph: dict[Edge, float]) -> list[Edge]:
    if not graph:
        return []
    left, right = (np.asarray(nodes) for nodes in zip(*graph, strict=True))
    mask = best_matching(left, right, np.asarray(list(graph.values())))
    return [edge for edge, taken in zip(graph, mask.tolist(), strict=True) if taken]


@pytest.mark.parametrize("dense", [40_000, 6, 0], ids=["dense", "both", "sparse"])
def test_is_the_best_of_all(monkeypatch: pytest.MonkeyPatch, dense: int) -> None:
    monkeypatch.setattr(matching, "DENSE", dense)

    @settings(max_examples=80)
    @given(GRAPHS)
    def check(graph: dict[Edge, float]) -> None:
        result = choose_edges(graph)
        assert len({left for left, _ in result}) == len({right for _, right in result}) == len(result)
        assert all(graph[edge] > 0 for edge in result)
        assert sum(graph[edge] for edge in result) == pytest.approx(best_total(list(graph.items())))
        assert choose_edges(graph) == result, "the same edges give the same matching"

    check()


@pytest.mark.parametrize("dense", [40_000, 0], ids=["dense", "sparse"])
def test_large_random_graphs(monkeypatch: pytest.MonkeyPatch, dense: int) -> None:
    from scipy.optimize import linear_sum_assignment

    monkeypatch.setattr(matching, "DENSE", dense)
    rng = np.random.default_rng(7)
    for height, width in ((150, 150), (40, 200), (200, 30)):
        full = np.where(rng.random((height, width)) < 0.05, rng.integers(1, 9, (height, width)) / 3, 0.0)
        left, right = np.nonzero(full)
        mask = best_matching(left, right, full[left, right])
        rows, columns = linear_sum_assignment(full, maximize=True)
        assert full[left, right][mask].sum() == pytest.approx(full[rows, columns].sum())
        assert len(set(left[mask])) == len(set(right[mask])) == mask.sum()


def test_equal_stars_take_the_first_edge() -> None:
    assert choose_edges({(0, 0): 1.0, (0, 1): 1.0, (0, 2): 1.0}) == [(0, 0)]
    assert choose_edges({(2, 5): 1.0, (1, 5): 1.0}) == [(2, 5)]


def test_nothing_to_match() -> None:
    nothing = np.zeros(0, np.int64)
    assert best_matching(nothing, nothing, nothing).tolist() == []
    assert choose_edges({(0, 0): 0.0, (1, 1): -1.0}) == []


def test_gaps_in_the_numbers() -> None:
    assert choose_edges({(3, 900): 2.0, (700, 900): 3.0, (3, 1): 2.0, (700, 1): 2.5}) == [(700, 900), (3, 1)]


# The first of the best.


def all_matchings(edges: list[Edge]) -> Iterator[list[Edge]]:
    """Every set of edges that share no node."""
    if not edges:
        yield []
        return
    edge, *rest = edges
    yield from all_matchings(rest)
    for others in all_matchings([other for other in rest if other[0] != edge[0] and other[1] != edge[1]]):
        yield [edge, *others]


def first_of_all(graph: dict[Edge, tuple[Fraction, ...]]) -> list[Edge]:
    """The rule word for word: the largest totals, then the first left node matched, with the first right one…"""
    lefts = sorted({left for left, _ in graph})

    def rank(matching: list[Edge]) -> tuple[list[Fraction], list[float]]:
        totals = [sum((graph[edge][place] for edge in matching), Fraction(0)) for place in range(2)]
        partner = dict(matching)
        return totals, [-partner.get(left, inf) for left in lefts]

    return sorted(max(all_matchings([edge for edge in graph if graph[edge][0] > 0]), key=rank))


def first_chosen(graph: dict[Edge, tuple[Fraction, ...]]) -> list[Edge]:
    left, right = (np.asarray(nodes) for nodes in zip(*graph, strict=True))
    worths = [np.asarray(worth, object) for worth in zip(*graph.values(), strict=True)]
    mask = first_matching(left, right, *worths)
    return sorted(edge for edge, taken in zip(graph, mask.tolist(), strict=True) if taken)


SHARES = st.sampled_from([Fraction(*share) for share in ((0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (1, 7), (5, 6))])
SECOND = st.integers(-2, 2).map(Fraction)
TIED = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), st.tuples(SHARES, SECOND), min_size=1, max_size=11
)


@settings(max_examples=300)
@given(TIED, st.randoms(use_true_random=False))
def test_the_first_of_the_best_of_all(graph: dict[Edge, tuple[Fraction, ...]], random: Random) -> None:
    assert first_chosen(graph) == first_of_all(graph)
    edges = list(graph.items())
    random.shuffle(edges)
    assert first_chosen(dict(edges)) == first_chosen(graph), "the order of edges says nothing"


def test_equal_sums_are_seen_though_floating_point_numbers_differ() -> None:
    """1/10 + 1/5 is 3/20 + 3/20, but not in floating-point numbers: the first of the two, whichever is larger there."""
    for first, second in (("1/10 1/5", "3/20 3/20"), ("3/20 3/20", "1/10 1/5")):
        weights = [Fraction(share) for share in (*first.split(), *second.split())]
        places = [(0, 0), (1, 1), (0, 1), (1, 0)]
        graph = {place: (weight, Fraction(0)) for place, weight in zip(places, weights, strict=True)}
        assert first_chosen(graph) == [(0, 0), (1, 1)]


def test_large_groups_still_have_the_largest_total() -> None:
    rng = np.random.default_rng(3)
    for size in (29, 31, 60):
        left, right = (nodes.ravel() for nodes in np.indices((size, size)))
        weight, second = rng.integers(1, 5, size * size), rng.integers(0, 3, size * size)
        chosen = first_matching(left, right, weight, second)
        best = best_matching(left, right, 1000.0 * weight + second)
        assert weight[chosen].sum() == weight[best].sum() and second[chosen].sum() == second[best].sum()
        shares = np.asarray(
            [Fraction(int(first), 2**61 - int(other)) for first, other in zip(weight, right, strict=True)]
        )
        floats = shares.astype(float)
        assert floats[first_matching(left, right, shares)].sum() == pytest.approx(
            floats[best_matching(left, right, floats)].sum()
        )


def test_small_groups_beside_a_large_one_are_what_they_are_alone() -> None:
    left, right = (nodes.ravel() for nodes in np.indices((40, 40)))
    small = {(40, 40): 1, (40, 41): 1, (41, 40): 1, (41, 42): 1, (50, 50): 1}
    left = np.concatenate([left, [edge[0] for edge in small]])
    right = np.concatenate([right, [edge[1] for edge in small]])
    chosen = first_matching(left, right, np.ones(len(left), np.int64))
    assert chosen[:1600].sum() == 40
    assert chosen[1600:].tolist() == [True, False, False, True, True]


def test_a_thousand_equals_take_no_time() -> None:
    start = time.process_time()
    for size in (30, 1_000):
        left, right = (nodes.ravel() for nodes in np.indices((size, size)))
        assert first_matching(left, right, np.ones(size * size, np.int64)).sum() == size
    assert time.process_time() - start < 10
