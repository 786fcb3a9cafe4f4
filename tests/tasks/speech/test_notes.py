from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract.notes import merge_notes
from aune.tasks.speech.notes import COMMON_WORDS, plain_pairs, words_in_common

KEY = {"a": "Good morning Ann", "b": "see you in Paris"}


def warnings(response: dict[str, str], **options: str) -> list[str]:
    return [text.removeprefix("response: ") for text in aune.score("speech", KEY, response, **options).warnings]


def test_other_capitals_are_said_once() -> None:
    response = {name: text.upper() for name, text in KEY.items()}
    [warning] = warnings(response)
    assert warning.startswith("7 of 7 words in 2 of 2 utterances are written in other capitals than in the key")
    assert "normalise='case'" in warning
    assert not warnings(response, normalise="case")


def test_another_text_is_said() -> None:
    [warning] = warnings({"a": "call me Ishmael", "b": "some years ago"})
    assert warning.startswith("0 of 7 words in 2 of 2 utterances of the key are in the response to the same utterance")


@pytest.mark.parametrize(
    "response", [KEY, {"a": "Good mourning", "b": "she is in Paris"}, {"a": "", "b": ""}, {"a": "Good"}]
)
def test_a_poor_or_an_empty_response_is_no_accident(response: dict[str, str]) -> None:
    assert not [
        warning for warning in warnings(response) if "words of the key" in warning and "capitals" not in warning
    ]


WORDS = st.lists(st.sampled_from(["ann", "Ann", "ANN", "met", "Met", "bob"]), max_size=5)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=6), st.integers(0, 6))
def test_counts_are_those_of_a_slow_count_and_add_up(texts: list[tuple[list[str], list[str]]], cut: int) -> None:
    counts = dict.fromkeys(COMMON_WORDS, 0)
    filled = [(key, response) for key, response in texts if key and response]
    for place, (key, response) in enumerate(filled):
        counts["utterances"] += 1
        if key[0] == response[0] or key[-1] == response[-1]:
            continue
        counts["unlike"] += 1
        others = [other.lower() for other in response if other not in key]
        for word in set(key):
            counts["words"] += 1
            counts["same"] += word in response
            counts["recased"] += word not in response and word.lower() in others
        counts["next"] += len(set(response) & set(filled[place + 1][0])) if place + 1 < len(filled) else 0
        counts["before"] += len(set(response) & set(filled[place - 1][0])) if place else 0
    counts |= {"beside words": counts["words"], "beside same": counts["same"]}  # of a few utterances all are compared
    pairs = plain_pairs(texts)
    whole = words_in_common(pairs)
    assert whole.counts == counts
    assert plain_pairs((" ".join(key), " ".join(response)) for key, response in texts) == pairs
    [together] = merge_notes([words_in_common(pairs[:cut]), words_in_common(pairs[cut:])])
    beside = {"next", "before"}  # within a chunk alone
    assert {name: together.counts[name] for name in counts.keys() - beside} == {
        name: whole.counts[name] for name in counts.keys() - beside
    }


def test_segments_without_words_are_a_response_without_words(tmp_path: Path) -> None:
    """RTTM says who speaks when: every word of a key was deleted, in silence."""
    path = tmp_path / "a.rttm"
    path.write_text("SPEAKER a 1 0.0 1.5 <NA> <NA> ann <NA> <NA>\n")
    result = aune.score("speech", {"a": "Good morning"}, str(path), measures=["wer"])
    assert result["wer"].main == 1
    assert [text for text in result.warnings if "not a word in the response" in text]


def test_blanks_that_do_not_break_separate_words() -> None:
    """The words of such a response were counted as one, and its length reported as 12 % of the key's."""
    key = {str(number): "we met near the old house yesterday" for number in range(4)}
    response = {name: text.replace(" ", "\u00a0") for name, text in key.items()}
    result = aune.score("speech", key, response, measures=["wer"])
    assert result["wer"].main == 0 and not result.warnings


def test_only_what_differs_in_the_writing_is_reported() -> None:
    """Curly quotes on both sides were reported beside the accents that differ."""
    key = {"a": "l\u2019\u00e9t\u00e9 d\u2019Ann"}
    [warning] = aune.score("speech", key, {"a": unicodedata.normalize("NFD", key["a"])}, measures=["wer"]).warnings
    assert "NFD" in warning and "quotes" not in warning
