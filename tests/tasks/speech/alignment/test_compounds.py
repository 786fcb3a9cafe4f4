"""Compounds in the alignment: by hand, by an exhaustive search, and against kaldialign."""

from __future__ import annotations

import os
import random
from functools import cache
from typing import Any

import pytest

import aune
from aune.errors import UsageError
from aune.tasks.speech.alignment.compounds import find_compounds
from aune.tasks.speech.alignment.words import AlignmentKind
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.model import Entity, Utterance

PAIRS = 100_000 if os.environ.get("AUNE_FULL") else 2000


def errors(key: str, response: str, **options: Any) -> tuple[int, int, int, int]:
    """Words of the key, S, D and I."""
    score = aune.score("speech", [key], [response], measures=["wer"], compounds=True, **options)["wer"].counts
    substitutions, deletions, insertions = (int(score[name]) for name in ("substitutions", "deletions", "insertions"))
    return int(score["correct"]) + substitutions + deletions, substitutions, deletions, insertions


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ("white paper", "whitepaper", (2, 0, 0, 0)),
        ("whitepaper", "white paper", (1, 0, 0, 0)),
        ("a b c d", "abcd", (4, 0, 0, 0)),
        ("ab c", "a bc", (2, 2, 0, 0)),
        ("ab ab", "a b ab", (2, 0, 0, 0)),
        ("the white paper is", "a whitepaper was out", (4, 2, 0, 1)),
        ("ab cd e", "ab c d f", (3, 1, 0, 0)),
        ("a abc", "a b c", (2, 0, 1, 0)),
        ("", "a b", (0, 0, 0, 2)),
    ],
)
@pytest.mark.parametrize("alignment", ["levenshtein", "sclite", "similar"])
def test_by_hand(key: str, response: str, expected: tuple[int, int, int, int], alignment: str) -> None:
    words, *kinds = errors(key, response, alignment=alignment)
    assert (words, sum(kinds)) == (expected[0], sum(expected[1:]))


def random_words(rng: random.Random, most: int) -> list[str]:
    return ["".join(rng.choices("abc", k=rng.choice((1, 1, 2, 3)))) for _ in range(rng.randint(0, most))]


def corrupt_words(rng: random.Random, words: list[str]) -> list[str]:
    """Words with some of them replaced, left out, joined or parted."""
    result: list[str] = []
    for word in words:
        chance, cut = rng.random(), rng.randint(1, max(1, len(word) - 1))
        if chance < 0.1:
            continue
        if chance < 0.2:
            result += random_words(rng, 1)
        elif chance < 0.4 and result:
            result[-1] += word
        elif chance < 0.6 and len(word) > 1:
            result += [word[:cut], word[cut:]]
        else:
            result.append(word)
    return result


def random_pairs(count: int, most: int = 8) -> list[tuple[list[str], list[str]]]:
    rng = random.Random(8)
    keys = [random_words(rng, most) for _ in range(count)]
    return [(key, corrupt_words(rng, key) if rng.random() < 0.7 else random_words(rng, most)) for key in keys]


def totals(pairs: list[tuple[list[str], list[str]]], kind: AlignmentKind = "levenshtein") -> list[tuple[int, int]]:
    """Errors and words of the key of each pair."""
    documents = [
        (Utterance(str(number), key), Utterance(str(number), response)) for number, (key, response) in enumerate(pairs)
    ]
    counts = compare(documents, compounds=True).errors(kind)
    return list(zip(counts.wrong.astype(int).tolist(), counts.key_size.astype(int).tolist(), strict=True))


def fewest_errors(key: tuple[str, ...], response: tuple[str, ...]) -> int:
    """The fewest errors, by trying every last step."""

    @cache
    def cost(i: int, j: int) -> int:
        if not i and not j:
            return 0
        choices = []
        if i and j:
            choices.append(cost(i - 1, j - 1) + (key[i - 1] != response[j - 1]))
            choices += [
                cost(i - size, j - 1) for size in range(2, i + 1) if "".join(key[i - size : i]) == response[j - 1]
            ]
            choices += [
                cost(i - 1, j - size) for size in range(2, j + 1) if "".join(response[j - size : j]) == key[i - 1]
            ]
        choices += [cost(i - 1, j) + 1] if i else []
        choices += [cost(i, j - 1) + 1] if j else []
        return min(choices)

    return cost(len(key), len(response))


def test_an_exhaustive_search() -> None:
    pairs = random_pairs(300, most=5)
    expected = [(fewest_errors(tuple(key), tuple(response)), len(key)) for key, response in pairs]
    assert totals(pairs) == expected


def test_kaldialign() -> None:
    distance = pytest.importorskip("kaldialign", reason="kaldialign is not installed").edit_distance
    pairs = random_pairs(PAIRS)
    expected = [distance(key, response, merge_compounds=True) for key, response in pairs]
    assert totals(pairs) == [(item["total"], item["ref_len"]) for item in expected]


def test_without_compounds_nothing_changes() -> None:
    """The signature of a score without the option is what it was."""
    plain = aune.score("speech", ["white paper"], ["whitepaper"], measures=["wer"])["wer"]
    assert plain.wer == 1.0 and "compounds" not in str(plain.signature)
    joined = aune.score("speech", ["white paper"], ["whitepaper"], measures=["wer", "sentence_error"], compounds=True)
    assert "compounds:yes" in str(joined["wer"].signature) and joined["sentence_error"].rate == 0


def test_entities_keep_their_words() -> None:
    key = Utterance("u", ["the", "white", "paper", "x"], entities=(Entity(1, 3, "work"),))
    comparison = compare([(key, Utterance("u", ["the", "whitepaper", "y"]))], compounds=True)
    counts = comparison.errors("levenshtein")
    assert counts.correct.tolist() == [1, 2] and counts.substitutions.tolist() == [1, 0]


def test_find_compounds() -> None:
    assert find_compounds(["a", "b", "ab"], ["ab", "x"]) == [(0, 2, 0)]
    assert find_compounds(["a", "ba"], ["ab"]) == []


def test_alternatives_are_refused() -> None:
    documents = [Utterance("u", ["a"], tree=[[["a"], ["b"]]])]  # type: ignore[list-item]
    with pytest.raises(UsageError, match="--compounds: found utterances with alternatives"):
        compare([(documents[0], Utterance("u", ["a"]))], compounds=True).errors("levenshtein")
