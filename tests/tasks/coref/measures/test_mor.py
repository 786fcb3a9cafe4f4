"""MOR: against every one-to-one pairing of mentions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.coref.model import STEP, Mention, make_document
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import EDGES, assert_same, values

SPANS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 5)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    unique=True,
    max_size=5,
)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # two of the three tokens of the first mention and all of the second
        ([[(0, 3), (5, 6)]], [[(1, 3), (5, 6)]], (3 / 4, 1, 6 / 7)),
        # (0, 4) is paired once only: with itself, or with both of two shorter ones it would count twice
        ([[(0, 4)]], [[(0, 2), (2, 4)]], (2 / 4, 2 / 4, 1 / 2)),
        # nested: the pairing crosses if that shares more
        ([[(0, 5), (0, 2)]], [[(0, 2), (1, 5)]], (6 / 7, 1, 12 / 13)),
    ],
)
def test_by_hand(key: list[list[tuple[int, int]]], response: list[list[tuple[int, int]]], expected: object) -> None:
    assert_same(values("mor", key, response), expected)  # type: ignore[arg-type]


@given(SPANS, SPANS)
def test_agrees_with_the_oracle(key: list[tuple[int, int]], response: list[tuple[int, int]]) -> None:
    assert_same(values("mor", [key], [response]), oracle.mor(key, response))


@given(SPANS, SPANS, st.sampled_from(["partial", "head"]))
def test_does_not_depend_on_the_match(key: list[tuple[int, int]], response: list[tuple[int, int]], match: str) -> None:
    assert values("mor", [key], [response], match=match) == values("mor", [key], [response])


@pytest.mark.parametrize(
    ("edge", "conll", "partition"),
    [
        ("empty key", (0, 0, 0), (1, 0, 0)),
        ("empty response", (0, 0, 0), (0, 1, 0)),
        ("both empty", (0, 0, 0), (1, 1, 1)),
        ("one mention", (1, 1, 1), (1, 1, 1)),
        ("identical singletons", (1, 1, 1), (1, 1, 1)),
    ],
)
def test_edges(edge: str, conll: tuple[float, ...], partition: tuple[float, ...]) -> None:
    assert values("mor", *EDGES[edge]) == conll
    assert values("mor", *EDGES[edge], convention="partition") == partition


def test_discontinuous_mentions_count_their_own_tokens() -> None:
    # 0 1 . . 4 against 0 . . 3 4: two tokens shared, of three on each side
    key, response = [[((0, 2), (4, 5))]], [[((0, 1), (3, 5))]]
    assert_same(values("mor", key, response), (2 / 3, 2 / 3, 2 / 3))
    assert_same(values("mor", key, [[(0, 5)]]), (1, 3 / 5, 3 / 4))


def test_discontinuous_mentions_of_one_extent_are_not_the_same() -> None:
    key_document = make_document("d", [Mention(0, 5, "a", head=0, segments=((0, 2), (4, 5)))])
    response_document = make_document("d", [Mention(0, 5, "a", head=0, segments=((0, 1), (3, 5)))])
    for match in ("exact", "partial", "head"):
        assert_same(values("mor", [key_document], [response_document], match=match), (2 / 3, 2 / 3, 2 / 3))


def test_empty_nodes_are_tokens() -> None:
    # the mention holds word 0, the empty node after it, and word 1; the response has no empty node
    positions = np.asarray([STEP, STEP + 1, 2 * STEP])
    key = make_document("d", [Mention(STEP, 2 * STEP + 1, "a")], tokens=["x", "", "y"], positions=positions)
    response = make_document("d", [Mention(0, 2, "a")], tokens=["x", "y"])
    assert_same(values("mor", [key], [response]), (2 / 3, 1, 4 / 5))


def test_named_mentions_are_one_token_long() -> None:
    assert_same(values("mor", [{"Ann", "her"}], [{"Ann", "him"}]), (1 / 2, 1 / 2, 1 / 2))


def test_names_in_one_document_do_not_change_another() -> None:
    spans, names = ([[(0, 3)]], [[(1, 3)]]), ([{"Ann", "her"}], [{"Ann", "him"}])
    scores = values("mor", {"a": spans[0], "b": names[0]}, {"a": spans[1], "b": names[1]})
    assert_same(scores, ((2 + 1) / (3 + 2), (2 + 1) / (2 + 2), 2 / 3))
