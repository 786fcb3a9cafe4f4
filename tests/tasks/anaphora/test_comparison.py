from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import aune
from aune.contract.notes import merge_notes
from aune.tasks.anaphora.comparison import compare
from aune.tasks.anaphora.model import documents
from tests.tasks.anaphora import strategies

KEY = {
    "anaphors": {"his": "Clinton", "he": "his", "rain-it": None},
    "candidates": {"he": ["Clinton", "Mandela"]},
}


def warnings(response: dict[str, Any]) -> list[str]:
    return aune.score("anaphora", KEY, response).warnings


def test_antecedents_that_the_key_never_heard_of() -> None:
    [warning] = warnings({"his": "w501", "he": ["w502", "w503"], "rain-it": "w504"})
    assert "0 of 3 antecedents in the response are mentions that the key knows of" in warning


@pytest.mark.parametrize(
    "response",
    [{"his": "Clinton", "he": "w502"}, {"he": "Mandela"}, {"his": "he", "he": None}, {"rain-it": "w504"}],
)
def test_wrong_antecedents_are_no_accident(response: dict[str, Any]) -> None:
    assert not warnings(response)


def test_a_response_that_lacks_anaphors_is_reported() -> None:
    """A table that was cut off was scored without a note where no whole document was missing."""
    key = {"anaphors": {f"he{number}": f"Ann{number}" for number in range(10)}}
    cut = {f"he{number}": f"Ann{number}" for number in range(4)}
    [warning] = aune.score("anaphora", key, cut).warnings
    assert "6 of 10 anaphors of the key (60 %) are not in the response" in warning
    open_ones = {**{f"he{number}": f"Ann{number}" for number in range(8)}, "he8": None}
    [warning] = aune.score("anaphora", key, open_ones).warnings
    assert "1 of 10 anaphors of the key (10 %) are not in the response" in warning
    assert not aune.score("anaphora", key, {**open_ones, "he9": None}).warnings


@settings(max_examples=30)
@given(strategies.WITHOUT_CIRCLES)
def test_what_is_known_adds_up(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    keys = documents(corpora[0])
    responses = {document.id: document for document in documents(corpora[1])}
    pairs = [(key, responses[key.id]) for key in keys]
    whole, circles, unanswered = compare(pairs).warnings
    together, added, sums = merge_notes(note for pair in pairs for note in compare([pair]).warnings)
    assert sums.counts == unanswered.counts
    assert together.counts == whole.counts and added.counts == circles.counts and not circles.text()
    given_to = [
        mention
        for key, response in pairs
        for anaphor in key.anaphors
        if anaphor.antecedents and anaphor.mention in response.by_mention
        for mention in response.by_mention[anaphor.mention].antecedents
    ]
    assert whole.counts == {"given": len(given_to), "known": len(given_to)}, "all of them are names or anaphors"


def test_anaphors_that_lead_back_to_themselves_are_told() -> None:
    key, response = {"he": "Ann", "it": "it"}, {"he": "him", "him": "he"}
    message = "whose antecedents only lead back to themselves: 1 of the key and 2 of the response, first it in"
    assert any(message in text for text in aune.score("anaphora", key, response).warnings)
    pair = {"he": ["he", "Ann"]}
    assert any("among their own antecedents" in text for text in aune.score("anaphora", pair, pair).warnings)
    assert not any("lead back" in text for text in aune.score("anaphora", {"he": "Ann", "him": "he"}, key).warnings[1:])
