"""Severity: errors by their weights, no error free, and nothing learnt from nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.atene.error_weights import MIN_ERRORS, ErrorWeights, learn, save
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.model import documents
from tests.tasks.speech.oracles import PAIRS, score_pairs, total_errors
from tests.tasks.speech.strategies import tiny_model

WEIGHTS = ErrorWeights({"S rare>rare far": 0.5, "D rare": 0.0}, {"S": 0.4, "D": 0.0, "any": 0.3}, frozenset({"cat"}))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("severity") / "weights.json"
    save(WEIGHTS, path)
    return str(path)


def test_by_hand(weights: str) -> None:
    """A class, a type, and an error of a kind never seen: as any other. A deletion costs a tenth of the mean."""
    assert score_pairs("severity", [("b", "c")], weights=weights).severity == 0.5
    assert score_pairs("severity", [("the", "c")], weights=weights).severity == 0.4
    assert score_pairs("severity", [("b", "b c")], weights=weights).severity == 0.3
    assert score_pairs("severity", [("b", "")], weights=weights).severity == pytest.approx(0.03)


@given(PAIRS)
def test_without_weights_it_is_the_wer(pairs: list[tuple[str, str]]) -> None:
    words = sum(len(key.split()) for key, _ in pairs)
    assert score_pairs("severity", pairs).severity == (pytest.approx(total_errors(pairs) / words) if words else None)


@given(st.lists(st.sampled_from(["a", "b", "cat", "the"]), min_size=1, max_size=6), st.data())
def test_leaving_a_word_out_never_pays(weights: str, words: list[str], data: st.DataObject) -> None:
    """From the perfect transcript to the empty one, word by word, the cost only grows."""
    left, before = list(words), 0.0
    while left:
        left.pop(data.draw(st.integers(0, len(left) - 1)))
        cost = score_pairs("severity", [(" ".join(words), " ".join(left))], weights=weights).severity
        assert cost is not None and cost > before
        before = cost


@pytest.mark.parametrize("deletions", [1, MIN_ERRORS])
def test_few_errors_of_a_type_teach_nothing(deletions: int) -> None:
    """A type weighs by itself from twenty errors on; before, as any error: an empty transcript is not nearly free."""
    spoken = ["ann met monro"] * MIN_ERRORS + ["ann met"] * deletions
    values = ["ann said monro"] * MIN_ERRORS + ["ann"] * deletions
    weights = learn([compare(list(zip(documents(spoken), documents(values), strict=True)))], tiny_model())
    assert set(weights.types) == {"S", "any"} | ({"D"} if deletions == MIN_ERRORS else set())
    assert (weights.cost_of("D common") == weights.types["any"]) == (deletions < MIN_ERRORS)


def test_nothing_is_learnt_from_nothing() -> None:
    same = list(zip(documents(["a b"]), documents(["a b"]), strict=True))
    with pytest.raises(aune.UsageError, match="nothing to learn weights from"):
        learn([compare(same)], tiny_model())
    assert Path(tiny_model()).is_file()
