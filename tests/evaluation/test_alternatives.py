"""Keys with several right answers: the best one for each document and measure, whatever the order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import aune
from aune.contract import registry
from aune.evaluation import alternatives
from aune.evaluation.pipeline import evaluate
from aune.tasks.coref.model import Document as CorefDocument
from aune.tasks.coref.model import Mention
from aune.tasks.coref.model import make_document as coref_document
from aune.tasks.entities.model import Document as EntityDocument
from aune.tasks.entities.model import Span
from aune.tasks.entities.model import make_document as entity_document

MEASURES = {
    "coref": ["mentions", "muc", "b_cubed", "ceaf_e", "conll", "lea", "blanc"],
    "entities": ["f_measure", "ser", "eter", "macro(f_measure, by=label)"],
}


def coref_key(rng: random.Random, others: bool = True) -> CorefDocument:
    """A key of a few mentions, of which some are optional or may be in other chains."""
    mentions = []
    for place in range(rng.randint(3, 6)):
        chains = [name for name in "abx" if rng.random() < 0.3]
        mentions.append(
            Mention(place, place + 1, rng.choice("ab"), optional=rng.random() < 0.3, other_chains=tuple(chains))
        )
    keys = tuple(coref_key(rng, False) for _ in range(rng.randint(0, 2))) if others else ()
    return coref_document("d", mentions, other_keys=keys)


def coref_response(rng: random.Random) -> CorefDocument:
    places = [place for place in range(6) if rng.random() < 0.8]
    return coref_document("d", [Mention(place, place + 1, rng.choice("abc")) for place in places])


def plain_corefs(key: CorefDocument) -> Iterator[CorefDocument]:
    """Every right answer, made in the slow and obvious way."""
    for document in (key, *key.other_keys):
        homes: list[list[Any]] = []
        for mention, chain in enumerate(document.chains.tolist()):
            absent = [None] if mention in document.optional else []
            homes.append([chain, *document.other_chains.get(mention, ()), *absent])
        for chains in product(*homes):
            rows = zip(document.spans.tolist(), chains, strict=True)
            yield coref_document("d", [Mention(*span, chain) for span, chain in rows if chain is not None])


def entity_key(rng: random.Random, others: bool = True) -> EntityDocument:
    """A key of a few entities, of which some are optional, or have other spans or labels."""
    spans = []
    for start in range(0, rng.choice([3, 6, 9]), 3):
        right = [
            (),
            (Span(start, start + 2, "LOC"),),
            (Span(start, start + 1, "PER"), Span(start + 1, start + 2, "ORG")),
        ]
        spans.append(Span(start, start + 1, "PER", others=tuple(answer for answer in right if rng.random() < 0.4)))
    keys = tuple(entity_key(rng, False) for _ in range(rng.randint(0, 2))) if others else ()
    return entity_document("d", spans, length=12, other_keys=keys)


def entity_response(rng: random.Random) -> EntityDocument:
    spans = [
        Span(start, start + rng.randint(1, 2), rng.choice(["PER", "LOC", "ORG"]))
        for start in range(0, 12, 3) if rng.random() < 0.7
    ]  # fmt: skip
    return entity_document("d", spans, length=12)


def plain_entities(key: EntityDocument) -> Iterator[EntityDocument]:
    for document in (key, *key.other_keys):
        choices = [
            [(Span(*triple),), *document.others.get(number, ())] for number, triple in enumerate(document.triples())
        ]
        for answer in product(*choices):
            yield entity_document("d", [span for spans in answer for span in spans], length=12)


TASKS: dict[str, Any] = {
    "coref": (coref_key, coref_response, plain_corefs),
    "entities": (entity_key, entity_response, plain_entities),
}


def values(task: str, key: Any, response: Any) -> dict[str, float | None]:
    """The main value of each measure."""
    result = evaluate(task, [key], {"x": [response]}, measures=MEASURES[task])
    return {score.name: score.main for score in result}


def goodness(task: str, name: str, value: float | None) -> float:
    """A value turned so that higher is better; what is undefined is as bad as can be."""
    measure = registry.measure(name, task)
    worst = 0.0 if measure.better == "higher" else -1e9
    return worst if value is None else float(measure.goodness(value))


def is_empty(task: str, key: Any, response: Any) -> bool:
    return len(key) == len(response) == 0


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(12))
def test_the_best_answer_is_that_of_brute_force(task: str, seed: int) -> None:
    make_key, make_response, plain_keys = TASKS[task]
    rng = random.Random(seed)
    key, response = make_key(rng), make_response(rng)
    chosen = values(task, key, response)
    single = [values(task, plain, response) for plain in plain_keys(key) if not is_empty(task, plain, response)]
    for name, value in chosen.items():
        best = max(goodness(task, name, answer[name]) for answer in single)
        assert goodness(task, name, value) == pytest.approx(best, abs=1e-12), name


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_alternatives_does_not_matter(task: str, seed: int) -> None:
    make_key, make_response, _ = TASKS[task]
    rng = random.Random(seed)
    key, response = make_key(rng), make_response(rng)
    expected = evaluate(task, [key], {"x": [response]}, measures=MEASURES[task]).to_dict()["scores"]
    again = replace(key, other_keys=tuple(rng.sample(key.other_keys, len(key.other_keys))))
    if task == "entities":
        spans = [span._replace(others=tuple(reversed(span.others))) for span in reversed(spans_with_others(key))]
        again = replace(entity_document("d", spans, length=12), other_keys=again.other_keys)
    assert evaluate(task, [again], {"x": [response]}, measures=MEASURES[task]).to_dict()["scores"] == expected


def spans_with_others(key: EntityDocument) -> list[Span]:
    return [Span(*triple, others=key.others.get(number, ())) for number, triple in enumerate(key.triples())]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(8))
def test_another_answer_never_lowers_the_value_of_a_document(task: str, seed: int) -> None:
    make_key, make_response, _ = TASKS[task]
    rng = random.Random(seed)
    key, response = make_key(rng), make_response(rng)
    before = values(task, key, response)
    after = values(task, replace(key, other_keys=(*key.other_keys, make_key(rng, False))), response)
    for name, value in before.items():
        assert goodness(task, name, after[name]) >= goodness(task, name, value) - 1e-12


@pytest.mark.parametrize("task", TASKS)
def test_every_right_answer_is_perfect(task: str) -> None:
    make_key, _, plain_keys = TASKS[task]
    key = make_key(random.Random(4))
    for response in plain_keys(key):
        if not len(response):
            continue
        for name, value in values(task, key, response).items():
            perfect = values(task, response, response)[name]
            assert value == perfect, name


def test_a_missing_optional_item_costs_nothing_where_nothing_else_is_expected() -> None:
    optional = entity_document("d", [Span(0, 1, "PER", others=((),))], length=3)
    required = entity_document("e", [Span(0, 1, "PER")], length=3)
    empty, right = entity_document("d", [], length=3), entity_document("e", [Span(0, 1, "PER")], length=3)
    result = evaluate("entities", [optional, required], {"x": [empty, right]}, measures=["f_measure"])
    assert result["f_measure"].values["f1"] == 1.0
    wrong = entity_document("d", [Span(1, 2, "PER")], length=3)
    result = evaluate("entities", [optional, required], {"x": [wrong, right]}, measures=["f_measure"])
    assert result["f_measure"].values["recall"] == 1.0


def test_the_counts_of_a_corpus_are_those_of_the_chosen_answers() -> None:
    rng = random.Random(0)
    pairs = [(replace(entity_key(rng), id=str(n)), replace(entity_response(rng), id=str(n))) for n in range(6)]
    corpus = evaluate("entities", [key for key, _ in pairs], {"x": [response for _, response in pairs]})
    single = [evaluate("entities", [key], {"x": [response]}) for key, response in pairs]
    for score in corpus:
        counts = [result[score.name].counts for result in single]
        assert score.counts == {name: sum(each[name] for each in counts) for name in score.counts}


def row_of_entities(name: str, size: int) -> EntityDocument:
    return entity_document(name, [Span(place, place + 1, "X") for place in range(size)], length=12)


def test_one_more_answer_may_lower_the_value_of_a_corpus() -> None:
    """A document is given its own best answer, whose F is higher (6/7 instead of 8/10), but which weighs less."""
    key, response = row_of_entities("a", 6), row_of_entities("a", 4)
    other = replace(key, other_keys=(row_of_entities("a", 3),))
    missed, empty = row_of_entities("b", 10), row_of_entities("b", 0)

    def f1(keys: list[EntityDocument], responses: list[EntityDocument]) -> float | None:
        return evaluate("entities", keys, {"x": responses})["f_measure"].values["f1"]

    assert (f1([key], [response]), f1([other], [response])) == (pytest.approx(8 / 10), pytest.approx(6 / 7))
    assert f1([key, missed], [response, empty]) == pytest.approx(8 / 20)
    assert f1([other, missed], [response, empty]) == pytest.approx(6 / 17)


@pytest.mark.parametrize("task", TASKS)
def test_many_alternatives_are_tried_one_at_a_time(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_key, make_response, _ = TASKS[task]
    for seed in range(6):
        rng = random.Random(seed)
        key, response = make_key(rng), make_response(rng)
        plain = replace(key, other_keys=())
        exact = values(task, key, response)
        with monkeypatch.context() as context:
            context.setattr(alternatives, "MOST_COMBINATIONS", 1)
            bounded = evaluate(task, [key], {"x": [response]}, measures=MEASURES[task])
        first = values(task, without_choices(task, plain), response)
        assert any("right answers" in text for text in bounded.warnings) == key.has_alternatives
        for score in bounded:
            reached = goodness(task, score.name, score.main)
            assert goodness(task, score.name, first[score.name]) <= reached + 1e-12
            assert reached <= goodness(task, score.name, exact[score.name]) + 1e-12


def without_choices(task: str, key: Any) -> Any:
    return replace(key, others={}) if task == "entities" else replace(key, optional=frozenset(), other_chains={})


def corpus(size: int) -> tuple[list[Any], list[Any]]:
    rng = random.Random(1)
    keys = [replace(coref_key(rng), id=str(number)) for number in range(size)]
    plain = [without_choices("coref", replace(key, other_keys=())) if int(key.id) % 3 else key for key in keys]
    return plain, [replace(coref_response(rng), id=str(number)) for number in range(size)]


def test_every_engine_gives_the_same_digits(tmp_path: Any) -> None:
    keys, responses = corpus(40)
    write = registry.format("coref", "jsonlines").write
    assert write is not None
    paths = []
    for name, documents in (("key", keys), ("system", responses)):
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(write(documents)))
    here = evaluate("coref", str(paths[0]), {"x": str(paths[1])})
    result = evaluate("coref", str(paths[0]), {"x": str(paths[1])}, workers=2)
    memory = evaluate("coref", keys, {"x": responses})
    assert here.to_dict()["scores"] == result.to_dict()["scores"]
    for score in memory:
        assert score.values == here[score.name].values
        assert score.by("document") == here[score.name].by("document")


def test_files_in_pieces_give_the_same_digits(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from aune.evaluation import streaming

    keys, responses = corpus(60)
    write = registry.format("coref", "jsonlines").write
    assert write is not None
    key_path, response_path = tmp_path / "key.jsonl", tmp_path / "system.jsonl"
    key_path.write_text("".join(write(keys)))
    response_path.write_text("".join(write(responses)))
    whole = evaluate("coref", str(key_path), {"x": str(response_path)})
    monkeypatch.setattr(streaming, "PIECE", 500)
    pieces = evaluate("coref", str(key_path), {"x": str(response_path)})
    assert [score.entry() for score in pieces] == [score.entry() for score in whole]


def test_batches_give_the_same_values() -> None:
    keys, responses = corpus(12)
    scores = aune.accumulate("coref", measures=["muc", "conll"])
    for key, response in zip(keys, responses, strict=True):
        scores.add([key], [response])
    whole = evaluate("coref", keys, {"x": responses}, measures=["muc", "conll"])
    result = scores.result()
    for score in whole:
        assert result[score.name].values == score.values


def test_errors_are_those_of_the_chosen_answer() -> None:
    key = {"spans": [{"start": 0, "end": 1, "label": "PER", "alternatives": [[0, 2, "PER"]]}], "tokens": ["A", "B"]}
    response = {"tokens": ["A", "B"], "spans": [[0, 2, "PER"]]}
    assert not list(aune.errors_of("entities", key, response))
    key["spans"][0].pop("alternatives")  # type: ignore[attr-defined]
    assert list(aune.errors_of("entities", key, response))
