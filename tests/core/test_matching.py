"""One-to-one matching, against every matching there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.core import matching
from aune.core.matching import best_matching

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


def chosen(graph: dict[Edge, float]) -> list[Edge]:
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
        found = chosen(graph)
        assert len({left for left, _ in found}) == len({right for _, right in found}) == len(found)
        assert all(graph[edge] > 0 for edge in found)
        assert sum(graph[edge] for edge in found) == pytest.approx(best_total(list(graph.items())))
        assert chosen(graph) == found, "the same edges give the same matching"

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
    assert chosen({(0, 0): 1.0, (0, 1): 1.0, (0, 2): 1.0}) == [(0, 0)]
    assert chosen({(2, 5): 1.0, (1, 5): 1.0}) == [(2, 5)]


def test_nothing_to_match() -> None:
    nothing = np.zeros(0, np.int64)
    assert best_matching(nothing, nothing, nothing).tolist() == []
    assert chosen({(0, 0): 0.0, (1, 1): -1.0}) == []


def test_gaps_in_the_numbers() -> None:
    assert chosen({(3, 900): 2.0, (700, 900): 3.0, (3, 1): 2.0, (700, 1): 2.5}) == [(700, 900), (3, 1)]
