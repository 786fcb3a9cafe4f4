"""Causes of word errors: one for each error, by rules that each have a test."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.cli import run
from aune.errors import UsageError
from aune.tasks.speech.causes import CAUSES, RULES, Rule, error_causes
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import errors
from aune.tasks.speech.measures.causes import count
from aune.tasks.speech.model import Entity, Utterance

NEEDS_SOUNDS = {"homophone"}
NEEDS_FILE = {"out of vocabulary"}


def causes(key: str, response: str, entities: Any = (), **options: Any) -> list[str]:
    """The cause of each error of a text."""
    pair = Utterance("u", key, entities=entities), Utterance("u", response)
    _, numbers = error_causes(compare([pair]), **options)
    return [CAUSES[number] for number in numbers if number >= 0]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.name not in NEEDS_FILE], ids=lambda rule: rule.name)
def test_the_example_of_every_rule(rule: Rule) -> None:
    if rule.name in NEEDS_SOUNDS:
        pytest.importorskip("gruut", reason="gruut is not installed")
    sounds = "en" if rule.name in NEEDS_SOUNDS else "none"
    assert set(causes(rule.key, rule.response, sounds=sounds)) == {rule.name}


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ("we paid $5 million", "we paid five million dollars", ["number format"] * 2),
        ("up 19% now", "up 19 percent now", ["number format"] * 2),
        ("in 2020", "in twenty twenty", ["number format"] * 2),
        ("the U.S. market", "the us market", ["punctuation"]),
        ("a long-term plan", "a long term plan", ["compound"] * 2),
        ("white paper here", "whitepaper um here", ["compound"] * 2),
        ("I am gonna go", "I'm going to go", ["contraction"] * 3),
        ("he had gone", "he'd gone", ["contraction"] * 2),
        ("Kathryn said", "Catherine said", ["spelling variant"]),
        ("and uh yes", "and a yes", ["filler"]),
        ("cl- close it", "close it", ["filler"]),
        ("one two", "one two one two one two", ["repetition"] * 4),
        ("he goes now", "he went now", ["inflection"]),
        ("they stop here", "they stopped here", ["inflection"]),
        ("the bank is closed", "the tank is closed", ["other"]),
        ("Paris is big", "pairs is big", ["other"]),
        ("in Paris now", "in pairs now", ["name or entity"]),
        ("yes", "", ["other"]),
    ],
)
def test_by_hand(key: str, response: str, expected: list[str]) -> None:
    assert causes(key, response) == expected


def test_french() -> None:
    assert causes("vingt et un ans", "21 ans", language="fr") == ["number format"] * 3
    assert causes("euh oui", "oui", language="fr") == ["filler"]
    assert causes("ils mangent ici", "il mange ici", language="fr") == ["inflection"] * 2


def test_french_vowels_that_are_open_or_closed_sound_alike() -> None:
    pytest.importorskip("gruut_lang_fr", reason="gruut for French is not installed")
    assert causes("il a parlé", "il a parler", language="fr", sounds="fr") == ["homophone"]


def test_entities_and_words_out_of_the_vocabulary(tmp_path: Path) -> None:
    assert causes("by monro now", "by morrow now", entities=(Entity(1, 2, "ORG"),)) == ["name or entity"]
    (tmp_path / "words").write_text("by\nnow\n")
    assert causes("by monro now", "by morrow now", vocabulary=str(tmp_path / "words")) == ["out of vocabulary"]


WORDS = [
    "twenty",
    "one",
    "21",
    "the",
    "The",
    "white",
    "paper",
    "whitepaper",
    "um",
    "it's",
    "it",
    "is",
    "well,",
    "cat",
    "-",
]


@given(st.lists(st.tuples(*[st.lists(st.sampled_from(WORDS), max_size=9)] * 2), min_size=1, max_size=4))
def test_causes_add_up_for_every_utterance(texts: list[tuple[list[str], list[str]]]) -> None:
    pairs = [(Utterance(str(n), key), Utterance(str(n), response)) for n, (key, response) in enumerate(texts)]
    comparison = compare(pairs)
    counts = count(comparison)
    total = sum(counts[1:])
    assert total.tolist() == comparison.errors("levenshtein").wrong.tolist()
    assert counts[0].tolist() == comparison.errors("levenshtein").key_size.tolist()


def test_causes_add_up_on_earnings_calls(data: Path) -> None:
    key, response = [], []
    with gzip.open(data / "speech" / "earnings21" / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 40 == 0:
                segment = json.loads(line)
                key.append(segment["ref"])
                response.append(segment["hyps"]["google"])
    result = aune.score("speech", key, response, measures=["wer", "causes"])
    score = result["causes"]
    assert score.wer == pytest.approx(result["wer"].wer)
    assert sum(getattr(score, cause.replace(" ", "_")) for cause in CAUSES) == pytest.approx(score.wer)
    assert score.case > score.number_format > 0


def test_errors_by_cause_are_as_many(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compare([(Utterance("u", "it cost twenty one dollars um"), Utterance("u", "it cost $21 for"))])
    records = errors(comparison, by="cause")
    assert len(records) == len(errors(comparison)) and {record.kind for record in records} >= {"number format"}
    with pytest.raises(UsageError, match="--by cause"):
        errors(comparison, by="cause", alignment="sclite")
    arguments = ["errors", "speech", "examples/speech/key.jsonl", "examples/speech/south.jsonl", "--by", "cause"]
    assert run([*arguments, "--kind", "inflection"]) == 0
    output = capsys.readouterr().out
    assert "[asks → ask]" in output and "substitution" not in output
