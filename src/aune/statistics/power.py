"""How large a test set must be: the smallest difference that it can show, and the documents that show a given one.

The spread of a difference over units (see `aune.statistics.contrasts`) has a part that is due to texts, which falls
with the number of units N:

    standard error at N = (texts · n / N + runs)^½         with n units observed
    detectable at N     = noncentrality · standard error

The noncentrality is the one at which a t test has the requested power. The power is the same for any measure: only the
standard error depends on it. The uncertainty of the spread gives a range, from the chi-square distribution.

Sources: Student's t and its noncentral form as in Cohen 1988; Card et al. 2020 on test sets that are too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from aune.statistics.contrasts import Contrast
from aune.statistics.effective_sample import ALIKE
from aune.statistics.sampling_units import ENOUGH_UNITS

MANY = 200  # degrees of freedom above which t is normal
MOST_UNITS = 10**12
STEPS = 60  # halvings of an interval, after which nothing changes


def noncentrality(freedom: float, tail: float, power: float) -> float:
    """The distance of the truth in standard errors at which a t test with this tail has this power.

    >>> round(noncentrality(1_000_000, 0.025, 0.8), 3)
    2.802
    """
    from scipy import special  # noqa: PLC0415 - slow to import

    if freedom > MANY:
        correction = 1 + 1 / (4 * freedom)
        return float(special.stdtrit(freedom, 1 - tail) + special.ndtri(power) * correction)
    least = special.stdtrit(freedom, 1 - tail)
    return _bisect(lambda shift: float(1 - special.nctdtr(freedom, shift, least)) >= power, 0.0, 4 * float(least) + 40)


def power_of(freedom: float, tail: float, shift: float) -> float:
    """The power of a two-sided t test with this tail probability, for a truth at this distance in standard errors.

    >>> round(power_of(1_000_000, 0.025, 2.802), 3)
    0.8
    """
    from scipy import special  # noqa: PLC0415 - slow to import

    least = special.stdtrit(freedom, 1 - tail)
    if freedom > MANY:
        return float(special.ndtr(shift - least) + special.ndtr(-shift - least))
    return float(1 - special.nctdtr(freedom, shift, least) + special.nctdtr(freedom, shift, -least))


def _bisect(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


POWER = 0.8
"""The default power."""


class Precision:
    """The precision of one value of a contrast with another number of units."""

    def __init__(self, contrast: Contrast, place: int, text_factor: float = 1.0) -> None:
        """`text_factor` multiplies the variance of texts, to see the effect of a larger one."""
        self.units = contrast.units
        self.texts = float(contrast.text_variance[place]) * contrast.units * text_factor
        self.runs = float(contrast.run_variance[place])
        self.freedom_per_unit = float(contrast.spread.freedom[place]) / max(contrast.units - 1, 1)
        self.observed_freedom = float(contrast.spread.freedom[place])

    @property
    def varies(self) -> bool:
        """Whether the units contain any evidence on the spread."""
        return self.texts > ALIKE**2

    def standard_error(self, units: float) -> float:
        return math.sqrt(self.texts / units + self.runs)

    def freedom(self, units: float) -> float:
        """The degrees of freedom with this many units; those of runs do not grow."""
        freedom = max(self.freedom_per_unit * (units - 1), 1.0)
        return freedom if self.runs == 0 else min(freedom, self.observed_freedom)

    def detectable(self, units: float, tail: float, power: float) -> float:
        """The smallest difference that a test of this many units shows with this power."""
        return noncentrality(self.freedom(units), tail, power) * self.standard_error(units)

    def power(self, units: float, tail: float, difference: float) -> float:
        """The power of a two-sided test of this many units to show a difference."""
        return power_of(self.freedom(units), tail, abs(difference) / self.standard_error(units))

    def units_needed(self, difference: float, tail: float, power: float) -> int | None:
        """The number of units with which this difference is shown; None if only more runs would show it."""
        if not difference > 0 or self.detectable(MOST_UNITS, tail, power) > difference:
            return None
        low, high = ENOUGH_UNITS - 1, MOST_UNITS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.detectable(middle, tail, power) <= difference else (middle, high)
        return high


def text_factors(freedom: float, level: float) -> tuple[float, float]:
    """The range of factors for a variance that was estimated with these degrees of freedom.

    >>> [round(factor, 2) for factor in text_factors(9, 0.95)]
    [0.47, 3.33]
    """
    from scipy import special  # noqa: PLC0415 - slow to import

    tail = (1 - level) / 2
    return float(freedom / special.chdtri(freedom, tail)), float(freedom / special.chdtri(freedom, 1 - tail))
