"""Scores relative to those of a simple system: 0 is the baseline, 1 is perfect.

    relative = (score − baseline's score) / (perfect score − baseline's score)

A relative score is a measure itself: it counts both responses side by side, so it has values by document, intervals
and tests like any other measure.

The score of a random baseline is the mean over many draws, with seeds from `seed`: `random_profile(draws=50,seed=3)`;
20 draws by default. The details contain their spread.

Source: Popescu-Belis 1999, §5.1 (after Mitkov 1998), where the baseline's score takes the place of 0.
Edges: undefined where the baseline is perfect or either score is undefined. Where a value is best at zero, its distance
from zero is compared. Negative when the system is worse than the baseline.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from aune.baselines import Baseline, baseline
from aune.contract import registry
from aune.contract.measure import Column, Counts, Layout, Measure, Score, ratio
from aune.contract.options import Option, check_known, format_value
from aune.contract.signature import Signature
from aune.errors import UsageError
from aune.evaluation.pipeline import evaluate
from aune.reading.corpus import Corpus, read
from aune.reading.source import is_file_like
from aune.reading.system_names import system_names
from aune.results.result import Result, SystemScore
from aune.results.rows import Rows, group


class Both(NamedTuple):
    """The counts of a system, and those of each draw of the baseline."""

    system: Counts
    baseline: tuple[Counts, ...]


DRAWS = 20
"""The default number of draws of a random baseline."""


def named_baseline(task: str, expression: str) -> tuple[Baseline, dict[str, Any]]:
    """The baseline and its options in `NAME` or `NAME(option=value, …)`; a random one has `draws` and `seed`.

    >>> named_baseline("coref", "random_profile(seed=3)")[1]
    {'seed': 3}
    """
    call = registry.parse_expression(expression)
    named = baseline(task, call.name)
    draws = {"draws": Option("draws", DRAWS, int, "how often it is drawn")} if named.is_random else {}
    known = {**named.options, **draws}
    check_known([name for name, _ in call.options], known, f"option of the baseline {named.name}")
    return named, {name: known[name].convert(value) for name, value in call.options}


def named_expression(name: str, options: Mapping[str, Any]) -> str:
    """The expression that `named_baseline` parses.

    >>> named_expression("random_profile", {"seed": 3})
    'random_profile(seed=3)'
    """
    inside = ",".join(f"{option}={format_value(value)}" for option, value in options.items())
    return f"{name}({inside})" if inside else name


def against_baseline(task: str, key: Any, systems: Any, name: str, **options: Any) -> Result:
    """The scores of systems relative to a baseline's. Options are those of `evaluate`.

    >>> key = [{1, 2, 3}, {4, 5}]
    >>> found = against_baseline("coref", key, {"A": key, "B": [{1, 2, 3, 4, 5}]}, "one_chain", measures=["muc"])
    >>> found["A", "over(coref.muc,one_chain)"].f1, found["B", "over(coref.muc,one_chain)"].f1
    (1.0, 0.0)
    """
    reference, baseline_options = named_baseline(task, name)
    corpus = read(registry.task(task), key, _key_format(key, options), **options)
    label, answers = _draw_answers(reference, baseline_options, corpus)
    named = dict(systems) if isinstance(systems, Mapping) else system_names(systems, with_runs=True)
    if clash := sorted(named.keys() & answers.keys()):
        raise UsageError(f"a system is called {clash[0]!r} like the baseline: name it with name=path")
    result = evaluate(task, corpus, {**named, **answers}, **options)
    return relative(result, list(answers), label)


def _draw_answers(
    baseline: Baseline, baseline_options: Mapping[str, Any], corpus: Corpus
) -> tuple[str, dict[str, Corpus]]:
    """The baseline with all options that determine its draws, and its response in each of them, by name."""
    if not baseline.is_random:
        label = named_expression(baseline.name, baseline_options)
        return label, {label: Corpus(baseline(corpus.documents, **baseline_options))}
    first, draws = int(baseline_options.get("seed", 0)), int(baseline_options.get("draws", DRAWS))
    if draws < 1:
        raise UsageError(f"{baseline.name}(draws={draws}): expected at least one")
    other_options = {option: value for option, value in baseline_options.items() if option not in ("seed", "draws")}
    answers = {
        named_expression(baseline.name, {**other_options, "seed": seed}): Corpus(
            baseline(corpus.documents, **other_options, seed=seed)
        )
        for seed in range(first, first + draws)
    }
    return named_expression(baseline.name, {**other_options, "draws": draws, "seed": first}), answers


def _key_format(key: Any, options: Mapping[str, Any]) -> str | None:
    return options.get("key_format") if is_file_like(key) else None


def relative(result: Result, to: Sequence[str], label: str) -> Result:
    """The scores of all systems of a result, relative to the mean of some of them: the draws of a baseline."""
    scores = [
        _over(result[system, measure.name], [result[draw, measure.name] for draw in to], label)
        for system in result.systems
        if system not in to
        for measure in result.measures
    ]
    inputs = [record for record in result.inputs if record.system not in to]
    return Result(result.task, scores, inputs, result.warnings)


def _over(system: SystemScore, draws: Sequence[SystemScore], label: str) -> SystemScore:
    measure = over(system.measure, label, system.options)
    all_rows = [system.rows, *(draw.rows for draw in draws)]
    if any(dict(rows.attributes) != dict(system.rows.attributes) for rows in all_rows):
        all_rows = [group(rows, "document") for rows in all_rows]  # units differ between responses: compare documents
    names = tuple(f"draw_{number}" for number in range(len(draws)))
    drawn = Layout(_in_a_row, names, tuple(part.layout for part in all_rows[1:]))
    layout = Layout(Both, Both._fields, (all_rows[0].layout, drawn))
    rows = Rows(all_rows[0].attributes, np.concatenate([part.matrix for part in all_rows], axis=1), layout)
    signed = Signature(measure.name, {**system.signature.options, "baseline": label}, system.signature.version)
    return replace(
        system, measure=measure, signature=signed, rows=rows, make_details=partial(_value_levels, draws), intervals={}
    )


def _in_a_row(*counts: Counts) -> tuple[Counts, ...]:
    return counts


def _value_levels(draws: Sequence[SystemScore]) -> list[dict[str, Any]]:
    """The values of the baseline over its draws."""
    return [_level(draws[0].name, value, [draw.values[value] for draw in draws])._asdict() for value in draws[0].values]


def over(measure: Measure, name: str, options: Mapping[str, Any]) -> Measure:
    """A measure's values relative to the baseline's mean over its draws, as a measure of several responses."""
    if measure.by:
        raise UsageError(f"{measure.name}: a macro average has no score against a baseline")

    def score(counts: Both) -> Score:
        system_score = measure.score_counts(counts.system, options)
        draws = [measure.score_counts(draw, options) for draw in counts.baseline]
        baseline_means = [np.mean([getattr(draw, value) for draw in draws], axis=0) for value in system_score._fields]
        return type(system_score)(
            *(
                _relative(measure, value, *pair)
                for value, *pair in zip(system_score._fields, system_score, baseline_means, strict=True)
            )
        )

    score.__annotations__["return"] = _values_type(measure)
    return Measure(
        measure.count,
        score,
        main=measure.headline,
        label=f"over({measure.name},{name})",
        percent=measure.percent,
        undefined=dict.fromkeys(measure.values, "the baseline is perfect, or one of the two scores is undefined"),
    )


def _values_type(measure: Measure) -> type:
    values_type: type = get_type_hints(measure.score)["return"]
    return values_type


def _relative(measure: Measure, value: str, system: Column, baseline: Column) -> Column:
    perfect = measure.perfect_of(value)
    if measure.better_of(value) == "zero":
        system, baseline, perfect = -np.abs(system), -np.abs(baseline), 0.0
    if math.isnan(perfect):
        return np.full(np.shape(system), np.nan)
    return ratio(system - baseline, perfect - baseline)


# Chance level: the values of a random baseline over many draws.


class Level(NamedTuple):
    """The level of a baseline for one value of a measure over several draws; None if it is undefined in all draws."""

    measure: str
    value: str
    mean: float | None
    deviation: float | None
    lowest: float | None
    highest: float | None
    draws: int


def chance(task: str, key: Any, name: str, *, draws: int = DRAWS, **options: Any) -> list[Level]:
    """The level of every value over draws with consecutive seeds, from 0 or from the given seed."""
    tested, baseline_options = named_baseline(task, name)
    draws = int(baseline_options.pop("draws", draws))
    if draws < 1:
        raise UsageError(f"--draws {draws}: expected at least one")
    if not tested.is_random:
        draws = 1
    first = int(baseline_options.pop("seed", 0))
    corpus = read(registry.task(task), key, _key_format(key, options), **options)
    values: dict[tuple[str, str], list[float | None]] = {}
    for seed in range(first, first + draws):
        answer = tested(corpus.documents, **baseline_options, **({"seed": seed} if tested.is_random else {}))
        for scored in evaluate(task, corpus, {name: Corpus(answer)}, **options):
            for value, number in scored.values.items():
                values.setdefault((scored.name, value), []).append(number)
    return [_level(measure, value, numbers) for (measure, value), numbers in values.items()]


def _level(measure: str, value: str, numbers: Sequence[float | None]) -> Level:
    known = [number for number in numbers if number is not None]
    if not known:
        return Level(measure, value, None, None, None, None, len(numbers))
    spread = statistics.stdev(known) if len(known) > 1 else 0.0
    return Level(measure, value, statistics.fmean(known), spread, min(known), max(known), len(numbers))


# Ablation: the contribution of each group of rules.


class Ablation(NamedTuple):
    """The main value of each measure with groups of rules switched off, and the mean loss."""

    off: tuple[str, ...]
    scores: Mapping[str, float | None]
    mean: float | None
    loss: float | None


def ablations(
    task: str, key: Any, name: str, *, most: int = 2, measures: Sequence[str] = (), **options: Any
) -> list[Ablation]:
    """A complete baseline, then without one and up to `most` groups of rules (Popescu-Belis 1999, §5.1).

    The loss is that of the mean over the measures; by default, those that the baseline names.
    """
    tested, baseline_options = named_baseline(task, name)
    groups = rule_groups(tested)
    chosen = list(measures) or list(tested.measures)
    corpus = read(registry.task(task), key, _key_format(key, options), **options)
    results: list[Ablation] = []
    for off in _subsets(groups, most):
        answer = tested(corpus.documents, **{**baseline_options, "off": off})
        scores = {
            scored.name: scored.main
            for scored in evaluate(task, corpus, {name: Corpus(answer)}, measures=chosen, **options)
        }
        known = [score for score in scores.values() if score is not None]
        mean = statistics.fmean(known) if len(known) == len(scores) else None
        whole = results[0].mean if results else mean
        loss = None if whole is None or mean is None else whole - mean
        results.append(Ablation(off, scores, mean, loss))
    return results


def rule_groups(baseline: Baseline) -> tuple[str, ...]:
    """The groups of rules that can be switched off in a baseline."""
    if not baseline.groups:
        raise UsageError(f"{baseline.task} baseline {baseline.name}: it has no groups of rules to switch off")
    return baseline.groups


def _subsets(groups: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    for size in range(min(most, len(groups)) + 1):
        yield from combinations(groups, size)


# Sweeps: the best parameters on some texts, and their scores on others.


class Trial(NamedTuple):
    """Parameters of a baseline, and the mean of the measures on the texts on which they were tested."""

    parameters: Mapping[str, float]
    mean: float | None


class Sweep(NamedTuple):
    """All trials, the best first, and the scores of the best and of the default parameters on other texts."""

    trials: list[Trial]
    chosen: Mapping[str, float | None]
    default: Mapping[str, float | None]


def sweep(
    task: str, training: Any, held_out: Any, name: str, grid: Mapping[str, Sequence[float]], *,
    draws: int | None = None, seed: int = 0, measures: Sequence[str] = (), **options: Any,
) -> Sweep:  # fmt: skip
    """Try values of a baseline's parameters on training texts, and score the best ones on others.

    Every combination of the grid is tested, or as many random ones as `draws` says; among equals the first is best.
    """
    tested, baseline_options = named_baseline(task, name)
    if "values" not in tested.options:
        raise UsageError(f"{task} baseline {tested.name}: it has no parameters to sweep over")
    chosen = list(measures) or list(tested.measures)
    texts, others = (
        read(registry.task(task), source, _key_format(source, options), **options) for source in (training, held_out)
    )

    def scores(corpus: Corpus, parameters: Mapping[str, float]) -> dict[str, float | None]:
        values = tuple(f"{parameter}={value!r}" for parameter, value in parameters.items())
        answer = Corpus(
            tested(corpus.documents, **{**baseline_options, "values": (*baseline_options.get("values", ()), *values)})
        )
        return {
            scored.name: scored.main for scored in evaluate(task, corpus, {name: answer}, measures=chosen, **options)
        }

    every = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if draws is not None and draws < len(every):
        every = random.Random(seed).sample(every, draws)
    trials = [Trial(parameters, _mean(scores(texts, parameters).values())) for parameters in every]
    trials.sort(key=lambda trial: -(trial.mean if trial.mean is not None else -math.inf))
    return Sweep(trials, scores(others, trials[0].parameters), scores(others, {}))


def _mean(numbers: Iterable[float | None]) -> float | None:
    known = list(numbers)
    return None if None in known else statistics.fmean(number for number in known if number is not None)
