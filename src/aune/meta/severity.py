"""Is one measure always more indulgent than another (IS, Popescu-Belis 1999, §2.3.3 and PROP. 8).

m₁ is more indulgent than m₂ when it never gives less, whatever the key and the response. Over a universe of small
documents this is tried on every pair, over a corpus on every document. Values are compared with their like: recall with
recall, precision with precision, F with F; a measure with a single value is compared with all of them. Pairs on which
one of the two is undefined say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from aune.core import registry
from aune.core.measure import Column, Measure
from aune.core.result import Result
from aune.core.rows import group
from aune.core.universe import Universe
from aune.meta.audit import SIZE, TOLERANCE, universe
from aune.meta.trial import values_of

BATCH = 200_000  # pairs at once, so that all pairs of partitions of seven mentions fit in memory


class Ordering(NamedTuple):
    """Two values, and whether one is never below the other."""

    first: str
    second: str
    relation: str
    """≥ or ≤ when one is never below the other, = when they are the same, and ≷ when neither."""
    cases: int
    above: str | None
    """A case in which the first is above the second."""
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
    >>> found = severity(pair, size=4, convention="partition")
    >>> [(one.first, one.relation, one.second) for one in found][0]
    ('coref.muc.recall', '≥', 'coref.core.recall')
    """
    home = registry.task(task or measures[0].task)
    world = universe(home.name)
    world.check(size)
    tried = _Tried(list(comparable(measures)))
    for count in [size] if world.nested else range(2, size + 1):
        documents = world.documents(count)
        rows = max(1, BATCH // max(1, len(documents)))
        for start in range(0, len(documents), rows):
            pairs = [(key, response) for key in documents[start : start + rows] for response in documents]
            tried.add(values_of(home, measures, pairs, convention, **options), partial(_shown, world, pairs))
    return tried.orderings()


def severity_of(result: Result) -> list[Ordering]:
    """Every pair of values of the measures of a result, over its systems and documents."""
    tried = _Tried(list(comparable(result.measures)))
    for system in result.systems:
        scores = [result[system, measure.name] for measure in result.measures]
        piles = [group(score.rows, "document") for score in scores]
        values = [score.scores_of(pile.matrix, pile.layout) for score, pile in zip(scores, piles, strict=True)]
        tried.add(values, partial(_named, system, piles[0].attributes["document"]))
    return tried.orderings()


def _shown(world: Universe, pairs: Sequence[tuple[Any, Any]], case: int) -> str:
    key, response = pairs[case]
    return f"K={world.show(key)} R={world.show(response)}"


def _named(system: str, documents: Sequence[str], case: int) -> str:
    return f"{system} on {documents[case]}"


class Value(NamedTuple):
    """One value of one measure, by their places."""

    measure: int
    name: str
    label: str


def comparable(measures: Sequence[Measure]) -> Iterator[tuple[Value, Value]]:
    """The pairs of values that it makes sense to compare: both better when higher, and alike."""
    values = [
        Value(place, value, f"{measure.name}.{value}")
        for place, measure in enumerate(measures)
        for value in measure.values
        if measure.better_of(value) == "higher"
    ]
    for first, second in combinations(values, 2):
        single = 1 in (len(measures[first.measure].values), len(measures[second.measure].values))
        if first.measure != second.measure and (first.name == second.name or single):
            yield first, second


class _Tried:
    """What the cases tried so far say about each pair of values."""

    def __init__(self, pairs: list[tuple[Value, Value]]) -> None:
        self.pairs = pairs
        self.cases = [0] * len(pairs)
        self.above: list[str | None] = [None] * len(pairs)
        self.below: list[str | None] = [None] * len(pairs)

    def add(self, values: Sequence[Mapping[str, Column]], show: Callable[[int], str]) -> None:
        for place, (first, second) in enumerate(self.pairs):
            one, other = values[first.measure][first.name], values[second.measure][second.name]
            self.cases[place] += int((~np.isnan(one + other)).sum())
            for side, examples in ((one - other, self.above), (other - one, self.below)):
                if examples[place] is None and (side > TOLERANCE).any():
                    case = int(np.argmax(side > TOLERANCE))
                    examples[place] = f"{show(case)}: {one[case]:.4g} and {other[case]:.4g}"

    def orderings(self) -> list[Ordering]:
        return [
            Ordering(first.label, second.label, RELATIONS[above is not None, below is not None], cases, above, below)
            for (first, second), cases, above, below in zip(self.pairs, self.cases, self.above, self.below, strict=True)
        ]


RELATIONS = {(True, False): "≥", (False, True): "≤", (False, False): "=", (True, True): "≷"}
