"""Whether a ranking is robust: score all combinations of choices, and compare the order of systems in them.

A choice is an option of the task, its formats or its measures, or one of

- `measures`: the measure or the value that determines the ranking;
- `convention`: a named set of options;
- `unit`: the unit of resampling for significance;
- `run`: the run to use for systems with several runs, or `mean`;
- `key`: the key, for instance that of one of several annotators.

Shared work is done once: files are read once for all options that do not affect reading, texts are compared once for
all options that affect only measures, and all measures and pairs are linear algebra on the same
counts. An option that does not affect a measure creates no further combinations with it. A pair differs significantly
in a combination if the p-value of its contrast (see `aune.statistics.contrasts`) is at most 1 − level, uncorrected.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import check_known, options_of
from aune.contract.task import Task
from aune.errors import UnknownNameError, UsageError
from aune.evaluation.pipeline import run_evaluation
from aune.evaluation.plan import select_measures
from aune.numeric.grouping import group_items
from aune.reading.corpus import Corpus, read
from aune.reading.source import is_file_like
from aune.reading.system_names import name_runs, system_names
from aune.results.result import Result
from aune.statistics.contrasts import SystemRuns, contrast_pairs, systems_with_runs, two_sided_p
from aune.statistics.sampling_units import AUTO, ENOUGH_UNITS, sampling_unit

Choices: TypeAlias = Mapping[str, Sequence[Any]]
Setting: TypeAlias = dict[str, Any]
"""One value of each choice."""
USUAL = "usual"
MEAN = "mean"
MOST_COMBINATIONS = 100_000
NOT_OPTIONS = ("measures", "unit", "run", "key", "convention")
"""Choices that are not options of a reader, the comparison or a measure."""


class Reversal(NamedTuple):
    """How often a change of one choice alone reverses the order of a pair."""

    choice: str
    share: float
    """The share of reversals, among pairs of combinations that differ in this choice alone."""


class PairRobustness(NamedTuple):
    """The outcome of all combinations for a pair of systems."""

    a: str
    b: str
    combinations: int
    """The number of combinations in which both have a value."""
    a_ahead: float
    """The share of combinations in which A is better."""
    a_significant: float
    """The share of combinations in which A is significantly better."""
    b_ahead: float
    b_significant: float
    decisive: str | None
    """The choice whose change reverses the order most often; None if no choice does."""
    reversals: list[Reversal]


@dataclass(frozen=True)
class Robustness:
    """How the order of systems depends on choices."""

    task: str
    choices: Mapping[str, Sequence[str]]
    settings: Mapping[str, Any]
    systems: list[str]
    pairs: list[PairRobustness]
    combinations: list[dict[str, Any]]
    """Every combination with its order of the systems, best first."""
    warnings: list[str]

    def to(self, format: str, digits: int = 2) -> str:
        """The outcome as text: table, json, jsonl, csv, tsv, markdown, latex or html."""
        from aune import analysis_written  # noqa: PLC0415 - through the public interface: reports are a higher layer

        text: str = analysis_written(self, format, digits)
        return text

    def __str__(self) -> str:
        return self.to("table").rstrip("\n")


def robustness(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str],
    choices: str | Choices = USUAL,
    *,
    level: float = 0.95,
    **options: Any,
) -> Robustness:
    """Score all combinations of named choices, and report in which of them each system is better than each other.

    `choices` gives the values of each choice by name, or is `usual` for those that the task defines. The other options
    are those of `aune.evaluate`, and equal in all combinations.

    >>> key = {str(n): [{1, 2, 3}, {4, 5}] for n in range(9)}
    >>> split = {n: [{1, 2}, {3}, {4, 5}] for n in key}
    >>> merged = {n: [{1, 2, 3, 4, 5}] for n in key}
    >>> outcome = robustness("coref", key, {"split": split, "merged": merged}, {"measures": ["muc", "b_cubed"]})
    >>> outcome.pairs[0].a_ahead, outcome.pairs[0].decisive
    (0.5, 'measures')
    """
    definition = registry.task(task)
    named = _named_choices(definition, choices)
    grid = _Grid(definition, named, options)
    responses = systems if isinstance(systems, Mapping) else system_names(list(systems), with_runs=True)
    names = list(responses)
    if len(names) < 2:
        raise UsageError("expected at least two systems to rank")
    goodness = np.full((len(grid.settings), len(names)), np.nan)
    p_values = np.full((len(grid.settings), math.comb(len(names), 2)), np.nan)
    warnings: dict[str, None] = {}
    for result, members in grid.results(key, responses, warnings):
        _fill(grid, result, members, (goodness, p_values))
    pairs = [
        _pair(grid, (names[a], names[b]), goodness[:, a] - goodness[:, b], p_values[:, place] <= 1 - level)
        for place, (a, b) in enumerate(combinations(range(len(names)), 2))
    ]
    orders = [
        {**{name: str(value) for name, value in setting.items()}, "order": _order(names, row)}
        for setting, row, is_distinct in zip(grid.settings, goodness, grid.distinct.tolist(), strict=True)
        if is_distinct
    ]
    settings = {"level": level, "combinations": int(grid.distinct.sum())}
    shown = {name: [str(value) for value in values] for name, values in named.items()}
    return Robustness(definition.name, shown, settings, names, pairs, orders, [*warnings])


def _named_choices(task: Task, choices: str | Choices) -> dict[str, list[Any]]:
    """The values of each choice; for `usual`, those that the task defines."""
    if isinstance(choices, str):
        check_known([choices], [USUAL], "set of choices")
        choices = task.extras.usual_choices
    named = {name: list(values) for name, values in choices.items()}
    if not named or not all(named.values()):
        raise UsageError("expected choices with at least one value each, such as {'match': ['strict', 'boundary']}")
    named.setdefault("measures", [task.ranking])
    number = math.prod(map(len, named.values()))
    if number > MOST_COMBINATIONS:
        raise UsageError(f"{number:,} combinations: expected at most {MOST_COMBINATIONS:,}: leave out some choices")
    return named


class _Grid:
    """All combinations of choices, and the work that they share."""

    def __init__(self, task: Task, choices: Mapping[str, Sequence[Any]], options: Mapping[str, Any]) -> None:
        self.task, self.choices = task, choices
        self.settings: list[Setting] = [
            dict(zip(choices, values, strict=True)) for values in product(*choices.values())
        ]
        self.indices = [*product(*(range(len(values)) for values in choices.values()))]
        self.shape = tuple(map(len, choices.values()))
        self.options = dict(options)
        compare_options = options_of(task.comparing.compare)
        reader_options = {name for form in registry.formats(task.name) for name in options_of(form.read)}
        self.reader_choices = [name for name in choices if name in reader_options or name.startswith("response_")]
        self.measure_choices = [
            name for name in choices if name not in (*NOT_OPTIONS, *compare_options, *self.reader_choices)
        ]
        self.unshared = ("measures", "unit", "run", *self.measure_choices)
        """Choices that apply after texts are compared."""
        self.columns = [self._column(setting) for setting in self.settings]
        self._check_choices()
        self.distinct = self._find_distinct()

    def _column(self, setting: Setting) -> tuple[Measure, str]:
        """The measure of a combination, with its options, and the value that determines the ranking."""
        text = str(setting["measures"])
        base, _, value = text.rpartition(".")
        whole = _known_measure(self.task, text)
        measure = whole or registry.measure(base, self.task.name)
        if whole is None:
            check_known([value], measure.values, f"value of {measure.name}")
        fixed = {name: setting[name] for name in self.measure_choices if name in measure.options}
        if fixed and "(" not in measure.short:
            inside = ",".join(f"{name}={fixed[name]}" for name in fixed)
            measure = registry.measure(f"{measure.short}({inside})", self.task.name)
        return measure, measure.headline if whole else value

    def _check_choices(self) -> None:
        """Refuse a choice without any effect."""
        known = {name for measure, _ in self.columns for name in measure.options}
        known |= {*NOT_OPTIONS, *options_of(self.task.comparing.compare), *self.reader_choices}
        for name in self.choices:
            if name not in known:
                raise UnknownNameError(f"choice for {self.task.name}", name, sorted(known))

    def _find_distinct(self) -> NDArray[np.bool_]:
        """A mask of the combinations that differ from earlier ones, ignoring options that do not affect the measure."""
        seen: set[tuple[int, ...]] = set()
        distinct = np.zeros(len(self.settings), bool)
        for place, (indices, (measure, _)) in enumerate(zip(self.indices, self.columns, strict=True)):
            acting = tuple(
                -1 if name in self.measure_choices and name not in measure.options else index
                for name, index in zip(self.choices, indices, strict=True)
            )
            distinct[place] = acting not in seen
            seen.add(acting)
        return distinct

    def _shared_places(self) -> list[list[int]]:
        """The combinations that share an evaluation, because they read and compare in the same way."""
        axes = [axis for axis, name in enumerate(self.choices) if name not in self.unshared]
        distinct = np.flatnonzero(self.distinct).tolist()
        return [*group_items((tuple(self.indices[place][axis] for axis in axes), place) for place in distinct).values()]

    def results(
        self, key: Any, systems: Mapping[str, Any], warnings: dict[str, None]
    ) -> Iterator[tuple[Result, list[int]]]:
        """Every evaluation, with the combinations for which it is used."""
        readings: dict[tuple[Any, ...], tuple[Any, Mapping[str, Any]]] = {}
        for members in self._shared_places():
            chosen = {name: value for name, value in self.settings[members[0]].items() if name not in self.unshared}
            used_key = chosen.pop("key", key)
            reader_options = {name: chosen.pop(name) for name in self.reader_choices}
            reading = (id(used_key), *reader_options.items())
            if reading not in readings:
                readings[reading] = self._read(used_key, systems, {**self.options, **reader_options})
            corpus, responses = readings[reading]
            measures = list({self.columns[place][0].name: self.columns[place][0] for place in members}.values())
            options = {name: value for name, value in self.options.items() if name not in READ_ALREADY}
            evaluation_result = run_evaluation(self.task.name, corpus, responses, measures=measures,
                                               **{**options, **chosen}).result  # fmt: skip
            warnings |= dict.fromkeys(evaluation_result.warnings)
            yield evaluation_result, members

    def _read(self, key: Any, systems: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The key and the responses as documents, so that no evaluation has to read them again."""
        runs, run_of = name_runs(systems)
        corpora = {name: self._corpus(response, options.get("response_format"), options)
                   for name, response in runs.items()}  # fmt: skip
        grouped: dict[str, Any] = {}
        for name, corpus in corpora.items():
            grouped.setdefault(run_of.get(name, name), []).append(corpus)
        responses = {name: _runs(group) for name, group in grouped.items()}
        return self._corpus(key, options.get("key_format"), options), responses

    def _corpus(self, source: Any, form: str | None, options: Mapping[str, Any]) -> Corpus:
        named = {name: value for name, value in options.items() if name not in READ_ALREADY}
        return read(self.task, source, form if is_file_like(source) else None, **named)


READ_ALREADY = ("key_format", "response_format", "workers", "engine", "progress")
"""Options that have already been applied, or have no effect, once documents are in memory."""


def _runs(group: Sequence[Corpus]) -> Any:
    from aune.reading.system_names import Runs  # noqa: PLC0415

    return Runs(group) if len(group) > 1 else group[0]


def _known_measure(task: Task, text: str) -> Measure | None:
    """The measure whose name is the whole text; None if the text ends with the name of a value."""
    try:
        return select_measures(task, [text])[0]
    except (UsageError, ValueError):
        return None


def _fill(
    grid: _Grid, result: Result, members: Sequence[int], arrays: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    """Store the values of an evaluation, and the p-values of its pairs, for its combinations."""
    goodness, p_values = arrays
    groups: dict[tuple[str, str], list[int]] = {}
    for place in members:
        setting = grid.settings[place]
        groups.setdefault((str(setting.get("unit", AUTO)), str(setting.get("run", MEAN))), []).append(place)
    for (unit, run), places in groups.items():
        systems = [_choose_run(system, run) for system in systems_with_runs(result, sampling_unit(result, unit).name)]
        columns = {(systems[0].first.scores[score].name, value): place
                   for place, (score, value) in enumerate(systems[0].first.names)}  # fmt: skip
        chosen = [columns[grid.columns[place][0].name, grid.columns[place][1]] for place in places]
        signs = [1.0 if grid.columns[place][0].better_of(grid.columns[place][1]) == "higher" else -1.0
                 for place in places]  # fmt: skip
        values = np.stack([system.mean_values[chosen] for system in systems], axis=1)
        goodness[places] = values * np.array(signs)[:, None]
        if len(systems[0].first.units) >= ENOUGH_UNITS:
            p = [two_sided_p(contrast.spread)[chosen] for contrast in contrast_pairs(systems).values()]
            p_values[places] = np.stack(p, axis=1)


def _choose_run(system: SystemRuns, run: str) -> SystemRuns:
    """A system reduced to one of its runs, if it has several."""
    if run == MEAN or system.number == 1:
        return system
    if not run.isdecimal() or not 1 <= int(run) <= system.number:
        raise UsageError(f"run {run}: expected {MEAN}, or a number from 1 to {system.number} ({system.name})")
    return SystemRuns(system.name, [system.stacks[int(run) - 1]])


def _pair(
    grid: _Grid, names: tuple[str, str], gains: NDArray[np.float64], significant: NDArray[np.bool_]
) -> PairRobustness:
    defined = ~np.isnan(gains)
    number = int(defined.sum())
    signs = np.where(defined, np.sign(np.round(np.nan_to_num(gains), 12)), np.nan)
    table = signs.reshape(grid.shape)
    reversals = [Reversal(name, _reversal_share(table, axis)) for axis, name in enumerate(grid.choices)]
    reversals.sort(key=lambda reversal: -reversal.share)

    def share(part: NDArray[np.bool_]) -> float:
        return float(part.sum()) / max(number, 1)

    return PairRobustness(
        *names,
        number,
        share(signs == 1),
        share((signs == 1) & significant),
        share(signs == -1),
        share((signs == -1) & significant),
        reversals[0].choice if reversals[0].share > 0 else None,
        reversals,
    )


def _reversal_share(signs: NDArray[np.float64], axis: int) -> float:
    """The share of pairs with opposite order, among pairs of combinations that differ along one axis only.

    >>> _reversal_share(np.array([[1.0, -1.0], [1.0, 1.0]]), 1)
    0.5
    """
    ahead, behind = (signs == 1).sum(axis=axis), (signs == -1).sum(axis=axis)
    defined = (~np.isnan(signs)).sum(axis=axis)
    total = float((defined * (defined - 1) / 2).sum())
    return float((ahead * behind).sum()) / total if total else 0.0


def _order(names: Sequence[str], goodness: NDArray[np.float64]) -> list[str]:
    """The systems, best first; systems without a value are last."""
    worth = {
        name: -math.inf if math.isnan(value) else value for name, value in zip(names, goodness.tolist(), strict=True)
    }
    return sorted(names, key=lambda name: -worth[name])
