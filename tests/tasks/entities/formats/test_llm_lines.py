"""Entities as language models list them in plain text."""

from __future__ import annotations

import json

import pytest

from tests.tasks.formats import messages, read_with_warnings


def test_bullets_numbers_and_quotes_are_taken_off_and_prose_is_passed_over() -> None:
    answer = 'Answer:\n- Laurent Blanc (PER)\n2. "Lyon" (LOC)\nnothing else'
    (entry,), _ = read_with_warnings("entities", "llm_lines", json.dumps({"id": "d", "answer": answer}))
    assert [(item.string, item.label) for item in entry.listed] == [("Laurent Blanc", "PER"), ("Lyon", "LOC")]


def test_an_answer_that_says_so_lists_nothing() -> None:
    (item,), warnings = read_with_warnings("entities", "llm_lines", json.dumps({"id": "d", "answer": "no entities"}))
    assert not item.listed and warnings == []


@pytest.mark.parametrize(
    "answer",
    [
        "- **Laurent Blanc** (PER)\n- **Lyon** (LOC)", "* `Laurent Blanc` → **PER**\n* `Lyon` → LOC",
        "Laurent Blanc (PER), Lyon (LOC)", "Laurent Blanc (person); Lyon (location).",
        "Laurent Blanc（PER）、Lyon（LOC）", "Laurent Blanc（PER）\nLyon（LOC）。",
        "1. «Laurent Blanc» -> PER\n2. Lyon => LOC",
        "| Entity | Type |\n|---|:-:|\n| Laurent Blanc | PER |\n| Lyon | LOC |",
        "Here:\n\n| # | Label | Text |\n|--|--|--|\n| 1 | **PER** | Laurent Blanc |\n| 2 | LOC | *Lyon* |",
    ],
)  # fmt: skip
def test_ways_of_writing_a_line(answer: str) -> None:
    (entry,), _ = read_with_warnings("entities", "llm_lines", json.dumps({"id": "d", "answer": answer}))
    labels = {"person": "PER", "location": "LOC"}
    result = [(item.string, labels.get(item.label, item.label)) for item in entry.listed]
    assert result == [("Laurent Blanc", "PER"), ("Lyon", "LOC")]


@pytest.mark.parametrize(
    "answer", ["Lyon: LOC", "LOC: Lyon, Paris", "Lyon - LOC", "| Type | Entities |\n|--|--|\n| LOC | Lyon, Paris |",
               "| a | b |\n|--|--|\n| Lyon | LOC |", "Lyon B-LOC"],
)  # fmt: skip
def test_lines_whose_sides_cannot_be_told_are_refused(answer: str) -> None:
    [message] = messages("entities", "llm_lines", json.dumps({"id": "d", "answer": answer}))
    assert "expected lines `string (LABEL)`" in message
