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


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"relations": [["bridge", 2, 0]]}, "links other than identity"),
        ({"relations": []}, "links other than identity"),
        ({"features": {"referring": [["", ""], ["no"]]}}, "which mentions refer to nothing"),
        ({}, ""),
    ],
)
def test_what_alpha_does_not_see_is_reported(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Measures count links and expressions that refer to nothing; the chains are the same, and α is 1."""
    for name, record in (("a", RELATED), ("b", {**RELATED, **changed})):
        (tmp_path / name).write_text(json.dumps({"sentences": [["he", "him", "it"]], **record}) + "\n")
    result = annotators_agreement("coref", {name: str(tmp_path / name) for name in "ab"})
    assert [words in warning for warning in result.warnings] == [True] * bool(words)
    assert {score.main for score in result.scores} == {1.0}
