"""A score for many values of one option, such as α of ETER, with where the systems cross.

An option of a measure's `score` acts on counts that are there already, so that each further value costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

from aune.core.errors import UsageError
from aune.core.options import check_known, options_of
from aune.core.result import Scored

STEPS = 20
HALVINGS = 60
MOST = 10_000


def parsed_sweep(text: str) -> tuple[str, list[float]]:
    """What `alpha`, `alpha=0,0.5,1` and `alpha=0:1:0.25` mean: an option and its values (twentieths of 1 for none).

    >>> parsed_sweep("alpha=0:1:0.25")
    ('alpha', [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    option, _, given = text.partition("=")
    option = option.strip().lstrip("-").replace("-", "_")
    try:
        if not given:
            return option, [step / STEPS for step in range(STEPS + 1)]
        if ":" in given:
            start, end, step = map(float, given.split(":"))
            count = round((end - start) / step)
            if not 0 <= count <= MOST:
                raise ValueError
            return option, [start + index * step for index in range(count + 1)]
        return option, [float(value) for value in given.split(",")]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"--sweep {text}: expected such as alpha, alpha=0,0.5,1 or alpha=0:1:0.1") from None


def sweep(scored: Sequence[Scored], option: str, values: Sequence[float]) -> dict[str, Any]:
    """The main value of one measure on one or several systems for each value of an option, and where systems cross.

    >>> from aune import evaluate
    >>> both = evaluate("entities", [(0, 1, "a")], {"A": [(0, 1, "b")], "B": [(0, 2, "a")]}, measures=["eter"])
    >>> data = sweep(both.scores, "alpha", [0.0, 1.0])
    >>> data["systems"]
    {'A': [0.5, 0.0], 'B': [0.25, 0.0]}
    """
    names = {one.name for one in scored}
    if len(names) != 1:
        raise UsageError(f"a sweep is over one measure, found {', '.join(sorted(names)) or 'none'}")
    measure = scored[0].measure
    swept = options_of(measure.score)
    if option in options_of(measure.count) and option not in swept:
        raise UsageError(
            f"--sweep {option}: it changes the counts of {measure.name}; run it once for each value instead"
        )
    check_known([option], swept, f"option of {measure.name} to sweep over")
    ordered = sorted({swept[option].checked(value) for value in values})
    curves = {one.system: [_main(one, option, value) for value in ordered] for one in scored}
    return {
        "measure": measure.name,
        "value": measure.headline,
        "option": option,
        "values": ordered,
        "systems": curves,
        "crossings": [found for pair in combinations(scored, 2) for found in _crossings(pair, option, ordered)],
    }


def _main(scored: Scored, option: str, value: float) -> float | None:
    return replace(scored, options={**scored.options, option: value}).main


def _crossings(pair: tuple[Scored, Scored], option: str, values: Sequence[float]) -> list[dict[str, Any]]:
    """Where the better of two systems becomes the worse, between neighbouring values."""

    def difference(value: float) -> float | None:
        first, second = (_main(one, option, value) for one in pair)
        return None if first is None or second is None else first - second

    found = []
    apart = [(value, gap) for value in values if (gap := difference(value))]  # ties and undefined values left out
    for (low, before), (high, after) in pairwise(apart):
        if before * after < 0:
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                gap = difference(middle) or 0.0
                low, high = (middle, high) if gap * before > 0 else (low, middle)
            score = _main(pair[0], option, high)
            found.append({"systems": [one.system for one in pair], "at": high, "score": score})
    return found
