"""The organiser's own scorer as the protocol declares it: a measure file in aune's format, or a program.

    [scoring.scorer]
    file = "scorer/score.py"
    kind = "program"
    values = ["f2"]

No code of the scorer runs here: the declaration suffices to rank and display. It runs in `runs.scorer_execution`.
"""

from __future__ import annotations

import math
from collections import namedtuple
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Better, Measure, ratio
from aune.contract.options import Range

SCORER = "scorer"
"""The measure name of the organiser's scorer."""
MEASURE_KIND, PROGRAM_KIND = "measure", "program"


class Scorer(NamedTuple):
    """The declaration of an organiser's scorer."""

    file: str
    """Its path, relative to the folder of the campaign."""
    kind: str
    """`measure`: a file with `MEASURE`, as in aune; `program`: a program that reads two files and writes JSON."""
    values: tuple[str, ...]
    better: Better = "higher"
    low: float = 0.0
    high: float = 1.0
    """The lowest and the highest possible value."""
    files: tuple[str, ...] = ()
    """The files that it reads besides the key and the run."""
    seconds: int = 60
    memory: int = 1_000_000_000
    """The seconds and bytes of memory that a program may use for one run."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All files of the scorer."""
        return (self.file, *self.files)


class _ScorerTypes(NamedTuple):
    """The counts of a scorer, and its scores."""

    counts: Any
    score: Any


@cache
def _make_types(values: tuple[str, ...]) -> _ScorerTypes:
    make_type: Any = namedtuple
    return _ScorerTypes(make_type("ScorerCounts", ("sums", "units")), make_type("ScorerValues", values))


@cache
def declared_measure(scorer: Scorer) -> Measure:
    """The measure of a declared scorer: each value is the mean over the units.

    >>> measure = declared_measure(Scorer("score.py", "program", ("f2",), "lower"))
    >>> measure.name, measure.values, measure.better
    ('scorer', ('f2',), 'lower')
    """
    types = _make_types(scorer.values)

    def count(comparison: Any) -> Any:
        raise NotImplementedError("a program counts by itself")

    def score(counts: Any) -> Any:
        return types.score(*map(ratio, counts.sums, counts.units))

    count.__annotations__["return"], score.__annotations__["return"] = types
    best = {"higher": scorer.high, "lower": scorer.low, "zero": 0.0}
    return Measure(
        count, score, better=scorer.better, perfect=best[scorer.better], range=Range(scorer.low, scorer.high),
        main=scorer.values[0], label=SCORER, percent=(scorer.low, scorer.high) == (0.0, 1.0), support=(),
    )  # fmt: skip


def unit_counts(scorer: Scorer, rows: list[dict[str, float | None]]) -> Any:
    """The counts of units: their values, and a flag that tells whether each value is defined."""
    types = _make_types(scorer.values)
    columns = [np.array([_number(row.get(name)) for row in rows], float) for name in scorer.values]
    return types.counts(
        types.score(*(np.nan_to_num(column) for column in columns)),
        types.score(*((~np.isnan(column)).astype(float) for column in columns)),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value
