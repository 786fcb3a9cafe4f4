from __future__ import annotations

from aune.core.registry import measure

COST = measure("entities.detection_cost")


def test_costs_of_misses_and_false_alarms() -> None:
    key = [(0, 2, "A"), (4, 6, "A"), (8, 9, "A"), (11, 12, "A")]
    response = [(1, 3, "B"), (20, 21, "A"), (22, 23, "A")]
    assert COST(key, response).cost == (3 + 2) / 4
    assert COST(key, response, miss_cost=2.0, false_alarm_cost=0.5).cost == (6 + 1) / 4
    assert COST([], response).cost is None
