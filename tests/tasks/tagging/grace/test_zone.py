"""The operating zone: what can be reached is inside, what cannot is outside, and areas are what a fine grid finds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.tagging.grace.zone import Zone, areas, zone

Counts = tuple[int, int, int, int, int]


@st.composite
def counts(draw: st.DrawFn) -> Counts:
    """ok, err, sil_ok, sil_err, sil"""
    ok, err, sil_ok, sil_err, mixed = (draw(st.integers(0, 12)) for _ in range(5))
    return ok, err, sil_ok, sil_err, sil_ok + sil_err + mixed


KINDS = st.sampled_from(["restrictive", "permissive"])


def build_zone(result: Counts, kind: str = "restrictive") -> Zone:
    ok, err, sil_ok, sil_err, sil = result
    return zone(ok=ok, err=err, sil_ok=sil_ok, sil_err=sil_err, sil=sil, constraints=kind)  # type: ignore[arg-type]


def limits(result: Counts, kind: str) -> tuple[int, int]:
    _, _, sil_ok, sil_err, sil = result
    return (sil, sil) if kind == "permissive" else (sil - sil_err, sil - sil_ok)


@given(counts(), KINDS, st.floats(0, 1), st.floats(0, 1))
def test_points_under_the_constraints_are_inside(result: Counts, kind: str, item: float, other: float) -> None:
    ok, err, _, _, sil = result
    most_ok, most_err = limits(result, kind)
    right = item * most_ok
    wrong = other * min(most_err, sil - right)
    if ok + err + right + wrong > 0:
        settled = ok + err + right + wrong
        assert build_zone(result, kind).contains((ok + right) / settled, settled / (ok + err + sil), 1e-9)


@given(counts(), KINDS, st.floats(0, 1), st.floats(0, 1))
def test_points_inside_are_under_the_constraints(result: Counts, kind: str, precision: float, decision: float) -> None:
    ok, err, _, _, sil = result
    total = ok + err + sil
    most_ok, most_err = limits(result, kind)
    settled = decision * total - ok - err
    right = precision * decision * total - ok
    wrong = settled - right
    slack = 1e-6
    reached = -slack <= right <= most_ok + slack and -slack <= wrong <= most_err + slack and settled <= sil + slack
    strictly = slack < right < most_ok - slack and slack < wrong < most_err - slack and settled < sil - slack
    if build_zone(result, kind).contains(precision, decision) and decision > 0:
        assert reached
    if strictly:
        assert build_zone(result, kind).contains(precision, decision)


@given(counts(), KINDS)
def test_area_is_that_of_a_fine_grid(result: Counts, kind: str) -> None:
    region = build_zone(result, kind)
    ok, err, _sil_ok, _sil_err, sil = map(np.array, result)
    exact = areas(*(np.array(float(number)) for number in result), kind)
    if ok + err + sil == 0:
        assert region.is_empty and np.isnan(exact)
        return
    assert region.area == pytest.approx(float(exact), abs=1e-9)
    start = region.upper[0].start
    steps = start + (1 - start) * (np.arange(4000) + 0.5) / 4000
    most_ok, most_err = limits(result, kind)
    moved = steps * (ok + err + sil) - ok - err
    top, bottom = np.minimum(most_ok, moved), np.maximum(0, moved - most_err)
    height = (top - bottom) / (steps * (ok + err + sil))
    assert region.area == pytest.approx(float(height.mean() * (1 - start)), abs=2e-3)


@given(counts())
def test_permissive_holds_restrictive_and_the_triangle_its_corners(result: Counts) -> None:
    tight, loose = build_zone(result), build_zone(result, "permissive")
    assert tight.area <= loose.area + 1e-12
    for precision, decision in tight.boundary(5):
        assert loose.contains(precision, decision, 1e-9)
    for corner in tight.triangle:
        assert tight.contains(*corner, 1e-9)


@given(counts(), counts(), st.floats(0, 1), st.floats(0.01, 1))
def test_intersection(item: Counts, other: Counts, precision: float, decision: float) -> None:
    left, right = build_zone(item), build_zone(other)
    sides = left.intersection(right)
    assert sides.area <= min(left.area, right.area) + 1e-9
    assert sides.area == pytest.approx(right.intersection(left).area, abs=1e-9)
    if sides.contains(precision, decision):
        assert left.contains(precision, decision, 1e-9) and right.contains(precision, decision, 1e-9)
    if sides.area > 1e-6 and left.contains(precision, decision, -1e-6) and right.contains(precision, decision, -1e-6):
        assert sides.contains(precision, decision, 1e-6)


@given(counts())
def test_a_zone_meets_itself_whole(result: Counts) -> None:
    region = build_zone(result)
    assert region.intersection(region).area == pytest.approx(region.area, abs=1e-9)


def test_a_system_that_always_decides_is_a_point() -> None:
    region = zone(ok=9, err=1, sil_ok=0, sil_err=0, sil=0)
    assert region.area == 0 and region.triangle == ((0.9, 1.0), (0.9, 1.0), (0.9, 1.0))
    assert region.contains(0.9, 1.0) and not region.contains(0.91, 1.0)
    around = zone(ok=70, err=5, sil_ok=0, sil_err=0, sil=25)
    for sides in (region.intersection(around), around.intersection(region), region.intersection(region)):
        assert sides.area == 0 and sides.low == sides.high == pytest.approx(0.9), "the point itself"
    assert region.intersection(zone(ok=8, err=2, sil_ok=0, sil_err=0, sil=0)).is_empty


def test_arcs_of_an_intersection_are_joined() -> None:
    first, other = zone(ok=6, err=1, sil_ok=1, sil_err=1, sil=3), zone(ok=5, err=1, sil_ok=1, sil_err=1, sil=4)
    sides = first.intersection(other)
    for arcs in (sides.upper, sides.lower):
        assert all(left[2:] != right[2:] for left, right in pairwise(arcs))


def test_zones_apart_have_no_intersection() -> None:
    good, bad = zone(ok=90, err=1, sil_ok=0, sil_err=0, sil=9), zone(ok=10, err=80, sil_ok=0, sil_err=0, sil=10)
    assert good.intersection(bad).is_empty and good.intersection(bad).area == 0


def test_plain_data() -> None:
    data = zone(ok=6, err=1, sil_ok=1, sil_err=1, sil=3).as_data()
    assert [arc["start"] for arc in data["upper"]] == [0.7, 0.9]  # type: ignore[attr-defined]
    assert data["right"] == {"decision": 1.0, "p_min": pytest.approx(0.7), "p_max": pytest.approx(0.8)}
