"""Test the coherence of measures: the criteria of Popescu-Belis 1999 (§2.3), on every response to every small key.

- BS, upper bound: a perfect response gets the best value, and nothing else does.
- BI, lower bound: only the worst responses get the worst value (BI-1), they do get it (BI-2), and it can be reached at
  all (BI-3). The definition of the worst responses is debatable: here they are those of trivial systems.
- BI-1 extended (§4.6): a low value means a bad response; no value is below the share of the response that is right
  under the best pairing of chains.
- BI-3′ (§4.1, §4.7): the lowest values are low, regardless of the number of chains in the response.
- More chains: more recall errors, and fewer chains: more precision errors (§4.6): a response with more chains than the
  key has no more recall than precision, and one with fewer chains no less.
- Bounds: every value lies between the worst and the best.
- Monotony: correcting one error never makes the value worse.
- Symmetry: recall and precision are exchanged when key and response are.
- Together: for an average of measures, one response can have the worst value in all its parts.

A statement about every response `holds` on the tested cases, or there is a `counter-example`. A statement that
something can be reached is `proven` by an example, `holds` if every key has one, or `fails` on all tested cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract import registry
from aune.contract.measure import Column, Measure
from aune.contract.small_worlds import Universe
from aune.errors import UsageError
from aune.evaluation.plan import select_measures
from aune.meta.pair_scores import pair_values

TOLERANCE = 1e-9
SIZE = 6
SAMPLES = 2_000
LARGER_SIZES = (8, 40)


class Finding(NamedTuple):
    """The result of one criterion for one measure."""

    measure: str
    criterion: str
    status: str
    """proven, holds, counter-example, fails, or listed (for descriptions without a verdict)."""
    cases: int
    example: str | None
    score: float | None = None
    """The decisive value, if there is one."""


def task_universe(task: str) -> Universe:
    """The universe of small worlds of a task."""
    world = registry.task(task).extras.small_worlds
    if world is None:
        known = [name for name in registry.task_names() if registry.task(name).extras.small_worlds]
        raise UsageError(f"{task} has no universe of small documents: known for {', '.join(known)}")
    return world


@dataclass(frozen=True)
class World:
    """Every pair of a key and a response up to a size, and random pairs of larger documents."""

    universe: Universe
    size: int
    samples: int
    seed: int

    @cached_property
    def sizes(self) -> list[int]:
        return [self.size] if self.universe.nested else list(range(2, self.size + 1))

    @cached_property
    def documents(self) -> list[Any]:
        return [document for size in self.sizes for document in self.universe.documents(size)]

    @cached_property
    def _pair_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """For every pair: the numbers of its key, of its response, and of the pair with both exchanged."""
        keys, responses, swapped, first, pairs = [], [], [], 0, 0
        for size in self.sizes:
            count = len(self.universe.documents(size))
            grid = np.arange(count)
            keys.append(first + np.repeat(grid, count))
            responses.append(first + np.tile(grid, count))
            swapped.append(pairs + (grid[None, :] * count + grid[:, None]).ravel())
            first, pairs = first + count, pairs + count**2
        return np.concatenate(keys), np.concatenate(responses), np.concatenate(swapped)

    @property
    def key(self) -> NDArray[np.int64]:
        return self._pair_numbers[0]

    @property
    def response(self) -> NDArray[np.int64]:
        return self._pair_numbers[1]

    @property
    def swapped_pairs(self) -> NDArray[np.int64]:
        return self._pair_numbers[2]

    @cached_property
    def pairs(self) -> list[tuple[Any, Any]]:
        documents = self.documents
        return [(documents[k], documents[r]) for k, r in zip(self.key.tolist(), self.response.tolist(), strict=True)]

    @cached_property
    def larger_pairs(self) -> list[tuple[Any, Any]]:
        """Random pairs of larger documents, in which the response is similar to the key."""
        generator = np.random.default_rng(self.seed)
        return [self.universe.sample(generator, int(generator.integers(*LARGER_SIZES))) for _ in range(self.samples)]

    @cached_property
    def random_pairs(self) -> list[tuple[Any, Any]]:
        """The same larger keys, with random responses of the same profile."""
        generator = np.random.default_rng(self.seed)
        return [(key, self.universe.shuffle(generator, key)) for key, _ in self.larger_pairs]

    @cached_property
    def trivial_pairs(self) -> dict[str, NDArray[np.bool_]]:
        """By name of a trivial system: the pairs with its response, except where that equals the key."""
        number = self.document_numbers
        masks = {}
        for name, make in self.universe.trivial.items():
            trivial_numbers = np.array([number[self.universe.show(make(document))] for document in self.documents])
            masks[name] = (self.response == trivial_numbers[self.key]) & (self.key != self.response)
        return masks

    @cached_property
    def document_numbers(self) -> dict[str, int]:
        return {self.universe.show(document): place for place, document in enumerate(self.documents)}

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The number of chains of each document."""
        assert self.universe.groups is not None
        return np.array([self.universe.groups(document) for document in self.documents], np.int64)

    @cached_property
    def same_profile(self) -> NDArray[np.bool_]:
        """The pairs whose response has the key's profile, for keys with several such responses."""
        codes: dict[Any, int] = {}
        profiles = np.array(
            [codes.setdefault(self.universe.profile(document), len(codes)) for document in self.documents]
        )
        several = np.bincount(profiles)[profiles] > 1
        return np.asarray((profiles[self.key] == profiles[self.response]) & several[self.key])

    @cached_property
    def steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs, and the pairs that result from correcting one error."""
        place = {id(document): number for number, document in enumerate(self.documents)}
        number = np.full((len(self.documents), len(self.documents)), -1)
        number[self.key, self.response] = np.arange(len(self.key))
        before, keys, after = [], [], []
        for pair, (key, response) in enumerate(self.pairs):
            if key is not response:
                better = [
                    self._document_number(place, correction) for correction in self.universe.corrections(key, response)
                ]
                before += [pair] * len(better)
                keys += [place[id(key)]] * len(better)
                after += better
        return np.array(before, np.int64), number[keys, after]

    def _document_number(self, known: Mapping[int, int], document: Any) -> int:
        """The number of a document: by identity if the world created it, else by its text."""
        place = known.get(id(document))
        return self.document_numbers[self.universe.show(document)] if place is None else place

    def show(self, pair: int) -> str:
        key, response = self.pairs[pair]
        return f"K={self.universe.show(key)} R={self.universe.show(response)}"


@cache
def make_world(task: str, size: int = SIZE, samples: int = SAMPLES, seed: int = 1) -> World:
    """The world of a task; cached, since every measure uses the same one."""
    return World(task_universe(task), size, samples, seed)


def audit(
    measures: Sequence[Measure],
    *,
    task: str | None = None,
    size: int = SIZE,
    samples: int = SAMPLES,
    seed: int = 1,
    convention: str | None = None,
    **options: Any,
) -> list[Finding]:
    """Every criterion for every measure (all of one task), on its main value.

    `task` defaults to the task of the first measure; measures defined outside aune require it.

    >>> findings = audit([registry.measure("coref.b_cubed")], size=4, samples=0, convention="partition")
    >>> next(finding for finding in findings if finding.criterion == "BI-3").status
    'fails'
    """
    if size < 2 or samples < 0 or seed < 0:
        raise UsageError(f"size {size}, samples {samples}, seed {seed}: expected a size of at least 2, others from 0")
    home = registry.task(task or measures[0].task)
    select_measures(home, measures)  # refuses measures of other tasks
    small_world = make_world(home.name, size, samples, seed)
    small_world.universe.check(size)
    parts = {measure.name: measure.parts for measure in measures}
    right = [registry.measure(small_world.universe.right, home.name)] if small_world.universe.right else []
    all_measures = [*measures, *(part for entries in parts.values() for part in entries), *right]
    all_measures = list({measure.name: measure for measure in all_measures}.values())
    small = pair_values(home, all_measures, small_world.pairs, convention, **options)
    larger = (
        pair_values(home, measures, small_world.larger_pairs, convention, **options)
        if samples
        else [{} for _ in measures]
    )
    random = (
        pair_values(home, measures, small_world.random_pairs, convention, **options)
        if samples
        else [{} for _ in measures]
    )
    known = {measure.name: values for measure, values in zip(all_measures, small, strict=True)}
    entries: list[Finding] = []
    for measure, larger_values, random_values in zip(measures, larger, random, strict=True):
        measure_parts = [(part, known[part.name]) for part in parts[measure.name]]
        at_best = known[right[0].name][right[0].headline] if right else None
        entries += _findings(
            Trial(small_world, measure, known[measure.name], larger_values, random_values, at_best), measure_parts
        )
    return entries


@dataclass(frozen=True)
class Trial:
    """One measure in a world: the values of its pairs."""

    world: World
    measure: Measure
    values: dict[str, Column]
    larger: dict[str, Column]
    random: dict[str, Column]
    right: Column | None = None
    """The share of each response that is right at best, if the universe defines it."""

    @property
    def value(self) -> str:
        return self.measure.headline

    @cached_property
    def main(self) -> Column:
        return self.values[self.value]

    @cached_property
    def good(self) -> Column:
        """The value, with its sign changed if lower is better, so that higher is better."""
        return self.measure.goodness(self.main)

    @property
    def best(self) -> float:
        return float(self.measure.goodness(np.array(self.measure.perfect_of(self.value))))

    @cached_property
    def perfect(self) -> NDArray[np.bool_]:
        return np.asarray(self.world.key == self.world.response)

    @property
    def has_worst(self) -> bool:
        """Whether there is a worst value, 0, that can be reached."""
        return self.measure.better_of(self.value) == "higher"

    @cached_property
    def worst(self) -> NDArray[np.bool_]:
        return np.asarray(self.main <= TOLERANCE)

    def finding(self, criterion: str, status: str, cases: int, example: str | None, score: Any = None) -> Finding:
        return Finding(self.measure.name, criterion, status, cases, example,
                       None if score is None or np.isnan(score) else float(np.round(score, 6)))  # fmt: skip

    def universal(self, criterion: str, violations: NDArray[np.bool_], cases: int) -> Finding:
        """A statement about every pair: the first and smallest counter-example, or on how many cases it holds."""
        if not violations.any():
            return self.finding(criterion, "holds", cases, None)
        pair = int(np.argmax(violations))
        return self.finding(criterion, "counter-example", cases, self.show(pair), self.main[pair])

    def show(self, pair: int) -> str:
        number = self.main[pair]
        value = "undefined" if np.isnan(number) else f"{number:.4g}"
        return f"{self.world.show(pair)}: {self.value} {value}"


def _findings(trial: Trial, parts: Sequence[tuple[Measure, dict[str, Column]]]) -> Iterator[Finding]:
    if np.isnan(trial.main).all():
        yield trial.finding("bounds", "listed", len(trial.main), "undefined on every pair")
        return
    yield from _upper_bound(trial)
    yield _bounds(trial)
    if trial.has_worst:
        yield from _lower_bound(trial)
    if trial.right is not None and trial.measure.range_of(trial.value).high == 1:
        yield _too_severe(trial, trial.right)
    if trial.world.universe.groups is not None:
        yield from _by_groups(trial)
    yield _monotony(trial)
    yield from _symmetry(trial)
    if parts:
        yield _parts_together(trial, parts)


def _upper_bound(trial: Trial) -> Iterator[Finding]:
    perfect_enough = trial.good >= trial.best - TOLERANCE
    yield trial.universal("BS: perfect gets the best", trial.perfect & ~perfect_enough, int(trial.perfect.sum()))
    only = trial.universal("BS: only perfect does", ~trial.perfect & perfect_enough, int((~trial.perfect).sum()))
    if only.status == "holds" and trial.larger:
        yield _upper_bound_of_larger(trial, only)
    else:
        yield only


def _upper_bound_of_larger(trial: Trial, finding: Finding) -> Finding:
    """The same statement on the larger random pairs."""
    show = trial.world.universe.show
    good = trial.measure.goodness(trial.larger[trial.value])
    different = np.array([show(key) != show(response) for key, response in trial.world.larger_pairs])
    violations = different & (good >= trial.best - TOLERANCE)
    if violations.any():
        key, response = trial.world.larger_pairs[int(np.argmax(violations))]
        return finding._replace(status="counter-example", example=f"K={show(key)} R={show(response)}")
    return finding._replace(cases=finding.cases + int(different.sum()))


def _bounds(trial: Trial) -> Finding:
    """Every value is between 0 and the best, or at most the best if there is no worst value."""
    outside = trial.good > trial.best + TOLERANCE
    if trial.has_worst:
        outside |= trial.good < -TOLERANCE
    if outside.any():
        pair = int(np.nanargmin(trial.good)) if trial.has_worst else int(np.argmax(outside))
        return trial.finding("bounds", "counter-example", len(trial.main), trial.show(pair), trial.main[pair])
    low, high = np.nanmin(trial.main), np.nanmax(trial.main)
    return trial.finding("bounds", "holds", len(trial.main), f"from {low:.4g} to {high:.4g}", low)


def _lower_bound(trial: Trial) -> Iterator[Finding]:
    yield _lowest_value(trial)
    yield _worst_responses(trial)
    for name, trivial in trial.world.trivial_pairs.items():
        yield _trivial_responses(trial, f"BI-2: {name}", trivial & ~np.isnan(trial.main))
    yield _random_responses(trial)


def _lowest_value(trial: Trial) -> Finding:
    """BI-3: whether every key has a response with the worst value; otherwise, the lowest value of a response.

    A key for which no response has a defined value is ignored.
    """
    lowest = np.full(len(trial.world.documents), np.nan)
    np.fmin.at(lowest, trial.world.key, trial.main)
    keys = int((~np.isnan(lowest)).sum())
    reached = lowest <= TOLERANCE
    if reached.sum() == keys:
        pair = int(np.argmax(trial.worst))
        return trial.finding("BI-3", "holds", keys, trial.show(pair), 0.0)
    key = int(np.nanargmax(lowest))
    pair = int(np.flatnonzero((trial.world.key == key) & (trial.main <= lowest[key] + TOLERANCE))[0])
    status = "counter-example" if reached.any() else "fails"
    return trial.finding("BI-3", status, keys, f"lowest of any response: {trial.show(pair)}", lowest[key])


def _worst_responses(trial: Trial) -> Finding:
    """BI-1: the responses that get the worst value."""
    count = int(trial.worst.sum())
    if not count:
        return trial.finding("BI-1", "listed", len(trial.main), "no response gets 0")
    trivial = {name: trial.worst & pairs for name, pairs in trial.world.trivial_pairs.items()}
    other = trial.worst & ~np.logical_or.reduce(list(trivial.values()))
    kinds = [f"{int(pairs.sum())} {name}" for name, pairs in trivial.items()] + [f"{int(other.sum())} others"]
    example = f", such as {trial.show(int(np.argmax(other)))}" if other.any() else ""
    or_less = " or less" if np.nanmin(trial.main) < -TOLERANCE else ""
    return trial.finding(
        "BI-1", "listed", len(trial.main), f"{count} responses get 0{or_less}: {', '.join(kinds)}{example}"
    )


def _trivial_responses(trial: Trial, criterion: str, pairs: NDArray[np.bool_]) -> Finding:
    """BI-2: whether a trivial system gets the worst value; otherwise, its mean and best values."""
    values = trial.main[pairs]
    if (values <= TOLERANCE).all():
        return trial.finding(criterion, "holds", len(values), None, values.mean() if len(values) else None)
    pair = int(np.flatnonzero(pairs)[int(np.argmax(values))])
    return trial.finding(criterion, "counter-example", len(values), f"highest: {trial.show(pair)}", values.mean())


def _random_responses(trial: Trial) -> Finding:
    """BI-2 for random responses with the key's profile: their mean value."""
    pairs = trial.world.same_profile & ~np.isnan(trial.main)
    mean = trial.main[pairs].mean() if pairs.any() else np.nan
    status = "holds" if abs(mean) <= TOLERANCE else "counter-example"
    text = f"mean {round(mean, 4):g}" if pairs.any() else "no response of so few units"
    if trial.random:
        larger = trial.random[trial.value]
        text += f"; {round(np.nanmean(larger), 4):g} in texts of {LARGER_SIZES[0]} to {LARGER_SIZES[1] - 1} units"
    return trial.finding("BI-2: random with the key's profile", status, int(pairs.sum()), text, mean)


def _too_severe(trial: Trial, right: Column) -> Finding:
    """BI-1 extended: whether a response with a low value is bad; for D-error, the distance from the best counts."""
    rating = 1 - (trial.best - trial.good)
    return trial.universal("BI-1 extended", rating < right - TOLERANCE, len(rating))


def _by_groups(trial: Trial) -> Iterator[Finding]:
    """Criteria that depend on the number of chains of a response."""
    if trial.has_worst:
        yield _lowest_by_groups(trial)
    if {"recall", "precision"} <= set(trial.values):
        lead = trial.values["precision"] - trial.values["recall"]
    elif trial.measure.better_of(trial.value) == "zero":
        lead = trial.main  # the sign of D-error shows which errors are more frequent
    else:
        return
    surplus = trial.world.groups[trial.world.response] - trial.world.groups[trial.world.key]
    for name, cases, exceptions in (
        ("more chains: more recall errors", surplus > 0, lead < -TOLERANCE),
        ("fewer chains: more precision errors", surplus < 0, lead > TOLERANCE),
    ):
        finding = trial.universal(name, cases & exceptions, int(cases.sum()))
        count = f"{int((cases & exceptions).sum())} exceptions, such as {finding.example}"
        yield finding._replace(example=count if finding.example else None, score=None)


def _lowest_by_groups(trial: Trial) -> Finding:
    """BI-3′: the lowest value for every key and number of response chains: how often it is 0, and its mean."""
    world = trial.world
    most = int(world.groups.max()) + 1
    cell = world.key * most + world.groups[world.response]
    lowest = np.full(len(world.documents) * most, np.nan)
    np.fmin.at(lowest, cell, trial.main)
    tried = ~np.isnan(lowest)
    reached = tried & (lowest <= TOLERANCE)
    cases, name = int(tried.sum()), "BI-3′: for any number of chains"
    if reached.sum() == cases:
        return trial.finding(name, "holds", cases, None, 0.0)
    unlike = np.where(np.isin(np.arange(len(lowest)), cell[trial.perfect]), -1.0, np.where(tried, lowest, -1.0))
    text = f"0 for {int(reached.sum())} of {cases} keys and numbers of chains"
    pairs = np.flatnonzero((cell == int(np.argmax(unlike))) & (trial.main <= unlike.max() + TOLERANCE))
    if len(pairs):  # no value is left if all values of imperfect responses are 0 or undefined
        text += f"; highest of the lowest: {trial.show(int(pairs[0]))}"
    return trial.finding(name, "counter-example" if reached.any() else "fails", cases, text, np.nanmean(lowest))


def _monotony(trial: Trial) -> Finding:
    """Whether correcting one error never makes the value worse."""
    before, after = trial.world.steps
    worse = trial.good[after] < trial.good[before] - TOLERANCE
    if not worse.any():
        return trial.finding("monotony", "holds", len(before), None)
    step = int(np.argmax(worse))
    original, corrected = int(before[step]), int(after[step])
    better = trial.world.universe.show(trial.world.pairs[corrected][1])
    example = f"{trial.show(original)}, corrected to {better}: {trial.main[corrected]:.4g}"
    return trial.finding("monotony", "counter-example", len(before), example)


def _symmetry(trial: Trial) -> Iterator[Finding]:
    """Recall becomes precision when key and response are exchanged; a single value does not change."""
    values = trial.values
    if {"recall", "precision"} <= set(values):
        first, second, name = values["recall"], values["precision"], "symmetry: recall and precision exchange"
    else:
        first = second = trial.main
        name = "symmetry"
    swapped = second[trial.world.swapped_pairs]
    same = (np.abs(first - swapped) <= TOLERANCE) | (np.isnan(first) & np.isnan(swapped))
    yield trial.universal(name, ~same, len(first))


def _parts_together(trial: Trial, parts: Sequence[tuple[Measure, dict[str, Column]]]) -> Finding:
    """Whether one response can have the worst value in all parts of an average (§2.3.2)."""
    worst = np.logical_and.reduce([values[_main_value(part)] <= TOLERANCE for part, values in parts])
    name = "parts reach the worst together"
    if worst.any():
        return trial.finding(name, "proven", len(worst), trial.show(int(np.argmax(worst))), 0.0)
    never = [part.name for part, values in parts if not (values[_main_value(part)] <= TOLERANCE).any()]
    why = f"{', '.join(never)} never reaches 0" if never else "each reaches 0, but never together"
    return trial.finding(
        name, "fails", len(worst), f"{why}; the lowest is {np.nanmin(trial.main):.4g}", np.nanmin(trial.main)
    )


def _main_value(measure: Measure) -> str:
    return "f1" if "f1" in measure.values else measure.headline
