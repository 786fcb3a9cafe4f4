"""Alignments against slow, obvious ones, and against the tools people use."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import aune
from aune.tasks.speech.alignment.words import (
    ALLOWED,
    DELETION,
    INSERTION,
    OPTIONAL,
    SUBSTITUTION,
    align_words,
    word_strings,
)
from aune.tasks.speech.comparison import Comparison, compare
from aune.tasks.speech.errors import errors
from aune.tasks.speech.model import documents

TEXTS = st.lists(st.sampled_from(["a", "b", "ab", "abc", "c", "cat"]), max_size=7)
CORPORA = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6)


def comparison(pairs: list[tuple[Any, Any]], **options: Any) -> Comparison:
    keys, responses = documents([key for key, _ in pairs]), documents([response for _, response in pairs])
    return compare(list(zip(keys, responses, strict=True)), **options)


def brute(key: list[str], response: list[str], substitution: Callable[[str, str], int], gap: int) -> int:
    """The cost of the best alignment, by trying all."""

    @cache
    def cost(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return (i + j) * gap
        same = 0 if key[i - 1] == response[j - 1] else substitution(key[i - 1], response[j - 1])
        return min(cost(i - 1, j - 1) + same, cost(i - 1, j) + gap, cost(i, j - 1) + gap)

    return cost(len(key), len(response))


def steps(result: Any, unit: int) -> list[tuple[int, int, int]]:
    own_value = result.unit == unit
    places = (
        result.key_at[own_value] - result.key.starts[unit],
        result.response_at[own_value] - result.response.starts[unit],
    )
    return list(zip(result.kind[own_value].tolist(), *(place.tolist() for place in places), strict=True))


def replayed_campaign(key: list[str], errors: list[tuple[int, int, int]], response: list[str]) -> list[str]:
    """The response, made from the key by the errors alone."""
    made, i = [], 0
    for kind, place, other in errors:
        made += key[i:place]
        i = place
        if kind != INSERTION:
            i += 1
        if kind != DELETION:
            made.append(response[other])
            assert len(made) - 1 == other
    return made + key[i:]


@pytest.mark.parametrize("kind", ["levenshtein", "sclite", "similar"])
@given(CORPORA)
def test_errors_turn_the_key_into_the_response(kind: Any, pairs: list[tuple[list[str], list[str]]]) -> None:
    result = comparison(pairs).alignment(kind)
    for unit, (key, response) in enumerate(pairs):
        assert replayed_campaign(key, steps(result, unit), response) == response


@given(CORPORA)
def test_costs_are_the_least(pairs: list[tuple[list[str], list[str]]]) -> None:
    pair = comparison(pairs)
    far = Levenshtein.normalized_distance
    for unit, (key, response) in enumerate(pairs):
        errors = steps(pair.alignment("levenshtein"), unit)
        assert len(errors) == brute(key, response, lambda a, b: 1, 1)
        errors = steps(pair.alignment("sclite"), unit)
        assert sum(4 if error[0] == SUBSTITUTION else 3 for error in errors) == brute(key, response, lambda a, b: 4, 3)
        errors = steps(pair.alignment("similar"), unit)
        apart = [int(1000 * far(key[i], response[j])) for error, i, j in errors if error == SUBSTITUTION]
        least = brute(key, response, lambda a, b: 10**6 + int(1000 * far(a, b)), 10**6)
        assert len(errors) * 10**6 + sum(apart) == pytest.approx(least, abs=len(apart))


def sclite_by_the_book(key: list[str], response: list[str]) -> list[int]:
    """Cell by cell: a pair when it is no dearer, else a deletion only when it is cheaper than an insertion."""
    cost = [[3 * (i + j) if 0 in (i, j) else 0 for j in range(len(response) + 1)] for i in range(len(key) + 1)]
    move = [[INSERTION if i == 0 else DELETION for _ in range(len(response) + 1)] for i in range(len(key) + 1)]
    for i in range(1, len(key) + 1):
        for j in range(1, len(response) + 1):
            pair = cost[i - 1][j - 1] + (0 if key[i - 1] == response[j - 1] else 4)
            deletion, insertion = cost[i - 1][j] + 3, cost[i][j - 1] + 3
            cost[i][j] = min(pair, deletion, insertion)
            if pair <= deletion and pair <= insertion:
                move[i][j] = SUBSTITUTION
            else:
                move[i][j] = DELETION if deletion < insertion else INSERTION
    kinds, i, j = [], len(key), len(response)
    while i or j:
        if move[i][j] != SUBSTITUTION or key[i - 1] != response[j - 1]:
            kinds.append(move[i][j])
        i, j = i - (move[i][j] != INSERTION), j - (move[i][j] != DELETION)
    return kinds[::-1]


@given(CORPORA)
def test_sclite_breaks_ties_as_sclite_does(pairs: list[tuple[list[str], list[str]]]) -> None:
    result = comparison(pairs).alignment("sclite")
    for unit, (key, response) in enumerate(pairs):
        assert [kind for kind, _, _ in steps(result, unit)] == sclite_by_the_book(key, response)


@settings(max_examples=60)
@given(CORPORA)
def test_graphs_without_choices_align_like_lines(pairs: list[tuple[list[str], list[str]]]) -> None:
    from aune.tasks.speech.alignment import networks

    result = comparison(pairs).alignment("sclite")
    for unit, (key, response) in enumerate(pairs):
        graphs = networks.linear_network(key), networks.linear_network(response)
        taken = networks.align_networks(*graphs, networks.SCLITE, networks.same_word)
        kinds = [{"S": SUBSTITUTION, "D": DELETION, "I": INSERTION}[step.kind] for step in taken if step.kind != "="]
        assert kinds == [kind for kind, _, _ in steps(result, unit)]


def errors_of(key: str, response: str, kind: str) -> tuple[float, ...]:
    counts = aune.score("speech", [key], [response], measures=["wer"], alignment=kind)["wer"].counts
    return counts["substitutions"], counts["deletions"], counts["insertions"]


def test_the_examples_of_the_three_kinds() -> None:
    assert errors_of("c a a", "d d c", "sclite") == (3, 0, 0)
    assert sum(errors_of("a a b b c", "b c d a e", "sclite")) == 6
    assert sum(errors_of("a a b b c", "b c d a e", "levenshtein")) == 5
    pair = comparison([("the monro company said", "monroe said")])
    answers = pair.alignment("similar").answers.tolist()
    assert answers == [-1, 0, -1, 1]


def corrupt_words(words: list[str], rng: random.Random, vocabulary: list[str]) -> list[str]:
    made = []
    for word in words:
        chance = rng.random()
        if chance > 0.05:
            made.append(rng.choice(vocabulary) if chance < 0.15 else word)
        if chance > 0.96:
            made.append(rng.choice(vocabulary))
    return made


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str]]:
    rng = random.Random(4)
    vocabulary = [f"w{number}" for number in range(300)]
    keys = [[rng.choice(vocabulary) for _ in range(rng.randint(0, 25))] for _ in range(2000)]
    return [(" ".join(key), " ".join(corrupt_words(key, rng, vocabulary))) for key in keys]


def test_totals_are_those_of_jiwer(pairs: list[tuple[str, str]]) -> None:
    jiwer = pytest.importorskip("jiwer")
    full = [(key, response) for key, response in pairs if key]
    keys, responses = [key for key, _ in full], [response for _, response in full]
    result = aune.score("speech", keys, responses, measures=["wer", "mer", "wil", "wip", "cer"])
    rival_value = jiwer.process_words(keys, responses)
    counts = result["wer"].counts
    assert counts == {
        "correct": rival_value.hits, "substitutions": rival_value.substitutions,
        "deletions": rival_value.deletions, "insertions": rival_value.insertions,
    }  # fmt: skip
    for name in ("wer", "mer", "wil", "wip"):
        assert result[name].values[name] == pytest.approx(getattr(rival_value, name), abs=1e-12)
    assert result["cer"].cer == pytest.approx(jiwer.cer(keys, responses), abs=1e-12)


def test_totals_are_those_of_meeteval(pairs: list[tuple[str, str]]) -> None:
    siso = pytest.importorskip("meeteval").wer.wer.siso
    result = aune.score("speech", [key for key, _ in pairs], [response for _, response in pairs], measures=["wer"])
    rival_value = [siso.siso_word_error_rate(key, response) for key, response in pairs]
    counts = result["wer"].counts
    errors = counts["substitutions"] + counts["deletions"] + counts["insertions"]
    assert errors == sum(its.errors for its in rival_value)
    assert result["wer"].wer == errors / sum(its.length for its in rival_value)


@pytest.mark.parametrize("kind", ["levenshtein", "sclite", "similar"])
def test_one_side_alone(kind: Any) -> None:
    for key, response, wanted in (("a b", "", DELETION), ("", "a b", INSERTION)):
        assert comparison([(key, response)]).alignment(kind).kind.tolist() == [wanted, wanted]
        pair = comparison([(key, response), (f"{key} c", f"{response} c")]).alignment(kind)
        assert pair.kind.tolist() == [wanted] * 4


def test_edges() -> None:
    result = aune.score(
        "speech", ["", "", "a b"], ["", "x y", ""], measures=["wer", "cer", "mer", "wil", "sentence_error"]
    )
    values = result["wer"].by("utterance")
    assert values["1"]["wer"] is None and values["2"]["wer"] is None and values["3"]["wer"] == 1.0
    assert result["wer"].counts == {"correct": 0, "substitutions": 0, "deletions": 2, "insertions": 2}
    assert result["wer"].wer == 2.0
    assert result["sentence_error"].counts == {"wrong": 2, "utterances": 3}
    alone = aune.score("speech", [""], [""], measures=["wer", "cer", "mer", "wil", "wip", "word_prf"])
    assert all(score.main is None for score in alone)
    assert alone["wer"].reasons["wer"] == "the key has no word"


def test_more_words_than_characters_fit() -> None:
    codes = np.arange(0xD7F0, 0xE010)
    from aune.tasks.speech.alignment.words import EncodedWords

    encoded_words = EncodedWords(np.array([0, len(codes)]), codes)
    assert len(word_strings(encoded_words)[0]) == len(codes) and len(set(word_strings(encoded_words)[0])) == len(codes)
    many = EncodedWords(np.array([0, 2]), np.array([0, 2_000_000]))
    assert word_strings(many) == [[0, 2_000_000]]
    assert align_words(
        "levenshtein", many, EncodedWords(np.array([0, 1]), np.array([2_000_000])), []
    ).kind.tolist() == [DELETION]


def test_optional_words_are_no_errors() -> None:
    from aune.tasks.speech.alignment.networks import OptionalWord
    from aune.tasks.speech.model import Utterance

    key = Utterance("u", ["b", "c", "d"], tree=["b", OptionalWord("c"), "d"])
    result = compare([(key, Utterance("u", ["b", "d"]))]).alignment("sclite")
    assert result.kind.tolist() == [OPTIONAL] and result.answers.tolist() == [0, -1, 1]
    back = compare([(Utterance("u", ["b", "d"]), key)]).alignment("sclite")
    assert back.kind.tolist() == [ALLOWED] and back.answers.tolist() == [0, 2]


@pytest.mark.parametrize("kind", ["levenshtein", "sclite", "similar"])
def test_long_recordings(kind: Any) -> None:
    rng = random.Random(1)
    vocabulary = [f"w{number}" for number in range(3000)]
    key = [rng.choice(vocabulary) for _ in range(5000)]
    pair = comparison([(key, corrupt_words(key, rng, vocabulary))])
    start = time.process_time()
    result = pair.alignment(kind)
    assert time.process_time() - start < 5
    least = Levenshtein.distance(key, pair.pairs[0][1].words)
    assert least == len(result.kind) or (kind == "sclite" and len(result.kind) < 1.1 * least)


def test_errors_are_listed_by_the_alignment_asked_for() -> None:
    comparison = compare([*zip(documents("the monro company said"), documents("monroe said"), strict=True)])
    assert [case.key for case in errors(comparison) if case.response] == ["the"]
    assert [case.key for case in errors(comparison, alignment="similar") if case.response] == ["monro"]
    assert len(errors(compare([(*documents("a a b b c"), *documents("b c d a e"))]), alignment="sclite")) == 6


def test_a_huge_token_takes_no_time() -> None:
    result = aune.score("speech", ["x" * 1_000_000], ["y" * 1_000_000 + " a"], measures=["wer"], alignment="similar")
    assert result["wer"].wer == 2.0
