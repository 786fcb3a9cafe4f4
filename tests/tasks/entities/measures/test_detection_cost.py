from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.entities.pairings import Triple, all_pairings

COST = measure("entities.detection_cost")


def test_costs_of_misses_and_false_alarms() -> None:
    key = [(0, 2, "A"), (4, 6, "A"), (8, 9, "A"), (11, 12, "A")]
    response = [(1, 3, "B"), (20, 21, "A"), (22, 23, "A")]
    assert COST(key, response).cost == (3 + 2) / 4
    assert COST(key, response, miss_cost=2.0, false_alarm_cost=0.5).cost == (6 + 1) / 4
    assert COST([], response).cost is None


def test_components_and_second_labels_are_no_entities() -> None:
    """The example of the documentation: two ministers, each with components, and one of them is missed."""
    minister = [(0, 2, "func.ind"), (0, 1, "qualifier"), (1, 2, "kind")]
    score = COST([*minister, (4, 5, "func.ind"), (4, 5, "kind")], minister, typology="quaero")
    assert score.cost == 0.5 and score.counts == {"missed": 1, "false_alarms": 0, "key": 2}
    town = [(4, 5, "loc.adm.town"), (4, 5, "org.ent")]
    assert COST(town, []).counts == {"missed": 1, "false_alarms": 0, "key": 1}
    assert COST(town, town[:1]).cost == 0


spans = runpy.run_path(str(Path(__file__).parent.parent / "strategies.py"))["spans"]


@given(spans(5, 7), spans(5, 7))
def test_as_many_pairs_as_can_be(key: list[Triple], response: list[Triple]) -> None:
    """Every pair costs less than an omission and an insertion, so that SER pairs as many as possible."""
    key, response = ([(start, end, "A") for start, end in {span[:2]: 0 for span in side}] for side in (key, response))
    pairs = max(map(len, all_pairings(key, response)))
    cost = 3.0 * (len(key) - pairs) + 0.25 * (len(response) - pairs)
    result = COST(key, response, miss_cost=3.0, false_alarm_cost=0.25).cost
    assert result == (pytest.approx(cost / len(key)) if key else None)
