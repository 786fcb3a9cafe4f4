"""Projections, cores and B³ by mention: the paper's example, and a second implementation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.model import documents
from aune.tasks.coref.pair_comparison import compare
from aune.tasks.coref.projections import chain_rows, mention_rows, pair_rows
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, Chains
from tests.tasks.coref.measures.test_exclusive_core import nothing_else

KEY = [{1, 2}, {3, 4, 5}, {*range(6, 13)}, {*range(13, 18)}]
RESPONSE = [{1, 2, *range(6, 11)}, {3, 4, 5, 11, 12, *range(13, 17)}, {17}]


def comparison(key: object, response: object) -> Comparison:
    return compare([(documents(key)[0], documents(response)[0])])


def members(text: str) -> frozenset[int]:
    return frozenset(int(name) for name in text.strip("{}").split(", ")) if text else frozenset()


def test_the_example_of_the_paper() -> None:
    """§4.1 and §4.4: links and mentions lost by each chain; §4.5: the exclusive cores of K3 and K4, none for K1, K2."""
    rows = list(chain_rows(comparison(KEY, RESPONSE), taken="empty"))
    key = [row for row in rows if row.side == "key"]
    assert [row.projections for row in key] == [(2,), (3,), (5, 2), (4, 1)]
    assert [(row.links_lost, row.mentions_lost) for row in key] == [(0, 0), (0, 0), (1, 2), (1, 1)]
    assert [members(row.exclusive_core) for row in key] == [set(), set(), RESPONSE[0], RESPONSE[1]]
    assert [members(row.core) for row in key] == [RESPONSE[0], RESPONSE[1], RESPONSE[0], RESPONSE[1]]
    response = [row for row in rows if row.side == "response"]
    assert [row.mentions_lost for row in response] == [2, 5, 0]
    assert [members(row.core) for row in response] == [KEY[2], KEY[3], KEY[3]]
    assert [members(row.exclusive_core) for row in response] == [KEY[2], KEY[3], set()]


@given(CHAINS)
def test_groups_are_the_finest_that_both_sides_refine(chains: tuple[Chains, Chains]) -> None:
    """Where the width is no limit: chains of either side, completed, merged as long as two of them share a mention."""
    key, response = chains
    rows = list(pair_rows(comparison(key, response), "groups", width=99))
    sides = [[set(chain) for chain in side] for side in (key, response)]
    everything = set().union(*sides[0], *sides[1])
    merged: list[set[object]] = []
    for chain in [*sides[0], *sides[1], *({mention} for mention in everything)]:
        touching = [group for group in merged if group & chain]
        merged = [group for group in merged if not group & chain]
        merged.append(set(chain).union(*touching))
    assert sorted(row.shared for row in rows) == sorted(len(group) for group in merged if group)
    for row in rows:
        key_chain, response_chain = (
            frozenset().union(*map(members, side.split("} {"))) for side in (row.key, row.response)
        )
        assert key_chain == response_chain and len(key_chain) == row.shared


def test_groups_of_the_example() -> None:
    """Everything of the paper's example is one group."""
    (row,) = pair_rows(comparison(KEY, RESPONSE), "groups", width=3)
    assert row.shared == 17
    split = list(pair_rows(comparison([{1, 2}, {3}, {4, 5}], [{1}, {2}, {3, 4, 5}]), "groups"))
    assert [(row.key, row.response) for row in split] == [("{1, 2}", "{1} {2}"), ("{3} {4, 5}", "{3, 4, 5}")]


def test_b_cubed_of_the_example() -> None:
    """§4.3: BRS is 1 for mentions 1 and 3, 5/7 for 6, 2/7 for 11, 4/5 for 13 and 1/5 for 17."""
    recall = {int(row.mention): row.recall for row in mention_rows(comparison(KEY, RESPONSE))}
    assert [recall[number] for number in (1, 3, 6, 11, 13, 17)] == pytest.approx([1, 1, 5 / 7, 2 / 7, 4 / 5, 1 / 5])


@settings(max_examples=60)
@given(CHAINS)
def test_mentions_agree_with_b_cubed(chains: tuple[Chains, Chains]) -> None:
    whole = oracle.complete_sides(*chains)
    rows = list(mention_rows(comparison(*chains)))
    assert len(rows) == oracle.size(whole[0])
    for row in rows:
        key_chain, response_chain = (oracle.chain_of(side, int(row.mention)) for side in whole)
        assert (members(row.key), members(row.response)) == (key_chain, response_chain)
        assert (row.recall, row.precision) == pytest.approx(
            (len(key_chain & response_chain) / len(key_chain), len(key_chain & response_chain) / len(response_chain))
        )


@settings(max_examples=60)
@given(CHAINS)
def test_means_over_mentions_are_b_cubed(chains: tuple[Chains, Chains]) -> None:
    """Under either convention: what the other side lacks is left there, or completed."""
    for mentions in ("conll", "complete"):
        rows = list(mention_rows(comparison(*chains), mentions=mentions))
        scored = aune.score("coref", *chains, measures=["b_cubed"], mentions=mentions, undefined="none")["b_cubed"]
        for name in ("recall", "precision"):
            values = [value for row in rows if (value := getattr(row, name)) is not None]
            mean = sum(values) / len(values) if values else None
            assert scored[name] == (None if mean is None else pytest.approx(mean))


@settings(max_examples=60)
@given(CHAINS)
def test_groups_at_a_width_hold_what_the_measure_counts(chains: tuple[Chains, Chains]) -> None:
    """Every chain is in one group; with a width of 1 the groups are the pairs of the denotation."""
    whole = oracle.complete_sides(*chains)
    pairs = {(row.key, row.response) for row in pair_rows(comparison(*chains), "denotation")}
    narrow = list(pair_rows(comparison(*chains), "groups", width=1))
    assert {(row.key, row.response) for row in narrow if row.key and row.response} == pairs
    for width in (1, 2, 3):
        rows = list(pair_rows(comparison(*chains), "groups", width=width))
        for side, name in enumerate(("key", "response")):
            shown = [members(text) for row in rows for text in getattr(row, name).split("} {") if text]
            assert sorted(map(sorted, shown)) == sorted(map(sorted, whole[side]))


@settings(max_examples=60)
@given(CHAINS)
def test_chains_agree_with_the_measures(chains: tuple[Chains, Chains]) -> None:
    whole = oracle.complete_sides(*chains)
    rows = list(chain_rows(comparison(*chains), taken="empty"))
    for side, name in enumerate(("key", "response")):
        own_rows = [row for row in rows if row.side == name]
        assert sorted(sorted(members(row.chain)) for row in own_rows) == sorted(map(sorted, whole[side]))
        for row in own_rows:
            pieces = oracle.fragments(members(row.chain), whole[1 - side])
            assert list(row.projections) == sorted(map(len, pieces), reverse=True)
            assert row.links_lost == len(pieces) - 1 and row.mentions_lost == row.size - max(map(len, pieces))
    inside = sum(len(members(row.chain) & members(row.exclusive_core)) for row in rows if row.side == "key")
    assert inside == (nothing_else(*whole)[0] or 0) * oracle.size(whole[0])
    pairs = [(row.side == "key", members(row.chain), members(row.exclusive_core)) for row in rows if row.exclusive_core]
    assert {it[1:] for it in pairs if it[0]} == {(key, response) for is_key, response, key in pairs if not is_key}


@settings(max_examples=60)
@given(CHAINS)
def test_pairs_agree_with_the_measures(chains: tuple[Chains, Chains]) -> None:
    whole = oracle.complete_sides(*chains)
    result = {method: list(pair_rows(comparison(*chains), method)) for method in ("core", "exclusive_core", "ceaf")}
    for rows in result.values():
        for row in rows:
            assert members(row.key) in whole[0] and members(row.response) in whole[1]
            assert row.shared == len(members(row.key) & members(row.response)) > 0
    assert sum(row.shared for row in result["core"]) == sum(
        max(len(chain & rival_value) for rival_value in whole[1]) for chain in whole[0]
    )
    size = oracle.size(whole[0])
    assert sum(row.shared for row in result["exclusive_core"]) == (oracle.exclusive_core(*whole)[0] or 0) * size
    dice = sum(2 * row.shared / (len(members(row.key)) + len(members(row.response))) for row in result["ceaf"])
    assert dice == pytest.approx(float((oracle.ceaf_e(*whole)[0] or 0) * len(whole[0])))
