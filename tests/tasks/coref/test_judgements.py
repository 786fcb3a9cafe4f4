"""The agreement of annotators of chains: what only one of them marked counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

import aune
from aune.errors import UsageError
from aune.explain.annotators import annotators_agreement
from aune.tasks.coref.judgements import judgements
from aune.tasks.coref.model import Document, Mention, Relation, make_document, spread_positions
from tests.tasks.coref.agreement import CHAINS, Chains


def alpha(*annotations: Any, **options: Any) -> float | None:
    annotators = {f"annotator {number}": annotation for number, annotation in enumerate(annotations)}
    value: float | None = annotators_agreement("coref", annotators, **options).scores[0].alpha
    return value


DISJOINT = ([{1, 2}, {3}, {4, 5}], [{11}, {12}, {13, 14, 15}])


def test_annotators_without_a_mention_in_common_do_not_agree() -> None:
    value = alpha(*DISJOINT)
    assert value is not None and value <= 0


def test_singletons_have_to_be_marked_by_both() -> None:
    """As singletons, mentions of one annotator are agreement: that was the only convention."""
    key, response = [{1}, {2}], [{3}, {4}]
    assert alpha(key, response, unmarked="singleton") == 1
    assert (alpha(key, response) or 0) < 0


@settings(max_examples=60)
@given(CHAINS)
def test_agreement_is_perfect_for_the_same_chains_only(chains: tuple[Chains, Chains]) -> None:
    key, response = ([set(chain) for chain in side] for side in chains)
    assume(key or response)
    value = alpha(key, response)
    if set(map(frozenset, key)) == set(map(frozenset, response)):
        assert value is None or value == 1
    else:
        assert value is None or value < 1


@settings(max_examples=40)
@given(CHAINS)
def test_disjoint_annotations_are_not_above_chance(chains: tuple[Chains, Chains]) -> None:
    key, response = [set(chain) for chain in chains[0]], [{mention + 100 for mention in chain} for chain in chains[1]]
    assume(key or response)
    value = alpha(key, response)
    assert value is None or value <= 1e-12


def test_the_convention_is_in_the_signature() -> None:
    for options, expected in (({}, "empty"), ({"unmarked": "singleton"}, "singleton")):
        result = annotators_agreement("coref", {"Ann": [{1, 2}], "Ben": [{1, 3}]}, **options)
        assert result.scores[0].signature.options["unmarked"] == expected


def test_an_unknown_convention() -> None:
    with pytest.raises(UsageError, match="--unmarked none: expected empty"):
        alpha(*DISJOINT, unmarked="none")


def test_the_convention_is_an_option_of_agreement_only() -> None:
    with pytest.raises(aune.UsageError, match="unknown option"):
        aune.score("coref", *DISJOINT, unmarked="singleton")


RELATED = {"id": "d", "clusters": [[[0, 0], [1, 1]], [[2, 2]]], "relations": [["bridge", 0, 2]],
           "features": {"referring": [["", ""], [""]]}}  # fmt: skip
LINKS = "krippendorff(links=bridge)"
CHAINS_ALPHA = "krippendorff(masi)"


@pytest.mark.parametrize(
    ("changed", "imperfect"),
    [
        ({"relations": [["bridge", 2, 0]]}, {LINKS}),
        ({"relations": []}, {LINKS}),
        ({"relations": [["part", 0, 2]]}, {LINKS, "krippendorff(links=part)"}),
        ({"relations": [["bridge", 0, 2], ["split", 2, 0], ["split", 2, 1]]}, {"krippendorff(links=split)"}),
        ({"features": {"referring": [["", ""], ["no"]]}}, {CHAINS_ALPHA}),
        ({}, set()),
    ],
)
def test_links_and_what_refers_to_nothing_count(changed: dict[str, Any], imperfect: set[str], tmp_path: Path) -> None:
    """Measures count both; the chains are the same, and α was 1, with a note."""
    for name, record in (("a", RELATED), ("b", {**RELATED, **changed})):
        (tmp_path / name).write_text(json.dumps({"sentences": [["he", "him", "it"]], **record}) + "\n")
    result = annotators_agreement("coref", {name: str(tmp_path / name) for name in "ab"})
    assert not result.warnings
    assert {score.name for score in result.scores if score.main != 1} == imperfect


def link_mentions(*links: tuple[str, int, int], mentions: int = 4) -> Document:
    relations = [Relation(kind, source, target) for kind, source, target in links]
    return make_document("d", [Mention(at, at + 1, at) for at in range(mentions)], relations=relations)


def test_the_agreement_of_links_by_hand() -> None:
    """Four mentions; Ann links 1 to 0 and 3 to 0, Ben 1 to 0 alone: eight values, of which ∅ five times, {0} three.

    Observed: one of four mentions differs, 1/4. Expected: two different values of 8 · 7 ordered pairs, 2 · 5 · 3 / 56.
    """
    ann, ben = link_mentions(("bridge", 1, 0), ("bridge", 3, 0)), link_mentions(("bridge", 1, 0))
    result = annotators_agreement("coref", {"Ann": [ann], "Ben": [ben]})
    score = result["Ann–Ben", LINKS]
    assert (score.observed, score.expected) == (0.25, pytest.approx(30 / 56))
    assert score.alpha == pytest.approx(1 - 0.25 / (30 / 56))
    assert result["Ann–Ben", CHAINS_ALPHA].alpha == 1


def test_links_of_a_type_without_direction_count_at_both_ends() -> None:
    ann, ben = link_mentions(("contrast", 1, 0)), link_mentions(("contrast", 0, 1))
    name = "krippendorff(links=contrast)"
    directed = annotators_agreement("coref", {"Ann": [ann], "Ben": [ben]})
    assert directed["Ann–Ben", name].alpha < 0
    assert "undirected" not in directed.scores[0].signature.options
    undirected = annotators_agreement("coref", {"Ann": [ann], "Ben": [ben]}, undirected=("Contrast",))
    assert undirected["Ann–Ben", name].alpha == 1
    assert undirected["Ann–Ben", name].signature.options["undirected"] == "Contrast"
    with pytest.raises(UsageError, match=r"--undirected part: expected types of links of the annotators \(contrast\)"):
        annotators_agreement("coref", {"Ann": [ann], "Ben": [ben]}, undirected=("part",))


def nothing(*places: int) -> Document:
    """Mentions 0 and 1 in a chain, 2 and 3 alone, some of them referring to nothing."""
    mentions = [
        Mention(at, at + 1, max(at, 1), features={"referring": "no"} if at in places else {}) for at in range(4)
    ]
    return make_document("d", mentions)


def test_what_refers_to_nothing_is_one_value_and_in_no_chain() -> None:
    assert judgements([nothing(2, 3)])[2] == judgements([nothing(2, 3)])[3]
    assert alpha([nothing(2, 3)], [nothing(2, 3)]) == 1
    assert judgements([nothing(0)])[1] == [frozenset({(1, 2)})]
    assert (alpha([nothing(2)], [nothing(3)]) or 0) < (alpha([nothing(2)], [nothing(2)]) or 0) == 1
    for unmarked in ("empty", "singleton"):
        assert (alpha([nothing()], [nothing(3)], unmarked=unmarked) or 0) < 1


def test_a_text_with_empty_nodes_is_compared_with_one_without() -> None:
    """Their positions were compared as numbers, so that annotators of the same chains shared not one mention."""
    plain = make_document("d", [Mention(at, at + 1, at // 2) for at in range(3)], tokens=["he", "him", "it"])
    assert alpha([plain], [spread_positions(plain)]) == 1


def test_characters_are_not_compared_with_words() -> None:
    words = make_document("d", [Mention(0, 1, "a")], tokens=["he"])
    characters = make_document("d", [Mention(0, 2, "a")], unit="character")
    with pytest.raises(aune.InputError, match="mentions placed by character"):
        alpha([words], [characters])
