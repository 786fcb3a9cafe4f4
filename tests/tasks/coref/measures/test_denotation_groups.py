"""Trouilleux et al. 2000, §4.2: groups of chains, between denotation assignments and MUC."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.coref.measures import denotation, muc
from aune.tasks.coref.measures.denotation_groups import MEASURE
from tests.tasks.coref.measures.test_denotation import (
    KEY,
    RESPONSE,
    as_documents,
    blocks,
    make_sample,
    partitions,
    slow_similarity,
)

Given = tuple[dict[int, int], dict[int, int], dict[int, str]]


def slow_correct(keys: list[set[int]], responses: list[set[int]], kinds: dict[int, str], width: int) -> int:
    """The right assignments of the largest similarity, then of most shared expressions, then of fewest pairs."""
    cells = [(i, j) for i, key in enumerate(keys) for j, response in enumerate(responses) if key & response]
    result: list[tuple[Fraction, int, int]] = []
    for taken in product((False, True), repeat=len(cells)):
        pairs = [cell for cell, chosen in zip(cells, taken, strict=True) if chosen]
        if any(sum(pair[side] == chain for pair in pairs) > width for side in (0, 1) for chain in range(len(cells))):
            continue
        shared = [len(keys[i] & responses[j]) for i, j in pairs]
        total = sum((slow_similarity(keys[i], responses[j], kinds) for i, j in pairs), Fraction(0))
        result.append((total, sum(shared), -len(shared)))
    _, size, few = max(result)
    return size + few


@settings(deadline=None)
@given(partitions(), st.integers(1, 3))
def test_every_correspondence_by_hand(example: Given, width: int) -> None:
    key, response, kinds = example
    keys, responses = blocks(key), blocks(response)
    counts = MEASURE(as_documents(key, kinds), as_documents(response, kinds), width=width).counts
    assert counts["correct"] == slow_correct(keys, responses, kinds, width)
    assert (counts["possible"], counts["actual"]) == (len(key) - len(keys), len(key) - len(responses))


@settings(deadline=None)
@given(partitions(most=14, chains=5))
def test_a_width_of_one_is_denotation_and_no_limit_is_muc(example: Given) -> None:
    key, response, kinds = example
    documents = as_documents(key, kinds), as_documents(response, kinds)
    narrow, wide = MEASURE(*documents, width=1), MEASURE(*documents, width=99)
    assert narrow.counts["correct"] == denotation.MEASURE(*documents).counts["correct"]
    links = muc.MEASURE(*documents, convention="partition")
    assert wide.counts["correct"] == links.counts["common_links"]
    assert all(wide.counts["correct"] >= MEASURE(*documents, width=width).counts["correct"] for width in (1, 2, 3))


def test_the_example_of_the_paper() -> None:
    """Figures 1 and 2: both pronouns go with Clinton's chain once Mandela's may go with two, as MUC has it (.33)."""
    first, second = (MEASURE(make_sample(KEY), make_sample(RESPONSE), width=width) for width in (1, 2))
    assert (first.recall, first.precision) == (0, 0)
    assert (second.recall, second.precision) == pytest.approx((1 / 3, 1 / 3))


def test_three_pieces_of_a_chain() -> None:
    """§3.1: {1…7} falls into {1 2}, {3 4} and {5 6 7}; one of them is the referent, or two, or all."""
    pieces = [{1, 2}, {3, 4}, {5, 6, 7}]
    right = [MEASURE([{1, 2, 3, 4, 5, 6, 7}], pieces, width=width).counts["correct"] for width in (1, 2, 3)]
    assert right == [2, 3, 4]


def test_real_texts_lie_between_the_two(data: Path) -> None:
    """The figures of docs/seeds.md."""
    paths = [str(data / "coref" / "litbank" / f"{name}.conll.gz") for name in ("key", "s2-sieve")]
    names = ["denotation", "denotation_groups", "denotation_groups(width=4)", "muc"]
    result = aune.score("coref", *paths, measures=names, kinds="english", mentions="complete")
    assert [round(100 * item.f1, 2) for item in result] == [17.66, 31.03, 46.28, 73.43]


def test_it_says_that_it_is_experimental() -> None:
    assert "status:experimental" in str(MEASURE([{1, 2}], [{1, 2}]).signature)
    with pytest.raises(aune.AuneError, match="experimental"):
        MEASURE([{1, 2}], [{1, 2}], status="settled")
