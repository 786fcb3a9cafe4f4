"""MUC's counts under the four schemas, on the seven scenarios of the SemEval 2013 task."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from tests.tasks.entities.pairings import WRONG, Triple, best_pairings, kind_of

MUC = measure("entities.muc")
KEY = [(0, 2, "A"), (4, 6, "A"), (8, 9, "A"), (11, 14, "A"), (16, 18, "A"), (20, 21, "A")]
RESPONSE = [(0, 2, "A"), (4, 6, "B"), (11, 13, "A"), (15, 18, "B"), (20, 21, "A"), (25, 26, "C")]
# exact, wrong label, missed, wrong boundary, both wrong, exact, spurious


@pytest.mark.parametrize(
    ("schema", "correct", "incorrect", "partial"),
    [("strict", 2, 3, 0), ("exact", 3, 2, 0), ("partial", 3, 0, 2), ("type", 3, 2, 0)],
)
def test_schemas(schema: str, correct: int, incorrect: int, partial: int) -> None:
    score = MUC(KEY, RESPONSE, schema=schema)
    assert score.counts == {
        "correct": correct, "incorrect": incorrect, "partial": partial, "missing": 1, "spurious": 1,
    }  # fmt: skip
    good = correct + partial / 2
    assert (score.recall, score.precision) == (good / 6, good / 6)


def test_pairs_go_with_the_label_of_the_key() -> None:
    counts = MUC(KEY, RESPONSE).counts_by("label")
    assert counts["A"]["incorrect"] == 3
    assert counts["C"] == {"correct": 0, "incorrect": 0, "partial": 0, "missing": 0, "spurious": 1}


spans = runpy.run_path(str(Path(__file__).parent.parent / "strategies.py"))["spans"]


CREDIT = {
    "strict": {"correct": 1.0},
    "exact": {"correct": 1.0, "type": 1.0, "subtype": 1.0},
    "partial": {
        "correct": 1.0, "type": 1.0, "subtype": 1.0, "boundary": 0.5, "type_boundary": 0.5, "subtype_boundary": 0.5,
    },
    "type": {"correct": 1.0, "boundary": 1.0},
}  # fmt: skip


def slow_counts(key: list[Triple], response: list[Triple], schema: str) -> dict[str, int]:
    """The five counts by trying every pairing; all the best ones must give the same."""
    credit = {kind: CREDIT[schema].get(kind, 0.0) for kind in WRONG}
    tables = []
    for pairs in best_pairings(key, response, credit):
        worth = [credit[kind_of(*pair)] for pair in pairs]
        alone = {"missing": len(key) - len(pairs), "spurious": len(response) - len(pairs)}
        tables.append({"correct": worth.count(1), "incorrect": worth.count(0), "partial": worth.count(0.5), **alone})
    assert all(table == tables[0] for table in tables)
    return tables[0]


@given(spans(5, 7), spans(5, 7), st.sampled_from(sorted(CREDIT)))
def test_counts_by_trying_every_pairing(key: list[Triple], response: list[Triple], schema: str) -> None:
    assert MUC(key, response, schema=schema).counts == slow_counts(key, response, schema)
