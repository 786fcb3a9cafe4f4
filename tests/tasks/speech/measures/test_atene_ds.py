"""ATENE_DS: entity by entity, and types that the models never saw."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.atene.maxent import load
from tests.tasks.speech.strategies import WORDS, tiny_model

TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)


def margins(words: list[str], place: int, label: str) -> float:
    """The margins where an entity of one word begins and ends; any type will do for one that the models never saw."""
    model = load(tiny_model())
    total = 0.0
    for which in ("begin", "end"):
        chances = model.probabilities(which, model.indices([words]))[place].tolist()  # type: ignore[arg-type]
        if label in model.labels:
            right = chances.pop(1 + model.labels.index(label))
            total += right - max(chances)
        else:
            total += max(chances[1:]) - chances[0]
    return total


@given(TEXT, st.lists(st.just("zebra"), max_size=2), st.sampled_from(["LOC", "PER", "EVENT"]))
def test_entity_by_entity(words: list[str], added: list[str], label: str) -> None:
    """Words put in before the key's: the entity is found again, with other neighbours."""
    key = {"u": {"words": [*words, "paris"], "entities": [(len(words), len(words) + 1, label)]}}
    response = [*words, *added, "paris"]
    expected = margins(response, len(response) - 1, label) - margins([*words, "paris"], len(words), label)
    found = aune.score("speech", key, {"u": response}, measures=["atene_ds"], model=tiny_model())["atene_ds"]
    if "paris" not in words:
        assert found.atene_ds == pytest.approx(expected / 2, abs=1e-6)


def test_a_missing_entity_has_margin_minus_one() -> None:
    key = {"u": {"words": ["said", "paris"], "entities": [(1, 2, "LOC")]}}
    result = aune.score("speech", key, {"u": "said"}, measures=["atene_ds"], model=tiny_model())["atene_ds"]
    assert result.atene_ds == pytest.approx((-2 - margins(["said", "paris"], 1, "LOC")) / 2, abs=1e-6)
