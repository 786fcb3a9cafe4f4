"""Entities as language models list them in plain text."""

from __future__ import annotations

import json

from tests.tasks.formats import read_with_warnings


def test_bullets_numbers_and_quotes_are_taken_off_and_prose_is_passed_over() -> None:
    answer = 'Answer:\n- Laurent Blanc (PER)\n2. "Lyon" (LOC)\nnothing else'
    (one,), _ = read_with_warnings("entities", "llm_lines", json.dumps({"id": "d", "answer": answer}))
    assert [(item.string, item.label) for item in one.listed] == [("Laurent Blanc", "PER"), ("Lyon", "LOC")]


def test_an_answer_that_says_so_lists_nothing() -> None:
    (one,), warnings = read_with_warnings("entities", "llm_lines", json.dumps({"id": "d", "answer": "no entities"}))
    assert not one.listed and warnings == []
