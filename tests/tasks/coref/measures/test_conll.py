"""CoNLL: the mean of three F, on the totals of a corpus."""

from __future__ import annotations

import pytest
from hypothesis import given

import aune
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees, assert_same, values


def test_by_hand() -> None:
    # MUC 2/3, B³ 5/7, CEAFe 8/15
    assert_same(values("conll", [{1, 2, 3}], [{1, 2}, {3}]), ((2 / 3 + 5 / 7 + 8 / 15) / 3,))


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("conll", oracle.conll, *chains)


@pytest.mark.parametrize(
    ("edge", "conll"),
    [
        ("empty key", 0.0),
        ("empty response", 0.0),
        ("both empty", 0.0),
        ("one mention", 2 / 3),
        ("identical singletons", 2 / 3),
    ],
)
def test_edges(edge: str, conll: float) -> None:
    assert values("conll", *EDGES[edge]) == (pytest.approx(conll),)
    assert values("conll", *EDGES[edge], convention="partition") == (1.0,)


def test_is_the_mean_of_the_totals() -> None:
    key = {"a": [{1, 2, 3}], "b": [{1, 2}, {3, 4}]}
    response = {"a": [{1, 2}, {3}], "b": [{1, 2, 3}, {4}]}
    result = aune.score("coref", key, response, measures=["muc", "b_cubed", "ceaf_e", "conll"])
    fs = [result[name].f1 or 0 for name in ("muc", "b_cubed", "ceaf_e")]
    assert result["conll"].f1 == pytest.approx(sum(fs) / 3, abs=1e-15)


@given(CHAINS)
def test_metametric_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("metametric.metrics.coref", reason="pip install metametric to compare with it")
    ie = pytest.importorskip("metametric.structures.ie")
    if any(max(map(len, side), default=0) < 2 for side in chains):
        return  # metametric divides by the number of links and of chains
    key, response = (
        ie.EntitySet([ie.Entity([ie.Mention(mention, mention + 1) for mention in chain]) for chain in side])
        for side in chains
    )
    state = rival.coref_suite.new()
    state.update_single(response, key)
    result = state.compute()
    for name, rival_value in (("muc", "muc"), ("b_cubed", "b_cubed"), ("ceaf_e", "ceaf_phi4")):
        [scored] = aune.score("coref", *chains, measures=[name])
        assert scored.recall == pytest.approx(result[f"{rival_value}-recall"], abs=1e-6)
        assert scored.precision == pytest.approx(result[f"{rival_value}-precision"], abs=1e-6)
    assert values("conll", *chains) == (pytest.approx(result["avg-f1"], abs=1e-6),)
