"""Whisper's English normaliser: the examples of its rules, and its own implementation as a peer."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.errors import UsageError
from aune.tasks.speech.comparison import normalise_utterance
from aune.tasks.speech.model import Entity, Utterance
from aune.tasks.speech.text import spelling, text_rules
from aune.tasks.speech.text.normalisation import Normaliser
from aune.tasks.speech.text.spelling import american
from aune.tasks.speech.text.whisper import (
    CONTRACTIONS,
    PACKAGE_CONTRACTIONS,
    TITLES,
    EnglishNormaliser,
    EnglishRules,
)
from aune.tasks.speech.text.whisper_numbers import NUMERALS, SPECIAL

MISPRINTS = {"archaeology", "flyer / flier", "pummelled", "pummelling", "snowploughs", "tranquilly", "mhm", "mmm"}
"""Entries of the published list of spellings that are wrong there: pummelled becomes pummel, and mhm is not British."""
WORDS = [
    *NUMERALS, *SPECIAL, *CONTRACTIONS, *PACKAGE_CONTRACTIONS, *TITLES, *[
        "the", "men", "$20", "20", "3.5", "1,000", "it's", "she'd been", "I've", "don't", "U.S.", "and/or", "(laugh)",
        "[noise]", "<unk>", "um", "colour", "organised", "5th", "1960s", "a", "naïve", "Straße", "50%", "¢5", "%", "x2",
        "£3.50", "12.", "...", "isn't", "0.5", "$0.07", "won 't", "o'clock", "-5", "+", "1", "1s",
        "(a", "b)", "[c", "d]", "um's", "'s", "and a half", "half.5", "$.", "x%", "²", "½",
    ] * 4,
]  # fmt: skip
FAMILIES, WHISPER = Normaliser("whisper-families"), "whisper"


def families(words: list[str]) -> tuple[list[str], list[int]]:
    """The rules with the spellings that aune knows itself, which need no package."""
    return FAMILIES(words)


@pytest.fixture(scope="module")
def peer() -> Any:
    return pytest.importorskip("whisper_normalizer.english", reason="whisper-normalizer is not installed")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Park visited Assoc. Prof. Kim Jr.", "mister park visited associate professor kim junior"),
        ("Ten thousand dollars", "$10000"),
        ("one oh one", "101"),
        ("two hundred and five point five percent", "205.5%"),
        ("the [laughter] theatre's colours, um, y'know", "the theater is colors y know"),
        ("$20 million and the twenty-first", "$20000000 and the 21st"),
        ("three dollars and five cents", "$3.05"),
        ("two and a half", "2.5"),
        ("one one one", "111"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert " ".join(families(text.split())[0]) == expected


@settings(max_examples=400)
@given(
    st.lists(st.sampled_from(WORDS), max_size=8) | st.lists(st.sampled_from([*NUMERALS, *SPECIAL, "20"]), max_size=8)
)
def test_the_peer_says_the_same(peer: Any, words: list[str]) -> None:
    text = " ".join(words)
    try:
        expected = peer.EnglishTextNormalizer()(text).split()
    except (AssertionError, IndexError):
        return  # its code gives up on "20 twenty one"
    assert Normaliser(WHISPER)(text.split())[0] == expected


def test_british_spellings(peer: Any) -> None:
    listed = peer.EnglishSpellingNormalizer().mapping
    assert {word for word, expected in listed.items() if american(word) != expected} == MISPRINTS


@pytest.mark.parametrize(
    "word", ["advise", "exercise", "initially", "equally", "cruelly", "hour", "four", "promise", "wise"]
)
def test_words_that_only_look_british(word: str) -> None:
    assert american(word) == word


@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_every_word_knows_where_it_comes_from(words: list[str]) -> None:
    given_words = " ".join(words).split()
    result, places = families(given_words)
    assert len(result) == len(places) and places == sorted(places)
    assert all(0 <= place < len(given_words) for place in places)


def test_entities_follow() -> None:
    utterance = Utterance("u", "it cost (um) ten thousand dollars in Mr. Lee's theatre", entities=(
        Entity(3, 6, "amount"), Entity(7, 9, "pers"), Entity(9, 10, "loc")))  # fmt: skip
    result = normalise_utterance(utterance, Normaliser("whisper-families"))
    assert [" ".join(result.words[entity.start : entity.end]) for entity in result.entities] == [
        "$10000", "mister lee is", "theater",
    ]  # fmt: skip


def test_the_signature_names_the_version_of_the_package(peer: Any) -> None:
    installed = version("whisper-normalizer")
    result = aune.score("speech", ["colours"], ["colors"], measures=["wer"], normalise="whisper")["wer"]
    assert result.wer == 0 and result.signature.options["normalise"] == f"whisper@{installed}"
    again = aune.score("speech", ["colours"], ["colors"], measures=["wer"], normalise=f"whisper@{installed}")["wer"]
    assert again.signature == result.signature
    with pytest.raises(UsageError, match=r"found version .* expected 0\.0\.1"):
        aune.score("speech", ["a"], ["a"], measures=["wer"], normalise="whisper@0.0.1")


def test_without_the_package_the_chain_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    spelling.listed_spellings.cache_clear()
    text_rules._make_step.cache_clear()
    for name in ("whisper", "open-asr@2026-08", "open-asr@2025"):
        with pytest.raises(UsageError, match=r"aune\[whisper\]"):
            aune.score("speech", ["a"], ["a"], measures=["wer"], convention=name)
    assert aune.score("speech", ["colour"], ["color"], measures=["wer"], normalise="whisper-families")["wer"].wer == 0


def test_words_that_are_dropped_are_counted_and_merged_words_are_not(peer: Any) -> None:
    steps = Normaliser("whisper")
    words = ["it", "cost", "um", "(you", "know)", "ten", "thousand", "dollars"]
    assert steps(words)[0] == ["it", "cost", "$10000"]
    assert steps.dropped_words == 3


@settings(max_examples=200)
@given(st.lists(st.sampled_from(WORDS), max_size=7))
def test_a_word_that_no_rule_knows_changes_nothing_around_it(words: list[str]) -> None:
    """What the runs between plain words give is what the rules give to the whole text."""
    text = " ".join(words).split()
    rules = EnglishNormaliser(EnglishRules(american))
    pairs = [*text, "plainly", *text]
    assert [list(column) for column in rules(pairs)] == [list(column) for column in rules._apply(pairs)]


def test_the_chain_has_a_name(peer: Any) -> None:
    result = aune.score("speech", ["It's twenty-one."], ["it is 21"], measures=["wer"], normalise="whisper")
    assert result["wer"].wer == 0 and "normalise:whisper" in str(result["wer"].signature)
