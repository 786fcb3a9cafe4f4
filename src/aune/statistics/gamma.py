"""γ: agreement on units whose places and labels annotators chose together.

Source: Mathet, Widlöcher and Métivier 2015, as the package pygamma-agreement computes it (extra `gamma`). It aligns the
units of all annotators at the least cost, and compares that cost with the one of random annotations:

    γ = 1 − observed disorder / expected disorder

Edge cases: undefined with fewer than two annotators who have a unit. Documents are computed one by one and averaged,
weighted by their units.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.errors import UsageError
from aune.statistics.resampling import SEED

Span: TypeAlias = tuple[float, float, str]
"""Start, end and label."""


class Counts(NamedTuple):
    """γ times units, and units, by document; both 0 where γ is undefined."""

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

    `alpha` and `beta` weigh places and labels; `samples` are the random annotations of each document.
    """
    if find_spec("pygamma_agreement") is None:
        raise UsageError("γ needs the package pygamma-agreement: install it with pip install 'aune[gamma]'")
    package, core = import_module("pygamma_agreement"), import_module("pyannote.core")
    rows = []
    for spans in corpus:
        units = sum(map(len, spans)) if sum(bool(annotator_spans) for annotator_spans in spans) > 1 else 0
        value = _document_gamma(package, core, spans, samples, alpha, beta, seed) if units else 0.0
        rows.append((units * value, units))
    return Counts(*np.array(rows, float).reshape(-1, 2).T)


def score(counts: Counts) -> Score:
    return Score(ratio(counts.weighted, counts.units))


MEASURE = Measure(count, score, percent=False, label="gamma")


def _document_gamma(
    package: Any, core: Any, spans: Sequence[Sequence[Span]], samples: int, alpha: float, beta: float, seed: int
) -> float:
    continuum = package.Continuum()
    for annotator, annotator_spans in enumerate(spans):
        for start, end, label in annotator_spans:
            continuum.add(f"annotator {annotator}", core.Segment(start, end), label)
    dissimilarity = package.CombinedCategoricalDissimilarity(alpha=alpha, beta=beta)
    np.random.seed(seed)  # the package draws from the global generator
    with _quiet():
        return float(continuum.compute_gamma(dissimilarity, n_samples=samples).gamma)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the message of the package about its solver, which comes with every sample."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
