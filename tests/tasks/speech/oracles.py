"""Slow and obvious second implementations, and what people use, for the tests of single measures."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import strategies as st

import aune
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.model import documents, outermost_entities

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "the", "cat"]), max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


def fewest_errors(key: tuple[Any, ...], response: tuple[Any, ...]) -> int:
    """The fewest errors between two sequences, by trying everything."""

    @cache
    def errors(i: int, j: int) -> int:
        if i == len(key) or j == len(response):
            return len(key) - i + len(response) - j
        if key[i] == response[j]:
            return errors(i + 1, j + 1)
        return 1 + min(errors(i + 1, j + 1), errors(i + 1, j), errors(i, j + 1))

    return errors(0, 0)


def total_errors(pairs: list[tuple[str, str]]) -> int:
    return sum(fewest_errors(tuple(key.split()), tuple(response.split())) for key, response in pairs)


def score_pairs(measure: str, pairs: list[tuple[str, str]], **options: Any) -> aune.Scored:
    """One measure on pairs of texts."""
    keys, responses = ([pair[side] for pair in pairs] for side in (0, 1))
    return aune.score("speech", keys, responses, measures=[measure], **options)[measure]


def by_jiwer(pairs: list[tuple[str, str]]) -> Any:
    """What jiwer finds; it refuses empty keys, so pairs without words in the key are left out."""
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    remaining = [(key, response) for key, response in pairs if key]
    return remaining, jiwer.process_words(
        [key for key, _ in remaining], [response for _, response in remaining]
    ) if remaining else None


def assert_rate(name: str, pairs: list[tuple[str, str]], formula: Callable[[int, int, int, int], float]) -> None:
    """A rate is what its formula gives for hits, substitutions, deletions and insertions, and what jiwer gives."""
    pairs, peer = by_jiwer(pairs)
    if not pairs:
        return
    counts = [sum(column) for column in zip(*jiwer_errors(pairs), strict=True)]
    value = score_pairs(name, pairs).values[name]
    if sum(counts) > counts[2]:  # with words in the response
        assert value == pytest.approx(formula(*counts))
        assert value == pytest.approx(getattr(peer, name))


def jiwer_errors(pairs: list[tuple[str, str]]) -> list[tuple[int, int, int, int]]:
    """Hits, substitutions, deletions and insertions of each pair by jiwer, and of empty keys by counting."""
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    result = []
    for key, response in pairs:
        item = jiwer.process_words(key, response) if key else None
        result.append(
            (item.hits, item.substitutions, item.deletions, item.insertions)
            if item
            else (0, 0, 0, len(response.split()))
        )
    return result


WORDS = ("ann", "smith", "anne", "met", "bob", "in", "new", "york")


@st.composite
def make_annotation(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Stories of utterances by speakers, with entities that may nest, and any response; some are empty."""
    key, response = {}, {}
    for number in range(draw(st.integers(1, 4))):
        words = draw(st.lists(st.sampled_from(WORDS), max_size=6))
        spans = draw(
            st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6), st.sampled_from(["PER", "LOC"])), max_size=2)
        )
        key[f"u{number}"] = {
            "words": words,
            "entities": [(start, end, label) for start, end, label in spans if start < end <= len(words)],
            "document": draw(st.sampled_from(["story 1", "story 2"])), "speaker": draw(st.sampled_from(["x", "y"])),
        }  # fmt: skip
        response[f"u{number}"] = draw(st.just(words) | st.lists(st.sampled_from(WORDS), max_size=7))
    return key, response


def steps(key: dict[str, Any], response: dict[str, Any], kind: Any = "similar") -> list[tuple[str, str, int, str]]:
    """Every error: utterance, kind, the place in the key's words, and the label of the entity that it belongs to."""
    pair = list(zip(documents(key), documents(response), strict=True))
    comparison = compare(pair)
    result = comparison.alignment(kind)
    listed = []
    for unit, what, at in zip(result.unit.tolist(), result.kind.tolist(), result.key_at.tolist(), strict=True):
        utterance = pair[unit][0]
        place = at - int(result.key.starts[unit])
        listed.append((utterance.id, "SDI"[what], place, _label_at(utterance, place, inserted=what == 2)))
    return listed


def _label_at(utterance: Any, place: int, inserted: bool) -> str:
    for start, end, label in outermost_entities(utterance.entities):
        if start + inserted <= place < end:
            return str(label)
    return ""


def rate(errors: list[tuple[str, str, int, str]], words: int) -> float | None:
    return len(errors) / words if words else None
