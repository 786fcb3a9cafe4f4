"""NE-WER: by hand, and error by error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import errors
from aune.tasks.speech.model import documents, outermost_entities
from tests.tasks.speech.oracles import make_annotation, rate, steps

KEY = {
    "u1": {"text": "good morning ann smith from new york", "entities": [(2, 4, "PER"), (5, 7, "LOC")], "speaker": "x"},
    "u2": {"text": "thank you", "speaker": "y"},
    "u3": {"text": "hello bob", "entities": [(1, 2, "PER")], "speaker": "y"},
}
RESPONSE = {"u1": "good morning an von smith from york", "u2": "thanks you", "u3": "hello hello bob"}


def test_an_insertion_counts_between_two_words_of_an_entity_only() -> None:
    result = aune.score("speech", KEY, RESPONSE, measures=["ne_wer"])["ne_wer"]
    assert result.counts == {"correct": 3, "substitutions": 1, "deletions": 1, "insertions": 1}
    assert result.ne_wer == pytest.approx(3 / 5)
    assert result.by("label")["PER"]["ne_wer"] == pytest.approx(2 / 3)


def test_nested_entities_are_the_outermost() -> None:
    key = {"u": {"text": "in fiscal twenty twenty", "entities": [(1, 4, "DATE"), (2, 4, "YEAR")]}}
    result = aune.score("speech", key, {"u": "in fiscal twenty"}, measures=["ne_wer"])["ne_wer"]
    assert result.by("label") == {"": pytest.approx(result.by("label")[""]), "DATE": result.values}


def test_no_entities_is_undefined() -> None:
    result = aune.score("speech", ["a b"], ["a"], measures=["ne_wer", "story_ne_wer"])
    assert result["ne_wer"].ne_wer is None and result["ne_wer"].reasons["ne_wer"] == "the key has no entity"
    assert result["story_ne_wer"].ne_wer is None


def test_the_tokens_of_the_response_reach_entities_through_the_alignment() -> None:
    """NE-WER sees the words that answer an entity, wherever they stand and whatever is around them."""
    item = aune.score("speech", KEY, RESPONSE, measures=["ne_wer"])["ne_wer"].counts
    more = {name: f"uh uh {text} you know" for name, text in RESPONSE.items()}
    assert aune.score("speech", KEY, more, measures=["ne_wer"])["ne_wer"].counts == item


def test_errors_are_those_of_the_word_error_rate() -> None:
    comparison = compare(list(zip(documents(KEY), documents(RESPONSE), strict=True)))
    result = errors(comparison)
    counts = aune.score("speech", KEY, RESPONSE, measures=["wer"])["wer"].counts
    for name in ("substitution", "deletion", "insertion"):
        assert sum(case.kind == name for case in result) == counts[f"{name}s"]
    thanks = next(case for case in result if case.key == "thank")
    assert thanks.response == "thanks" and thanks.context == "[thank → thanks] you" and thanks.place == (0, 1)
    assert thanks.document == "u2" and thanks.attributes["speaker"] == "y"
    assert next(case for case in result if case.kind == "deletion").attributes["label"] == "LOC"


@given(make_annotation())
def test_error_by_error(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    inside = [error for error in steps(key, response) if error[3]]
    words = sum(end - start for document in documents(key) for start, end, _ in outermost_entities(document.entities))
    result = aune.score("speech", key, response, measures=["ne_wer"])["ne_wer"]
    assert result.ne_wer == (None if not words else pytest.approx(rate(inside, words)))
