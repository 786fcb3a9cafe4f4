"""γ: agreement on units whose positions and labels annotators chose together.

Source: Mathet, Widlöcher and Métivier 2015, with the choices of the package pygamma-agreement 0.5.9, whose values it
equals.

    γ = 1 − observed disorder / expected disorder

An alignment puts each unit into one tuple with at most one unit of every annotator. A tuple costs the mean
dissimilarity of its pairs: α · ((|start − start′| + |end − end′|) / (length + length′))² for positions, β if labels
differ, and 1 if a unit is missing. The disorder of a document is the minimal cost of an alignment, divided by the mean
number of units of an annotator. The expected disorder is the mean over random annotations: their numbers of units, gaps
and lengths are drawn from normal distributions with the document's moments, and their labels from its shares.

Edge cases: undefined with fewer than two annotators who have a unit; annotators without one are left out. Documents are
computed one by one and averaged, weighted by their units.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.statistics.resampling import SEED

EMPTY = 1.0
"""The dissimilarity between a unit and a missing unit."""
SHORTEST = 1e-6
"""The least length of a random unit."""
SLACK = 1e-9
"""The tolerance for rounding in a cost."""
Span: TypeAlias = tuple[float, float, str]
"""Start, end and label."""


class Counts(NamedTuple):
    """γ times units, and units, by document; both 0 if γ is undefined."""

    weighted: Column
    units: Column


class Score(NamedTuple):
    """Agreement beyond chance."""

    gamma: Column


def count(
    corpus: Sequence[Sequence[Sequence[Span]]],
    samples: int = 30,
    alpha: float = 1.0,
    beta: float = 1.0,
    seed: int = SEED,
) -> Counts:
    """For each document, the spans of each annotator.

    `alpha` and `beta` weight positions and labels; `samples` is the number of random annotations of each document.
    """
    rows = []
    for spans in corpus:
        units = sum(map(len, spans)) if sum(bool(annotator_spans) for annotator_spans in spans) > 1 else 0
        value = document_gamma(spans, samples, alpha, beta, seed) if units else 0.0
        rows.append((units * value, units))
    return Counts(*np.array(rows, float).reshape(-1, 2).T)


def score(counts: Counts) -> Score:
    return Score(ratio(counts.weighted, counts.units))


MEASURE = Measure(count, score, percent=False, label="gamma")


def document_gamma(spans: Sequence[Sequence[Span]], samples: int, alpha: float, beta: float, seed: int) -> float:
    """γ of one document; annotators without a unit are left out.

    >>> units = [(0, 2, "PER"), (5, 7, "LOC")]
    >>> document_gamma([units, units], 30, 1.0, 1.0, 1)
    1.0
    """
    annotators = [_units(annotator) for annotator in spans if annotator]
    observed = least_disorder(annotators, alpha, beta)
    if observed <= SLACK:
        return 1.0
    sampler = _Sampler(annotators, seed)
    expected = np.mean([least_disorder(sampler.sample(), alpha, beta) for _ in range(samples)])
    return float(1 - observed / expected)


Units: TypeAlias = list[Span]
"""The units of an annotator in order, without duplicates."""


def _units(spans: Sequence[Span]) -> Units:
    return sorted({(float(start), float(end), label) for start, end, label in spans})


class _Sampler:
    """Random annotations with the number of annotators and the moments of a document."""

    def __init__(self, annotators: Sequence[Units], seed: int) -> None:
        units = [unit for annotator in annotators for unit in annotator]
        gaps = [0.0]
        for annotator in annotators:
            gaps += [after[0] - before[1] for before, after in pairwise(annotator)]
            gaps += [annotator[0][0]] if annotator[0][0] > 0 else []
        labels = [label for _, _, label in units]
        self.annotators = len(annotators)
        self.numbers = _moments([len(annotator) for annotator in annotators])
        self.gaps = _moments(gaps)
        self.lengths = _moments([end - start for start, end, _ in units])
        self.labels = sorted(set(labels))
        self.shares = np.array([labels.count(label) for label in self.labels]) / len(labels)
        self.random = np.random.RandomState(seed)  # the generator of pygamma-agreement, so that the draws are the same

    def sample(self) -> list[Units]:
        """The units of every annotator; the first one has at least one unit."""
        annotators: list[Units] = []
        for _ in range(self.annotators):
            number = abs(int(self.random.normal(*self.numbers)))
            annotators.append(self._annotate(number if any(annotators) else max(1, number)))
        return annotators

    def _annotate(self, number: int) -> Units:
        spans: list[Span] = []
        end = 0.0
        for _ in range(number):
            start = end + self.random.normal(*self.gaps)
            end = start + abs(self.random.normal(*self.lengths))
            while end - start < SHORTEST:
                end = start + abs(self.random.normal(*self.lengths))
            spans.append((start, end, str(self.random.choice(self.labels, p=self.shares))))
        return _units(spans)


def _moments(numbers: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(numbers)), float(np.std(numbers))


def least_disorder(annotators: Sequence[Units], alpha: float, beta: float) -> float:
    """The cost of the best alignment, divided by the mean number of units of an annotator.

    It is the minimal cost of choosing tuples that contain every unit once: an integer program.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - few calls compute γ
    from scipy.sparse import coo_array  # noqa: PLC0415

    sizes = [len(units) for units in annotators]
    tuples, costs = _possible_tuples(annotators, alpha, beta)
    columns, sides = np.nonzero(tuples < np.array(sizes))
    first_unit = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    units = first_unit[sides] + tuples[columns, sides]
    contains = coo_array((np.ones(len(units)), (units, columns)), shape=(sum(sizes), len(costs))).tocsr()
    solution = milp(
        costs, integrality=np.ones(len(costs), int), bounds=Bounds(0, 1), constraints=LinearConstraint(contains, 1, 1),
        options={"mip_rel_gap": 0},
    )  # fmt: skip
    assert solution.x is not None, solution.message  # every unit alone is a solution
    return float(costs[np.round(solution.x) > 0].sum() / (sum(sizes) / len(sizes)))


def _possible_tuples(annotators: Sequence[Units], alpha: float, beta: float) -> tuple[Any, Column]:
    """The tuples that a best alignment can contain, by the number of a unit of each annotator (one past the last for
    none), and their costs.

    A tuple that costs more than its units do separately is in no best alignment. The same holds for its part with the
    first annotators, so that tuples are dropped while they are extended.
    """
    number = len(annotators)
    alone = EMPTY * number * (number - 1) / 2  # every pair in a tuple of a single unit lacks a unit
    tuples, costs = np.zeros((1, 0), int), np.zeros(1)
    for side, units in enumerate(annotators):
        added = np.zeros((len(tuples), len(units) + 1))
        for other in range(side):
            added += _dissimilarities(annotators[other], units, alpha, beta)[tuples[:, other]]
        total = costs[:, None] + added
        rows, chosen = np.nonzero(total <= number * alone + SLACK)
        tuples, costs = np.column_stack([tuples[rows], chosen]), total[rows, chosen]
    members = (tuples < np.array([len(units) for units in annotators])).sum(axis=1)
    is_possible = (members > 0) & (costs <= members * alone + SLACK)
    return tuples[is_possible], costs[is_possible] / (number * (number - 1) / 2)


def _dissimilarities(first: Units, second: Units, alpha: float, beta: float) -> Column:
    """The dissimilarity of every unit of one annotator, and of a missing one, with those of another."""
    matrix = np.full((len(first) + 1, len(second) + 1), EMPTY)
    if first and second:
        start, end, other_start, other_end = (
            np.array([unit[place] for unit in units], float) for units in (first, second) for place in (0, 1)
        )
        distance = np.abs(np.subtract.outer(start, other_start)) + np.abs(np.subtract.outer(end, other_end))
        places = (distance / np.add.outer(end - start, other_end - other_start)) ** 2
        differs = np.array([[unit[2] != other[2] for other in second] for unit in first])
        matrix[:-1, :-1] = alpha * places + beta * differs
    return matrix
