"""Transcripts with several wordings, against every wording of both sides."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from aune.tasks.speech.alignment.networks import NULL_WORD, OptionalWord, Tree, first_wording, parse_alternatives
from aune.tasks.speech.alignment.words import ALLOWED, CLOSENESS, OPTIONAL, SUBSTITUTION, Alignment
from aune.tasks.speech.comparison import Comparison, compare
from aune.tasks.speech.model import Utterance

Cost = tuple[int, int, int]
"""Errors, how far substituted words are apart, and words passed that may be missing or are not there."""
WORDS = st.sampled_from(["a", "ab", "abc", "cat", "cats", "dog"])
ITEMS = st.one_of(WORDS, WORDS, WORDS.map(OptionalWord), st.just(NULL_WORD))
TREES = st.lists(
    st.one_of(ITEMS, st.lists(st.lists(ITEMS, max_size=2), min_size=1, max_size=3)), min_size=1, max_size=4
)


def hear_answer(key: Tree, response: Tree) -> Comparison:
    return compare([tuple(Utterance("u", first_wording(tree), tree=tree) for tree in (key, response))])  # type: ignore[list-item]


def wordings(tree: Tree) -> list[list[str]]:
    """Every way through a tree."""
    ways = [
        [way for choice in item for way in wordings(choice or [NULL_WORD])] if isinstance(item, list) else [[item]]
        for item in tree
    ]
    return [[word for part in chosen for word in part] for chosen in product(*ways)]


def least(key: list[str], response: list[str], closeness: bool) -> Cost:
    """The cheapest alignment of one wording with another."""

    def passing(word: str) -> Cost:
        return (0, 0, 1) if word == NULL_WORD else (0, 0, 10) if isinstance(word, OptionalWord) else (1, 0, 0)

    def pair_sides(text: str, other: str) -> Cost:
        far = round(CLOSENESS * Levenshtein.normalized_distance(text, other)) if closeness else 0
        return (0, 0, 0) if text == other else (1, far, 0)

    def plus(cost: Cost, other: Cost) -> Cost:
        return cost[0] + other[0], cost[1] + other[1], cost[2] + other[2]

    @cache
    def cost(i: int, j: int) -> Cost:
        ways = [(0, 0, 0)] if not i and not j else []
        ways += [plus(cost(i - 1, j), passing(key[i - 1]))] if i else []
        ways += [plus(cost(i, j - 1), passing(response[j - 1]))] if j else []
        if i and j and NULL_WORD not in (key[i - 1], response[j - 1]):
            ways.append(plus(cost(i - 1, j - 1), pair_sides(key[i - 1], response[j - 1])))
        return min(ways)

    return cost(len(key), len(response))


def errors(alignment: Alignment) -> int:
    return sum(kind not in (OPTIONAL, ALLOWED) for kind in alignment.kind.tolist())


def apart(comparison: Comparison, alignment: Alignment) -> int:
    sides = [[comparison.words[code] for code in side.codes.tolist()] for side in (alignment.key, alignment.response)]
    places = zip(alignment.kind.tolist(), alignment.key_at.tolist(), alignment.response_at.tolist(), strict=True)
    pairs = [(sides[0][i], sides[1][j]) for kind, i, j in places if kind == SUBSTITUTION]
    return sum(round(CLOSENESS * Levenshtein.normalized_distance(*pair)) for pair in pairs)


@settings(max_examples=150, deadline=None)
@given(TREES, TREES)
def test_the_wordings_that_fit_best_of_all(key: Any, response: Any) -> None:
    pair = hear_answer(key, response)
    ways = list(product(wordings(key), wordings(response)))
    for kind in ("levenshtein", "similar"):
        result = pair.alignment(kind)  # type: ignore[arg-type]
        best = min(least(*way, closeness=kind == "similar") for way in ways)
        assert errors(result) == best[0], kind
        if kind == "similar":
            assert apart(pair, result) == best[1]


@given(TREES, TREES)
def test_a_word_that_is_not_there_is_no_word(key: Any, response: Any) -> None:
    pair = hear_answer(key, response)
    for kind in ("levenshtein", "sclite", "similar"):
        result = pair.alignment(kind)  # type: ignore[arg-type]
        for side in (result.key, result.response):
            assert NULL_WORD not in [pair.words[code] for code in side.codes.tolist()]


def test_a_word_heard_where_none_is_is_inserted() -> None:
    for kind in ("levenshtein", "sclite", "similar"):
        result = hear_answer(parse_alternatives("x @ y"), ["x", "b", "y"]).alignment(kind)  # type: ignore[arg-type]
        assert (errors(result), result.key.size, result.response.size) == (1, 2, 3)


@pytest.mark.parametrize("size", [20, 1_500])
def test_closeness_never_makes_an_error(size: int) -> None:
    """Every word is close to the one before it and far from its own: 1,500 such words are still 1,500 errors."""
    key = [chr(97 + number % 20) * 9 for number in range(size)]
    response = [word[:-1] + "z" for word in key[1:]] + ["y" * 9]
    pair = hear_answer([OptionalWord("uh"), *key], [*response, NULL_WORD])
    assert [errors(pair.alignment(kind)) for kind in ("levenshtein", "similar")] == [size, size]


@pytest.mark.parametrize("kind", ["levenshtein", "similar"])
def test_words_that_may_be_missing_never_make_an_error(kind: Any) -> None:
    """However many there are: none of 100,001 is said, and that is right."""
    assert errors(hear_answer([[["x"], [OptionalWord("a")] * 100_001]], [NULL_WORD]).alignment(kind)) == 0
