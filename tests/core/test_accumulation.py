"""Batches added up give the values of everything at once."""

from __future__ import annotations

import pickle
import random
from importlib import import_module
from typing import Any

import pytest

import aune
from aune.core import registry

WORDS = ["one", "two", "three", "four"]


def batches(count: int = 6, size: int = 8) -> list[tuple[list[str], list[str]]]:
    rng = random.Random(5)
    said = [[" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(size)] for _ in range(count)]
    return [(key, [text.replace("two", rng.choice(["two", "too"])) for text in key]) for key in said]


def test_speech_batches_are_the_whole() -> None:
    names = ["wer", "cer", "ril", "story_wer", "sentence_error"]
    whole = aune.score(
        "speech", *([text for batch in batches() for text in batch[side]] for side in (0, 1)), measures=names
    )
    scores = aune.accumulate("speech", measures=names)
    for key, response in batches():
        scores.add(key, response)
    for one in whole:
        found = scores.result()[one.name]
        assert found.values == one.values and found.signature == one.signature
    assert len(scores) == 48


def test_merging_in_any_order() -> None:
    parts = [aune.accumulate("coref", measures=["b_cubed", "conll"]) for _ in range(3)]
    rng = random.Random(1)
    corpus = {}
    for number in range(30):
        names = list(range(9))
        rng.shuffle(names)
        key, response = ([set(names[i : i + 3]) for i in (0, 3, 6)], [set(names[:4]), set(names[4:])])
        corpus[str(number)] = (key, response)
        parts[number % 3].add({str(number): key}, {str(number): response})
    whole = aune.score("coref", *({name: both[side] for name, both in corpus.items()} for side in (0, 1)),
                       measures=["b_cubed", "conll"])  # fmt: skip
    for order in ((0, 1, 2), (2, 0, 1)):
        merged = aune.accumulate("coref", measures=["b_cubed", "conll"])
        for place in order:
            merged.merge(pickle.loads(pickle.dumps(parts[place])))
        assert {one.name: one.values for one in merged.result()} == {one.name: one.values for one in whole}


@pytest.mark.parametrize("task", registry.task_names())
def test_every_usual_measure_accumulates(task: str) -> None:
    from hypothesis import given, settings

    home: Any = import_module(f"tests.tasks.{task}.strategies")

    @settings(max_examples=5)
    @given(home.CORPORA)
    def check(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
        whole = aune.score(task, *corpora)
        scores = aune.accumulate(task)
        for name in corpora[0]:
            scores.add({name: corpora[0][name]}, {name: corpora[1][name]})
        assert {one.name: one.values for one in scores.result()} == {one.name: one.values for one in whole}

    check()


def test_reset_and_nothing() -> None:
    scores = aune.accumulate("speech", measures=["wer"])
    with pytest.raises(aune.NothingToScoreError):
        scores.result()
    assert len(pickle.dumps(scores.add(["a"], ["b"]))) < 2000
    with pytest.raises(aune.NothingToScoreError):
        scores.reset().result()
    with pytest.raises(aune.UsageError, match="same task, measures and options"):
        scores.merge(aune.accumulate("speech", measures=["cer"]))
