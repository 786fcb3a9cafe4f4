"""Texts that models rewrote with their mentions marked."""

from __future__ import annotations

from pathlib import Path

from aune.core import registry
from aune.core.corpus import read
from aune.tasks.coref.model import token_spans

SAMPLES = Path(__file__).parent / "samples"


def test_marks_nest_and_plain_brackets_are_text() -> None:
    first, second = read(registry.task("coref"), SAMPLES / "inline_text-answers.jsonl").documents
    assert first.tokens == ["Marie", "dit", "que", "sa", "sœur", "viendra", "[", "sic", "]", "."]
    assert token_spans(first).tolist() == [[0, 1], [3, 4], [3, 5]]
    assert first.chains.tolist() == [0, 0, 1]
    assert len(second) == 0
