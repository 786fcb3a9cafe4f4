"""ATENE_I: word by word through documents and utterances, and what does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.atene.maxent import load
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.model import documents, outermost_entities
from tests.tasks.speech.strategies import WORDS, tiny_model


def outside_margins(words: list[str]) -> list[float]:
    """How far "outside" is ahead of the best type, word by word."""
    model = load(tiny_model())
    rows = model.indices([words])
    return [float(p[0] - p[1:].max()) for p in model.probabilities("inside", rows)]


def least(margins: list[float]) -> float:
    """Eqs 5.8 and 5.9."""
    return min(margins) if margins and min(margins) < 0 else 1.0


def slow(key: list[Any], response: list[Any], whole_documents: bool) -> float | None:
    """The mean over stretches of what the least margin lost; a response equal to the key in its entities."""
    changes: list[float] = []
    pieces: dict[str, list[tuple[list[float], list[float]]]] = {}
    for spoken, heard in zip(key, response, strict=True):
        pair = outside_margins(list(spoken.words)), outside_margins(list(heard.words))
        entities = outermost_entities(spoken.entities)
        bounds = [0, *(place for entity in entities for place in entity[:2]), len(spoken.words)]
        after = len(heard.words) - len(spoken.words)  # words put in at the very end
        result = []
        for number, (start, end) in enumerate(zip(bounds[::2], bounds[1::2], strict=True)):
            last = number == len(entities)
            result.append((pair[0][start:end], pair[1][start : end + (after if last else 0)]))
        story = pieces.setdefault(spoken.attributes["document"] if whole_documents else spoken.id, [])
        if story and whole_documents:
            joined = story.pop()
            result[0] = (joined[0] + result[0][0], joined[1] + result[0][1])
        story += result
    for stretches in pieces.values():
        changes += [least(heard) - least(text) for text, heard in stretches if text or heard]
    return float(np.mean(changes)) if changes else None


@st.composite
def stories(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Utterances whose responses differ from them by words put in at the end, so that the projection is known."""
    key, response = {}, {}
    for number in range(draw(st.integers(1, 4))):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
        place = draw(st.integers(0, len(words)))
        key[f"u{number}"] = {
            "words": words, "document": draw(st.sampled_from(["a", "b"])),
            "entities": [(place, place + 1, "LOC")] if place < len(words) else [],
        }  # fmt: skip
        added = draw(st.lists(st.just("zebra"), max_size=2)) if place != len(words) - 1 else []
        response[f"u{number}"] = [*words, *added]
    return key, response


@pytest.mark.parametrize("stretches", ["document", "utterance"])
@given(corpora=stories())
def test_word_by_word(stretches: str, corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    found = aune.score("speech", key, response, measures=["atene_i"], model=tiny_model(), stretches=stretches)
    expected = slow(documents(key), documents(response), stretches == "document")
    assert found["atene_i"].atene_i == (None if expected is None else pytest.approx(expected, abs=1e-6))


@given(stories(), st.randoms())
def test_the_order_of_utterances_does_not_matter(corpora: Any, rng: Any) -> None:
    key, response = corpora
    names = list(key)
    rng.shuffle(names)
    mixed = {name: key[name] for name in names}
    values = [
        aune.score("speech", item, response, measures=["atene_i"], model=tiny_model())["atene_i"].atene_i
        for item in (key, mixed)
    ]
    assert values[0] == values[1]


def test_stretches_of_documents_are_about_as_many_as_entities() -> None:
    """Ten utterances with an entity in every other one: 5 + 1 stretches of the document, 15 of the utterances."""
    key = {
        f"u{n}": {"text": "said paris met", "document": "d", "entities": [(1, 2, "LOC")] if n % 2 else []}
        for n in range(10)
    }
    pair = list(zip(documents(key), documents(key), strict=True))
    from aune.tasks.speech.measures import atene_i

    counts = [
        atene_i.count(compare(pair), model=tiny_model(), stretches=which).segments.sum()
        for which in ("document", "utterance")
    ]
    assert counts == [6, 15]
