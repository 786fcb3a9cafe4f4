"""V-measure: H under other names, against scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref.agreement import CHAINS, EDGES, PARTITIONS, Chains, assert_same, values


def test_by_hand() -> None:
    assert_same(values("v_measure", [{1, 2}, {3, 4}], [{1, 2}, {3}, {4}]), (1, 2 / 3, 4 / 5))


@given(CHAINS)
def test_is_the_entropy_measure_under_other_names(chains: tuple[Chains, Chains]) -> None:
    recall, precision, f1 = values("entropy", *chains)
    assert values("v_measure", *chains) == (precision, recall, f1)


@given(PARTITIONS)
def test_scikit_learn_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("sklearn.metrics", reason="pip install scikit-learn to compare with it")
    expected = rival.homogeneity_completeness_v_measure(*map(labels, chains))
    found = values("v_measure", *chains)
    assert_same(found[:2], expected[:2])
    assert found[2] == pytest.approx(expected[2], abs=1e-7)


def labels(chains: Chains) -> list[int]:
    result = {mention: number for number, chain in enumerate(chains) for mention in chain}
    return [result[mention] for mention in sorted(result)]


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    assert values("v_measure", *EDGES[edge]) == (1.0, 1.0, 1.0)
