"""The list of errors adds up to SER."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

from aune.contract.registry import measure
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.errors import errors
from aune.tasks.entities.model import Document, documents

spans = runpy.run_path(str(Path(__file__).parent / "strategies.py"))["spans"]
Triple = tuple[int, int, str]


def pair(key: object, response: object) -> tuple[Document, Document]:
    return documents(key)[0], documents(response)[0]


@given(spans(), spans())
def test_counts_and_costs_are_those_of_ser(key: list[Triple], response: list[Triple]) -> None:
    cases = errors(compare([pair(key, response)]))
    counts = measure("entities.ser")(key, response).counts
    kinds = Counter(case.kind for case in cases)
    assert kinds == {kind: counts[kind] for kind in kinds}
    assert sum(kinds.values()) == sum(counts[kind] for kind in counts if kind not in ("correct", "cost", "key"))
    assert sum(case.cost for case in cases) == pytest.approx(counts["cost"])


def test_a_case_shows_the_text() -> None:
    tokens = ["il", "vit", "à", "la", "gare", "de", "Rungis", "depuis", "hier"]
    key = {"tokens": tokens, "spans": [(4, 7, "loc.fac")]}
    response = {"tokens": tokens, "spans": [(6, 7, "pers.ind"), (8, 9, "time.date.rel")]}
    first, second = errors(compare([pair(key, response)]))
    assert (first.kind, first.key, first.response) == ("type_boundary", "loc.fac “gare de Rungis”", "pers.ind “Rungis”")
    assert first.place == (4, 7) and first.context == "il vit à la [ gare de Rungis ] depuis hier"
    assert first.attributes == {
        "label": "loc.fac", "key_label": "loc.fac", "response_label": "pers.ind", "edge": "left", "level": "entity",
    }  # fmt: skip
    assert (second.kind, second.key, second.response) == ("insertion", "", "time.date.rel “hier”")
