"""A score for many values of one option, such as α of ETER, and the values at which systems cross.

An option of a measure's `score` applies to existing counts, so that each further value costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

from aune.contract.options import check_known, options_of
from aune.errors import UsageError
from aune.results.result import SystemScore

DEFAULT_STEPS = 20
BISECTIONS = 60
MAX_VALUES = 10_000


def parse_sweep(text: str) -> tuple[str, list[float]]:
    """Parse `alpha`, `alpha=0,0.5,1` or `alpha=0:1:0.25`: an option and its values (0 to 1 by 1/20 if none are given).

    >>> parse_sweep("alpha=0:1:0.25")
    ('alpha', [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    option, _, spec = text.partition("=")
    option = option.strip().lstrip("-").replace("-", "_")
    try:
        if not spec:
            return option, [step / DEFAULT_STEPS for step in range(DEFAULT_STEPS + 1)]
        if ":" in spec:
            start, end, step = map(float, spec.split(":"))
            count = round((end - start) / step)
            if not 0 <= count <= MAX_VALUES:
                raise ValueError
            return option, [start + index * step for index in range(count + 1)]
        return option, [float(value) for value in spec.split(",")]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"--sweep {text}: expected such as alpha, alpha=0,0.5,1 or alpha=0:1:0.1") from None


def sweep(scores: Sequence[SystemScore], option: str, values: Sequence[float]) -> dict[str, Any]:
    """The main value of one measure on one or several systems for each value of an option, and where systems cross.

    >>> from aune import evaluate
    >>> both = evaluate("entities", [(0, 1, "a")], {"A": [(0, 1, "b")], "B": [(0, 2, "a")]}, measures=["eter"])
    >>> data = sweep(both.scores, "alpha", [0.0, 1.0])
    >>> data["systems"]
    {'A': [0.5, 0.0], 'B': [0.25, 0.0]}
    """
    names = {score.name for score in scores}
    if len(names) != 1:
        raise UsageError(f"a sweep is over one measure, found {', '.join(sorted(names)) or 'none'}")
    measure = scores[0].measure
    sweepable = options_of(measure.score)
    if option in options_of(measure.count) and option not in sweepable:
        raise UsageError(
            f"--sweep {option}: it changes the counts of {measure.name}; run it once for each value instead"
        )
    check_known([option], sweepable, f"option of {measure.name} to sweep over")
    ordered = sorted({sweepable[option].convert(value) for value in values})
    curves = {score.system: [_main_value(score, option, value) for value in ordered] for score in scores}
    return {
        "measure": measure.name,
        "value": measure.headline,
        "option": option,
        "values": ordered,
        "systems": curves,
        "crossings": [crossing for pair in combinations(scores, 2) for crossing in _crossings(pair, option, ordered)],
    }


def _main_value(scored: SystemScore, option: str, value: float) -> float | None:
    return replace(scored, options={**scored.options, option: value}).main


def _crossings(pair: tuple[SystemScore, SystemScore], option: str, values: Sequence[float]) -> list[dict[str, Any]]:
    """Where the better of two systems becomes the worse, between neighbouring values."""

    def difference(value: float) -> float | None:
        first, second = (_main_value(scored, option, value) for scored in pair)
        return None if first is None or second is None else first - second

    crossings = []
    gaps = [(value, gap) for value in values if (gap := difference(value))]  # without ties and undefined values
    for (low, before), (high, after) in pairwise(gaps):
        if before * after < 0:
            for _ in range(BISECTIONS):
                middle = (low + high) / 2
                gap = difference(middle) or 0.0
                low, high = (middle, high) if gap * before > 0 else (low, middle)
            score = _main_value(pair[0], option, high)
            crossings.append({"systems": [scored.system for scored in pair], "at": high, "score": score})
    return crossings
