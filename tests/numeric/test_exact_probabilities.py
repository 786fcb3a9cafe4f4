from __future__ import annotations

from fractions import Fraction
from math import comb, ulp

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from aune.numeric.exact_probabilities import sign_test


@example(19, 50)
@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sum_of_whole_numbers(ahead: int, behind: int) -> None:
    """But for its last bit where it lies half-way between two numbers; scipy's differs from version to version."""
    trials = ahead + behind
    ways = 2 * sum(comb(trials, fewer) for fewer in range(min(ahead, behind) + 1))
    expected = float(min(Fraction(1), Fraction(ways, 2**trials)))
    assert abs(sign_test(ahead, behind) - expected) <= ulp(expected)


@pytest.mark.parametrize(("ahead", "behind"), [(500_000, 498_000), (5_010_000, 5_000_000), (900, 0), (10**6, 0)])
def test_many_trials(ahead: int, behind: int) -> None:
    expected = stats.binomtest(ahead, ahead + behind).pvalue
    assert sign_test(ahead, behind) == pytest.approx(expected, rel=1e-6, abs=1e-300)
