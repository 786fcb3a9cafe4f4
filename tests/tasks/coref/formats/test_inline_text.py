"""Texts that models rewrote with their mentions marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.coref.model import token_spans
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"


def test_marks_nest_and_plain_brackets_are_text() -> None:
    first, second = read(registry.task("coref"), SAMPLES / "inline_text-answers.jsonl").documents
    assert first.tokens == ["Marie", "dit", "que", "sa", "sœur", "viendra", "[", "sic", "]", "."]
    assert token_spans(first).tolist() == [[0, 1], [3, 4], [3, 5]]
    assert first.chains.tolist() == [0, 0, 1]
    assert len(second) == 0


@pytest.mark.parametrize("mark", ["[{}]{}", "[{}]_{}", "[{}](#cluster_{})", "[{}]({})", "[{}]{{e{}}}"])
def test_every_way_of_marking_gives_the_same_chains(mark: str) -> None:
    answer = f"{mark.format('Marie', 1)} voit {mark.format(mark.format('sa', 1) + ' sœur', 2)}."
    check(answer)


@pytest.mark.parametrize("mark", ["<m id='{}'>{}</m>", '<mention chain="#c{}">{}</mention>', "<e{0}>{1}</e{0}>"])
def test_every_mark_around_a_mention_gives_the_same_chains(mark: str) -> None:
    check(f"{mark.format(1, 'Marie')} voit {mark.format(2, mark.format(1, 'sa') + ' sœur')}.")


def check(answer: str) -> None:
    (text,) = read_text("coref", "inline_text", json.dumps({"id": "d", "answer": answer}))
    assert text.tokens == ["Marie", "voit", "sa", "sœur", "."]
    assert token_spans(text).tolist() == [[0, 1], [2, 3], [2, 4]]
    assert text.chains.tolist() == [0, 0, 1]


@pytest.mark.parametrize("answer", ["", " \n", "<think>Ann may be"])
def test_an_answer_without_text_is_refused(answer: str) -> None:
    [message] = messages("coref", "inline_text", json.dumps({"id": "d", "answer": answer}))
    assert "found an empty answer, expected the text with marks" in message


def test_a_mark_that_is_not_closed_is_a_problem() -> None:
    [message] = messages("coref", "inline_text", json.dumps({"id": "d", "answer": "<m id=1>Marie voit [Paul]2"}))
    assert "found 1 marks alone, the first '<m id=1>'" in message


def test_a_file_without_a_single_mark_is_reported(tmp_path: Path) -> None:
    """The text form of the CRAC shared task has marks of another kind."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "d", "answer": "NASA|[e1] celebrates 30th|[e2 anniversary|e2]"}))
    corpus = read(registry.task("coref"), str(path), "inline_text")
    assert sum(map(len, corpus.documents)) == 0
    assert any("no mention was found: expected marks such as" in note for note in corpus.warnings)
