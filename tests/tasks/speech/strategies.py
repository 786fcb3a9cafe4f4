"""Random keys and responses for the laws that every measure keeps, and a small model for ATENE."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from aune.tasks.speech.atene.features import Lexica, Lexicon, feature_columns, feature_keys, learn, templates
from aune.tasks.speech.atene.maxent import MODELS, Model, save
from tests.tasks.corpora import named_texts

WORDS = ["paris", "monro", "ann", "said", "the", "of", "met", "monroe", "pairs"]
LABELS = ("LOC", "PER")
STORIES = ("story 1", "story 2")
SPEAKERS = ("x", "y")


@cache
def tiny_model() -> str:
    """A model with random weights over a few words, saved in a file; no training, so no scikit-learn."""
    rng = np.random.default_rng(1)
    texts = [[first, second, third] for first in WORDS for second in WORDS for third in WORDS]
    lexica = Lexica(Lexicon(), Lexicon(), Lexicon())
    learn(lexica, texts)
    known = np.unique(feature_keys(*feature_columns(texts, lexica, ("words",)), templates(("words",))))
    known = known[known >= 0]
    shape = (len(known) + 1, len(LABELS) + 1)
    weights = {which: rng.normal(0, 1, shape).astype(np.float32) for which in MODELS}
    for table in weights.values():
        table[-1] = 0
    bias = {which: np.zeros(len(LABELS) + 1, np.float32) for which in MODELS}
    path = Path(tempfile.mkdtemp()) / "tiny.npz"
    save(Model(("words",), LABELS, lexica, known, weights, bias), path)
    return str(path)


@cache
def vocabulary() -> str:
    """The words that a recogniser knows: all but one, which every utterance has."""
    path = Path(tempfile.mkdtemp()) / "vocabulary"
    path.write_text("\n".join(word for word in WORDS if word != "paris"))
    return str(path)


OPTIONS: dict[str, Any] = {"model": tiny_model(), "stretches": "utterance", "vocabulary": vocabulary()}
"""Stretches of documents add up over documents, and the laws' documents are utterances."""
SKIP: dict[tuple[str, str], str] = {
    ("speech.ril", "additivity"): "its probabilities come from the whole corpus, so documents do not add up",
    ("speech.der", "perfect"): "tests/tasks/speech/measures/test_der.py: times are not generated, so there is no rate",
    ("speech.jer", "perfect"): "tests/tasks/speech/measures/test_jer.py: times are not generated, so there is no rate",
}


@st.composite
def utterances(draw: st.DrawFn) -> tuple[dict[str, Any], list[str]]:
    """A key of several kinds of words with an entity in the middle, and any response to it."""
    words = ["said", *draw(st.lists(st.sampled_from(WORDS), max_size=4)), "paris", "met"]
    place = len(words) - 2
    entities = [(place, place + 1, draw(st.sampled_from(LABELS)))]
    response = draw(st.lists(st.sampled_from(WORDS), max_size=7))
    details = {"document": draw(st.sampled_from(STORIES)), "speaker": draw(st.sampled_from(SPEAKERS))}
    return {"words": words, "entities": entities, **details}, response


STORIES, SPEAKERS = ("morning", "evening"), ("ann", "bob")


@st.composite
def corpora(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Utterances of stories by speakers, one entity inside another now and then; some utterances are empty."""
    key, response = draw(named_texts(utterances(), "utterance"))
    for item in key.values():
        item["document"], item["speaker"] = draw(st.sampled_from(STORIES)), draw(st.sampled_from(SPEAKERS))
        if draw(st.booleans()):
            place = item["entities"][0][0]
            item["entities"].append((place, place + 2, draw(st.sampled_from(LABELS))))
    if draw(st.booleans()):
        key["empty"] = {"words": [], "document": STORIES[0], "speaker": SPEAKERS[0]}
        response["empty"] = draw(st.lists(st.sampled_from(WORDS), max_size=2))
    return key, response


CORPORA = corpora()


def shuffle_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same utterances in another order."""
    items = list(corpus.items())
    return dict(rng.sample(items, len(items)))


def repeat_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with some words said twice, and some entities marked twice."""
    return {name: _repeat_items(text, rng) for name, text in corpus.items()}


def _repeat_items(text: Any, rng: random.Random) -> Any:
    if not isinstance(text, dict):
        return [word for word in text for _ in range(rng.randint(1, 2))]
    entities = text.get("entities", [])
    return {**text, "entities": [*entities, *rng.choices(entities, k=2)] if entities else []}


REPEATS: list[dict[str, Any]] = [{}]
"""The options under which repeats are taken."""
