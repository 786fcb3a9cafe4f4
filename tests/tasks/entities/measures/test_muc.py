"""MUC's counts under the four schemas, on the seven scenarios of the SemEval 2013 task."""

from __future__ import annotations

import pytest

from aune.core.registry import measure

MUC = measure("entities.muc")
KEY = [(0, 2, "A"), (4, 6, "A"), (8, 9, "A"), (11, 14, "A"), (16, 18, "A"), (20, 21, "A")]
RESPONSE = [(0, 2, "A"), (4, 6, "B"), (11, 13, "A"), (15, 18, "B"), (20, 21, "A"), (25, 26, "C")]
# exact, wrong label, missed, wrong boundary, both wrong, exact, spurious


@pytest.mark.parametrize(
    ("schema", "correct", "incorrect", "partial"),
    [("strict", 2, 3, 0), ("exact", 3, 2, 0), ("partial", 3, 0, 2), ("type", 3, 2, 0)],
)
def test_schemas(schema: str, correct: int, incorrect: int, partial: int) -> None:
    found = MUC(KEY, RESPONSE, schema=schema)
    assert found.counts == {
        "correct": correct, "incorrect": incorrect, "partial": partial, "missing": 1, "spurious": 1,
    }  # fmt: skip
    good = correct + partial / 2
    assert (found.recall, found.precision) == (good / 6, good / 6)


def test_pairs_go_with_the_label_of_the_key() -> None:
    counts = MUC(KEY, RESPONSE).counts_by("label")
    assert counts["A"]["incorrect"] == 3
    assert counts["C"] == {"correct": 0, "incorrect": 0, "partial": 0, "missing": 0, "spurious": 1}
