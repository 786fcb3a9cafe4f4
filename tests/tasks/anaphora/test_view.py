"""Passages of GAP as pages show them, from our own sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.contract.views import View
from aune.reading.corpus import read
from aune.tasks.anaphora import TASK
from aune.tasks.anaphora.comparison import Comparison

SAMPLE = Path(__file__).parent / "formats" / "samples" / "gap-one.tsv"
"""Ann saw Bo; she left. She is Ann."""


def compare_sides(answers: str, folder: Path) -> Comparison:
    response = folder / "answers.tsv"
    response.write_text(f"ID\tA-coref\tB-coref\nt-1\t{answers}\n")
    [key], [arguments] = read(TASK, SAMPLE).documents, read(TASK, response).documents
    comparison: Comparison = TASK.comparing.compare([(key, arguments)])
    return comparison


@pytest.mark.parametrize(
    ("answers", "groups", "right"),
    [
        ("TRUE\tFALSE", {"she": 0, "Ann": 0, "Bo;": 1}, True),
        ("FALSE\tTRUE", {"she": 0, "Ann": 1, "Bo;": 0}, False),
        ("FALSE\tFALSE", {"she": 0, "Ann": 1, "Bo;": 2}, False),
    ],
)
def test_a_passage(answers: str, groups: dict[str, int], right: bool, tmp_path: Path) -> None:
    assert TASK.explaining.view is not None
    comparison = compare_sides(answers, tmp_path)
    [view] = list(TASK.explaining.view(comparison))
    assert isinstance(view, View) and list(view.words) == ["Ann", "saw", "Bo;", "she", "left."]
    assert {view.words[span.start]: span.group for span in view.key} == {"she": 0, "Ann": 0, "Bo;": 1}
    assert {view.words[span.start]: span.group for span in view.response} == groups
    assert {view.words[span.start] for span in view.response if span.error} == (set() if right else {"she"})
    confusion = TASK.explaining.confusion(comparison)
    assert confusion is not None and confusion.right["she"] == right


def test_holdings() -> None:
    assert TASK.reading.content_counts(read(TASK, SAMPLE).documents) == {
        "kinds": 3, "texts": 3, "attributes": 1, "candidates": 1, "chains": 0,
    }  # fmt: skip
