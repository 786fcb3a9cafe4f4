"""Typed links: super-classes of classes, against the paper's own idea and a second implementation."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.coref.model import Document, Mention, Relation, make_document
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import assert_same

Links = list[tuple[str, int, int]]


def text(chains: list[set[int]], *links: tuple[str, int, int]) -> list[Document]:
    """Chains of named mentions, and links between mentions by name."""
    named = [(mention, number) for number, chain in enumerate(chains) for mention in sorted(chain)]
    place = {mention: index for index, (mention, _) in enumerate(named)}
    mentions = [Mention(mention, mention + 1, number) for mention, number in named]
    relations = [Relation(kind, place[source], place[target]) for kind, source, target in links]
    return [make_document("d", mentions, relations=relations)]


def values(name: str, key: list[Document], response: list[Document], kind: str) -> tuple[float | None, ...]:
    [result] = aune.score("coref", key, response, measures=[name], relations=kind)
    return tuple(result.values.values())


CHAINS = [{1, 2, 3}, {4, 5}, {6}]


def test_a_link_that_the_response_lacks() -> None:
    """§5.5: the units are the classes, so the one link of PART is missed."""
    key, response = text(CHAINS, ("PART", 1, 4)), text(CHAINS)
    assert values("muc", key, response, "PART") == (0, 0, 0)
    assert values("b_cubed", key, response, "PART") == (pytest.approx(2 / 3), 1, pytest.approx(4 / 5))
    assert values("muc", key, text(CHAINS, ("PART", 2, 5)), "PART") == (1, 1, 1)  # whichever mentions it joins


def test_types_are_scored_apart() -> None:
    links = [("PART", 1, 4), ("MEMBER", 4, 6)]
    key, response = text(CHAINS, *links), text(CHAINS, ("PART", 1, 4), ("PART", 4, 6))
    assert values("muc", key, response, "PART") == (1, 1 / 2, pytest.approx(2 / 3))
    assert values("muc", key, response, "MEMBER") == (0, 0, 0)


def test_errors_of_identity_are_not_counted_again() -> None:
    """The response split {1 2 3}; the part that keeps two mentions is the class, and its links count as the class's."""
    key = text(CHAINS, ("PART", 1, 4))
    assert values("muc", key, text([{1, 2}, {3}, {4, 5}, {6}], ("PART", 1, 4)), "PART") == (1, 1, 1)
    merged = text([{1, 2, 3, 4, 5}, {6}])  # the second class is gone, and so is its link
    assert values("muc", key, merged, "PART") == (0, 0, 0)
    [result] = aune.score("coref", key, merged, measures=["muc"], relations="PART")
    assert result.counts == {"common_links": 0, "key_links": 0, "response_links": 0}


def test_a_class_without_counterpart_still_links_the_others() -> None:
    key = text(CHAINS, ("PART", 1, 4), ("PART", 4, 6))
    response = text([{1, 2, 3, 4, 5}, {6}], ("PART", 1, 6))
    assert values("muc", key, response, "PART") == (1, 1, 1)


def test_singletons_are_super_classes_of_one_class() -> None:
    key = text(CHAINS, ("PART", 1, 4))
    [result] = aune.score("coref", key, key, measures=["mentions"], relations="PART", singletons="drop")
    assert result.counts["key_mentions"] == 2


# A second implementation, for chains without kinds: every one-to-one pairing tried, Dice summed.


def pair_sides(key: list[set[int]], response: list[set[int]]) -> set[tuple[int, int]] | None:
    """The pairing with the largest sum of Dice coefficients; None when several pairings have it."""
    if len(key) > len(response):
        result = pair_sides(response, key)
        return None if result is None else {(item, other) for other, item in result}

    def dice(item: int, other: int) -> float:
        return 2 * len(key[item] & response[other]) / (len(key[item]) + len(response[other]))

    totals: dict[frozenset[tuple[int, int]], float] = {}
    for chosen in permutations(range(len(response)), len(key)):
        pairs = frozenset(pair for pair in enumerate(chosen) if key[pair[0]] & response[pair[1]])
        totals[pairs] = round(sum(dice(*pair) for pair in pairs), 9)
    best = max(totals.values())
    winners = [pairs for pairs, total in totals.items() if total == best]
    return set(winners[0]) if len(winners) == 1 else None


def super_classes(chains: list[set[int]], links: Links, remaining: list[int]) -> list[frozenset[int]]:
    """Classes joined by links until nothing changes; then those that are not kept taken out, and the rest renamed."""
    groups = [{number} for number in range(len(chains))]
    for _, source, target in links:
        ends = [next(group for group in groups if any(place in chains[c] for c in group)) for place in (source, target)]
        if ends[0] is not ends[1]:
            groups = [group for group in groups if group not in ends] + [ends[0] | ends[1]]
    renamed = [frozenset(remaining.index(item) for item in group if item in remaining) for group in groups]
    return [group for group in renamed if group]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[set[int]], Links, list[set[int]], Links]:
    size = draw(st.integers(3, 7))
    sides: list[tuple[list[set[int]], Links]] = []
    for _ in range(2):
        labels = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        chains = [{place for place in range(size) if labels[place] == label} for label in sorted(set(labels))]
        ends = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
        sides.append((chains, [("PART", *pair) for pair in draw(st.lists(ends, max_size=3))]))
    sides[0][1].append(("PART", 0, size - 1))
    return (*sides[0], *sides[1])


@settings(max_examples=80)
@given(cases())
def test_agrees_with_the_second_implementation(case: tuple[list[set[int]], Links, list[set[int]], Links]) -> None:
    key, key_links, response, response_links = case
    pairing = pair_sides(key, response)
    if pairing is None:
        return
    remaining = sorted(pairing)
    sides = (
        super_classes(key, key_links, [item for item, _ in remaining]),
        super_classes(response, response_links, [other for _, other in remaining]),
    )
    for name in ("muc", "b_cubed", "ceaf_e"):
        scores = values(name, text(key, *key_links), text(response, *response_links), "PART")
        assert_same(scores, getattr(oracle, name)(*sides))


def test_links_between_the_chains_of_novels(data: Path) -> None:
    """No public text here has typed links: they are drawn between the chains of LitBank, and every tenth is dropped.

    The chains are right, so that the partition of classes can be made by joining them, which MUC and B³ then compare.
    """
    draw = random.Random(18)
    for document in read(registry.task("coref"), str(data / "coref" / "litbank" / "key.conll.gz")).documents[:3]:
        links = [("PART", *draw.sample(range(len(document)), 2)) for _ in range(30)]
        remaining = [link for number, link in enumerate(links) if number % 10]
        sides = [replace(document, relations=tuple(Relation(*link) for link in those)) for those in (links, remaining)]
        chains = [
            {place for place in range(len(document)) if document.chains[place] == c}
            for c in range(document.chain_count)
        ]
        classes = [super_classes(chains, those, list(range(len(chains)))) for those in (links, remaining)]
        for name in ("muc", "b_cubed"):
            assert_same(values(name, sides[:1], sides[1:], "PART"), getattr(oracle, name)(*classes))
