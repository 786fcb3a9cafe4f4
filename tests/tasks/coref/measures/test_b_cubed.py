"""B³: mention by mention (DÉF. 8), its weights, and its rivals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

import aune
from aune.tasks.coref.model import Document, Mention, make_document
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, SINGLETONS_COUNT, Chains, agrees, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # 1 and 2 find two thirds of their chain, 3 one third
        ([{1, 2, 3}], [{1, 2}, {3}], (5 / 9, 1, 5 / 7)),
        # 3 is missing and scores nothing; 9 is spurious and scores nothing
        ([{1, 2, 3}], [{1, 2, 9}], (4 / 9, 4 / 9, 4 / 9)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("b_cubed", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("b_cubed", oracle.b_cubed, *chains)


@pytest.mark.parametrize(("edge", "conll"), SINGLETONS_COUNT)
def test_edges(edge: str, conll: float) -> None:
    assert values("b_cubed", *EDGES[edge]) == (conll,) * 3
    assert values("b_cubed", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)


@given(CHAINS)
def test_chains_of_equal_weight(chains: tuple[Chains, Chains]) -> None:
    assert_same(values("b_cubed(weights=chain)", *chains), oracle.b_cubed_by_chain(*chains))
    completed = oracle.b_cubed_by_chain(*oracle.complete_sides(*chains), 1)
    assert_same(values("b_cubed", *chains, weights="chain", convention="partition"), completed)


@given(CHAINS)
def test_equal_weights_by_kind_are_the_plain_measure(chains: tuple[Chains, Chains]) -> None:
    for convention in ("conll", "partition"):
        plain = values("b_cubed", *chains, convention=convention)
        assert_same(values("b_cubed", *chains, weights="name=1", convention=convention), plain)


def with_kinds(chains: list[list[tuple[int, str]]]) -> list[Document]:
    mentions = [
        Mention(place, place + 1, chain, features={"kind": kind} if kind else {})
        for chain, members in enumerate(chains)
        for place, kind in members
    ]
    return [make_document("d", mentions)]


WEIGHTS = "name=3,noun=2,pronoun=1"


def test_weights_by_kind() -> None:
    # the name finds 1 of 3, the noun and the pronoun 2 of 3; the response takes the key's kinds
    key = with_kinds([[(0, "name"), (1, "noun"), (2, "pronoun")]])
    response = with_kinds([[(0, "")], [(1, ""), (2, "")]])
    recall, precision, _ = values("b_cubed", key, response, weights=WEIGHTS)
    assert recall == pytest.approx((3 * 1 + 2 * 2 + 1 * 2) / 3 / 6)
    assert precision == pytest.approx(1.0)


def test_weights_by_kind_of_spurious_and_missing_mentions() -> None:
    key = with_kinds([[(0, "name"), (1, "noun")]])
    response = with_kinds([[(0, "name"), (5, "pronoun")]])
    # the name finds itself, one of two, on both sides; the noun is missing, the pronoun spurious
    recall, precision, _ = values("b_cubed", key, response, weights=WEIGHTS)
    assert (recall, precision) == (pytest.approx(3 / 2 / 5), pytest.approx(3 / 2 / 4))
    # completed it is {0 1}{5} against {0 5}{1}, and all three mentions weigh 6
    recall, precision, _ = values("b_cubed", key, response, weights=WEIGHTS, convention="partition")
    assert (recall, precision) == (pytest.approx((3 / 2 + 2 / 2 + 1) / 6), pytest.approx((3 / 2 + 1 / 2 + 2) / 6))


@pytest.mark.parametrize("weights", ["names", "name=", "name=x", "name=1=2", "name=-1", "name=nan", "name=inf", "=1"])
def test_unusable_weights(weights: str) -> None:
    with pytest.raises(aune.UsageError) as error:
        values("b_cubed", [{1}], [{1}], weights=weights)
    assert str(error.value) == f"weights={weights!r}: expected mention, chain, or such as name=3,noun=2,pronoun=1"


@given(CHAINS)
def test_scorch_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("scorch.scores", reason="pip install scorch to compare with it")
    assert_same(values("b_cubed", *chains), rival.b_cubed(*chains))


def over_coreferent(key: Chains, response: Chains, empty: int | None = 0) -> tuple[oracle.Number, ...]:
    """P²: the mean over the mentions of chains of two and more; the other side keeps its singletons."""

    def side(own_chains: Chains, other: Chains) -> oracle.Number:
        shares = [
            Fraction(len(chain & oracle.chain_of(other, mention)), len(chain))
            for chain in own_chains if len(chain) > 1 for mention in chain
        ]  # fmt: skip
        return oracle.divide_counts(sum(shares, Fraction(0)), len(shares), empty)

    return oracle.triple(side(key, response), side(response, key))


@given(CHAINS)
def test_over_chains_of_two_and_more(chains: tuple[Chains, Chains]) -> None:
    assert_same(values("b_cubed", *chains, over="coreferent"), over_coreferent(*chains))
    whole = oracle.complete_sides(*chains)
    scores = values("b_cubed", *chains, over="coreferent", convention="partition")
    assert_same(scores, over_coreferent(*whole, 1))


def test_one_chain_of_predicted_mentions_is_not_perfect() -> None:
    """The course notes say so (2.4.3.3), but the sums printed there run over mentions that the response lacks too."""
    key = [frozenset({1, 2, 3}), frozenset({4, 5})]
    together, alone = [frozenset({1, 2, 4})], [frozenset({1}), frozenset({9})]
    assert values("b_cubed", key, together)[0] == pytest.approx((2 * 2 / 3 + 1 / 2) / 5)
    assert values("b_cubed", key, alone)[1] == pytest.approx(1 / 2)
