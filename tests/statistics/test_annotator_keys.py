"""Several annotators as the key: against brute force, and the laws that keep them honest."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.cli import run
from aune.errors import UsageError
from aune.evaluation import streaming
from aune.reports.annotator_scores import annotator_tables
from aune.statistics.annotator_keys import AnnotatorScores, evaluate_annotators
from tests.evaluation.corpora import TASKS, lines, records

ENTITIES = {
    "ann": {"a": [(0, 1, "PER"), (2, 3, "LOC")], "b": [(0, 1, "ORG")]},
    "ben": {"a": [(0, 1, "PER")], "b": [(0, 1, "ORG"), (3, 4, "LOC")]},
    "eve": {"a": [(0, 1, "PER"), (2, 3, "ORG")], "b": []},
}
SYSTEM = {"a": [(0, 1, "PER"), (2, 3, "LOC")], "b": [(3, 4, "LOC")]}
CHAINS = {"ann": [{1, 2, 3}], "ben": [{1, 2}, {3, 4}], "eve": [{1, 2}]}
TAGS = {"ann": [["N", "V", "D"]], "ben": [["N", "N", "D"]], "eve": [["N", "V", "A"]]}
WORDS = {"ann": ["one two three"], "ben": ["one two"], "eve": ["one too three"]}
CASES: dict[str, tuple[Any, Any, str]] = {
    "entities": (ENTITIES, SYSTEM, "f_measure"),
    "coref": (CHAINS, [{1, 2}, {3, 4}], "pairs"),
    "tagging": (TAGS, [["N", "V", "A"]], "accuracy"),
    "speech": (WORDS, ["one two four"], "wer"),
}


def evaluate_systems(task: str, keys: Any, response: Any, measure: str, **options: Any) -> AnnotatorScores:
    return evaluate_annotators(task, keys, {"x": response}, measures=[measure], **options)


@pytest.mark.parametrize("task", CASES)
def test_one_annotator_is_ordinary_scoring(task: str) -> None:
    keys, response, measure = CASES[task]
    result = evaluate_systems(task, {"ann": keys["ann"]}, response, measure)
    ordinary = aune.score(task, keys["ann"], response, measures=[measure])[measure]
    for score in result.scores:
        value = ordinary.values[score.value]
        assert (score.expected_value, score.best_value, score.soft_value) == (value, value, value)
    assert "one annotator: nothing can be said about people" in result.warnings


@pytest.mark.parametrize("task", CASES)
def test_the_same_key_several_times_is_the_key(task: str) -> None:
    keys, response, measure = CASES[task]
    once = evaluate_systems(task, {"ann": keys["ann"]}, response, measure)
    for number in (2, 3):
        again = evaluate_systems(task, {str(place): keys["ann"] for place in range(number)}, response, measure)
        assert [score.summary for score in again.scores] == [score.summary for score in once.scores]
        perfect = [row.measure.perfect_of(row.value) for row in again.people]
        assert [row.expected_value for row in again.people] == perfect == [row.summary.soft for row in again.people]


@pytest.mark.parametrize("task", CASES)
def test_the_order_of_annotators_does_not_matter(task: str) -> None:
    keys, response, measure = CASES[task]
    results = [
        evaluate_systems(task, dict(order), response, measure, ci=True, draws=200)
        for order in itertools.permutations(keys.items())
    ]
    first = results[0]
    for result in results[1:]:
        assert [(score.summary, score.one_left_out, score.interval) for score in result.scores] == [
            (score.summary, score.one_left_out, score.interval) for score in first.scores
        ]
        assert [(row.summary, row.interval) for row in result.people] == [
            (row.summary, row.interval) for row in first.people
        ]


def f1(weight: float, key: float, response: float) -> float:
    return 2 * weight / (key + response)


def test_entities_weigh_the_share_of_annotators_who_mark_them() -> None:
    """By hand: PER 3/3, LOC 1/3 and 1/3, ORG 1/3 and 2/3; the response has weights 1 + 1/3 + 1/3, of 8/3 in all."""
    votes = Counter((name, span) for key in ENTITIES.values() for name, spans in key.items() for span in spans)
    options = {(name, span) for name, spans in SYSTEM.items() for span in spans}
    weight, total = sum(votes[item] / 3 for item in options), sum(votes.values()) / 3
    assert (weight, total) == (pytest.approx(5 / 3), pytest.approx(8 / 3))
    score = evaluate_systems("entities", ENTITIES, SYSTEM, "f_measure")["x", "f_measure"]
    assert score.soft_value == pytest.approx(f1(weight, total, len(options)))


def test_pairs_of_mentions_weigh_the_share_of_annotators_who_put_them_in_one_chain() -> None:
    def pairs(chains: Any) -> set[tuple[int, ...]]:
        return {tuple(sorted(pair)) for chain in chains for pair in itertools.combinations(chain, 2)}

    votes = Counter(pair for chains in CHAINS.values() for pair in pairs(chains))
    actual = pairs(CASES["coref"][1])
    expected = f1(sum(votes[pair] / 3 for pair in actual), sum(votes.values()) / 3, len(actual))
    assert evaluate_systems("coref", CHAINS, [{1, 2}, {3, 4}], "pairs")["x", "pairs"].soft_value == pytest.approx(
        expected
    )
    assert expected == pytest.approx(2 * (4 / 3) / (2 + 2))  # 1–2 by all three, 3–4 by one of them


def test_tags_weigh_the_share_of_annotators_who_give_them() -> None:
    """N by all, V by two of three, A by one of three."""
    score = evaluate_systems("tagging", TAGS, [["N", "V", "A"]], "accuracy")["x", "accuracy"]
    assert score.soft_value == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)


def test_words_weigh_the_share_of_annotators_who_have_them() -> None:
    """*one* by all, *two* by two of three, *four* by nobody: errors 0 + 1/3 + 1, over 8/3 words."""
    score = evaluate_systems("speech", WORDS, ["one two four"], "wer")["x", "wer"]
    assert score.soft_value == pytest.approx((0 + 1 / 3 + 1) / (8 / 3))


def test_texts_weigh_the_same_however_many_annotators_they_have() -> None:
    keys = {"ann": {"a": [(0, 1, "X")], "b": [(0, 1, "X")]}, "ben": {"a": []}, "eve": {"a": [(0, 1, "X")]}}
    score = evaluate_systems("entities", keys, {"a": [(0, 1, "X")], "b": []}, "f_measure")["x", "f_measure"]
    weights = {"a": 2 / 3, "b": 1}
    assert score.soft_value == pytest.approx(f1(weights["a"], sum(weights.values()), 1))
    assert score.by_annotator["ben"] == 0.0  # of the one text that ben has


def test_people_are_scored_against_the_others() -> None:
    result = evaluate_systems("entities", ENTITIES, SYSTEM, "f_measure")
    persons = {person.system: person for person in result.ceiling("f_measure").persons}
    pairs = {
        pair: aune.score("entities", ENTITIES[pair[1]], ENTITIES[pair[0]], measures=["f_measure"])["f_measure"].f1
        for pair in itertools.permutations(ENTITIES, 2)
    }
    for (person, annotator), value in pairs.items():
        assert persons[person].by_annotator[annotator] == value
    assert result.ceiling("f_measure").expected_value == pytest.approx(sum(pairs.values()) / len(pairs))
    best = [max(pairs[person, other] for other in ENTITIES if other != person) for person in ENTITIES]
    assert result.ceiling("f_measure").summary.best == pytest.approx(sum(best) / 3)


def test_values_without_one_annotator_are_means_over_fewer_keys() -> None:
    score = evaluate_systems("entities", ENTITIES, SYSTEM, "f_measure")["x", "f_measure"]
    values = score.by_annotator
    expected = [max(values[name] or 0 for name in ENTITIES if name != left_out) for left_out in ENTITIES]
    assert score.one_left_out.best == pytest.approx(sum(expected) / 3)
    assert score.one_left_out.expected == pytest.approx(score.expected_value)


def test_people_without_a_common_text_are_not_compared() -> None:
    keys = {
        "ann": {"a": [(0, 1, "X")], "b": []},
        "ben": {"c": [(0, 1, "X")], "d": []},
        "eve": {"a": [(0, 1, "X")], "b": []},
    }
    result = evaluate_annotators("entities", keys, measures=["f_measure"])
    assert result.ceiling("f_measure").expected_value == 1.0
    assert any("share no text" in warning for warning in result.warnings)


def test_averages_over_labels_have_a_soft_value() -> None:
    result = evaluate_systems("entities", ENTITIES, SYSTEM, "macro(f_measure, by=label)")
    once = evaluate_systems(
        "entities", {"x": ENTITIES["ann"], "y": ENTITIES["ann"]}, SYSTEM, "macro(f_measure, by=label)"
    )
    assert result.scores[-1].soft_value is not None
    assert once.scores[-1].soft_value == once.scores[-1].expected_value


def test_intervals_contain_the_value_and_grow_with_disagreement() -> None:
    rng = random.Random(1)
    texts = {str(number): [(0, 1, "X"), (2, 3, "X")] for number in range(40)}
    system = {name: spans if rng.random() < 0.8 else [] for name, spans in texts.items()}
    other = {name: spans[:1] for name, spans in texts.items()}
    agreeing = evaluate_systems("entities", {"ann": texts, "ben": texts}, system, "f_measure", ci=True, draws=1000)
    differing = evaluate_systems("entities", {"ann": texts, "ben": other}, system, "f_measure", ci=True, draws=1000)
    widths = []
    for result in (agreeing, differing):
        score = result["x", "f_measure"]
        assert score.interval and score.expected_value is not None
        assert score.interval[0] <= score.expected_value <= score.interval[1]
        widths.append(score.interval[1] - score.interval[0])
    assert widths[1] > widths[0]


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one annotator"):
        evaluate_annotators("entities", {})
    with pytest.raises(UsageError, match="expected a system, or several annotators"):
        evaluate_annotators("entities", {"ann": ENTITIES["ann"]})


def test_tables_have_a_row_for_systems_and_people() -> None:
    (table,) = annotator_tables(evaluate_systems("entities", ENTITIES, SYSTEM, "f_measure"))
    assert [row[0] for row in table.rows] == ["x", "people", "· ann", "· ben", "· eve"]
    assert table.header == ("system", "ann", "ben", "eve", "expected", "best", "soft")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = {name: tmp_path / f"{name}.jsonl" for name in [*ENTITIES, "system"]}
    for name, texts in [*ENTITIES.items(), ("system", SYSTEM)]:
        lines = [json.dumps({"id": text, "unit": "token", "spans": spans}) for text, spans in texts.items()]
        paths[name].write_text("\n".join(lines) + "\n")
    keys = ",".join(str(paths[name]) for name in ENTITIES)
    common = ["score", "ner", "--keys", keys, str(paths["system"]), "-m", "f1"]
    assert run([*common, "--format", "json", "--ci"]) == 0
    envelope = json.loads(capsys.readouterr().out)
    expected = evaluate_systems("entities", ENTITIES, SYSTEM, "f_measure", ci=True)
    assert [entry["expected"] for entry in envelope["scores"]] == [score.expected_value for score in expected.scores]
    assert [entry["ci"] for entry in envelope["scores"]] == [list(score.interval or ()) for score in expected.scores]
    assert envelope["people"][-1]["expected"] == expected.ceiling("f_measure").expected_value
    assert run(common) == 0
    assert "people" in capsys.readouterr().out
    assert run([*common, "--by", "label"]) == 2
    assert "--keys compares annotators" in capsys.readouterr().err


PUBLISHED = {
    "AliceInWonderland": 90.53,
    "Emma": 81.96,
    "DavidCopperfield": 79.72,
    "Frankenstein": 73.87,
    "MobyDick": 73.93,
}
"""The F of the two annotators of novels, as counted apart from aune (README of the data)."""


def test_people_on_real_novels(data: Path) -> None:
    def record(novel: str, number: int) -> dict[str, Any]:
        lines = (data / "annotators" / "novels-ner" / f"{novel}.annotator{number}.tsv").read_text().splitlines()[1:]
        rows = [line.split("\t") for line in lines]
        return {"tokens": [row[0] for row in rows], "ner_tags": [row[1] for row in rows]}

    for novel, expected in PUBLISHED.items():
        result = evaluate_annotators(
            "entities", {str(number): record(novel, number) for number in (1, 2)}, measures=["f_measure"]
        )
        ceiling = result.ceiling("f_measure").expected_value
        assert ceiling is not None and round(100 * ceiling, 2) == expected


@pytest.mark.parametrize("task", TASKS)
def test_several_processes_give_the_same(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of three annotators, read in small pieces by two processes."""
    monkeypatch.setattr(streaming, "PIECE", 300)
    ann, ben = records(task, 12)
    versions = {"ann": ann, "ben": ben, "eve": [*ann[:6], *ben[6:]], "system": [*ben[:4], *ann[4:]]}
    paths = {name: str(tmp_path / f"{name}.jsonl") for name in versions}
    for name, documents in versions.items():
        Path(paths[name]).write_text(lines(documents))
    system = {"x": paths.pop("system")}
    expected, result = (
        evaluate_annotators(task, paths, system, ci=True, draws=50, unit="document", workers=workers).to_dict()
        for workers in (1, 2)
    )
    assert result == expected and len(result["annotators"]) == 3


def test_documents_are_drawn_where_only_some_keys_mark_speakers() -> None:
    marked = [
        {"id": f"{d}-{n}", "text": "a b c", "document": d, "speaker": "Ann" if d in "pq" else "Ben"}
        for d in "pqrs"
        for n in range(3)
    ]
    plain = [{name: value for name, value in record.items() if name != "speaker"} for record in marked]
    response = [{**record, "text": "a b"} for record in plain]
    for keys in ({"ann": marked, "ben": plain}, {"ben": plain, "ann": marked}):
        result = evaluate_annotators("speech", keys, {"x": response}, measures=["wer"], ci=True, draws=50)
        assert result.to_dict()["scores"]
