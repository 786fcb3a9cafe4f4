"""Several annotators as the key: scores of a system against each of them, against all together, and beside people.

For each value of each measure:

- the value under each annotator's key; `expected`, their mean; `best`, the one most favourable to the system;
- `soft`, the value of the counts of all annotators together, with equal weight for each text. If counts are numbers of
  items (entities, pairs of mentions, tags, words), the weight of an item is the share of the annotators who have it: an
  entity that two of three annotators mark has weight 2/3;
- the same for people: each annotator in turn is scored as a system against the others, on the texts that they share.
  The mean over people is the human ceiling. A system's values without one annotator in turn, on average, are
  `one_left_out`: the best and the soft value of people are comparable with these.

Intervals of expected values draw texts and annotators, both with replacement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import Column, Measure
from aune.errors import InputError, NothingToScoreError, UsageError
from aune.evaluation.pipeline import evaluate
from aune.evaluation.plan import resolve_plan
from aune.reading.argument_checks import forwards_options_to
from aune.reading.system_names import system_names
from aune.results.result import Interval, Result, SystemScore, public_function
from aune.results.rows import Rows, encode_values, group_sums
from aune.statistics.intervals import check_settings
from aune.statistics.resampling import DIGITS, DRAWS, SEED, bootstrap_weights, counts_by_unit
from aune.statistics.sampling_units import AUTO, few_units_warnings, sampling_unit

MOST_SCALED = 1_000_000  # whole numbers by which counts are multiplied, so that sums stay exact
FEW_ANNOTATORS = 5  # with fewer, an interval over annotators is rough
ALL = "all"


class Summary(NamedTuple):
    """One value over several annotators; None where it is undefined."""

    expected: float | None = None
    best: float | None = None
    soft: float | None = None


@dataclass(frozen=True)
class AnnotatorScore:
    """One value of one measure, for a system or a person, under the keys of several annotators."""

    system: str
    """The system; for a person, the annotator."""
    measure: Measure
    value: str
    by_annotator: Mapping[str, float | None]
    best_annotator: str
    summary: Summary
    one_left_out: Summary
    """The means over the keys of all annotators but one, each left out in turn; only for a system."""
    interval: Interval | None = None
    """The interval of the expected value."""
    signature: str = ""

    @property
    def expected_value(self) -> float | None:
        return self.summary.expected

    @property
    def best_value(self) -> float | None:
        return self.summary.best

    @property
    def soft_value(self) -> float | None:
        return self.summary.soft


@dataclass(frozen=True)
class People:
    """The human ceiling for one value of one measure."""

    measure: Measure
    value: str
    summary: Summary
    persons: Sequence[AnnotatorScore]
    """Each annotator, scored against the others."""
    interval: Interval | None = None

    @property
    def expected_value(self) -> float | None:
        return self.summary.expected


@dataclass(frozen=True)
class AnnotatorScores:
    """Systems and people under the keys of several annotators."""

    task: str
    annotators: Sequence[str]
    scores: Sequence[AnnotatorScore]
    people: Sequence[People]
    inputs: Sequence[Mapping[str, Any]] = ()
    warnings: Sequence[str] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(score.system for score in self.scores))

    def __getitem__(self, which: tuple[str, str]) -> AnnotatorScore:
        """The main value of a measure (or `measure.value`) for a system."""
        system, name = which
        return next(score for score in self.scores if score.system == system and _is_named(score, name))

    def ceiling(self, name: str) -> People:
        """The human ceiling for the main value of a measure (or `measure.value`)."""
        return next(row for row in self.people if _is_named(row, name))

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain Python, for JSON."""
        from aune import __version__  # noqa: PLC0415

        return {
            "schema": 1,
            "tool": {"name": "aune", "version": __version__},
            "task": self.task,
            "annotators": list(self.annotators),
            "inputs": list(self.inputs),
            "scores": [_entry(score) for score in self.scores],
            "people": [_people_entry(row) for row in self.people],
            "warnings": list(self.warnings),
        }


def _is_named(row: AnnotatorScore | People, name: str) -> bool:
    shorts = {row.measure.name, row.measure.short, *row.measure.aliases}
    return (name in shorts and row.value == row.measure.headline) or name in {
        f"{short}.{row.value}" for short in shorts
    }


def _entry(score: AnnotatorScore) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "system": score.system,
        "measure": score.measure.name,
        "value": score.value,
        "annotators": dict(score.by_annotator),
        **score.summary._asdict(),
        "best_annotator": score.best_annotator,
    }
    if score.one_left_out != Summary():
        entry["one_left_out"] = score.one_left_out._asdict()
    if score.interval:
        entry["ci"] = list(score.interval)
    return entry | ({"signature": score.signature} if score.signature else {})


def _people_entry(row: People) -> dict[str, Any]:
    entry: dict[str, Any] = {"measure": row.measure.name, "value": row.value, **row.summary._asdict()}
    if row.interval:
        entry["ci"] = list(row.interval)
    return entry | {"persons": [_entry(person) for person in row.persons]}


class _Settings(NamedTuple):
    """How intervals are computed; without a level there are none."""

    level: float | None
    draws: int
    seed: int
    unit: str


def evaluate_annotators(
    task: str,
    keys: Mapping[str, Any] | Sequence[str | Path],
    systems: Mapping[str, Any] | Sequence[str | Path] = (),
    *,
    ci: bool = False,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
    unit: str = AUTO,
    **options: Any,
) -> AnnotatorScores:
    """Systems, and people, under the keys of several annotators, given by name or as paths.

    The options are those of `aune.evaluate`; a text that an annotator lacks is not scored under that key. With `ci`,
    expected values have intervals that draw texts and annotators.

    >>> keys = {"ann": [(0, 1, "PER"), (2, 3, "LOC")], "ben": [(0, 1, "PER")]}
    >>> result = evaluate_annotators("entities", keys, {"A": [(0, 1, "PER")]}, measures=["f_measure"])
    >>> score = result["A", "f_measure"]
    >>> round(score.expected_value, 4), score.best_value, score.best_annotator, score.soft_value
    (0.8333, 1.0, 'ben', 0.8)
    >>> round(result.ceiling("f_measure").expected_value, 4)
    0.6667
    """
    check_settings(level, draws, seed)
    named_keys = dict(keys) if isinstance(keys, Mapping) else system_names(keys)
    named_systems = dict(systems) if isinstance(systems, Mapping) else system_names(systems, with_runs=True)
    if not named_keys:
        raise UsageError("expected the key of at least one annotator")
    if len(named_keys) == 1 and not named_systems:
        raise UsageError("expected a system, or several annotators")
    settings = _Settings(level if ci else None, draws, seed, unit)
    results = {name: evaluate(task, key, named_systems, **options) for name, key in named_keys.items() if named_systems}
    people = _people_results(task, named_keys, options)
    warnings = _warnings(results, people, len(named_keys), settings)
    used = next(iter(results.values())) if results else next(result for result in people.values())
    part = registry.task(used.task).reading.part
    inputs = [record.named_fields for record in _input_records(results, named_keys, people)]
    scores = [
        row
        for system in (used.systems if results else ())
        for by_key in _scores_of(results, system)
        for row in _summarise(system, by_key, part, settings)
    ]
    return AnnotatorScores(used.task, list(named_keys), scores, _ceilings(people, part, settings), inputs, warnings)


def _warnings_alone(scores: AnnotatorScores) -> Result:
    return Result(scores.task, [], [], list(scores.warnings))


score_annotators = forwards_options_to(resolve_plan)(
    public_function(evaluate_annotators, "score_annotators", _warnings_alone)
)
"""The public function, which issues the warnings as well."""


def _input_records(
    results: Mapping[str, Result], keys: Mapping[str, Any], people: Mapping[tuple[str, str], Result]
) -> Iterator[Any]:
    """The record of each annotator's key, and of each system's response."""
    by_key = {**{annotator: result for (_, annotator), result in people.items()}, **results}
    for annotator in keys:
        if annotator in by_key:
            yield by_key[annotator].inputs[0]._replace(system=annotator)
    for result in list(results.values())[:1]:
        yield from result.inputs[1:]


def _people_results(task: str, keys: Mapping[str, Any], options: Mapping[str, Any]) -> dict[tuple[str, str], Result]:
    """Each annotator scored against the key of each other one, if they share a text: by person and annotator."""
    person_options = {
        name: value for name, value in options.items() if not name.startswith("response_") and name != "missing"
    }
    person_options |= {"response_format": options.get("key_format"), "missing": "skip", "extra": "ignore"}
    results = {}
    for person, response in keys.items():
        for annotator, key in keys.items():
            if person == annotator:
                continue
            try:
                results[person, annotator] = evaluate(task, key, {person: response}, **person_options)
            except NothingToScoreError:
                continue
            except InputError as error:
                if {problem.code for problem in error.problems} != {"document.unknown"}:
                    raise
    return results


def _warnings(
    results: Mapping[str, Result], people: Mapping[tuple[str, str], Result], annotators: int, settings: _Settings
) -> list[str]:
    """The warnings: those that apply to every key once, and those that apply to some with their names."""
    counts = Counter(text for result in results.values() for text in dict.fromkeys(result.warnings))
    warnings = [text for text, number in counts.items() if number == len(results)]
    for name, result in results.items():
        warnings += [f"{name}: {text}" for text in result.warnings if counts[text] < len(results)]
    if annotators == 1:
        warnings.append("one annotator: nothing can be said about people")
    elif len(people) < annotators * (annotators - 1):
        warnings.append("some annotators share no text: people are compared where they do")
    if settings.level is not None:
        if 1 < annotators < FEW_ANNOTATORS:
            warnings.append(f"only {annotators} annotators: intervals that draw annotators are rough")
        for result in list(results.values())[:1]:
            sampled = sampling_unit(result, settings.unit)
            score = result.scores[0]
            warnings += few_units_warnings(score, len(counts_by_unit(score, sampled.name).units), sampled.name)
    return warnings


def _scores_of(results: Mapping[str, Result], system: str) -> Iterator[dict[str, SystemScore]]:
    """For each measure that every annotator's key allows, the scores of a system by annotator."""
    by_key = {
        name: {score.name: score for score in result if score.system == system} for name, result in results.items()
    }
    for name in next(iter(by_key.values()), {}):
        if all(name in scores for scores in by_key.values()):
            yield {annotator: scores[name] for annotator, scores in by_key.items()}


def _summarise(
    system: str, by_key: Mapping[str, SystemScore], part: str, settings: _Settings, *, is_person: bool = False
) -> Iterator[AnnotatorScore]:
    """Each value of a measure under the keys of several annotators."""
    scores = list(by_key.values())
    left_out = [scores[:place] + scores[place + 1 :] for place in range(len(scores))] if len(scores) > 1 else []
    soft = _soft_values(scores, part)
    soft_left_out = [_soft_values(others, part) for others in left_out] if not is_person else []
    intervals = {} if is_person else _intervals([(name, "", score) for name, score in by_key.items()], settings)
    for value in scores[0].measure.values:
        values = {name: score.values[value] for name, score in by_key.items()}
        best = _best_annotator(scores[0].measure, value, values)
        lacking = Summary()
        if soft_left_out:
            lacking = Summary(
                _mean([_mean([score.values[value] for score in others]) for others in left_out]),
                _mean([_best(others, value) for others in left_out]),
                _mean([each.get(value) for each in soft_left_out]),
            )
        summary = Summary(_mean(list(values.values())), values[best] if best else None, soft.get(value))
        yield AnnotatorScore(
            system, scores[0].measure, value, values, best, summary, lacking, intervals.get(value),
            "" if is_person else str(scores[0].signature),
        )  # fmt: skip


def _best_annotator(measure: Measure, value: str, values: Mapping[str, float | None]) -> str:
    """The annotator whose key is the most favourable one; of equal ones the first by name."""
    defined = {name: float(measure.goodness(np.asarray(number), value)) for name, number in values.items()
               if number is not None}  # fmt: skip
    return min(defined, key=lambda name: (-defined[name], name)) if defined else ""


def _best(scores: Sequence[SystemScore], value: str) -> float | None:
    values = {str(place): score.values[value] for place, score in enumerate(scores)}
    best = _best_annotator(scores[0].measure, value, values)
    return values[best] if best else None


def _mean(numbers: Sequence[float | None]) -> float | None:
    """The mean of the defined numbers, independent of their order."""
    defined = [number for number in numbers if number is not None]
    if not defined:
        return None
    return defined[0] if len(set(defined)) == 1 else math.fsum(defined) / len(defined)


def _soft_values(scores: Sequence[SystemScore], part: str) -> Mapping[str, float | None]:
    """The values of the counts of all annotators together, with equal weight for each text.

    Counts are multiplied by whole numbers and divided at the end, so that a key given twice changes no digit.
    """
    first = scores[0]
    if any(score.rows.layout != first.rows.layout for score in scores):
        return {}
    names = [list(score.rows.attributes[part]) for score in scores]
    annotators = Counter(name for each in names for name in dict.fromkeys(each))
    scale = math.lcm(*annotators.values())
    scale = scale if scale <= MOST_SCALED else max(annotators.values())
    weights = [np.array([scale / annotators[name] for name in each]) for each in names]
    matrix = np.concatenate(
        [score.rows.matrix * by_row[:, None] for score, by_row in zip(scores, weights, strict=True)]
    )
    if by := first.averaged_over:
        groups, codes = encode_values([name for score in scores for name in score.rows.attributes[by]])
        pooled = Rows(
            {by: groups, "document": groups}, group_sums(matrix, codes, len(groups)) / scale, first.rows.layout
        )
    else:
        total = np.array([[math.fsum(column) for column in matrix.T]]) / scale
        pooled = Rows({"document": [ALL]}, total, first.rows.layout)
    return replace(first, rows=pooled, stored=None, intervals={}).values


def _ceilings(people: Mapping[tuple[str, str], Result], part: str, settings: _Settings) -> list[People]:
    """The human ceiling for each value of each measure."""
    if not people:
        return []
    scores = {pair: {score.name: score for score in result} for pair, result in people.items()}
    rows = []
    for name, score in next(iter(scores.values())).items():
        if not all(name in by_name for by_name in scores.values()):
            continue
        by_person: dict[str, dict[str, SystemScore]] = {}
        for (person, annotator), by_name in scores.items():
            by_person.setdefault(person, {})[annotator] = by_name[name]
        persons = {
            person: {row.value: row for row in _summarise(person, by_key, part, settings, is_person=True)}
            for person, by_key in by_person.items()
        }
        intervals = _intervals([(*pair, by_name[name]) for pair, by_name in scores.items()], settings)
        for value in score.measure.values:
            each = [by_value[value] for by_value in persons.values()]
            summary = Summary(*(_mean([row.summary[place] for row in each]) for place in range(3)))
            rows.append(People(score.measure, value, summary, each, intervals.get(value)))
    return rows


def _common_unit(scores: Sequence[SystemScore], unit: str) -> str:
    """The unit to draw: that of all scores; documents where the keys of some annotators mark other clusters."""
    names = {sampling_unit(Result(score.measure.task, [score]), unit).name for score in scores}
    return names.pop() if len(names) == 1 else "document"


def _intervals(scores: Sequence[tuple[str, str, SystemScore]], settings: _Settings) -> dict[str, Interval | None]:
    """The interval of the expected value from scores that involve one or two annotators; draws texts and annotators."""
    if settings.level is None:
        return {}
    unit = _common_unit([score for _, _, score in scores], settings.unit)
    parts = [counts_by_unit(score, unit) for _, _, score in scores]
    units = sorted({name for part in parts for name in part.units})
    annotators = sorted({name for people in scores for name in people[:2] if name})
    if len(units) < 2:
        return {}
    number = {name: place for place, name in enumerate(units)}
    places = [np.array([number[name] for name in part.units]) for part in parts]
    involved = [[annotators.index(name) for name in people[:2] if name] for people in scores]
    generator = np.random.default_rng([settings.seed, len(annotators)])
    means: list[Column] = []
    for weights in bootstrap_weights(len(units), settings.draws, settings.seed):
        times = generator.multinomial(len(annotators), np.full(len(annotators), 1 / len(annotators)), len(weights))
        values = np.stack(
            [
                np.stack(list(part.values(weights[:, place] @ part.matrix)), axis=-1)
                for part, place in zip(parts, places, strict=True)
            ]
        )
        drawn = np.stack([times[:, who].prod(axis=1) for who in involved])[:, :, None] * ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            means.append((np.nan_to_num(values) * drawn).sum(axis=0) / drawn.sum(axis=0))
    share = (1 - settings.level) / 2
    drawn_means = np.concatenate(means)
    is_defined = ~np.isnan(drawn_means).all(axis=0)
    bounds = np.full((2, len(is_defined)), np.nan)
    bounds[:, is_defined] = np.nanquantile(drawn_means[:, is_defined], [share, 1 - share], axis=0).round(DIGITS)
    rows = zip(scores[0][2].measure.values, *bounds.tolist(), strict=True)
    return {value: None if math.isnan(low + high) else (low, high) for value, low, high in rows}
