"""ATENE by its equations, on given probabilities; what must leave it alone; models that come back from their file."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import aune
from aune.cli import run
from aune.tasks.speech.atene import error_weights, maxent
from aune.tasks.speech.atene.features import Lexica, Lexicon, feature_columns, feature_keys, learn, templates
from aune.tasks.speech.atene.harm import harm, harm_by_kind
from aune.tasks.speech.atene.margins import margin, margins, outside_segments, segment_margins
from aune.tasks.speech.atene.maxent import Model, load, save, train, word_classes
from aune.tasks.speech.atene.projection import EntityPlaces, project_entities
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import errors, harmful_errors
from aune.tasks.speech.measures import atene, atene_ds, atene_i
from aune.tasks.speech.model import Entity, Utterance, documents
from tests.tasks.speech.oracles import make_annotation
from tests.tasks.speech.strategies import tiny_model

needs_sklearn = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
CITIES = ["paris", "lyon", "nice", "lille", "brest"]
PEOPLE = ["ann", "bob", "eve", "max", "zoe"]


def corpus() -> list[Utterance]:
    """`NAME went to CITY yesterday`, for every pair."""
    result = []
    for person in PEOPLE:
        for city in CITIES:
            words = f"{person} went to {city} yesterday".split()
            result.append(Utterance(f"{person}-{city}", words, entities=(Entity(0, 1, "PER"), Entity(3, 4, "LOC"))))
            result.append(Utterance(f"no-{person}-{city}", ["we", "went", "there", "and", "it", "rained", "a", "lot"]))
    return result


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("sklearn")
    path = tmp_path_factory.mktemp("atene") / "model.npz"
    save(train(corpus(), ("words", "affixes")), path)
    return str(path)


KEY = {"u": {"text": "ann went to paris yesterday", "entities": [(0, 1, "PER"), (3, 4, "LOC")]}}


def scores(key: Any, response: Any, model: str, **options: Any) -> tuple[float | None, ...]:
    names = ["atene", "atene_ds", "atene_i"]
    result = aune.score("speech", key, response, measures=names, model=model, **options)
    return tuple(result[name].main for name in names)


# The equations, on given probabilities.


def test_margin_is_the_lead_of_the_right_answer() -> None:
    """Eq. 5.5."""
    values = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.2, 0.6]])
    assert margin(values, np.array([1, 1, 2])).tolist() == pytest.approx([0.5, -0.3, 0.4])


def test_segments_take_their_most_tempting_word() -> None:
    """Eqs. 5.8 and 5.9: the least margin if negative, else 1; 1 for an empty segment."""
    words = np.array([0.9, 0.1, -0.4, 0.3, -0.1, 0.8])
    starts, ends = np.array([0, 2, 5, 5]), np.array([2, 5, 6, 5])
    assert segment_margins(words, starts, ends).tolist() == [1.0, -0.4, 1.0, 1.0]
    assert segment_margins(np.zeros(0), np.zeros(0, int), np.zeros(0, int)).tolist() == []


def test_the_sums() -> None:
    """Eqs. 5.7, 5.11 and 5.12 by hand: two entities that lose 0.5 and 0.1, three segments that lose 0.9."""
    ds = atene_ds.score(atene_ds.Counts(np.array(-0.6), np.array(2)))
    assert ds.atene_ds == pytest.approx(-0.15)
    i = atene_i.score(atene_i.Counts(np.array(-0.9), np.array(3)))
    assert i.atene_i == pytest.approx(-0.3)
    nothing = atene.Counts(
        atene_ds.Counts(np.array(-0.6), np.array(2)), atene_i.Counts(np.array(-0.9), np.array(3)),
        atene.Errors(*map(np.array, (6, 1, 1, 2))), atene.Errors(*map(np.array, (15, 3, 2, 1))),
    )  # fmt: skip
    assert atene.score(nothing).atene == pytest.approx(0.225)
    assert atene.score(nothing, combine="ne_wer").atene == pytest.approx((0.3 + 0.5) / 2)
    assert atene.score(nothing, combine="recall").atene == pytest.approx((0.3 + 0.25) / 2)


def fixed_model(probabilities: dict[str, dict[str, list[float]]]) -> Model:
    """A model that gives set probabilities to words, whatever stands around them."""
    words = sorted({word for table in probabilities.values() for word in table})
    lexica = Lexica(Lexicon(words), Lexicon(), Lexicon())
    place = next(number for number, template in enumerate(templates(("words",))) if template.name == "word[0]")
    known = np.array([place * 2**52 + lexica.words[word] for word in words])
    weights = {}
    for which in maxent.MODELS:
        table = np.full((len(words) + 1, 3), np.log(1 / 3), np.float32)
        for word, row in probabilities.get(which, {}).items():
            table[words.index(word)] = np.log(row)
        table[-1] = 0
        weights[which] = table
    return Model(("words",), ("LOC", "PER"), lexica, known, weights, {which: np.zeros(3) for which in maxent.MODELS})


def test_a_worked_example(tmp_path: Path) -> None:
    """Classes are outside, LOC, PER; `paris` is heard as `parish`, `went` as `max`."""
    path = str(tmp_path / "fixed.npz")
    save(
        fixed_model(
            {
                "begin": {"paris": [0.1, 0.8, 0.1], "parish": [0.6, 0.3, 0.1]},
                "end": {"paris": [0.2, 0.7, 0.1], "parish": [0.5, 0.4, 0.1]},
                "inside": {"went": [0.9, 0.05, 0.05], "to": [0.8, 0.1, 0.1], "max": [0.2, 0.1, 0.7]},
            }
        ),
        path,
    )
    key = {"u": {"text": "went to paris", "entities": [(2, 3, "LOC")]}}
    value, ds, i = scores(key, {"u": "max to parish"}, path)
    begin, end = (0.3 - 0.6) - (0.8 - 0.1), (0.4 - 0.5) - (0.7 - 0.2)
    assert ds == pytest.approx((begin + end) / 2, abs=1e-6)
    assert i == pytest.approx((0.2 - 0.7) - 1.0, abs=1e-6)
    assert value == pytest.approx(-((begin + end) / 2 - 1.5) / 2, abs=1e-6)
    _, missing, _ = scores(key, {"u": "went to"}, path)
    assert missing == pytest.approx(((-1 - 0.7) + (-1 - 0.5)) / 2, abs=1e-6)


# What ATENE must do.


def test_equal_transcripts_cost_nothing(model: str) -> None:
    assert scores(KEY, {"u": KEY["u"]["text"]}, model) == (0.0, 0.0, 0.0)


def test_errors_far_from_entities_leave_ds_alone(model: str) -> None:
    key = {"u": {"text": "ann went to paris and it rained a lot there", "entities": [(0, 1, "PER"), (3, 4, "LOC")]}}
    _, far, _ = scores(key, {"u": "ann went to paris and it snowed a lot there"}, model)
    assert far == 0.0
    _, near, _ = scores(key, {"u": "ann went to paris in it rained a lot there"}, model)
    assert near != 0.0


def test_missing_entities_cost_more_than_other_words(model: str) -> None:
    _, name, _ = scores(KEY, {"u": "ann went to yesterday"}, model)
    _, other, _ = scores(KEY, {"u": "ann went to paris"}, model)
    assert name is not None and other is not None and name < other


def test_names_put_in_cost_insertions(model: str) -> None:
    key = {"u": {"text": "we went there and it rained a lot", "entities": []}, "v": KEY["u"]}
    _, ds, i = scores(key, {"u": "we went to lyon and it rained a lot", "v": KEY["u"]["text"]}, model)
    assert ds == 0.0 and i is not None and i < 0


def test_the_tokens_of_the_response_do_not_matter_by_themselves(model: str) -> None:
    """A name cut in two is still found through the alignment."""
    comparison = compare(list(zip(documents(KEY), documents({"u": "ann went to pa ris yesterday"}), strict=True)))
    places = project_entities(comparison, comparison.alignment("similar"), None)
    assert places.start.tolist() == [0, 3] and places.end.tolist() == [1, 5]


def test_projection_by_time() -> None:
    times = [(0.0, 0.3), (0.3, 0.6), (0.6, 0.8), (0.8, 1.2), (1.2, 1.6)]
    key = Utterance("u", KEY["u"]["text"], entities=(Entity(3, 4, "LOC"),), times=times)
    response = Utterance("u", "x ann went two parish", times=[(0, 0.1), *times[:2], (0.6, 0.8), (0.85, 1.2)])
    comparison = compare([(key, response)])
    places = project_entities(comparison, comparison.alignment("similar"), None)
    assert places.start.tolist() == [4] and places.end.tolist() == [5]
    late = compare([(key, Utterance("u", "ann went", times=times[:2]))])
    places = project_entities(late, late.alignment("similar"), None)
    assert places.start.tolist() == places.end.tolist() == [2]


def test_segments_between_entities() -> None:
    comparison = compare(list(zip(documents(KEY), documents({"u": "ann went to parish"}), strict=True)))
    result = outside_segments(
        comparison, EntityPlaces(np.array([0, 3]), np.array([1, 4])), np.array([5]), np.array([4])
    )
    assert [column.tolist() for column in result] == [[0, 0], [1, 4], [3, 5], [1, 4], [3, 4], [1, 2]]


# Models.


def test_classes_of_the_three_models() -> None:
    utterance = Utterance("u", "in new york city today", entities=(Entity(1, 4, "LOC"), Entity(3, 4, "X")))
    wanted = {"begin": [0, 1, 0, 0, 0], "end": [0, 0, 0, 1, 0], "inside": [0, 1, 1, 1, 0]}
    for which, expected in wanted.items():
        assert word_classes([utterance], ["LOC"], which).tolist() == expected  # type: ignore[arg-type]


def test_features_look_two_words_around() -> None:
    texts = [["a", "b", "c"], ["d"]]
    lexica = Lexica(Lexicon(), Lexicon(), Lexicon())
    learn(lexica, texts)
    chosen = templates(("words", "affixes", "capitals"))
    result, places = feature_columns(texts, lexica, ("words", "affixes", "capitals"))
    matrix = feature_keys(result, places, chosen)
    assert matrix.shape == (4, len(chosen))
    by_name = {template.name: matrix[:, number] % 2**26 for number, template in enumerate(chosen)}
    assert by_name["word[0]"].tolist() == [2, 3, 4, 5]
    assert by_name["word[1]"].tolist() == [3, 4, 1, 1] and by_name["word[-2]"].tolist() == [1, 1, 2, 1]


@needs_sklearn
def test_models_find_what_they_learnt_and_come_back_from_their_file(tmp_path: Path) -> None:
    learnt = train(corpus(), ("words", "affixes", "capitals"))
    rows = learnt.indices([KEY["u"]["text"].split()])
    best = learnt.probabilities("inside", rows).argmax(axis=1)
    assert [("O", *learnt.labels)[number] for number in best] == ["PER", "O", "O", "LOC", "O"]
    assert learnt.probabilities("begin", rows).sum(axis=1) == pytest.approx(np.ones(5))
    path = tmp_path / "model.npz"
    save(learnt, path)
    again = load(str(path))
    for which in maxent.MODELS:
        ours, rival_value = (
            learnt.probabilities(which, rows),
            again.probabilities(which, again.indices([KEY["u"]["text"].split()])),
        )
        np.testing.assert_allclose(ours, rival_value, atol=1e-5)
    with np.load(path, allow_pickle=False) as arrays:
        assert json.loads(arrays["about"].tobytes())["format"] == "aune-atene-1"
    assert learnt.reasons("inside", rows[3], learnt.classes["LOC"])[0][1] > 0


@needs_sklearn
@pytest.mark.skipif(find_spec("gruut") is None, reason="gruut is not installed")
def test_parts_of_speech_are_features_too(tmp_path: Path) -> None:
    learnt = train(corpus()[:20], ("words", "pos"), rounds=20)
    assert {"NNP", "NN", "VBD"} & set(learnt.lexica.tags.numbers)
    save(learnt, tmp_path / "model.npz")
    assert scores(KEY, {"u": KEY["u"]["text"]}, str(tmp_path / "model.npz"))[0] == 0.0


def test_bad_models_are_refused(tmp_path: Path, model: str) -> None:
    wrong = tmp_path / "wrong.npz"
    wrong.write_bytes(b"no model")
    for path, words in ((str(wrong), "found no ATENE model"), (str(tmp_path / "none.npz"), "found no readable model")):
        with pytest.raises(aune.InputError, match=words):
            scores(KEY, {"u": "x"}, path)
    with pytest.raises(aune.UsageError, match="ATENE needs a model"):
        scores(KEY, {"u": "x"}, "")
    with pytest.raises(aune.UsageError, match="score with normalise='none'"):
        scores(KEY, {"u": "x"}, model, normalise="en")


@needs_sklearn
def test_the_command_line_trains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        json.dumps(
            {
                "id": document.id,
                "text": " ".join(document.words),
                "entities": [list(entity) for entity in document.entities],
            }
        )
        for document in corpus()
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines))
    path = str(tmp_path / "model.npz")
    code = run(
        ["speech", "train", "atene", str(tmp_path / "corpus.jsonl"), "--features", "words,affixes", "--output", path]
    )
    assert code == 0
    assert "trained on 325 words with 50 entities of 2 types" in capsys.readouterr().err
    assert scores(KEY, {"u": KEY["u"]["text"]}, path)[0] == 0.0
    assert (
        run(["speech", "train", "atene", str(tmp_path / "corpus.jsonl"), "--features", "wrods", "--output", path]) == 2
    )
    assert "did you mean 'words'?" in capsys.readouterr().err


def test_training_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(maxent, "find_spec", lambda name: None)
    with pytest.raises(aune.UsageError, match=r"pip install 'aune\[atene\]'"):
        train(corpus())


# What errors cost.


def test_errors_are_ranked_by_harm(model: str) -> None:
    key = {"u": {"text": "ann went to paris and it rained a lot there", "entities": [(0, 1, "PER"), (3, 4, "LOC")]}}
    comparison = compare(
        list(zip(documents(key), documents({"u": "ann went to paradise and it snowed a lot there"}), strict=True))
    )
    result = harmful_errors(comparison, model)
    assert result[0].key == "paris" and result[0].response == "paradise"
    assert (
        result[0].kind == "other name" and result[0].attributes["label"] == "LOC" and result[0].attributes["features"]
    )
    assert "snowed" not in {case.response for case in result}
    total = harm(comparison, model).lost.sum()
    lost = margins(comparison, model)
    drops = [lost.begin_key - lost.begin_response, lost.end_key - lost.end_response]
    assert total == pytest.approx(sum(np.maximum(drop, 0).sum() for drop in drops))
    assert errors(comparison, model=model) == result


def test_kinds_of_errors_add_up(model: str) -> None:
    key = [{"text": " ".join(document.words), "entities": list(document.entities)} for document in corpus()]
    changes = (("paris", "parish"), ("bob", ""), ("we went", "zoe went to"))
    response = [" ".join(utterance.words) for utterance in corpus()]
    for old, new in changes:
        response = [text.replace(old, new) for text in response]
    comparison = compare(list(zip(documents(key), documents(response), strict=True)))
    table = harm_by_kind(harm(comparison, model), comparison.alignment("similar").kind)
    assert sum(row["errors"] for row in table.values()) == len(comparison.alignment("similar").kind)
    assert table["missing name"]["errors"] == 5 and table["close name"]["errors"] == 5
    assert table["inserted name"]["errors"] == 25 and table["missing name"]["each"] > 0.5
    result = aune.score("speech", key, response, measures=["atene"], model=model)
    assert result["atene"].details["worst"][0]["cost"] > 0
    assert {name: row["errors"] for name, row in result["atene"].details["kinds"].items()} == {
        name: row["errors"] for name, row in table.items()
    }


# The weights of errors, learnt from their harm.


@needs_sklearn
def test_severity_is_learnt_saved_and_used(model: str, tmp_path: Path) -> None:
    key = [{"text": " ".join(document.words), "entities": list(document.entities)} for document in corpus()]
    response = [" ".join(utterance.words).replace("paris", "people").replace("it", "and") for utterance in corpus()]
    comparison = compare(list(zip(documents(key), documents(response), strict=True)))
    weights = error_weights.learn([comparison], model)
    assert weights.types["S"] > 0 and weights.classes.keys() == {"S grammar>grammar far"}
    path = str(tmp_path / "weights.json")
    error_weights.save(weights, path)
    assert error_weights.load(path) == weights
    score = aune.score("speech", ["the end"], ["of end"], measures=["severity"], weights=path)["severity"]
    assert score.severity == pytest.approx(weights.cost_of("S grammar>grammar far") / 2)
    assert weights.cost_of("S grammar>grammar far") == pytest.approx(0.1 * weights.types["any"])  # no error is free
    assert aune.score("speech", ["a b"], ["a c"], measures=["severity"])["severity"].severity == 0.5
    with pytest.raises(aune.InputError, match="found no weights of errors"):
        error_weights.load(model)
    with pytest.raises(aune.UsageError, match="score with normalise='none'"):
        aune.score("speech", ["a"], ["b"], measures=["severity"], weights=path, normalise="en")


ODD: list[Callable[[Any], Any]] = [
    lambda array: array[:0], lambda array: array[1:], lambda array: np.concatenate([array, array]), np.ravel,
    lambda array: array[None], lambda array: array.astype(str), lambda array: array.astype(complex),
    lambda array: array.astype(float) * np.nan, lambda array: array[::-1], lambda array: np.array(0),
    lambda array: array.astype(object), lambda array: np.zeros((), array.dtype), lambda array: array.astype(bool),
    lambda array: np.zeros(40_000_000, np.uint8),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_a_model_of_parts_that_do_not_belong_together(tmp_path: Path, odd: Callable[[Any], Any]) -> None:
    """Each part of a whole file in another shape or kind: it is refused, or gives other numbers, in little memory."""
    whole = small(tmp_path / "whole.npz")
    with np.load(whole) as file:
        arrays = dict(file)
    assert measure_work(whole)
    for name, array in arrays.items():
        path = tmp_path / f"{name}.npz"
        np.savez_compressed(path, **{**arrays, name: odd(array)})
        tracemalloc.start()
        with suppress(aune.InputError, aune.UsageError):
            measure_work(str(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20_000_000, name


@pytest.mark.parametrize("field", ["features", "labels", "normalise", "language", "format"])
@pytest.mark.parametrize("value", [None, 3, "x", [], ["x"], [3], {}, [["PER"]], "\x1b[31m", ["PER"] * 9])
def test_a_model_that_says_odd_things_of_itself(tmp_path: Path, field: str, value: Any) -> None:
    path = small(tmp_path / "model.npz")
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(arrays["about"].tobytes()) | {field: value}
    np.savez(path, **{**arrays, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)})
    with suppress(aune.InputError, aune.UsageError):
        measure_work(path)


def small(path: Path) -> str:
    """A model of three features, in a file."""
    weights = {which: np.arange(12, dtype=np.float32).reshape(4, 3) for which in maxent.MODELS}
    bias = {which: np.zeros(3, np.float32) for which in maxent.MODELS}
    lexica = Lexica(*(Lexicon(words) for words in (["ann", "went"], [], [])))
    save(Model(("words",), ("PER", "LOC"), lexica, np.arange(3), weights, bias), path)
    return str(path)


def measure_work(model: str) -> Any:
    """What a model makes of an utterance with an entity."""
    key = [{"text": "ann went", "entities": [[0, 1, "PER"]]}]
    return aune.score("speech", key, ["and went"], measures=["atene_i"], model=model)


@pytest.mark.parametrize("part", ["types", "classes"])
@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1, 1e308, True, "3", None, [1], 10**400])
def test_errors_cost_numbers(tmp_path: Path, part: str, cost: Any) -> None:
    """Neither nothing that is a number, nor what no margin can have lost: scores would be infinite, or undefined."""
    record = {
        "format": error_weights.FORMAT,
        "types": {},
        "classes": {},
        "common": [],
        "language": "en",
        "normalise": "none",
    }
    (tmp_path / "weights.json").write_text(json.dumps({**record, part: {"S": cost}}))
    with pytest.raises(aune.InputError, match="found no weights of errors"):
        error_weights.load(str(tmp_path / "weights.json"))


@needs_sklearn
def test_order_changes_nothing_that_is_learnt(tmp_path: Path) -> None:
    """Neither of a model of entities, as far as it is written down, nor of the severity of errors."""
    lines = [
        json.dumps(
            {
                "id": document.id,
                "text": " ".join(document.words),
                "entities": [list(entity) for entity in document.entities],
            }
        )
        for document in corpus()
    ]
    learnt = []
    for name, order in (("a", lines), ("b", lines[::-1])):
        source, path = tmp_path / f"{name}.jsonl", str(tmp_path / f"{name}.npz")
        source.write_text("\n".join(order))
        assert run(["speech", "train", "atene", str(source), "--features", "words,affixes", "--output", path]) == 0
        key = [{"text": " ".join(document.words), "entities": list(document.entities)} for document in corpus()]
        response = [" ".join(utterance.words).replace("paris", "people").replace("it", "and") for utterance in corpus()]
        turned = slice(None, None, -1 if name == "b" else 1)
        comparison = compare(list(zip(documents(key[turned]), documents(response[turned]), strict=True)))
        model = maxent.load(path)
        learnt.append((model.labels, len(model.known), error_weights.learn([comparison], str(tmp_path / "a.npz"))))
    assert learnt[0] == learnt[1]


@needs_sklearn
def test_the_command_line_learns_severity(model: str, tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text("<PER> ann </PER> went to <LOC> paris </LOC> yesterday\n" * 30)
    (tmp_path / "response.txt").write_text("ann went to pairs yesterday\n" * 30)
    paths = [str(tmp_path / name) for name in ("key.txt", "response.txt", "weights.json")]
    more = ["--markup", "inline", "--input-format", "lines", "--model", model, "--output", paths[2]]
    assert run(["speech", "train", "severity", *paths[:2], *more]) == 0
    assert error_weights.load(paths[2]).types["S"] > 0


@given(make_annotation())
def test_words_put_in_inside_entities_are_those_of_ne_wer(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Whose own second implementation counts them error by error."""
    key, response = corpora
    comparison = compare(list(zip(documents(key), documents(response), strict=True)))
    kinds = zip(harm(comparison, tiny_model()).kind, comparison.alignment("similar").kind.tolist(), strict=True)
    inside = sum(kind == "split name" for kind, what in kinds if what == 2)
    assert inside == aune.score("speech", key, response, measures=["ne_wer"])["ne_wer"].counts["insertions"]


def test_a_word_put_in_inside_an_entity_has_its_own_class(model: str) -> None:
    key = {"u": {"text": "ann bob went to paris", "entities": [(0, 2, "PER"), (4, 5, "LOC")]}}
    comparison = compare(list(zip(documents(key), documents({"u": "ann uh bob went to the paris"}), strict=True)))
    kinds = zip(harm(comparison, model).kind, comparison.alignment("similar").kind.tolist(), strict=True)
    assert [kind for kind, what in kinds if what == 2] == ["split name", "function word"]
