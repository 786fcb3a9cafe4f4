"""What the tests of batches share: the same counted by the comparison, and added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import aune
from aune.contract import registry
from aune.contract.measure import flatten


def by_comparison(measure: str, key: Any, response: Any) -> tuple[list[float], dict[Any, int]]:
    """The totals of a measure over one document, and the facts that are not 0."""
    counted = registry.measure(measure)
    home = registry.task(counted.task)
    [pair] = zip(home.reading.documents(key), home.reading.documents(response), strict=True)
    comparison = home.comparing.compare([pair])
    facts = {fact: number for fact, number in comparison.facts.items() if number}
    return flatten(counted.count_part(comparison, {})).sum(axis=0).tolist(), facts


def assert_added_up(task: str, measure: str, batches: Sequence[tuple[Any, Any]]) -> None:
    """Batches that are added one by one give what scoring them at once gives."""
    scores = aune.accumulate(task, measures=[measure])
    for key, response in batches:
        scores.add(key, response)
    sides = ({str(number): batch[side] for number, batch in enumerate(batches)} for side in (0, 1))
    whole, added = aune.score(task, *sides, measures=[measure]), scores.result()
    assert added[measure].values == whole[measure].values
    assert added[measure].signature == whole[measure].signature
    assert added.warnings == whole.warnings
