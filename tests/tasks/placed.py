"""What the tests of the unplaced rate share: the numbers by status, of which the two that matter are sums."""

from __future__ import annotations

from typing import Any

PLACED = ("exact", "normalised", "approximate", "moved")


def by_status(**numbers: int) -> dict[str, int]:
    """All that is counted, from the numbers that are not 0."""
    unplaced = sum(number for status, number in numbers.items() if status not in PLACED)
    every = dict.fromkeys((*PLACED, "absent", "repeated", "unlike", "out_of_order", "cut_off"), 0)
    return {"unplaced": unplaced, "given": sum(numbers.values()), **every, **numbers}


def unplaced_and_given(score: Any) -> tuple[float, float]:
    """The two numbers, of which those by status are parts."""
    unplaced, value, *statuses = score.counts.values()
    assert (sum(statuses), sum(statuses[len(PLACED) :])) == (value, unplaced)
    return unplaced, value
