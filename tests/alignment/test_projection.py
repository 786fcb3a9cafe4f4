"""Stretches of a damaged text on the text it comes from."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.alignment.projection import Status, TokenisedText, project
from aune.contract import registry
from aune.reading.corpus import read

DAMAGE = runpy.run_path(str(Path(__file__).parent / "corruption.py"))
WORDS = st.lists(
    st.sampled_from(["the", "The", "dog", "Été", "«", "don't", "東京", "-", "sleeps"]), min_size=1, max_size=12
)


@pytest.fixture(scope="module", params=["litbank/key.conll.gz", "fr-litbank/test.V2.key.conll.gz"])
def novels(request: pytest.FixtureRequest, data: Path) -> Sequence[Any]:
    return read(registry.task("coref"), data / "coref" / request.param).documents


def spans_of(document: Any) -> list[tuple[int, int]]:
    return sorted({(start, end) for start, end in document.spans.tolist()})


@given(WORDS, st.data())
def test_the_same_text_is_exact(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    text = TokenisedText.from_tokens(words)
    projection = project(text, text, [(start, end)])
    assert projection.placements == [(start, end, Status.EXACT, 1.0)]
    assert projection.key_coverage == projection.response_coverage == 1.0


@given(WORDS)
def test_rewriting_moves_nothing(words: list[str]) -> None:
    stretches = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    projection = project(
        TokenisedText.from_tokens(words), TokenisedText.from_tokens(DAMAGE["rewritten"](words)), stretches
    )
    assert [placement[:2] for placement in projection.placements] == stretches
    assert all(placement.status <= Status.NORMALISED for placement in projection.placements)


@given(
    st.lists(st.sampled_from(DAMAGE["SPELT_IN_MANY_WAYS"]), min_size=1, max_size=5),
    *[st.sampled_from(list(DAMAGE["SPELLINGS"]))] * 2,
)
def test_characters_are_whole_however_they_are_spelt(words: list[str], here: str, second: str) -> None:
    (text, places), (other, stretches) = DAMAGE["spelt"](words, here), DAMAGE["spelt"](words, second)
    projection = project(TokenisedText.from_characters(text), TokenisedText.from_characters(other), stretches)
    assert [placement[:2] for placement in projection.placements] == places


def test_other_tokens_are_the_same_text() -> None:
    key = TokenisedText.from_tokens(["I", "do", "n't", "know", "Mr.", "Smith"])
    response = TokenisedText.from_tokens(["I", "don't", "know", "Mr", ".", "Smith"])
    result = project(key, response, [(1, 2), (3, 6)]).placements
    assert [placement[:2] for placement in result] == [(1, 3), (4, 6)]


def test_one_word_for_two_across_a_gap() -> None:
    projection = project(
        TokenisedText.from_tokens(["he", "can", "not", "see", "it"]),
        TokenisedText.from_tokens(["he", "cannot", "see", "it"]),
        [(1, 2)],
    )
    assert projection.placements == [(1, 3, Status.NORMALISED, 1.0)]


def test_reasons() -> None:
    key = TokenisedText.from_tokens(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
    response = TokenisedText.from_tokens(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "zebra", "one", "two"]
    )
    result = project(key, response, [(10, 11), (11, 13)]).placements
    assert [placement.status for placement in result] == [Status.ABSENT, Status.REPEATED]


PLAIN = st.lists(st.sampled_from(["one", "two", "three", "onet"]), min_size=1, max_size=10)


@given(PLAIN, PLAIN)
def test_a_reason_says_whether_the_key_has_the_words(key: list[str], response: list[str]) -> None:
    """Against every place there is: absent where the key has them nowhere, else repeated or out of order."""
    stretches = [(start, end) for start in range(len(response)) for end in range(start + 1, len(response) + 1)]
    result = project(TokenisedText.from_tokens(key), TokenisedText.from_tokens(response), stretches).placements
    for (start, end), placement in zip(stretches, result, strict=True):
        if not placement.status.is_placed and placement.status is not Status.UNLIKE:
            words = response[start:end]
            is_present = any(key[at : at + len(words)] == words for at in range(len(key)))
            assert (placement.status is not Status.ABSENT) == is_present


@pytest.mark.parametrize(("share", "right", "wrong"), [(0.05, 0.995, 0.002), (0.2, 0.975, 0.008)])
def test_changed_words(novels: Sequence[Any], share: float, right: float, wrong: float) -> None:
    outcomes = []
    for seed, document in enumerate(novels):
        tokens = list(document.tokens)
        damaged = DAMAGE["change_words"](tokens, share, seed)
        pairs = damaged.carried(spans_of(document))
        projection = project(
            TokenisedText.from_tokens(tokens), TokenisedText.from_tokens(damaged.tokens), [span for span, _ in pairs]
        )
        outcomes += [
            (placement[:2] == truth, placement.status.is_placed)
            for placement, (_, truth) in zip(projection.placements, pairs, strict=True)
        ]
    assert sum(ok for ok, _ in outcomes) >= right * len(outcomes)
    assert sum(placed and not ok for ok, placed in outcomes) <= wrong * len(outcomes)


def test_invented_paragraphs(novels: Sequence[Any]) -> None:
    """Spans of another novel's paragraphs find no place; those around them keep theirs."""
    size, invented, placed, remaining, right = 200, 0, 0, 0, 0
    for number, document in enumerate(novels):
        tokens, other = list(document.tokens), novels[number - 1]
        foreign = list(other.tokens)
        damaged = DAMAGE["with_paragraphs_replaced"](tokens, foreign, size)
        starts = [
            start for start in range(size, len(tokens), 2 * size) if start + size <= min(len(tokens), len(foreign))
        ]
        new = [span for span in spans_of(other) for start in starts if start <= span[0] and span[1] <= start + size]
        old = [
            (span, truth)
            for span, truth in damaged.carried(spans_of(document))
            if span[1] - span[0] == truth[1] - truth[0]
        ]
        projection = project(
            TokenisedText.from_tokens(tokens),
            TokenisedText.from_tokens(damaged.tokens),
            [*new, *(span for span, _ in old)],
        )
        invented += len(new)
        placed += sum(placement.status.is_placed for placement in projection.placements[: len(new)])
        remaining += len(old)
        right += sum(p[:2] == truth for p, (_, truth) in zip(projection.placements[len(new) :], old, strict=True))
    assert invented > 500
    assert placed <= 0.03 * invented
    assert right >= 0.995 * remaining
