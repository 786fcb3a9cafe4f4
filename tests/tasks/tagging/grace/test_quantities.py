"""The identities of the paper, on fractions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.tagging.grace.quantities import FiveValues, Quantities, five_values, recover_quantities

COUNT = st.integers(0, 50)


@st.composite
def quantities(draw: st.DrawFn) -> Quantities:
    """Counts as they can come up: of the mixed silences, each adds a share strictly between 0 and 1."""
    noneval, ok, err, sil_ok, sil_err = (draw(COUNT) for _ in range(5))
    shares = draw(st.lists(st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)]), max_size=20))
    cases = noneval + ok + err + sil_ok + sil_err + len(shares)
    return Quantities(cases, noneval, ok, err, sil_ok, sil_err, sil_ok + sum(shares))


@given(quantities())
def test_identities(result: Quantities) -> None:
    assert result.cases == result.noneval + result.ok + result.err + result.sil
    assert result.sil == result.sil_ok + result.sil_err + result.sil_sil
    assert result.sil == result.silok_mean + result.silerr_mean
    precision, decision, low, mean, high = five_values(result)
    if result.evaluated_cases:
        assert low <= mean <= high  # type: ignore[operator]
        assert result.sil == result.evaluated_cases * (1 - decision), "the paper prints (1 - P)"  # type: ignore[operator]
        if precision is not None:
            assert result.ok == result.evaluated_cases * precision * decision  # type: ignore[operator]
            assert result.err == result.evaluated_cases * (1 - precision) * decision  # type: ignore[operator]


@given(quantities())
def test_five_values_and_seven_quantities_are_equivalent(result: Quantities) -> None:
    again = recover_quantities(five_values(result), cases=result.cases, noneval=result.noneval)
    assert again == result._replace(silok_mean=again.silok_mean)
    assert abs(again.silok_mean - result.silok_mean) < 1e-9


@given(quantities())
def test_counts_come_back_whole_from_floats(result: Quantities) -> None:
    values = FiveValues(*(None if value is None else float(value) for value in five_values(result)))
    again = recover_quantities(values, cases=result.cases, noneval=result.noneval)
    assert again[:-1] == result[:-1]
    assert abs(float(again.silok_mean) - float(result.silok_mean)) < 1e-9


def test_nothing_evaluated() -> None:
    none = Quantities(3, 3, 0, 0, 0, 0, 0)
    assert five_values(none) == (None, None, None, None, None)
    assert recover_quantities(five_values(none), cases=3, noneval=3) == none


def test_precision_may_lie_outside_its_bounds() -> None:
    values = five_values(Quantities(10, 0, 1, 1, 8, 0, 8))
    assert values.precision == Fraction(1, 2) and values.p_min == Fraction(9, 10)
