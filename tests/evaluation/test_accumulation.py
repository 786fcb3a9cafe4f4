"""Batches added up give the values of everything at once."""

from __future__ import annotations

import pickle
import random
from importlib import import_module
from typing import Any

import pytest

import aune
from aune.contract import registry

WORDS = ["one", "two", "three", "four"]


def batches(count: int = 6, size: int = 8) -> list[tuple[list[str], list[str]]]:
    rng = random.Random(5)
    answers = [[" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(size)] for _ in range(count)]
    return [(key, [text.replace("two", rng.choice(["two", "too"])) for text in key]) for key in answers]


def test_speech_batches_are_the_whole() -> None:
    names = ["wer", "cer", "ril", "story_wer", "sentence_error"]
    whole = aune.score(
        "speech", *([text for batch in batches() for text in batch[side]] for side in (0, 1)), measures=names
    )
    scores = aune.accumulate("speech", measures=names)
    for key, response in batches():
        scores.add(key, response)
    for item in whole:
        outcome = scores.result()[item.name]
        assert outcome.values == item.values and outcome.signature == item.signature
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
    whole = aune.score("coref", *({name: sides[side] for name, sides in corpus.items()} for side in (0, 1)),
                       measures=["b_cubed", "conll"])  # fmt: skip
    for order in ((0, 1, 2), (2, 0, 1)):
        merged = aune.accumulate("coref", measures=["b_cubed", "conll"])
        for place in order:
            merged.merge(pickle.loads(pickle.dumps(parts[place])))
        assert {item.name: item.values for item in merged.result()} == {item.name: item.values for item in whole}


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
        assert {item.name: item.values for item in scores.result()} == {item.name: item.values for item in whole}

    check()


@pytest.mark.parametrize("task", registry.task_names())
def test_batches_tell_what_the_whole_tells(task: str) -> None:
    """Sides that hold nothing, documents that only one side has, and whatever else there is to know."""
    from hypothesis import given, settings

    strategies: Any = import_module(f"tests.tasks.{task}.strategies")
    home = registry.task(task)

    def empty(corpus: dict[str, Any]) -> dict[str, Any]:
        return {document.id: home.reading.empty(document) for document in home.reading.documents(corpus)}

    @settings(max_examples=8)
    @given(strategies.CORPORA)
    def check(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
        key, response = corpora
        first, *others = key
        lacking = {name: document for name, document in response.items() if name != first}
        sides = [(key, response), (key, empty(key)), (empty(response), response), (empty(key), empty(key))]
        if others:
            sides += [(key, lacking), ({name: key[name] for name in others}, response)]
        for expected, answers in sides:
            whole, scores = aune.score(task, expected, answers), aune.accumulate(task)
            for names in filter(None, (list(response)[:2], list(response)[2:])):
                scores.add(*({name: side[name] for name in names if name in side} for side in (expected, answers)))
            by_neighbours = "than with the utterance beside it"  # a batch does not show what stands beside its ends
            known = [warning for warning in whole.warnings if by_neighbours not in warning]
            assert [text for text in scores.result().warnings if by_neighbours not in text] == known

    check()


def test_a_batch_that_is_refused_leaves_no_trace() -> None:
    scores = aune.accumulate("tagging", measures=["accuracy"]).add([["D", "N", "V"]], [["D", "N", "N"]])
    before = pickle.dumps(scores)
    refused = (([["D", "N", "V"]], "response.tsv"), ({"a": ["D"]}, [1, 2]), (["D"], {"a": ["D"], "b": ["D"]}))
    for key, response in refused:
        with pytest.raises(aune.AuneError):
            scores.add(key, response)
    assert pickle.dumps(scores) == before


def test_names_that_occur_twice_are_refused() -> None:
    twice = [{"id": "a", "text": "one"}, {"id": "a", "text": "two"}]
    with pytest.raises(aune.InputError, match="'a' a second time"):
        aune.accumulate("speech").add(twice, twice)


def test_reset_and_nothing() -> None:
    scores = aune.accumulate("speech", measures=["wer"])
    with pytest.raises(aune.NothingToScoreError):
        scores.result()
    assert len(pickle.dumps(scores.add(["a"], ["b"]))) < 2000
    with pytest.raises(aune.NothingToScoreError):
        scores.reset().result()
    with pytest.raises(aune.UsageError, match="same task, measures and options"):
        scores.merge(aune.accumulate("speech", measures=["cer"]))


@pytest.mark.parametrize("sentences", [[["N", "V"]], [["N", "V"], ["D", "N"]], [["N", "V"], ["D"]], [["N", "V", "D"]]])
@pytest.mark.parametrize("task", ["tagging", "entities"])
def test_lists_of_strings_are_sentences_of_tags(task: str, sentences: list[list[str]]) -> None:
    """Whatever their lengths: two strings are two tags here, and a word with its tag is a tuple."""
    measure = {"tagging": "accuracy", "entities": "token_accuracy"}[task]
    tags = [[f"B-{tag}" for tag in sentence] for sentence in sentences] if task == "entities" else sentences
    scores = aune.accumulate(task, measures=[measure]).add(tags, tags)
    counts = scores.result()[measure].counts
    assert sum(map(len, tags)) in counts.values()
    more = scores.add(tags, tags).result()[measure].counts
    assert {name: 2 * number for name, number in counts.items()} == more
