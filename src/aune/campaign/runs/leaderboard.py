"""The board of a dataset: every run's scores with intervals, and rank groups from paired tests, never a bare order.

Systems that a test cannot tell apart share a group. A run whose ranking value is undefined is not ranked. Baselines and
systems of the organisers are shown apart, for information; they are in no test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aune.campaign.protocol.protocol_file import Scoring
from aune.results.result import Result
from aune.statistics.comparison import compare_systems
from aune.statistics.intervals import with_intervals

MOST_TEST_DRAWS = 100_000


def choose_test_draws(scoring: Scoring, runs: int) -> int:
    """How many random draws the test of runs takes: twice as many as could tell any two runs apart, within bounds.

    The protocol states the fewest. Eleven teams with three runs each need more than 10,000.

    >>> scoring = Scoring(("wer",), "wer", "wer", {})
    >>> choose_test_draws(scoring, 33), choose_test_draws(scoring, 5)
    (21120, 10000)
    """
    if scoring.test not in ("randomisation", "bootstrap") or scoring.correction != "holm":
        return scoring.draws
    return max(scoring.draws, min(2 * needed_draws(scoring, runs), MOST_TEST_DRAWS))


def needed_draws(scoring: Scoring, runs: int) -> int:
    """The fewest draws that can tell any two runs apart: the smallest p of D draws is 1/(D + 1), times the pairs."""
    return math.ceil(runs * (runs - 1) // 2 / (1 - scoring.level) - 1e-9)


def build_board(
    result: Result, scoring: Scoring, ranked: Sequence[str], test_draws: int | None = None, few_units: int | None = None
) -> dict[str, Any]:
    """What is published about the runs of a dataset, as plain data; `ranked` are the runs that compete.

    `test_draws` and `few_units` are those of a board that was made before; else the draws are chosen from the number of
    runs, and intervals are those of `aune.statistics.effective_sample`.
    """
    draws = test_draws or choose_test_draws(scoring, len(ranked))
    testing = scoring._replace(draws=draws)
    settings = {"level": scoring.level, "draws": scoring.draws, "seed": scoring.seed, "unit": scoring.unit}
    with_bounds = with_intervals(result, few_units=few_units, **settings)  # type: ignore[arg-type]
    systems = {system: _scores(with_bounds, system) for system in with_bounds.systems}
    return {
        "measure": scoring.ranking,
        "value": scoring.value,
        "test": {
            **settings,
            "test": scoring.test,
            "correction": scoring.correction,
            **_interval_rule(few_units),
            **({"test_draws": draws} if draws != scoring.draws else {}),  # intervals do not depend on other runs
        },
        "systems": systems,
        "ranking": _ranking(result, testing, ranked, few_units),
        "warnings": [*too_few_units(result, scoring, len(ranked)), *too_few_draws(testing, len(ranked))],
    }


def _interval_rule(few_units: int | None) -> dict[str, Any]:
    """What a board says of its intervals; those of the oldest versions say nothing."""
    if few_units is None:
        return {"intervals": "effective"}
    return {"few_units": few_units} if few_units else {}


def too_few_units(result: Result, scoring: Scoring, runs: int) -> list[str]:
    """A warning where there are too few units to tell any two runs apart, whatever the runs are.

    The smallest p that an exchange over n units can give is 2/2ⁿ, and Holm's correction multiplies it by the number of
    pairs. Of one unit there is no interval either.
    """
    units = min(len(set(score.rows.attributes.get(scoring.unit, ()))) for score in result)
    pairs = runs * (runs - 1) // 2 if scoring.correction == "holm" else min(runs - 1, 1)
    needed = math.ceil(math.log2(2 * pairs / (1 - scoring.level))) if pairs > 0 else 2
    if units >= needed or (units > 1 and scoring.test != "randomisation"):
        return []
    units_text = f"{units} {scoring.unit}{'s' * (units != 1)}"
    return [f"{units_text} cannot tell any two runs apart, whatever they are: it takes {needed} at least"]


def too_few_draws(scoring: Scoring, runs: int) -> list[str]:
    """A warning where random draws are too few to tell any two runs apart, whatever the runs are.

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


def _ranking(result: Result, scoring: Scoring, ranked: Sequence[str], few_units: int | None) -> dict[str, Any]:
    values = {system: result[system, scoring.ranking].values[scoring.value] for system in ranked}
    defined = [system for system in ranked if values[system] is not None]
    undefined = {
        system: result[system, scoring.ranking].reasons[scoring.value] for system in ranked if system not in defined
    }
    if len(defined) < 2:
        ranks = [{"system": system, "rank": 1, "best": 1, "worst": 1} for system in defined]
        return {"ranks": ranks, "groups": [defined] if defined else [], "pairs": [], "undefined": undefined}
    scores = [item for item in result.scores if item.system in defined and item.name == scoring.ranking]
    comparison = compare_systems(
        replace(result, scores=scores), scoring.test, level=scoring.level, draws=scoring.draws, seed=scoring.seed,
        unit=scoring.unit, correction=scoring.correction, few_units=few_units,
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
        "undefined": undefined,
    }  # fmt: skip


def bare_ranks(result: Result, scoring: Scoring, ranked: Sequence[str]) -> dict[str, tuple[float | None, int | None]]:
    """The ranking value and the bare rank of each run, without a test: what a small change of the key does."""
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
    """A board with other names for its systems: those that its reader may see."""
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
