"""The board of a dataset: every run's scores with intervals, and rank groups from paired tests, not only an order.

Systems that do not differ significantly share a group. A run with an undefined ranking value is not ranked. Baselines
and systems of the organisers are shown separately, for information, and are not tested.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from aune.campaign.protocol.protocol_file import Scoring
from aune.contract.measure import Measure
from aune.results.result import Result, SystemScore
from aune.statistics.comparison import compare_systems
from aune.statistics.intervals import with_intervals

MOST_TEST_DRAWS = 100_000
MOST_PAIRS = 20_000  # pairs of runs that are tested: those of 200 runs
MANY_RUNS = 100
"""With more runs, a board is made in batches, derived views only use ranked runs, and each page shows a part."""
BATCH_RUNS = 50  # runs of a large board that are evaluated together


def choose_test_draws(scoring: Scoring, runs: int) -> int:
    """The number of random draws for the tests: twice as many as are needed to separate any two runs, within bounds.

    The protocol states the minimum. Eleven teams with three runs each need more than 10,000.

    >>> scoring = Scoring(("wer",), "wer", "wer", {})
    >>> choose_test_draws(scoring, 33), choose_test_draws(scoring, 5)
    (21120, 10000)
    """
    if scoring.test not in ("randomisation", "bootstrap") or scoring.correction != "holm":
        return scoring.draws
    return max(scoring.draws, min(2 * needed_draws(scoring, runs), MOST_TEST_DRAWS))


def needed_draws(scoring: Scoring, runs: int) -> int:
    """The fewest draws that can separate any two runs: the smallest p of D draws is 1/(D + 1), times the pairs."""
    return math.ceil(runs * (runs - 1) // 2 / (1 - scoring.level) - 1e-9)


def is_testable(scoring: Scoring, runs: int) -> bool:
    """Whether tests of that many runs can separate any two of them, in acceptable time.

    >>> scoring = Scoring(("wer",), "wer", "wer", {})
    >>> is_testable(scoring, 100), is_testable(scoring, 753), is_testable(scoring._replace(test="sign"), 150)
    (True, False, True)
    """
    draws = choose_test_draws(scoring, runs)
    return runs * (runs - 1) // 2 <= MOST_PAIRS and not too_few_draws(scoring._replace(draws=draws), runs)


def build_board(
    result: Result, scoring: Scoring, ranked: Sequence[str], test_draws: int | None = None, few_units: int | None = None
) -> dict[str, Any]:
    """The published data about the runs of a dataset; `ranked` are the runs that compete.

    `test_draws` and `few_units` reproduce a board that was made before. By default, the draws depend on the number of
    runs, and intervals are computed by `aune.statistics.effective_sample`.
    """
    builder = BoardBuilder(scoring, ranked, result[result.systems[0], scoring.ranking].measure, test_draws, few_units)
    builder.add(result)
    return builder.build()


class BoardBuilder:
    """Makes a board from one batch of runs after the other, since all runs together may not fit into memory."""

    def __init__(
        self, scoring: Scoring, ranked: Sequence[str], measure: Measure, test_draws: int | None = None,
        few_units: int | None = None, *, is_large: bool = False,
        known: Mapping[str, RankedValue] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """`measure` is the ranking measure; `known` are the values of ranked runs that are not evaluated again."""
        self._scoring, self._measure, self._few_units, self._is_large = scoring, measure, few_units, is_large
        self._draws = test_draws or choose_test_draws(scoring, len(ranked))
        self._ranked, self._is_tested = list(ranked), not is_large or is_testable(scoring, len(ranked))
        self._settings = {
            "level": scoring.level, "draws": scoring.draws, "seed": scoring.seed, "unit": scoring.unit
        }  # fmt: skip
        self._systems: dict[str, Any] = {}
        self._values: dict[str, RankedValue] = dict(known)
        self._tested_scores: list[SystemScore] = []
        self._result: Result | None = None
        self._units: int | None = None

    def add(self, result: Result) -> None:
        """Add the runs of a result; the counts of untested runs are not kept."""
        competing = set(self._ranked)
        with_bounds = with_intervals(result, few_units=self._few_units, **self._settings)  # type: ignore[arg-type]
        for system in with_bounds.systems:
            self._systems[system] = _scores(with_bounds, system)
        for score in result:
            if score.name == self._scoring.ranking and score.system in competing:
                reason = score.reasons.get(self._scoring.value, "")
                self._values[score.system] = RankedValue(score.values[self._scoring.value], reason)
                self._tested_scores += [score] if self._is_tested else []
        units = min(len(set(score.rows.attributes.get(self._scoring.unit, ()))) for score in result)
        self._units = units if self._units is None else min(self._units, units)
        self._result = replace(result, scores=[])

    def build(self) -> dict[str, Any]:
        """The board of all added runs."""
        scoring, runs = self._scoring, len(self._ranked)
        testing = scoring._replace(draws=self._draws)
        warnings = [] if self._units is None else too_few_units(self._units, scoring, runs)
        warnings += too_few_draws(testing, runs) if self._is_tested else [untested_note(testing, runs)]
        return {
            "measure": scoring.ranking,
            "value": scoring.value,
            "test": {
                **self._settings,
                "test": scoring.test,
                "correction": scoring.correction,
                **_interval_rule(self._few_units),
                # intervals do not depend on other runs, but tests do
                **({"test_draws": self._draws} if self._draws != scoring.draws else {}),
                **({"large": True} if self._is_large else {}),
            },
            "systems": self._systems,
            "ranking": self._ranking(testing),
            "warnings": warnings,
        }

    def _ranking(self, testing: Scoring) -> dict[str, Any]:
        values = {system: self._values[system] for system in self._ranked}
        undefined = {system: value.reason for system, value in values.items() if value.score is None}
        defined = [system for system in self._ranked if system not in undefined]
        if len(defined) < 2:
            ranks = [{"system": system, "rank": 1, "best": 1, "worst": 1} for system in defined]
            return {"ranks": ranks, "groups": [defined] if defined else [], "pairs": [], "undefined": undefined}
        if not self._is_tested or self._result is None:
            return {**self._untested_ranks(defined), "pairs": [], "undefined": undefined}
        scores = [score for score in self._tested_scores if score.system not in undefined]
        return {**tested_ranks(replace(self._result, scores=scores), testing, self._few_units), "undefined": undefined}

    def _untested_ranks(self, systems: Sequence[str]) -> dict[str, Any]:
        """Runs sorted by value, none significantly different from another: each may be first or last."""
        import numpy as np  # noqa: PLC0415

        scores = np.array([self._values[system].score for system in systems], float)
        goodness = np.asarray(self._measure.goodness(scores, self._scoring.value), float)
        better = len(systems) - np.searchsorted(np.sort(goodness), goodness, side="right")
        places = sorted(zip(better.tolist(), systems, strict=True))
        ranks = [{"system": system, "rank": 1 + ahead, "best": 1, "worst": len(systems)} for ahead, system in places]
        return {"ranks": ranks, "groups": [[system for _, system in places]]}


class RankedValue(NamedTuple):
    """The ranking value of a run, or the reason why it is undefined."""

    score: float | None
    reason: str = ""


def untested_note(scoring: Scoring, runs: int) -> str:
    """The warning that no two runs were tested, with the reason."""
    pairs = runs * (runs - 1) // 2
    draws = f" with {scoring.draws:,} draws" if scoring.test in ("randomisation", "bootstrap") else ""
    return (
        f"no two runs were tested: {runs:,} runs are {pairs:,} pairs, and a test of so many{draws} tells none apart or "
        "takes too long; they are in the order of their values"
    )


def _interval_rule(few_units: int | None) -> dict[str, Any]:
    """The record of how a board's intervals were computed; boards of the oldest versions have none."""
    if few_units is None:
        return {"intervals": "effective"}
    return {"few_units": few_units} if few_units else {}


def too_few_units(units: int, scoring: Scoring, runs: int) -> list[str]:
    """A warning if there are too few units to separate any two runs, whatever the runs are.

    The smallest p that an exchange over n units can give is 2/2ⁿ, and Holm's correction multiplies it by the number of
    pairs. A single unit does not give an interval either.
    """
    pairs = runs * (runs - 1) // 2 if scoring.correction == "holm" else min(runs - 1, 1)
    needed = math.ceil(math.log2(2 * pairs / (1 - scoring.level))) if pairs > 0 else 2
    if units >= needed or (units > 1 and scoring.test != "randomisation"):
        return []
    units_text = f"{units} {scoring.unit}{'s' * (units != 1)}"
    return [f"{units_text} cannot tell any two runs apart, whatever they are: it takes {needed} at least"]


def too_few_draws(scoring: Scoring, runs: int) -> list[str]:
    """A warning if there are too few random draws to separate any two runs, whatever the runs are.

    >>> too_few_draws(Scoring(("wer",), "wer", "wer", {}, draws=300), 7)
    ['300 draws cannot tell any two of 7 runs apart after the correction for 21 pairs: it takes 420 at least']
    """
    pairs = runs * (runs - 1) // 2
    needed = needed_draws(scoring, runs)
    if (
        scoring.test not in ("randomisation", "bootstrap")
        or scoring.correction != "holm"
        or scoring.draws + 1 >= needed
    ):
        return []
    return [
        f"{scoring.draws} draws cannot tell any two of {runs} runs apart after the correction for {pairs} pairs: "
        f"it takes {needed} at least"
    ]


def _scores(result: Result, system: str) -> dict[str, Any]:
    """The values of a system, with intervals and signatures."""
    scores = {}
    for score in result:
        if score.system == system:
            values = {
                value: {"score": number, "interval": _interval_list(score.intervals.get(value))}
                for value, number in score.values.items()
            }
            scores[score.name] = {"signature": str(score.signature), "values": values, "undefined": score.reasons}
    return scores


def _interval_list(interval: Any) -> list[float] | None:
    return None if interval is None else list(interval)


def tested_ranks(result: Result, scoring: Scoring, few_units: int | None) -> dict[str, Any]:
    """The ranks, the groups and the pairs of the runs of a result, from tests of all pairs."""
    comparison = compare_systems(
        result, scoring.test, level=scoring.level, draws=scoring.draws, seed=scoring.seed, unit=scoring.unit,
        correction=scoring.correction, few_units=few_units, only=(scoring.ranking, scoring.value),
    )  # fmt: skip
    [order] = [item for item in comparison.orders if item.value == scoring.value]
    pairs = [pair for pair in comparison.pairs if pair.value == scoring.value]
    return {
        "ranks": [item._asdict() for item in order.ranks],
        "groups": order.groups,
        "pairs": [
            {"a": pair.a, "b": pair.b, "difference": pair.difference, "interval": _interval_list(pair.ci), "p": pair.p,
             "corrected": pair.corrected_p(scoring.correction)}
            for pair in pairs
        ],
    }  # fmt: skip


def bare_ranks(result: Result, scoring: Scoring, ranked: Sequence[str]) -> dict[str, tuple[float | None, int | None]]:
    """The ranking value and the plain rank of each run, without tests: they show the effect of a change of the key."""
    measure = result[result.systems[0], scoring.ranking].measure
    values = {system: result[system, scoring.ranking].values[scoring.value] for system in result.systems}
    worth = {
        system: float(measure.goodness(_array(value), scoring.value))
        for system, value in values.items()
        if value is not None and system in ranked
    }
    return {
        system: (value, 1 + sum(other > worth[system] for other in worth.values()) if system in worth else None)
        for system, value in values.items()
    }


def _array(value: float) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.array(value)


def relabel_board(board: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A board with other names for its systems, which its reader may see."""
    ranking = board["ranking"]
    return {
        **board,
        "systems": {names[system]: scores for system, scores in board["systems"].items()},
        "ranking": {
            "ranks": [{**row, "system": names[row["system"]]} for row in ranking["ranks"]],
            "groups": [[names[system] for system in group] for group in ranking["groups"]],
            "pairs": [{**row, "a": names[row["a"]], "b": names[row["b"]]} for row in ranking["pairs"]],
            "undefined": {names[system]: why for system, why in ranking["undefined"].items()},
        },
    }
