"""γ against pygamma-agreement 0.5.9 (its figures, and itself where it is installed) and against all alignments."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from aune.statistics.gamma import MEASURE, Span, count, document_gamma, least_disorder

SPANS = [(0, 2, "PER"), (5, 7, "LOC"), (10, 12, "ORG"), (20, 25, "PER")]
OTHER = [(0, 2, "PER"), (5, 8, "LOC"), (10, 12, "PER"), (20, 25, "PER")]
ALEX = """Alex,1,2,9 Alex,2,11,17 Alex,5,24,30 Alex,6,32,36 Alex,6,36,44 Alex,7,44,60 Paul,1,2,9 Paul,3,11,17
Paul,5,19,25 Paul,6,32,44 Suzan,1,2,9 Suzan,4,11,17 Suzan,5,21,27 Suzan,6,32,36 Suzan,6,36,40 Suzan,6,40,44"""
FIGURE_10 = "Joe,A,4,14 Joe,B,20,30 Jack,A,4,14 Jack,B,20,25 William,A,14,24 William,B,40,44"


def annotators(text: str) -> list[list[Span]]:
    """The units of each annotator, from the rows of an example of pygamma-agreement."""
    units: dict[str, list[Span]] = {}
    for name, label, start, end in csv.reader(text.split()):
        units.setdefault(name, []).append((float(start), float(end), label))
    return [units[name] for name in sorted(units)]


def gamma(*spans: Sequence[Span]) -> float:
    return float(MEASURE.score(count([spans])).gamma[0])  # type: ignore[attr-defined]


def test_gamma() -> None:
    assert gamma(SPANS, SPANS) == 1.0
    assert gamma(SPANS, OTHER) == gamma(OTHER, SPANS) < 1.0
    assert np.isnan(gamma(SPANS, []))
    assert gamma(SPANS, OTHER, []) == gamma(SPANS, OTHER)


@pytest.mark.parametrize(
    ("text", "samples", "alpha", "expected"),
    [
        (ALEX, 30, 3.0, 0.42430442571640015),
        (ALEX, 30, 1.0, 0.5127521753311157),
        (FIGURE_10, 10, 1.0, -0.1968522071838379),
    ],
)
def test_the_figures_of_pygamma_agreement(text: str, samples: int, alpha: float, expected: float) -> None:
    """Its numbers have single precision."""
    assert document_gamma(annotators(text), samples, alpha, 1.0, seed=1) == pytest.approx(expected, abs=2e-7)


def random_units(seed: int, number: int) -> list[list[Span]]:
    draws = np.random.default_rng(seed)
    return [
        sorted((float(start), float(start + draws.integers(1, 6)), str(draws.choice(["A", "B"]))) for start in starts)
        for starts in (draws.choice(12, size=draws.integers(1, 4), replace=False) for _ in range(number))
    ]


@pytest.mark.parametrize("seed", range(4))
def test_pygamma_agreement_itself(seed: int) -> None:
    package: Any = pytest.importorskip(
        "pygamma_agreement", reason="it pins a package under the GPL: pip install it by hand"
    )
    core: Any = pytest.importorskip("pyannote.core")
    spans = random_units(seed, 3)
    continuum = package.Continuum()
    for name, units in enumerate(spans):
        for start, end, label in units:
            continuum.add(f"annotator {name}", core.Segment(start, end), label)
    np.random.seed(1)
    expected = continuum.compute_gamma(
        package.CombinedCategoricalDissimilarity(alpha=1.0, beta=1.0), n_samples=10
    ).gamma
    assert document_gamma(spans, 10, 1.0, 1.0, seed=1) == pytest.approx(expected, abs=1e-6)


def alignments(units: list[list[Span]]) -> Iterator[list[tuple[Span | None, ...]]]:
    """Every way to put each unit into one tuple, a tuple having one unit of each annotator at most."""
    if not any(units):
        yield []
        return
    side = next(place for place, rest in enumerate(units) if rest)
    first, *rest = units[side]
    choices = [[first] if place == side else [None, *others] for place, others in enumerate(units)]
    for chosen in product(*choices):
        left = [[unit for unit in others if unit != choice] for others, choice in zip(units, chosen, strict=True)]
        left[side] = rest
        for others in alignments(left):
            yield [chosen, *others]


def cost(chosen: tuple[Span | None, ...]) -> float:
    def differ(first: Span | None, second: Span | None) -> float:
        if first is None or second is None:
            return 1.0
        distance = abs(first[0] - second[0]) + abs(first[1] - second[1])
        return (distance / (first[1] - first[0] + second[1] - second[0])) ** 2 + (first[2] != second[2])

    pairs = list(combinations(chosen, 2))
    return sum(differ(first, second) for first, second in pairs) / len(pairs)


@pytest.mark.parametrize(("seed", "number"), [(0, 2), (1, 2), (2, 3), (3, 3), (4, 3)])
def test_the_best_of_all_alignments(seed: int, number: int) -> None:
    units = random_units(seed, number)
    best = min(sum(map(cost, tuples)) for tuples in alignments(units))
    assert least_disorder(units, 1.0, 1.0) == pytest.approx(best / (sum(map(len, units)) / number))
