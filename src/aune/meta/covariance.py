"""Whether measures agree on the better system (Popescu-Belis 1999, §6 and conclusion).

No single measure captures quality, but a verdict is more reliable if all measures agree that one system is better than
another. For every pair of systems, on every text and over all texts, each measure votes by its main value:

- `unanimous`: all measures that see a difference agree on its sign;
- `majority`: most of them do;
- `contradictory`: equally many measures vote for each system;
- `none`: no measure sees a difference.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, ratio
from aune.errors import UsageError
from aune.meta.audit import TOLERANCE
from aune.results.result import Interval, Result
from aune.statistics.correlation import Coefficient, correlation
from aune.statistics.resampling import DRAWS, SEED

ALL_TEXTS = "all texts"


class Verdict(NamedTuple):
    """The votes of the measures on two systems on one text."""

    text: str
    a: str
    b: str
    better: str | None
    verdict: str
    for_a: list[str]
    for_b: list[str]


class Concord(NamedTuple):
    """How often two measures prefer the same system, over the cases (pair and text) in which both have a preference."""

    first: str
    second: str
    share: float | None
    cases: int


class MeasureCorrelation(NamedTuple):
    """The rank correlation of the systems under two measures."""

    first: str
    second: str
    by: str
    """`document` for the mean of the correlations on each text, `pooled` for the correlation of the totals."""
    coefficient: str
    correlation: float | None
    ci: Interval | None
    p: float | None
    systems: int
    documents: int
    undefined: int


class Covariance(NamedTuple):
    """The verdicts, text by text and over all texts, and the pairwise agreement of measures."""

    verdicts: list[Verdict]
    concord: list[Concord]
    correlations: list[MeasureCorrelation]
    """Empty for fewer than three systems, since the rank correlation of two is not informative."""


def covariance(
    result: Result,
    coefficient: Coefficient = "spearman",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Covariance:
    """The better system of each pair, according to all measures of a result.

    >>> from aune import evaluate
    >>> result = evaluate("coref", [{1, 2, 3}], {"A": [{1, 2, 3}], "B": [{1, 2}, {3}]}, measures=["muc", "b_cubed"])
    >>> covariance(result).verdicts[0]
    Verdict(text='all texts', a='A', b='B', better='A', verdict='unanimous', for_a=['coref.muc', 'coref.b_cubed'],
            for_b=[])
    """
    if len(result.systems) < 2:
        raise UsageError("expected at least two systems")
    texts, goodness = _goodness_table(result)
    names = [measure.name for measure in result.measures]
    verdicts, votes = [], []
    for (first, a), (second, b) in combinations(enumerate(result.systems), 2):
        difference = goodness[:, first] - goodness[:, second]
        signs = np.where(np.abs(difference) <= TOLERANCE, 0.0, np.sign(np.nan_to_num(difference)))
        votes.append(signs[1:] if len(texts) > 1 else signs)
        verdicts += [verdict(text, a, b, names, row) for text, row in zip(texts, signs, strict=True)]
    verdicts.sort(key=lambda entry: texts.index(entry.text))
    correlations = _correlations(names, goodness, coefficient, level, draws, seed) if len(result.systems) > 2 else []
    return Covariance(verdicts, _concord(names, np.concatenate(votes)), correlations)


def _goodness_table(result: Result) -> tuple[list[str], Column]:
    """The main values with signs such that higher is better: (all texts, then each text; systems; measures)."""
    documents = list(dict.fromkeys(name for score in result for name in score.rows.attributes["document"]))
    texts = [ALL_TEXTS, *documents] if len(documents) > 1 else [ALL_TEXTS]
    place = {name: index for index, name in enumerate(texts)}
    goodness = np.full((len(texts), len(result.systems), len(result.measures)), np.nan)
    for column, system in enumerate(result.systems):
        for layer, measure in enumerate(result.measures):
            score = result[system, measure.name]
            values = {ALL_TEXTS: score.main}
            if not measure.by and len(texts) > 1:  # an average over groups has no value on one text
                values |= {name: text_values[measure.headline] for name, text_values in score.by("document").items()}
            rows = [place[name] for name in values]
            goodness[rows, column, layer] = measure.goodness(np.array(list(values.values()), float))
    return texts, goodness


def verdict(text: str, a: str, b: str, measures: list[str], votes: Column) -> Verdict:
    """The verdict from votes: 1 (for a), −1 (for b) or 0."""
    for_a = [name for name, vote in zip(measures, votes, strict=True) if vote > 0]
    for_b = [name for name, vote in zip(measures, votes, strict=True) if vote < 0]
    if not for_a and not for_b:
        return Verdict(text, a, b, None, "none", for_a, for_b)
    if len(for_a) == len(for_b):
        return Verdict(text, a, b, None, "contradictory", for_a, for_b)
    kind = "majority" if for_a and for_b else "unanimous"
    return Verdict(text, a, b, a if len(for_a) > len(for_b) else b, kind, for_a, for_b)


def _concord(names: list[str], votes: Column) -> list[Concord]:
    """The concord of every two measures; `votes` is (pairs of systems and texts, measures)."""
    concords = []
    for first, second in combinations(range(len(names)), 2):
        decided = (votes[:, first] != 0) & (votes[:, second] != 0)
        agreed = int((decided & (votes[:, first] == votes[:, second])).sum())
        share = float(ratio(np.array(agreed), np.array(decided.sum())))
        concords.append(Concord(names[first], names[second], None if np.isnan(share) else share, int(decided.sum())))
    return concords


def _correlations(
    names: list[str], goodness: Column, coefficient: Coefficient, level: float, draws: int, seed: int
) -> list[MeasureCorrelation]:
    """The correlations of every two measures, over all texts and as a mean over texts; `worth` as "
    "in `_goodness_table`.
    """
    correlations = []
    for first, second in combinations(range(len(names)), 2):
        tables = {"pooled": goodness[:1]} | ({"document": goodness[1:]} if len(goodness) > 1 else {})
        for by, table in tables.items():
            row = correlation(table[..., first], table[..., second], coefficient, level=level, draws=draws, seed=seed)
            correlations.append(
                MeasureCorrelation(
                    names[first],
                    names[second],
                    by,
                    coefficient,
                    row.value,
                    row.ci,
                    row.p,
                    row.systems,
                    row.documents,
                    row.undefined,
                )
            )
    return correlations
