"""Whether one measure is always more indulgent than another (IS, Popescu-Belis 1999, §2.3.3 and PROP. 8).

m₁ is more indulgent than m₂ if its value is never lower, for any key and response. This is tested on every pair of a
universe of small documents, or on every document of a corpus. Only values of the same kind are compared: recall with
recall, precision with precision, F with F; a measure with a single value is compared with all of them. Pairs on which
one of the two is undefined are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import Column, Measure
from aune.contract.small_worlds import Universe
from aune.meta.audit import SIZE, TOLERANCE, task_universe
from aune.meta.pair_scores import pair_values
from aune.results.result import Result
from aune.results.rows import group

PAIRS_AT_ONCE = 200_000  # limits memory: all pairs of partitions of seven mentions fit


class Ordering(NamedTuple):
    """Two values, and whether one is never below the other."""

    first: str
    second: str
    relation: str
    """≥ or ≤ if one is never below the other, = if they are equal, and ≷ otherwise."""
    cases: int
    above: str | None
    """A case in which the first value is above the second."""
    below: str | None


def severity(
    measures: Sequence[Measure],
    *,
    task: str | None = None,
    size: int = SIZE,
    convention: str | None = None,
    **options: Any,
) -> list[Ordering]:
    """Every pair of values of measures of one task (the first one's), over all pairs of small documents.

    >>> pair = [registry.measure("coref.muc"), registry.measure("coref.core")]
    >>> comparisons = severity(pair, size=4, convention="partition")
    >>> [(entry.first, entry.relation, entry.second) for entry in comparisons][0]
    ('coref.muc.recall', '≥', 'coref.core.recall')
    """
    home = registry.task(task or measures[0].task)
    world = task_universe(home.name)
    world.check(size)
    tally = _OrderingTally(list(comparable_values(measures)))
    for count in [size] if world.nested else range(2, size + 1):
        documents = world.documents(count)
        rows = max(1, PAIRS_AT_ONCE // max(1, len(documents)))
        for start in range(0, len(documents), rows):
            pairs = [(key, response) for key in documents[start : start + rows] for response in documents]
            tally.add(pair_values(home, measures, pairs, convention, **options), partial(_pair_text, world, pairs))
    return tally.orderings()


def result_severity(result: Result) -> list[Ordering]:
    """Every pair of values of the measures of a result, over its systems and documents."""
    tally = _OrderingTally(list(comparable_values(result.measures)))
    for system in result.systems:
        scores = [result[system, measure.name] for measure in result.measures]
        tables = [group(score.rows, "document") for score in scores]
        values = [score.score_sums(table.matrix, table.layout) for score, table in zip(scores, tables, strict=True)]
        tally.add(values, partial(_document_text, system, tables[0].attributes["document"]))
    return tally.orderings()


def _pair_text(world: Universe, pairs: Sequence[tuple[Any, Any]], case: int) -> str:
    key, response = pairs[case]
    return f"K={world.show(key)} R={world.show(response)}"


def _document_text(system: str, documents: Sequence[str], case: int) -> str:
    return f"{system} on {documents[case]}"


class MeasureValue(NamedTuple):
    """One value of one measure, by their indices."""

    measure: int
    name: str
    label: str


def comparable_values(measures: Sequence[Measure]) -> Iterator[tuple[MeasureValue, MeasureValue]]:
    """The pairs of values that can be compared: of the same kind, and both better when higher."""
    values = [
        MeasureValue(place, value, f"{measure.name}.{value}")
        for place, measure in enumerate(measures)
        for value in measure.values
        if measure.better_of(value) == "higher"
    ]
    for first, second in combinations(values, 2):
        single = 1 in (len(measures[first.measure].values), len(measures[second.measure].values))
        if first.measure != second.measure and (first.name == second.name or single):
            yield first, second


class _OrderingTally:
    """The evidence of the cases so far on each pair of values."""

    def __init__(self, pairs: list[tuple[MeasureValue, MeasureValue]]) -> None:
        self.pairs = pairs
        self.cases = [0] * len(pairs)
        self.above: list[str | None] = [None] * len(pairs)
        self.below: list[str | None] = [None] * len(pairs)

    def add(self, values: Sequence[Mapping[str, Column]], show: Callable[[int], str]) -> None:
        for place, (first, second) in enumerate(self.pairs):
            first_values, second_values = values[first.measure][first.name], values[second.measure][second.name]
            self.cases[place] += int((~np.isnan(first_values + second_values)).sum())
            for difference, examples in (
                (first_values - second_values, self.above),
                (second_values - first_values, self.below),
            ):
                if examples[place] is None and (difference > TOLERANCE).any():
                    case = int(np.argmax(difference > TOLERANCE))
                    examples[place] = f"{show(case)}: {first_values[case]:.4g} and {second_values[case]:.4g}"

    def orderings(self) -> list[Ordering]:
        return [
            Ordering(first.label, second.label, RELATIONS[above is not None, below is not None], cases, above, below)
            for (first, second), cases, above, below in zip(self.pairs, self.cases, self.above, self.below, strict=True)
        ]


RELATIONS = {(True, False): "≥", (False, True): "≤", (False, False): "=", (True, True): "≷"}
