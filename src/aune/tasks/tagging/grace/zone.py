"""The operating zone: every (precision, decision) that resolving silences can lead to.

Post-processing turns `ok` silences into right tags and `err` into wrong ones. Then

    P = (OK + ok) / (OK + ERR + ok + err)        D = (OK + ERR + ok + err) / E        E = OK + ERR + SIL

under 0 ≤ ok ≤ X, 0 ≤ err ≤ Y and ok + err ≤ SIL, with X = SIL − SIL_err and Y = SIL − SIL_ok when the lists of
alternatives are respected (`restrictive`), X = Y = SIL when other tags may be chosen (`permissive`). D depends only on
t = ok + err, and for a given t, ok is between max(0, t − Y) and min(X, t). So the zone is the set between
two curves over D, each made of two arcs of the form P = α + β/D:

    above   1 − ERR/(E·D)  up to t = X, then  (OK + X)/(E·D)
    below   OK/(E·D)       up to t = Y, then  1 − (ERR + Y)/(E·D)

closed at D = 1 by the segment from P_min to P_max: the five arcs A to E of the paper's figure 1. Areas are integrals of
such arcs, so they are exact.

Source: Adda et al. 1999, §4 and figure 1; the arcs are derived here from its constraints.

>>> found = zone(ok=6, err=1, sil_ok=0, sil_err=0, sil=3)
>>> found.low, found.contains(0.7, 1.0), found.contains(0.5, 1.0)
(0.6, True, False)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from aune.contract.measure import Column

if TYPE_CHECKING:
    from aune.results.result import SystemScore

Constraints = Literal["restrictive", "permissive"]
TOLERANCE = 1e-12


class Arc(NamedTuple):
    """A piece of the boundary: P = α + β/D between two decisions."""

    start: float
    end: float
    alpha: float
    beta: float

    def at(self, decision: float) -> float:
        return self.alpha + (self.beta / decision if self.beta else 0.0)

    @property
    def area(self) -> float:
        """The area between the arc and P = 0."""
        flat = self.alpha * (self.end - self.start)
        return flat + (self.beta * math.log(self.end / self.start) if self.beta and self.end > self.start else 0.0)


@dataclass(frozen=True)
class Zone:
    """A region of the plane between two curves over the decision."""

    upper: tuple[Arc, ...]
    lower: tuple[Arc, ...]
    point: tuple[float, float] | None = None
    """(P, D) before any silence is resolved; None if it is undefined or the zone is an intersection."""

    @property
    def is_empty(self) -> bool:
        return not self.upper

    @property
    def area(self) -> float:
        return max(0.0, math.fsum([*(arc.area for arc in self.upper), *(-arc.area for arc in self.lower)]))

    @property
    def low(self) -> float | None:
        """The lowest precision at decision 1: P_min."""
        return _value(self.lower, 1.0)

    @property
    def high(self) -> float | None:
        return _value(self.upper, 1.0)

    def contains(self, precision: float, decision: float, tolerance: float = TOLERANCE) -> bool:
        """Whether a point is in the zone or on its boundary."""
        for top, bottom in cut_curves(self.upper, self.lower):
            if top.start - tolerance <= decision <= top.end + tolerance:
                inside = min(max(decision, top.start), top.end)
                if inside == 0:  # nothing is decided: any precision is allowed
                    return True
                if bottom.at(inside) - tolerance <= precision <= top.at(inside) + tolerance:
                    return True
        return False

    def intersection(self, other: Zone) -> Zone:
        """The intersection of both zones, where the two systems do not differ."""
        arc_pairs = [
            (top, bottom)
            for upper in cut_curves(self.upper, other.upper)
            for lower in cut_curves(self.lower, other.lower)
            for top, bottom in _overlap(upper, lower)
        ]
        arc_pairs.sort()
        return Zone(_merge_arcs([top for top, _ in arc_pairs]), _merge_arcs([bottom for _, bottom in arc_pairs]))

    @property
    def triangle(self) -> tuple[tuple[float, float], ...]:
        """The approximation: (P_min, 1), (P, D), (P_max, 1)."""
        if self.point is None or self.low is None or self.high is None:
            return ()
        return ((self.low, 1.0), self.point, (self.high, 1.0))

    @property
    def triangle_area(self) -> float | None:
        if not self.triangle:
            return None
        (low, _), (_, decision), (high, _) = self.triangle
        return (high - low) * (1 - decision) / 2

    def boundary(self, points: int = 32) -> list[tuple[float, float]]:
        """Points (P, D) along the boundary, for drawing: along the lower arcs, then back along the upper ones."""
        up = [(arc.at(d), d) for arc in self.lower for d in _steps(arc, points)]
        down = [(arc.at(d), d) for arc in reversed(self.upper) for d in reversed(_steps(arc, points))]
        return [*up, *down]

    def as_data(self) -> dict[str, object]:
        """The zone as plain data."""
        return {
            "upper": [arc._asdict() for arc in self.upper],
            "lower": [arc._asdict() for arc in self.lower],
            "right": {"decision": 1.0, "p_min": self.low, "p_max": self.high},
            "triangle": [list(point) for point in self.triangle],
            "area": self.area,
            "triangle_area": self.triangle_area,
        }


def zone(
    *, ok: float, err: float, sil_ok: float, sil_err: float, sil: float, constraints: Constraints = "restrictive"
) -> Zone:
    """The zone of a system; empty if no case is evaluated."""
    total = ok + err + sil
    if not total:
        return Zone((), ())
    most_ok, most_err = _limits(sil_ok, sil_err, sil, constraints)
    start, strict = (ok + err) / total, ok + err
    turn_up, turn_down = (strict + most_ok) / total, (strict + most_err) / total
    upper = (Arc(start, turn_up, 1.0, -err / total), Arc(turn_up, 1.0, 0.0, (ok + most_ok) / total))
    lower = (Arc(start, turn_down, 0.0, ok / total), Arc(turn_down, 1.0, 1.0, -(err + most_err) / total))
    point = (ok / strict, start) if strict else None
    return Zone(_drop_empty(upper), _drop_empty(lower), point)


def zone_of(scored: SystemScore, constraints: Constraints = "restrictive") -> Zone:
    """The zone of a system, from its score by `operating_zone` or `precision_decision`.

    >>> from aune import evaluate
    >>> key = [("la", "D"), ("mer", "N"), ("monte", "V")]
    >>> systems = {"one": [("la", "D|P"), *key[1:]], "two": [("la", "D|P"), ("mer", "N"), ("monte", "N|V")]}
    >>> one, two = map(zone_of, evaluate("tagging", key, systems, measures=["operating_zone"]))
    >>> round(one.area, 4), round(two.area, 4), round(one.intersection(two).area, 4)
    (0.063, 0.3005, 0.063)
    """
    counts = scored.counts
    ok, err, sil_ok, sil_err = (counts[name] for name in ("ok", "err", "sil_ok", "sil_err"))
    sil = counts["cases"] - counts["noneval"] - ok - err
    return zone(ok=ok, err=err, sil_ok=sil_ok, sil_err=sil_err, sil=sil, constraints=constraints)


def _limits(sil_ok: float, sil_err: float, sil: float, constraints: str) -> tuple[float, float]:
    return (sil, sil) if constraints == "permissive" else (sil - sil_err, sil - sil_ok)


def _drop_empty(arcs: Sequence[Arc]) -> tuple[Arc, ...]:
    """The arcs with positive length, or one arc of length 0 if the zone is a point."""
    return tuple(arc for arc in arcs if arc.end > arc.start) or tuple(arcs[-1:])


def _merge_arcs(arcs: Sequence[Arc]) -> tuple[Arc, ...]:
    """Sorted arcs; consecutive arcs of the same curve are merged."""
    merged: list[Arc] = []
    for arc in arcs:
        if merged and merged[-1].end == arc.start and merged[-1][2:] == arc[2:]:
            merged[-1] = merged[-1]._replace(end=arc.end)
        else:
            merged.append(arc)
    return tuple(merged)


def _value(arcs: Sequence[Arc], decision: float) -> float | None:
    return next((arc.at(decision) for arc in reversed(arcs) if arc.start <= decision <= arc.end), None)


def cut_curves(first: Sequence[Arc], second: Sequence[Arc]) -> list[tuple[Arc, Arc]]:
    """Cut two curves at the ends of each other's arcs, over their common decisions."""
    pairs = []
    for first_arc in first:
        for second_arc in second:
            start, end = max(first_arc.start, second_arc.start), min(first_arc.end, second_arc.end)
            point = first_arc.start == first_arc.end or second_arc.start == second_arc.end
            if end > start or (end == start and point):
                pairs.append((first_arc._replace(start=start, end=end), second_arc._replace(start=start, end=end)))
    return pairs


def _crossing(first: Arc, second: Arc) -> list[float]:
    """The decisions at which two arcs cross inside their range."""
    if first.alpha == second.alpha:
        return []
    decision = (second.beta - first.beta) / (first.alpha - second.alpha)
    return [decision] if first.start < decision < first.end else []


def _overlap(upper: tuple[Arc, Arc], lower: tuple[Arc, Arc]) -> list[tuple[Arc, Arc]]:
    """The parts where the lower of two upper arcs is not below the higher of two lower arcs."""
    point = upper[0].start == upper[0].end  # a system that always decides
    start = max(upper[0].start, lower[0].start)
    end = min(upper[0].end, lower[0].end)
    if end < start:
        return []
    arcs = [arc._replace(start=start, end=end) for arc in (*upper, *lower)]
    cuts = {
        decision
        for index, first in enumerate(arcs)
        for second in arcs[index + 1 :]
        for decision in _crossing(first, second)
    }
    edges = [start, *sorted(cuts), end]
    pairs = []
    for left, right in pairwise(edges):
        if right <= left and not point:
            continue
        middle = (left + right) / 2
        top = min(arcs[:2], key=lambda arc: arc.at(middle))
        bottom = max(arcs[2:], key=lambda arc: arc.at(middle))
        if top.at(middle) >= bottom.at(middle) - TOLERANCE:
            pairs.append((top._replace(start=left, end=right), bottom._replace(start=left, end=right)))
    return pairs


def _steps(arc: Arc, points: int) -> list[float]:
    """Decisions along an arc, without decision 0, where nothing can be drawn."""
    steps = [arc.start + (arc.end - arc.start) * step / points for step in range(points + 1)]
    return [step for step in steps if step > 0]


def areas(ok: Column, err: Column, sil_ok: Column, sil_err: Column, sil: Column, constraints: str) -> Column:
    """The areas of many zones, computed together by the same integrals."""
    total = ok + err + sil
    is_defined = total > 0
    safe_total = np.where(is_defined, total, 1.0)
    most_ok, most_err = _limits(sil_ok, sil_err, sil, constraints)  # type: ignore[arg-type]
    strict = ok + err
    turn_up, turn_down = strict + most_ok, strict + most_err
    above = (most_ok - err * _log(turn_up, strict) + (ok + most_ok) * _log(total, turn_up)) / safe_total
    below = (
        ok * _log(turn_down, strict) + (total - turn_down) - (err + most_err) * _log(total, turn_down)
    ) / safe_total
    return np.where(is_defined, np.maximum(above - below, 0.0), np.nan)


def _log(high: Column, low: Column) -> Column:
    """The logarithm of a ratio; 0 if the lower number is 0, since it is then multiplied by 0."""
    safe = np.asarray(low) > 0
    return np.log(np.where(safe, high, 1.0) / np.where(safe, low, 1.0))
