"""Planted errors come first, their edits put them right, and order changes nothing."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

import aune
from aune.contract import registry
from aune.corrections.document_diffs import documents_differ
from aune.corrections.item_edits import edit_documents
from aune.doubtful_items.ranking import ADAPTORS, rank_doubts
from aune.errors import UsageError
from aune.explain.correction_effects import ScoredRuns, read_runs
from aune.reading.corpus import read

SENTENCES = [
    [("Ann", "N"), ("sees", "V"), ("the", "D"), ("house", "N")],
    [("the", "D"), ("dog", "N"), ("sees", "V"), ("Ann", "N")],
    [("Bob", "N"), ("left", "V"), ("the", "D"), ("dog", "N")],
]


def tagged_sides() -> tuple[Any, Any]:
    right = {f"d{number}": SENTENCES[number % 3] for number in range(12)}
    wrong = {**right, "d7": [("the", "D"), ("dog", "V"), ("sees", "V"), ("Ann", "N")]}
    return wrong, right


def entities() -> tuple[Any, Any]:
    texts = [[("Ann", "B-PER"), ("met", "O"), ("Bob", "B-PER"), ("in", "O"), ("Rome", "B-LOC")] for _ in range(12)]
    right = {f"d{number}": text for number, text in enumerate(texts)}
    wrong = {**right, "d7": [("Ann", "B-PER"), ("met", "O"), ("Bob", "O"), ("in", "O"), ("Rome", "B-LOC")]}
    return wrong, right


def chains() -> tuple[Any, Any]:
    right = {f"d{number}": [[(0, 1), (3, 4), (6, 7)], [(1, 2), (5, 6)]] for number in range(6)}
    wrong = {**right, "d4": [[(0, 1), (3, 4)], [(1, 2), (5, 6), (6, 7)]]}
    return wrong, right


def anaphors() -> tuple[Any, Any]:
    right = {f"d{number}": {"he": "Ann" if number % 2 else "Bob"} for number in range(12)}
    return {**right, "d7": {"he": "Bob"}}, right


def transcripts() -> tuple[Any, Any]:
    right = {f"u{number}": "good morning and welcome to the call" for number in range(12)}
    return {**right, "u7": "good morning and welcome the call"}, right


PLANTED = {"tagging": tagged_sides, "entities": entities, "coref": chains, "anaphora": anaphors, "speech": transcripts}
WHERE = {"tagging": "d7", "entities": "d7", "coref": "d4", "anaphora": "d7", "speech": "u7"}


def test_every_task_has_doubts() -> None:
    assert set(ADAPTORS) == set(registry.task_names()) == set(PLANTED)


@pytest.mark.parametrize("task", PLANTED)
def test_a_planted_error_comes_first_and_its_edit_puts_it_right(task: str) -> None:
    wrong, right = PLANTED[task]()
    doubts = rank_doubts(task, wrong, {"a": right, "b": right})
    first = doubts.rows[0]
    assert first.document == WHERE[task]
    assert first.edit is not None
    key, corrected = (read(registry.task(task), data).documents for data in (wrong, right))
    edited = edit_documents(task, key, first.document, first.edit)
    assert not any(documents_differ(task, *pair) for pair in zip(edited, corrected, strict=True))
    assert {effect.system for effect in first.effects if effect.change} == {"a", "b"}


@pytest.mark.parametrize("task", PLANTED)
def test_the_effect_of_a_correction_is_that_of_scoring_again(task: str) -> None:
    wrong, right = PLANTED[task]()
    runs = read_runs(task, wrong, {"a": right, "b": wrong}, [], {})
    [row, *_] = [row for row in rank_doubts(task, wrong, {"a": right, "b": right}).rows if row.edit]
    assert row.edit is not None
    [effects] = runs.effects([(row.document, row.edit)])
    documents = edit_documents(task, runs.key.documents, row.document, row.edit)
    again = runs.score(replace(runs.key, documents=documents), runs.responses)
    assert [effect.after for effect in effects] == pytest.approx([again[name, runs.measure].main for name in "ab"])
    assert [effect.before for effect in effects] == [score.main for score in runs.scores]
    assert [effect.rank_after for effect in effects] == [1, 2]


def test_effects_of_averages_over_documents_are_those_of_scoring_again() -> None:
    wrong, right = tagged_sides()
    runs = read_runs("tagging", wrong, {"a": right}, ["macro(accuracy, by=document)"], {})
    [[effect]] = runs.effects([("d7", {"word": 1, "tags": "N"})])
    assert effect.after == pytest.approx(1.0)
    assert effect.before == pytest.approx(1 - 1 / 48)


@pytest.mark.parametrize("task", PLANTED)
def test_order_changes_nothing(task: str) -> None:
    wrong, right = PLANTED[task]()
    systems = {"a": right, "b": wrong}
    doubts = rank_doubts(task, wrong, systems)
    reverse = {name: dict(reversed(list(data.items()))) for name, data in reversed(list(systems.items()))}
    other = rank_doubts(task, dict(reversed(list(wrong.items()))), reverse)
    keys = [(row.document, row.place, row.suggestion, row.score) for row in doubts.rows]
    assert keys == [(row.document, row.place, row.suggestion, row.score) for row in other.rows]


@pytest.mark.parametrize("task", PLANTED)
def test_annotators_are_evidence_without_systems(task: str) -> None:
    wrong, right = PLANTED[task]()
    result = aune.doubts(task, wrong, keys={"ann": right, "ben": right})
    assert (result.rows[0].document, result.rows[0].evidence["annotators"]) == (WHERE[task], 1.0)
    assert result.rows[0].effects == ()
    assert result.rows[0].supporters == ("ann", "ben")


def test_a_key_alone_has_doubts() -> None:
    result = aune.doubts("tagging", tagged_sides()[0])
    assert (result.rows[0].document, result.rows[0].key, result.rows[0].suggestion) == ("d7", "V", "N")
    assert set(result.rows[0].evidence) == {"strings", "model"}


def test_a_key_that_all_agree_with_has_no_doubt_by_systems() -> None:
    _, right = entities()
    doubts = rank_doubts("entities", right, {"a": right, "b": copy.deepcopy(right)})
    assert {row.evidence["systems"] for row in doubts.rows} <= {0.0}


def test_an_annotator_is_no_system() -> None:
    wrong, right = tagged_sides()
    with pytest.raises(UsageError, match="a: found among the systems and among the annotators"):
        aune.doubts("tagging", wrong, {"a": right}, keys={"a": right})


def test_the_list_as_data_and_in_every_format() -> None:
    wrong, right = tagged_sides()
    doubts = rank_doubts("tagging", wrong, {"a": right}, limit=3)
    data = json.loads(doubts.to("json"))
    assert (data["aune"], data["task"], data["items"], len(data["doubts"])) == ("doubts", "tagging", 48, 3)
    assert data["doubts"][0]["correction"] == "“dog” (word 1): V becomes N"
    for format in ("table", "csv", "tsv", "markdown", "latex", "html"):
        assert "dog" in doubts.to(format)


def test_texts_in_characters_have_doubts_too() -> None:
    texts = {f"d{number}": {"text": "Ann met Bob", "spans": [(0, 3, "PER"), (8, 11, "PER")]} for number in range(8)}
    wrong = {**texts, "d3": {"text": "Ann met Bob", "spans": [(0, 3, "LOC"), (8, 11, "PER")]}}
    [first, *_] = rank_doubts("entities", wrong, {"a": texts}).rows
    assert (first.document, first.key, first.suggestion) == ("d3", "Ann LOC", "Ann PER")
    assert first.edit == {"remove": [0, 3, "LOC"], "add": [0, 3, "PER"]}


def test_words_of_a_transcript_are_replaced() -> None:
    runs = ScoredRuns("speech", read(registry.task("speech"), {"u": "a b c"}), {}, "wer")
    [edited] = edit_documents("speech", runs.key.documents, "u", {"words": [1, 2], "text": "x y"})
    assert list(edited.words) == ["a", "x", "y", "c"]
    with pytest.raises(UsageError, match="there are 3 words"):
        edit_documents("speech", runs.key.documents, "u", {"words": [3, 9], "text": ""})
