"""Words against words: pieces between common boundaries must give the pairs of a plain walk through both texts."""

from __future__ import annotations

import io
import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.reading.source import Source
from aune.tasks.tagging.alignment import paired_words, sides
from aune.tasks.tagging.formats.conllu import read
from aune.tasks.tagging.model import Document, documents


def conllu(tokens: list[str]) -> str:
    """`abc a b c` is a multiword token abc for the words a, b and c; `abc` a plain word."""
    lines, number = [], 0
    for token in tokens:
        form, *inside = token.split(" ")
        if inside:
            lines.append(f"{number + 1}-{number + len(inside)}\t{form}" + "\t_" * 8)
        for word in inside or [form]:
            number += 1
            lines.append(f"{number}\t{word}\t_\t_\t_\t_\t{int(number > 1)}\t_\t_\t_")
    return "\n".join(lines) + "\n\n"


def text(tokens: list[str]) -> Document:
    [document] = read(Source("x.conllu", conllu(tokens).encode()))
    return document


def pairs(key: list[str], response: list[str]) -> list[tuple[int, int]]:
    left, right, _ = sides([(text(key), text(response))])
    return list(zip(*(word.tolist() for word in paired_words(left, right)), strict=True))


@pytest.mark.parametrize(
    ("key", "response", "result"),
    [
        (["abc a b c"], ["a", "b", "c"], 3),
        (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
        (["abcd a b c d"], ["ab a b", "cd c d"], 4),
        (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
        (["abcd"], ["a", "b", "c", "d"], 0),
        (["abc", "d"], ["a", "b", "c", "d"], 1),
        (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
        (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
        (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
        (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
        (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
    ],
)
def test_the_cases_the_official_scorer_is_tested_with(key: list[str], response: list[str], result: int) -> None:
    assert len(pairs(key, response)) == result
    assert len(pairs(response, key)) == result


def test_forms_are_compared_in_lower_case_inside_multiword_tokens() -> None:
    assert pairs(["du DE le"], ["du de Le"]) == [(0, 0), (1, 1)]


class Plain(NamedTuple):
    start: int
    end: int
    multiword: bool
    form: str


def plain(tokens: list[str]) -> list[Plain]:
    result, at = [], 0
    for token in tokens:
        form, *inside = token.split(" ")
        span = (at, at + len(form))
        result += [Plain(*span, True, word.lower()) for word in inside] or [Plain(*span, False, form.lower())]
        at += len(form)
    return result


def walk_texts(key: list[Plain], response: list[Plain]) -> list[tuple[int, int]]:
    """A second implementation: two fingers through both texts, and inside multiword stretches all subsequences."""
    result, k, r = [], 0, 0
    while k < len(key) and r < len(response):
        first, other = key[k], response[r]
        if not first.multiword and not other.multiword:
            if first[:2] == other[:2]:
                result.append((k, r))
            k, r = (
                (k + 1, r + 1) if first[:2] == other[:2] else (k + 1, r) if first.start <= other.start else (k, r + 1)
            )
            continue
        end = first.end if first.multiword else other.end
        if first.multiword and not other.multiword and other.start < first.start:
            r += 1
        elif not first.multiword and first.start < other.start:
            k += 1
        from_k, from_r = k, r
        while True:
            in_key = k < len(key) and (key[k].start < end if key[k].multiword else key[k].end <= end)
            in_response = r < len(response) and (
                response[r].start < end if response[r].multiword else response[r].end <= end
            )
            if not in_key and not in_response:
                break
            if k < len(key) and (r >= len(response) or key[k].start <= response[r].start):
                end, k = (max(end, key[k].end) if key[k].multiword else end), k + 1
            else:
                end, r = (max(end, response[r].end) if response[r].multiword else end), r + 1
        left, right = [w.form for w in key[from_k:k]], [w.form for w in response[from_r:r]]
        result += [(from_k + i, from_r + j) for i, j in subsequence(tuple(left), tuple(right), 0, 0)]
    return result


def subsequence(left: tuple[str, ...], right: tuple[str, ...], i: int, j: int) -> list[tuple[int, int]]:
    if i == len(left) or j == len(right):
        return []
    if left[i] == right[j]:
        return [(i, j), *subsequence(left, right, i + 1, j + 1)]
    skip_left, skip_right = subsequence(left, right, i + 1, j), subsequence(left, right, i, j + 1)
    return skip_left if len(skip_left) >= len(skip_right) else skip_right


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    characters = draw(st.text("ab", min_size=1, max_size=14))
    result = []
    for _ in range(2):
        cuts = sorted({0, len(characters), *draw(st.lists(st.integers(0, len(characters)), max_size=8))})
        tokens = []
        for start, end in itertools.pairwise(cuts):
            inside = draw(st.lists(st.sampled_from("abB"), max_size=3)) if draw(st.booleans()) else []
            tokens.append(" ".join([characters[start:end], *inside]))
        result.append(tokens)
    return result[0], result[1]


@given(texts())
def test_pairs_are_those_of_the_walk(pair: tuple[list[str], list[str]]) -> None:
    key, response = pair
    assert pairs(key, response) == sorted(walk_texts(plain(key), plain(response)))


@given(texts())
def test_pairs_are_those_of_udtools(pair: tuple[list[str], list[str]]) -> None:
    udeval = pytest.importorskip("udtools.udeval")
    treebank = dict.fromkeys(
        (
            "no_gapping",
            "no_shared_parents_in_coordination",
            "no_shared_dependents_in_coordination",
            "no_control",
            "no_external_arguments_of_relative_clauses",
            "no_case_info",
            "no_empty_nodes",
            "multiple_roots_okay",
        ),
        0,
    )
    loaded = [udeval.load_conllu(io.StringIO(conllu(tokens)), "x", treebank) for tokens in pair]
    assert udeval.evaluate(*loaded)["Words"].correct == len(pairs(*pair))


def test_documents_do_not_mix() -> None:
    key = documents({"a": [("x", "N"), ("y", "N")], "b": [("xy", "N")]})
    response = documents({"a": [("xy", "N")], "b": [("xy", "N")]})
    left, right, differing = sides(list(zip(key, response, strict=True)))
    keys, responses = paired_words(left, right)
    assert (keys.tolist(), responses.tolist(), differing) == ([2], [1], [])


WORDS = st.lists(st.sampled_from(["a", "ab", "b", "c"]), max_size=5)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_each_document_as_if_alone(texts: list[tuple[list[str], list[str]]]) -> None:
    """Whatever the texts, empty ones included: no document changes the pairs of another."""

    def find_pairs(chosen: list[tuple[list[str], list[str]]]) -> list[tuple[int, int]]:
        this_pairs = [
            tuple(documents({str(index): [(word, "N") for word in words]})[0] for words in pair)
            for index, pair in enumerate(chosen)
        ]
        left, right, _ = sides(this_pairs)  # type: ignore[arg-type]
        return list(zip(*(part.tolist() for part in paired_words(left, right)), strict=True))

    alone, keys, responses = [], 0, 0
    for key, response in texts:
        alone += [(keys + item, responses + other) for item, other in find_pairs([(key, response)])]
        keys, responses = keys + len(key), responses + len(response)
    assert find_pairs(texts) == alone
    for first, other in alone:
        assert 0 <= first < keys and 0 <= other < responses
    assert len({item for item, _ in alone}) == len({other for _, other in alone}) == len(alone)


def test_texts_that_differ_are_realigned() -> None:
    [key] = documents([("par", "S"), ("exemple", "N"), ("l'", "D"), ("eau", "N")])
    [response] = documents([("par_exemple", "R"), ("l’", "D"), ("eaux", "N"), ("!", "F")])
    left, right, differing = sides([(key, response)])
    keys, responses = paired_words(left, right)
    assert (keys.tolist(), responses.tolist()) == ([2, 3], [1, 2])
    assert differing[0].document == "document"
    assert (right.starts[0], right.ends[0]) == (0, 10), "a compound joined by _ covers its parts"


def test_an_empty_response_pairs_nothing() -> None:
    [key] = documents([("a", "N")])
    [response] = documents([])
    left, right, _ = sides([(key, response)])
    assert [len(part) for part in paired_words(left, right)] == [0, 0]
    assert np.array_equal(left.first, [0, 1])
