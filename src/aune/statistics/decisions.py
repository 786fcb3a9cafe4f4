"""Decisions about a new system against the old one that account for chance: gates of `aune compare`.

- not worse: the one-sided interval of the gain (new minus old, higher is better) lies above −margin (non-inferiority);
- better: the two-sided interval of the gain lies above 0, as in the table of the comparison;
- equivalent: both one-sided intervals lie within ±margin (two one-sided tests, Schuirmann 1987).

All follow from one spread (see `aune.statistics.contrasts`), with one run or several. A gate over several measures
passes if each of them does, which needs no correction (Berger 1982). With fewer than five units nothing can be shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aune.contract.measure import Measure
from aune.results.gates import Margin, parse_margin
from aune.results.result import Interval
from aune.statistics.contrasts import Contrast, contrast_systems, upper_tail
from aune.statistics.effective_sample import difference_interval
from aune.statistics.power import POWER, Precision
from aune.statistics.resampling import DIGITS
from aune.statistics.sampling_units import ENOUGH_UNITS

if TYPE_CHECKING:
    from aune.statistics.comparison import Comparisons

NOT_WORSE, BETTER, EQUIVALENT = "not worse", "better", "equivalent"
PASSED, WORSE, NOT_SHOWN = "passed", "worse", "not shown"
"""The possible outcomes of a gate: the claim is shown, the new system is shown to be worse, or neither is."""
POWER_TEXT = f"{100 * POWER:g} %"


class Claim(NamedTuple):
    """A claim about a new system that is to be shown."""

    kind: str
    """not worse, better or equivalent."""
    margin: Margin | None = None

    @property
    def text(self) -> str:
        """The option that makes the claim."""
        options = {NOT_WORSE: "--fail-if-worse", BETTER: "--fail-unless-better", EQUIVALENT: "--equivalent"}
        return f"{options[self.kind]} {self.margin.text}" if self.margin else options[self.kind]


class Decision(NamedTuple):
    """The evidence of the units on a claim, for one value of one measure of one new system."""

    measure: str
    value: str
    old: str
    new: str
    claim: str
    """not worse, better or equivalent."""
    margin: float | None
    outcome: str
    """passed, worse or not shown."""
    gain: float | None
    """new − old, with the sign that makes higher better."""
    ci: Interval | None
    """The interval that decides: at level 2 · level − 1 for claims with a margin, at level for better."""
    p: float | None
    """The p-value of the claim's null hypothesis, one-sided."""
    units: int
    needed: int | None
    """The number of units that would show the claim with 80 % power if the systems were equally good; for better, if
    the gain were as large as the one observed."""
    message: str

    @property
    def is_shown(self) -> bool:
        return self.outcome == PASSED


def parse_claims(
    fail_if_worse: str | float | None = None,
    fail_unless_better: bool = False,
    equivalent: str | float | None = None,
    *,
    is_option: bool = True,
) -> list[Claim]:
    """The claims that the options make; `is_option` is true if they were written on a command line."""
    worse, within = ("--fail-if-worse", "--equivalent") if is_option else ("fail_if_worse", "equivalent")
    return [
        *([Claim(NOT_WORSE, parse_margin(fail_if_worse, worse))] if fail_if_worse is not None else []),
        *([Claim(BETTER)] if fail_unless_better else []),
        *([Claim(EQUIVALENT, parse_margin(equivalent, within))] if equivalent is not None else []),
    ]


def decide(comparisons: Comparisons, claims: Sequence[Claim]) -> list[Decision]:
    """The outcome of each claim, for each new system and each value that decisions are about; the first system is the
    old one.
    """
    if not claims:
        return []
    old, *others = comparisons.systems
    measures = {measure.name: measure for measure in comparisons.result.measures}
    for claim in claims:
        for measure, value in comparisons.chosen:
            if claim.margin:
                claim.margin.check(measures[measure], value)
    names = [(old.first.scores[place].name, value) for place, value in old.first.names]
    unit, level = comparisons.settings["unit"], comparisons.settings["level"]
    return [
        _Judge(contrast_systems(new, old), names.index((measure, value)), measures[measure], value, level).decide(
            claim, old.name, new.name, unit
        )
        for new in others
        for measure, value in comparisons.chosen
        for claim in claims
    ]


class _Judge:
    """The evidence about one value of a new system against an old one."""

    def __init__(self, contrast: Contrast, place: int, measure: Measure, value: str, level: float) -> None:
        """`contrast` is that of new minus old."""
        self.measure, self.value, self.level = measure, value, level
        self.units = contrast.units
        self.sign = 1.0 if measure.better_of(value) == "higher" else -1.0
        self.spread = type(contrast.spread)(*(column[place : place + 1] for column in contrast.spread))
        self.gain = round(self.sign * float(self.spread.observed[0]), DIGITS)
        self.precision = Precision(contrast, place)

    @property
    def is_defined(self) -> bool:
        return self.units >= ENOUGH_UNITS and not math.isnan(self.gain)

    def decide(self, claim: Claim, old: str, new: str, unit: str) -> Decision:
        margin = claim.margin.size if claim.margin else 0.0
        ci = self.interval(self.level if claim.kind == BETTER else 2 * self.level - 1)
        low, high = ci or (-math.inf, math.inf)
        shown = low > -margin if claim.kind == NOT_WORSE else low > 0 if claim.kind == BETTER else (
            -margin < low and high < margin
        )  # fmt: skip
        outcome = PASSED if shown else WORSE if high < 0 else NOT_SHOWN
        needed = self.units_needed(claim.kind, margin)
        decision = Decision(
            self.measure.name, self.value, old, new, claim.kind, margin or None, outcome,
            None if math.isnan(self.gain) else self.gain, ci, self.p_value(claim.kind, margin), self.units, needed, "",
        )  # fmt: skip
        return decision._replace(message=decision_message(decision, self.measure, unit))

    def interval(self, level: float) -> Interval | None:
        """The interval of the gain; None if there is no evidence."""
        if not self.is_defined or level <= 0:
            return None
        ends = sorted(np.round(self.sign * difference_interval(self.spread, level)[:, 0], DIGITS).tolist())
        return None if math.isnan(ends[0] + ends[1]) else (ends[0], ends[1])

    def p_value(self, kind: str, margin: float) -> float | None:
        if not self.is_defined:
            return None
        above, below = (self._tail(margin + sign * self.gain, margin) for sign in (1, -1))
        return max(above, below) if kind == EQUIVALENT else above

    def _tail(self, distance: float, margin: float) -> float:
        """The probability of so large a distance; if no unit differs, the probability that none of this many does."""
        if self.precision.varies:
            return float(upper_tail(np.array([distance]), self.spread)[0])
        share = min(1.0, margin / float(self.spread.width[0])) if self.gain == 0 else 0.0
        return float((1 - share) ** float(self.spread.units[0])) if share < 1 else 0.0

    def units_needed(self, kind: str, margin: float) -> int | None:
        """The number of units that would show the claim, see `Decision`."""
        if not self.is_defined:
            return None
        if kind == BETTER:
            return self.precision.units_needed(self.gain if self.precision.varies else 0, (1 - self.level) / 2, POWER)
        if self.precision.varies:
            power = POWER if kind == NOT_WORSE else 1 - (1 - POWER) / 2  # each of the two tests must succeed
            return self.precision.units_needed(margin, 1 - self.level, power)
        share = margin / float(self.spread.width[0])
        return None if not share < 1 else max(ENOUGH_UNITS, math.ceil(math.log(1 - self.level) / math.log(1 - share)))


def decision_message(decision: Decision, measure: Measure, unit: str) -> str:
    """The decision in words: as good; worse; or not shown, and how many units would be needed."""
    name = f"{measure.short}.{decision.value}"
    head = f"{decision.new}: {name}"
    goal = goal_text(decision, measure)
    if decision.ci is None or decision.gain is None:
        why = "it is undefined" if decision.gain is None else f"{decision.units:,} {unit}s are too few to show anything"
        return f"{head} is not shown to be {goal}: {why}"
    low, high = (_signed_text(bound, measure) for bound in decision.ci)
    gain = f"{_signed_text(decision.gain, measure)} [{low}, {high}]"
    if decision.is_shown:
        return f"{head} is {goal}: {gain}"
    if decision.outcome == WORSE:
        return f"{head} is worse than {decision.old}: {gain}"
    return f"{head} is not shown to be {goal}: {gain}; {_remedy(decision, unit)}"


def goal_text(decision: Decision, measure: Measure) -> str:
    """The claim about the system, in words."""
    goal = {NOT_WORSE: f"as good as {decision.old}", BETTER: f"better than {decision.old}",
           EQUIVALENT: f"equivalent to {decision.old}"}[decision.claim]  # fmt: skip
    if decision.margin is None:
        return goal
    return f"{goal} within {_signed_text(decision.margin, measure).lstrip('+')}{' points' * measure.percent}"


def _remedy(decision: Decision, unit: str) -> str:
    if decision.needed is None:
        if decision.claim == BETTER and (decision.gain or 0) <= 0:
            return f"no number of {unit}s shows a gain where there is none"
        return f"no number of {unit}s would show it: measure more runs of each system"
    if decision.claim == BETTER:
        return f"about {decision.needed:,} {unit}s would show a gain of this size ({POWER_TEXT} power)"
    if decision.needed > decision.units:
        return f"about {decision.needed:,} {unit}s would show it if the two were equally good ({POWER_TEXT} power)"
    return (
        f"{decision.needed:,} {unit}s show it in {POWER_TEXT} of cases if the two are equally good, and there are "
        f"{decision.units:,}: the difference itself is in the way"
    )


def _signed_text(number: float, measure: Measure) -> str:
    size = 100 * number if measure.percent else number
    digits = 2 if measure.percent else 4
    text = f"{size:+.{digits}f}"
    return text.replace("-", "−") if float(text) else f"{0:.{digits}f}"
