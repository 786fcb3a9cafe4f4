"""Documents from plain Python: what a notebook user writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aune
from aune.tasks.coref.model import Document, Mention, documents, empty, make_document, spread_positions
from tests.tasks.coref.agreement import values


def clusters(plain: Any) -> list[list[tuple[int, int]]]:
    [document] = documents(plain)
    return document.clusters()


def test_mentions_are_sorted_and_chains_numbered_by_their_first_one() -> None:
    assert clusters([[(7, 8), (3, 4)], [(5, 6)], [(0, 2)]]) == [[(0, 2)], [(3, 4), (7, 8)], [(5, 6)]]


@pytest.mark.parametrize(
    "plain",
    [
        [{(0, 2), (5, 6)}, {(3, 4)}],
        [[(0, 2), (5, 6)], [(3, 4)]],
        [[[0, 2], [5, 6]], [[3, 4]]],
        ([(0, 2), (5, 6)], [(3, 4)]),
        (cluster for cluster in ([(0, 2), (5, 6)], [(3, 4)])),
        [(span for span in [(0, 2), (5, 6)]), [(3, 4)]],
        [[(np.int64(0), np.int64(2)), (5, 6)], [(3, 4)]],
        [[((0, 2),), (5, 6)], [(3, 4)]],
    ],
)
def test_spans_in_any_container(plain: Any) -> None:
    assert clusters(plain) == [[(0, 2), (5, 6)], [(3, 4)]]


def test_discontinuous_mentions() -> None:
    [document] = documents([[((4, 5), (0, 2)), (7, 8)]])
    assert document.segments == {0: ((0, 2), (4, 5))} and document.spans.tolist() == [[0, 5], [7, 8]]


@pytest.mark.parametrize(
    ("item", "other"),
    [
        ([{"12", "34"}], [{"12", "345"}]),
        ([{1, 2}], [{1, "x"}]),
        ([{"Ann", "her"}], [{"Ann", (0, 3)}]),
        ([[(0, 2), (3, 4)]], [[(0, 2), "Ann"]]),
        ([{10**12, 5}], [{10**12, 6}]),
        ([[(0, 10**30), (3, 4)]], [[(0, 10**30), (5, 6)]]),
        ([{"é", "ü"}], [{"é", "\ud800"}]),
    ],
)
def test_a_mention_is_the_same_whatever_stands_beside_it(item: Any, other: Any) -> None:
    assert values("mentions", item, other) == (0.5, 0.5, 0.5)


def test_empty_chains_and_documents() -> None:
    assert clusters([[], [(0, 1)], []]) == [[(0, 1)]]
    assert clusters([]) == []
    assert [len(document) for document in documents({"a": [], "b": [{1}]})] == [0, 1]
    assert documents({}) == []


@pytest.mark.parametrize("mention", [(5, 2), (0, 0), (-3, 2)])
def test_impossible_mentions(mention: tuple[int, int]) -> None:
    with pytest.raises(aune.InputError) as error:
        documents({"d": [[(7, 8), mention]]})
    assert str(error.value) == (
        f"d:1:1: found the mention {mention}, expected 0 ≤ start < end: give the token after the last one as the end, "
        "or read ends as last positions with --ends inclusive"
    )


@pytest.mark.parametrize("plain", [5, None, [1, 2], {"a": None}])
def test_no_chains_at_all(plain: Any) -> None:
    with pytest.raises(aune.UsageError, match=r"^found .*, expected chains of mentions, such as \[\{1, 2\}, \{3\}\]"):
        documents(plain)


def test_documents_as_they_are() -> None:
    document = make_document("x", [Mention(3, 4, "b"), Mention(0, 2, "a")])
    assert documents(document) == [document] and documents([document]) == [document]
    assert document.labels == ["a", "b"] and document.order is not None and document.order.tolist() == [1, 0]
    assert empty(document).clusters() == [] and empty(document).id == "x"


def test_stepped_places_compare_with_those_of_empty_nodes() -> None:
    before: Document = make_document("d", [Mention(1, 3, "a", head=2, segments=())], tokens=["x", "y", "z"])
    after = spread_positions(before)
    assert after.spans.tolist() == [[512, 769]] and after.heads is not None and after.heads.tolist() == [768]
    assert spread_positions(after) is after


def test_parts_beyond_any_text_are_a_name_as_spans_are() -> None:
    far = ((3, 1), (3, 10**30))
    [document] = documents([[far, (6, 7)], [(0, 10**30)]])
    assert len(document) == 3 and not document.segments
