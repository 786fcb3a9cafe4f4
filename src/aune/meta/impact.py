"""Which measure of a first step predicts the results of the next step (Ben Jannet 2015, §5.3 and §5.6.3).

Upstream systems (recognisers, say) are scored by several measures; downstream systems (entity taggers) work on the
output of each and are scored too. For every document, the upstream systems are ordered by a measure and by the score of
a downstream system on their output; the rank correlation of the two orders is averaged over documents, then over
downstream systems (tables 5.3 to 5.8). The signs of scores are first chosen so that higher is better: 1 means that the
measure orders the systems as the downstream systems do.

Downstream systems can be grouped (into symbolic and statistical ones, say); each group has its own mean. If documents
are not named, there is one correlation, over all systems (pooled).

The relative increase of errors compares a kind of error on automatic and on manual input (eq. 5.2):

    PAE(e) = 100 · (errors on automatic − errors on manual input) / errors on manual input
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import Column, mean_of_defined, ratio
from aune.contract.options import check_known
from aune.errors import InputError, UsageError
from aune.files import parse_json
from aune.reading.source import Source, sources
from aune.results.result import Interval
from aune.results.storage import document_records
from aune.statistics.comparison import round_value
from aune.statistics.correlation import Coefficient, Correlation, correlation, correlations, interval_of_mean
from aune.statistics.resampling import DRAWS, SEED
from aune.syntax.tables import records

ALL_DOCUMENTS = ""  # the document name of scores of the whole corpus


class Score(NamedTuple):
    """A score of an upstream system, or of a downstream system on the output of an upstream system."""

    system: str
    measure: str
    score: float
    document: str = ALL_DOCUMENTS
    downstream: str = ""
    """The downstream system; empty for a score of the upstream system itself."""
    better: str = "higher"
    """higher, lower, or zero (the nearer to zero the better)."""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """The properties that identify a score: each combination may occur only once."""
        return self.system, self.measure, self.document, self.downstream

    @property
    def goodness(self) -> float:
        """The score with its sign chosen so that higher is better."""
        return {"higher": self.score, "lower": -self.score, "zero": -abs(self.score)}[self.better]


class Prediction(NamedTuple):
    """How well an upstream measure predicts a downstream system, or all of them (`mean`)."""

    measure: str
    downstream: str
    target: str
    """The measure of the downstream systems."""
    correlation: float | None
    ci: Interval | None
    p: float | None
    documents: int
    systems: int
    undefined: int
    """The number of correlations left out of the mean, because the measure or the target is equal for all systems."""
    defined: int
    """The number of correlations in the mean: one per document, for each downstream system."""


MEAN = "mean"
MANUAL = "manual"
"""The name of the manual transcript in `aune speech downstream`; it is no recogniser."""


def impact(
    upstream: Sequence[Score],
    downstream: Sequence[Score],
    *,
    target: str | None = None,
    coefficient: Coefficient = "spearman",
    manual: str | None = MANUAL,
    groups: Mapping[str, Collection[str]] | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> list[Prediction]:
    """A prediction for each upstream measure and downstream system, and their mean over downstream systems.

    `manual` names the upstream system that is no real system (the manual transcript). It is left out if it occurs;
    with None every system counts. `groups` maps names of groups to names of
    downstream systems; each group has its mean.

    >>> above = [Score(s, "wer", x, better="lower") for s, x in zip("ABCD", (10, 20, 30, 40))]
    >>> below = [Score(s, "f1", x, downstream="tagger") for s, x in zip("ABCD", (80, 60, 70, 50))]
    >>> [(entry.downstream, entry.correlation) for entry in impact(above, below)]
    [('tagger', 0.8), ('mean', 0.8)]
    """
    _check_single([*upstream, *downstream])
    below = _target_scores(downstream, target)
    consumers = list(dict.fromkeys(score.downstream for score in below))
    predictions = []
    for measure in dict.fromkeys(score.measure for score in upstream):
        above = [score for score in upstream if score.measure == measure]
        tables = [
            _tables(above, [score for score in below if score.downstream == consumer], manual) for consumer in consumers
        ]
        rows = [correlation(*table, coefficient, level=level, draws=draws, seed=seed) for table in tables]
        goal = below[0].measure
        predictions += [
            _prediction(measure, consumer, goal, row) for consumer, row in zip(consumers, rows, strict=True)
        ]
        for name, members in {**(groups or {}), MEAN: consumers}.items():
            check_known(members, consumers, "downstream system")
            numbers = [consumers.index(consumer) for consumer in members]
            mean = _mean_prediction(
                measure,
                goal,
                [tables[number] for number in numbers],
                [rows[number] for number in numbers],
                coefficient,
                level,
            )
            predictions.append(mean._replace(downstream=name))
    return predictions


def _target_scores(downstream: Sequence[Score], target: str | None) -> list[Score]:
    measures = list(dict.fromkeys(score.measure for score in downstream))
    if not measures:
        raise UsageError("no score of a downstream system: expected rows with a name in the column downstream")
    if target is None and len(measures) > 1:
        raise UsageError(f"several measures downstream: choose one with --target ({', '.join(measures)})")
    check_known([target or measures[0]], measures, "measure downstream")
    return [score for score in downstream if score.measure == (target or measures[0])]


def _tables(above: Sequence[Score], below: Sequence[Score], manual: str | None) -> tuple[Column, Column]:
    """Two tables (documents, systems) of the scores of both sides; NaN if a score is missing."""
    documents = sorted({score.document for score in above} & {score.document for score in below})
    documents = [name for name in documents if name != ALL_DOCUMENTS] or documents
    if not documents:
        raise UsageError("upstream and downstream have no document in common: give both the same document names")
    systems = sorted({score.system for score in above} & {score.system for score in below} - {manual})
    if len(systems) < 3:
        raise UsageError(f"{len(systems)} upstream systems in common: expected at least three to correlate")
    tables = []
    for scores in (above, below):
        known = {(score.document, score.system): score.goodness for score in scores}
        tables.append(np.array([[known.get((d, s), np.nan) for s in systems] for d in documents]))
    return tables[0], tables[1]


def _check_single(scores: Iterable[Score]) -> None:
    for identity, count in Counter(score.identity for score in scores).items():
        if count > 1:
            raise UsageError(f"{count} scores of {_describe_score(identity)}: expected one")


def _describe_score(identity: tuple[str, str, str, str]) -> str:
    system, measure, document, downstream = identity
    return (
        f"{system} by {measure}"
        + f" downstream in {downstream}" * bool(downstream)
        + f" on {document}" * bool(document)
    )


def describe_unmatched(scores: Sequence[Score], manual: str | None = MANUAL) -> list[str]:
    """Messages on documents and systems that are not compared because only one side has scores of them."""
    messages = []
    sides = {"upstream": [score for score in scores if not score.downstream],
             "downstream": [score for score in scores if score.downstream]}  # fmt: skip
    for field in ("document", "system"):
        known = {
            side: {getattr(score, field) for score in side_scores} - {ALL_DOCUMENTS, manual}
            for side, side_scores in sides.items()
        }
        if all(known.values()):
            for side, other in (("upstream", "downstream"), ("downstream", "upstream")):
                unmatched = sorted(known[side] - known[other])
                more = f" and {len(unmatched) - 3} more" if len(unmatched) > 3 else ""
                if unmatched:
                    messages.append(f"{field}s with scores {side} only, left out: {', '.join(unmatched[:3])}{more}")
    return messages


def _prediction(measure: str, downstream: str, target: str, row: Correlation) -> Prediction:
    return Prediction(measure, downstream, target, row.value, row.ci, row.p, row.documents, row.systems, row.undefined,
                      row.documents)  # fmt: skip


def _mean_prediction(
    measure: str, target: str, tables: Sequence[tuple[Column, Column]], rows: Sequence[Correlation],
    coefficient: Coefficient, level: float,
) -> Prediction:  # fmt: skip
    """The mean over downstream systems, with an interval over their common documents."""
    known = [row.value for row in rows if row.value is not None]
    value = float(np.mean(known)) if known else None
    lengths = {len(table[0]) for table in tables}
    interval = None
    if len(lengths) == 1 and lengths != {1}:
        by_document = np.stack([correlations(*table, coefficient) for table in tables], axis=-1)
        interval = interval_of_mean(mean_of_defined(by_document), level)
    return Prediction(
        measure, MEAN, target, None if value is None else round_value(value), interval, None,
        max(row.documents for row in rows), max(row.systems for row in rows), sum(row.undefined for row in rows),
        sum(row.documents for row in rows),
    )  # fmt: skip


def best_predictors(predictions: Sequence[Prediction]) -> dict[str, str]:
    """The upstream measure that best predicts each downstream system, and their mean."""
    predictors: dict[str, str] = {}
    for downstream in dict.fromkeys(prediction.downstream for prediction in predictions):
        known = [
            prediction
            for prediction in predictions
            if prediction.downstream == downstream and prediction.correlation is not None
        ]
        if known:
            predictors[downstream] = max(
                known, key=lambda candidate: (candidate.correlation or 0.0, candidate.measure)
            ).measure
    return predictors


class Increase(NamedTuple):
    """The relative increase of one kind of error, and the upstream scores on which it may depend, for a curve."""

    system: str
    downstream: str
    error: str
    pae: float | None
    """None if there is no such error on manual input."""
    manual: float
    automatic: float
    upstream: Mapping[str, float]
    """The scores of the upstream system, by measure."""


def increases(
    upstream: Iterable[Score], downstream: Sequence[Score], manual: str, errors: Collection[str] = ()
) -> list[Increase]:
    """PAE for each upstream system, downstream system and kind of error; counts are summed over documents.

    >>> below = [Score(s, "insertions", x, downstream="tagger") for s, x in (("REF", 20), ("A", 30))]
    >>> increases([], below, "REF")[0].pae
    50.0
    """
    _check_single(downstream)
    kinds = list(errors) or list(dict.fromkeys(score.measure for score in downstream))
    check_known(kinds, {score.measure: None for score in downstream}, "kind of error downstream")
    totals: dict[tuple[str, str, str], float] = {}
    for score in _total_scores(downstream):
        cell = (score.system, score.downstream, score.measure)
        totals[cell] = totals.get(cell, 0.0) + score.score
    if not any(system == manual for system, _, _ in totals):
        raise UsageError(f"no downstream score on {manual!r}: name the manual input with --manual")
    above: dict[str, dict[str, list[float]]] = {}
    for score in _total_scores(upstream):
        above.setdefault(score.system, {}).setdefault(score.measure, []).append(score.score)
    rows = []
    for (system, consumer, kind), automatic in totals.items():
        before = totals.get((manual, consumer, kind))
        if system != manual and kind in kinds and before is not None:
            pae = round_value(100 * ratio(np.array(automatic - before), np.array(before)))
            mean = {name: float(np.mean(values)) for name, values in above.get(system, {}).items()}
            rows.append(Increase(system, consumer, kind, pae, before, automatic, mean))
    return rows


def _total_scores(scores: Iterable[Score]) -> list[Score]:
    """The scores of the whole corpus if there are any; otherwise those of the documents."""
    known = list(scores)
    totals = {(score.system, score.downstream, score.measure) for score in known if score.document == ALL_DOCUMENTS}
    return [
        score
        for score in known
        if score.document == ALL_DOCUMENTS or (score.system, score.downstream, score.measure) not in totals
    ]


def read_scores(
    path: str, downstream: str | None = None, lower: Collection[str] = (), tell: Callable[[str], None] = lambda _: None
) -> list[Score]:
    """Scores from a tidy CSV or TSV file, or from a result that aune wrote as JSON.

    A CSV file has the columns system, measure and score, and optionally document, downstream and better. If neither
    that column nor `lower` gives the direction of a measure, it is taken from aune's measure of that name; for unknown
    names, higher is assumed to be better and `tell` receives a message. In a result, `downstream` names the downstream
    system whose scores on each upstream system's output it contains; the main value of each measure is used, for the
    whole and by document.
    """
    scores: list[Score] = []
    for source in sources(path):
        text = source.text.lstrip()
        if text.startswith("{"):
            scores += _from_json(source, downstream)
            continue
        rows = _from_csv(source, downstream, lower)
        source.raise_problems()
        if undirected := sorted({score.measure for score in rows if not score.better}):
            tell(f"{path}: nothing says whether higher is better for {', '.join(undirected)}: taken to be so "
                 "(a column called better, or --lower)")  # fmt: skip
        scores += [score if score.better else score._replace(better="higher") for score in rows]
    return scores


def _from_csv(source: Source, downstream: str | None, lower: Collection[str]) -> list[Score]:
    """The scores of a table; better is empty if the table does not state it."""
    names, rows = records(source)
    for name in ("system", "measure", "score"):
        if name not in names:
            source.add_problem("field.missing", 1, 1, found=f"the columns {', '.join(names)}",
                               expected=f"one called {name}", remedies=["rename the columns"])  # fmt: skip
    source.raise_problems()
    scores: dict[tuple[str, str, str, str], Score] = {}
    for line, row in rows:
        try:
            score = float(row["score"] or "nan")
        except ValueError:
            source.add_problem("field.wrong-type", line, 1, found=f"{row['score']!r} as score", expected="a number",
                               remedies=["use a point for decimals"])  # fmt: skip
            continue
        better = row.get("better") or ("lower" if row["measure"] in lower else direction(row["measure"]))
        if better not in ("higher", "lower", "zero", ""):
            source.add_problem("direction.unknown", line, 1, found=f"{better!r} as better", expected="higher or lower",
                               remedies=["correct the column"])  # fmt: skip
        consumer = row.get("downstream") or downstream or ""
        entry = Score(row["system"], row["measure"], score, row.get("document") or ALL_DOCUMENTS, consumer, better)
        if scores.setdefault(entry.identity, entry) is not entry:
            source.add_problem("score.repeated", line, 1, found=f"a second score of {_describe_score(entry.identity)}",
                               expected="one", remedies=["remove a line"])  # fmt: skip
    return list(scores.values())


def direction(measure: str) -> str:
    """Whether higher, lower or zero is better for aune's value of this name; empty if it is unknown or ambiguous.

    >>> direction("WER"), direction("eter.eter_i"), direction("f1"), direction("blue")
    ('lower', 'lower', 'higher', '')
    """
    known = _directions().get(measure.lower().replace("-", "_"), set())
    return next(iter(known)) if len(known) == 1 else ""


@cache
def _directions() -> Mapping[str, set[str]]:
    """The directions of the measures and of their values, by all their names."""
    directions: dict[str, set[str]] = {}
    for task in registry.task_names():
        for measure in registry.measures(task):
            for name in (measure.name, measure.short, *measure.aliases):
                directions.setdefault(name, set()).add(measure.better)
                for value in measure.values:
                    for label in (f"{name}.{value}", value):
                        directions.setdefault(label, set()).add(measure.better_of(value))
    return directions


def _from_json(source: Source, downstream: str | None) -> list[Score]:
    try:
        envelope: Mapping[str, Any] = parse_json(source.text)
        if "downstream" in envelope:  # the output of `aune speech downstream`
            return [Score(*(row[name] for name in Score._fields)) for row in envelope["downstream"]]
        better = {entry["measure"]: entry["better"] for entry in envelope["scores"]}
        main = {entry["measure"]: entry.get("main") or list(entry["values"])[-1] for entry in envelope["scores"]}
        rows = [*({**entry, "document": ALL_DOCUMENTS} for entry in envelope["scores"]), *document_records(envelope)]
        return [
            Score(
                row["system"], row["measure"], float(value), row["document"], downstream or "", better[row["measure"]]
            )
            for row in rows
            if (value := row["values"].get(main[row["measure"]])) is not None
        ]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        source.add_problem("result.malformed", 1, 1, found=f"JSON without {error}",
                           expected="a result of aune score or downstream --format json", remedies=["use one"]
                          )  # fmt: skip
        raise InputError(source.problems) from None
