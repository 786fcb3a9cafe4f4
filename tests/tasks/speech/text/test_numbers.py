"""Numbers as they are said, against num2words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aune.tasks.speech.text.numbers import join_groups, spell_number

NUMBERS = st.integers(0, 10**15 - 1) | st.integers(0, 10_000) | st.integers(0, 2_000).map(lambda n: 1000 * n)
WRONG_ORDINALS = ("vingtsième", "centsième")  # what num2words writes for vingtième and centième


@pytest.fixture(scope="module")
def peer() -> Any:
    return pytest.importorskip("num2words", reason="num2words is not installed").num2words


def bare(text: str) -> list[str]:
    """The words of num2words without what it writes and nobody says: hyphens, commas, the British and."""
    return text.replace("-", " ").replace(",", "").replace(" and ", " ").split()


def group_items(number: int, blank: str) -> str:
    return f"{number:,}".replace(",", blank)


@given(NUMBERS)
@example(200_000)
@example(80_000)
@example(200_000_000)
@example(1_001_000)
def test_cardinals_of_both_languages(peer: Any, number: int) -> None:
    assert spell_number(group_items(number, "\u202f"), "fr") == bare(peer(number, lang="fr"))
    if number >= 10_000 or number < 1100:  # between them are years, read in pairs
        assert spell_number(str(number), "en") == bare(peer(number))
    if number >= 1000:
        assert spell_number(group_items(number, ","), "en") == bare(peer(number))


@given(NUMBERS, st.sampled_from(["fr", "en"]))
def test_a_number_means_the_same_with_and_without_blanks(number: int, language: str) -> None:
    words = group_items(number, " ").split()
    whole, places = join_groups(["ab", *words, "cd"], language)
    if language == "fr" or any(word[0] == "0" for word in words[1:]):
        assert len(whole) == 3 and places == [0, 1, 1 + len(words)]
        assert spell_number(whole[1], language) == spell_number(group_items(number, "\u202f"), language)
    else:
        assert whole == ["ab", *words, "cd"]


@given(st.integers(2, 10**6))
def test_ordinals(peer: Any, number: int) -> None:
    french = bare(peer(number, lang="fr", to="ordinal"))
    if not french[-1].endswith(WRONG_ORDINALS):
        assert spell_number(f"{number}e", "fr") == french
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    if number >= 10_000 or number < 1100:
        assert spell_number(f"{number}{ending}", "en") == bare(peer(number, to="ordinal"))


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("12,5", "fr", "douze virgule cinq"), ("12,345", "fr", "douze virgule trois quatre cinq"),
        ("12,345", "en", "twelve thousand three hundred forty five"), ("3:30", "en", "three thirty"),
        ("24/7", "en", "twenty four seven"), ("1990-95", "en", "nineteen ninety ninety five"),
        ("80e", "fr", "quatre vingtième"), ("200e", "fr", "deux centième"),
    ],
)  # fmt: skip
def test_readings(word: str, language: str, expected: str) -> None:
    assert spell_number(word, language) == expected.split()
