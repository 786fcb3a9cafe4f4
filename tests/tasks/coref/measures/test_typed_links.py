"""Typed links: direction and transitivity are properties of a type."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.coref.model import Document, Mention, Relation, make_document

Links = list[tuple[str, int, int]]


def text(links: Links, classes: int = 4) -> list[Document]:
    """Classes of two mentions each, and links between their first mentions."""
    mentions = [Mention(place, place + 1, place // 2) for place in range(2 * classes)]
    relations = [Relation(kind, 2 * source, 2 * target) for kind, source, target in links]
    return [make_document("d", mentions, relations=relations)]


def values(key: Links, response: Links, **options: Any) -> tuple[float | None, ...]:
    score = aune.score("coref", text(key), text(response), measures=["typed_links"], **options).scores[0]
    return score.recall, score.precision, score.f1


def test_reversed_links_are_wrong() -> None:
    """PART(door, house) is not PART(house, door)."""
    assert values([("PART", 0, 1)], [("PART", 0, 1)]) == (1, 1, 1)
    assert values([("PART", 0, 1)], [("PART", 1, 0)]) == (0, 0, 0)
    assert values([("PART", 0, 1)], [("PART", 1, 0)], undirected="part") == (1, 1, 1)


def test_the_type_counts() -> None:
    assert values([("PART", 0, 1)], [("FUNCTION", 0, 1)]) == (0, 0, 0)


def test_parts_of_parts_are_parts() -> None:
    chain: Links = [("PART", 0, 1), ("PART", 1, 2)]
    assert values([*chain, ("PART", 0, 2)], chain) == (1, 1, 1)
    assert values([*chain, ("PART", 0, 2)], chain, transitive=()) == pytest.approx((2 / 3, 1, 4 / 5))


def test_functions_of_functions_are_not_functions() -> None:
    chain: Links = [("FUNCTION", 0, 1), ("FUNCTION", 1, 2)]
    assert values(chain, [*chain, ("FUNCTION", 0, 2)]) == pytest.approx((1, 2 / 3, 4 / 5))
    assert values(chain, [*chain, ("FUNCTION", 0, 2)], transitive="function") == (1, 1, 1)


def test_a_class_without_a_counterpart() -> None:
    key, response = text([("PART", 0, 1)]), [[(6, 7), (7, 8)]]
    result = aune.score("coref", key, response, measures=["typed_links"])["typed_links"]
    assert (result.recall, result.precision) == (0, 0) and result.counts["key_typed_links"] == 1


LINKS = st.lists(
    st.tuples(st.sampled_from(["PART", "FUNCTION"]), st.integers(0, 3), st.integers(0, 3)).filter(
        lambda link: link[1] != link[2]
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60)
@given(LINKS)
def test_the_key_itself_is_perfect_and_its_reverse_only_where_it_is_the_same(links: Links) -> None:
    assert values(links, links) == (1, 1, 1)
    reverse = [(kind, target, source) for kind, source, target in links]
    same = set(links) == set(reverse)
    if same or values(links, reverse, transitive=()) == (1, 1, 1):
        assert same
