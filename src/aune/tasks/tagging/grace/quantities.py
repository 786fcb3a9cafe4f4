"""The seven quantities of GRACE, those derived from them, and the five values that are equivalent to them.

    nbCas = NONEVAL + OK + ERR + SIL        SIL = SIL_ok + SIL_err + SIL_sil = SILOK_mean + SILERR_mean

With E = nbCas − NONEVAL evaluated words:

    P = OK / (OK + ERR)         D = (OK + ERR) / E
    P_min = (OK + SIL_ok) / E   P_mean = (OK + SILOK_mean) / E   P_max = (OK + SIL − SIL_err) / E

and conversely, so that a campaign's four points contain all information:

    OK = E·P·D   ERR = E·(1 − P)·D   SIL = E·(1 − D)
    SIL_ok = E·P_min − OK   SILOK_mean = E·P_mean − OK   SIL_err = OK + SIL − E·P_max

Source: Adda et al. 1999, §3. The paper prints SIL = E·(1 − P), a misprint for (1 − D).

>>> quantities = Quantities(cases=10, noneval=0, ok=6, err=1, sil_ok=1, sil_err=1, silok_mean=1.5)
>>> quantities.sil, quantities.sil_sil, quantities.silerr_mean
(3, 1, 1.5)
>>> recover_quantities(five_values(quantities), cases=10, noneval=0) == quantities
True
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

ROUNDING = 1e-4  # far above the rounding error of floats on a billion words, far below one word


class Quantities(NamedTuple):
    """The counts of GRACE."""

    cases: float
    noneval: float
    ok: float
    err: float
    sil_ok: float
    """Silences (ambiguous outputs) with only right alternatives."""
    sil_err: float
    """Silences with only wrong alternatives."""
    silok_mean: float
    """The expected number of silences that a random choice among the alternatives gets right."""

    @property
    def evaluated_cases(self) -> float:
        return self.cases - self.noneval

    @property
    def sil(self) -> float:
        """All silences."""
        return self.cases - self.noneval - self.ok - self.err

    @property
    def sil_sil(self) -> float:
        """Silences with both right and wrong alternatives."""
        return self.sil - self.sil_ok - self.sil_err

    @property
    def silerr_mean(self) -> float:
        """The expected number of silences that a random choice gets wrong."""
        return self.sil - self.silok_mean


class FiveValues(NamedTuple):
    """Precision, decision, and precision when every silence is resolved: at worst, at random, at best."""

    precision: float | Fraction | None
    decision: float | Fraction | None
    p_min: float | Fraction | None
    p_mean: float | Fraction | None
    p_max: float | Fraction | None


def five_values(quantities: Quantities) -> FiveValues:
    """The five values, as exact fractions; None if the denominator is 0."""
    ok, err, sil, total = (
        Fraction(number) for number in (quantities.ok, quantities.err, quantities.sil, quantities.evaluated_cases)
    )
    strict = ok + err
    return FiveValues(
        ok / strict if strict else None,
        strict / total if total else None,
        (ok + Fraction(quantities.sil_ok)) / total if total else None,
        (ok + Fraction(quantities.silok_mean)) / total if total else None,
        (ok + sil - Fraction(quantities.sil_err)) / total if total else None,
    )


def points(quantities: Quantities) -> dict[str, tuple[float | Fraction | None, float | Fraction | None]]:
    """The four points of the plane that contain all information: (P, D), and (P_min), (P_mean), (P_max) at decision 1.

    >>> points(Quantities(10, 0, 6, 1, 1, 1, 1.5))["p_max"]
    (Fraction(4, 5), 1)
    """
    values = five_values(quantities)
    return {
        "system": (values.precision, values.decision),
        **{name: (getattr(values, name), 1) for name in ("p_min", "p_mean", "p_max")},
    }


def recover_quantities(values: FiveValues, *, cases: float, noneval: float) -> Quantities:
    """Recover the seven quantities from the five values, given nbCas and NONEVAL.

    Exact: counts are recovered as integers, from fractions and from floats; only SILOK_mean, which is no count, carries
    the rounding of a float. An undefined value means that there is no strict case (precision) or no case at all.

    >>> recover_quantities(FiveValues(5 / 7, 0.7, 0.6, 2 / 3, 0.8), cases=10, noneval=0).err
    2
    """
    precision, decision, low, mean, high = (Fraction(0) if value is None else Fraction(value) for value in values)
    total = Fraction(cases) - Fraction(noneval)
    ok, err, sil = total * precision * decision, total * (1 - precision) * decision, total * (1 - decision)
    if values.decision is None:
        sil = Fraction(0)
    sil_ok, sil_err = total * low - ok, ok + sil - total * high
    mean_ok = _simplify(total * mean - ok)
    return Quantities(cases, noneval, _whole(ok), _whole(err), _whole(sil_ok), _whole(sil_err), mean_ok)


def _whole(number: Fraction) -> float:
    """A count: the integer from which floats deviate by rounding."""
    return round(number) if abs(number - round(number)) < ROUNDING else float(number)


def _simplify(number: Fraction) -> float:
    return number.numerator if number.denominator == 1 else float(number)
