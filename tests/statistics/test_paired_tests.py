from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from aune.statistics import paired_tests
from aune.statistics.paired_tests import TESTS
from aune.statistics.resampling import common_stack

CAMPAIGNS, UNITS = 2000, 60
F = slice(2, None, 3)  # of recall, precision, f1: the third


@pytest.fixture(scope="module")
def null(simulation):
    return simulation.null_campaigns(CAMPAIGNS, UNITS, seed=7)


def margin(level: float, campaigns: int = CAMPAIGNS) -> float:
    """Three standard errors of a rate estimated from so many campaigns."""
    return 3 * float(np.sqrt(level * (1 - level) / campaigns))


@pytest.mark.parametrize("test", sorted(TESTS))
def test_a_true_null_is_rejected_as_often_as_promised(null, test):
    p = TESTS[test](*null, 999, 3)[F]
    for level in (0.05, 0.10):
        rate = (p <= level).mean()
        assert rate <= level + margin(level)
        if test != "sign":  # a sign test has few possible p-values, so it stays below its level
            assert rate >= level - margin(level)


def test_the_usual_paired_bootstrap_does_not_hold_its_level(null):
    """Absolute values first, centring afterwards: twice as many rejections as promised. Ours holds."""
    first, second = null
    outcome = np.abs(paired_tests.replicates(first, second, 999, 3)[:, F])
    observed = np.abs(paired_tests.observed_difference(first, second)[F])
    usual = ((outcome - outcome.mean(axis=0) >= observed).sum(axis=0) + 1) / 1000
    assert 0.08 < (usual <= 0.05).mean() < 0.14
    assert abs((paired_tests.bootstrap(first, second, 999, 3)[F] <= 0.05).mean() - 0.05) < margin(0.05)


def test_a_real_difference_is_found(simulation):
    generator = np.random.default_rng(5)
    key = generator.integers(20, 60, 80)
    good = simulation.Found(generator.binomial(key, 0.8), key, key)
    bad = simulation.Found(generator.binomial(key, 0.7), key, key)
    first, second = common_stack([simulation.make_score(good)]), common_stack([simulation.make_score(bad, "B")])
    for test in TESTS.values():
        assert (test(first, second, 999, 1) < 0.01).all()


def means(simulation, first, second):
    """Two stacks for which the measure is the mean of these values."""
    whole = np.ones(len(first))
    return tuple(
        common_stack([simulation.make_score(simulation.Share(np.asarray(column, float), whole), name)])
        for column, name in ((first, "A"), (second, "B"))
    )


def test_randomisation_with_few_units_tries_every_exchange(simulation):
    a, b = [3.0, 1, 4, 1, 5, 9, 2], [2.0, 7, 1, 8, 2, 8, 1]
    first, second = means(simulation, a, b)
    differences = np.subtract(a, b)
    sums = [abs(np.dot(signs, differences)) for signs in itertools.product([1, -1], repeat=7)]
    expected = np.mean([total >= abs(differences.sum()) - 1e-9 for total in sums])
    assert paired_tests.randomisation(first, second, 1000, 1)[0] == pytest.approx(expected)
    rival_test = stats.permutation_test(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True
    )
    assert paired_tests.randomisation(first, second, 1000, 1)[0] == pytest.approx(rival_test.pvalue)


def test_randomisation_agrees_with_scipy_on_many_units(simulation):
    generator = np.random.default_rng(1)
    a, b = generator.random(40), generator.random(40) + 0.08
    first, second = means(simulation, a, b)
    ours = paired_tests.randomisation(first, second, 50_000, 1)[0]
    rival_pvalue = stats.permutation_test(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=50_000, random_state=np.random.default_rng(2), batch=5000,
    ).pvalue  # fmt: skip
    assert ours == pytest.approx(rival_pvalue, abs=5 * np.sqrt(rival_pvalue / 50_000))


def test_the_sign_test_is_that_of_scipy(simulation):
    generator = np.random.default_rng(4)
    a, b = generator.integers(0, 6, 30), generator.integers(0, 7, 30)
    ahead, behind = int((a > b).sum()), int((a < b).sum())
    assert paired_tests.sign(*means(simulation, a, b))[0] == pytest.approx(
        stats.binomtest(ahead, ahead + behind).pvalue
    )


@pytest.mark.parametrize("units", [1, 2, 7, 50, 51, 400])
def test_wilcoxon_is_that_of_scipy_without_ties(simulation, units):
    generator = np.random.default_rng(units)
    a, b = generator.random(units), generator.random(units) + 0.1
    assert paired_tests.wilcoxon(*means(simulation, a, b))[0] == pytest.approx(stats.wilcoxon(a - b).pvalue)


def test_many_units_of_which_some_are_equal_are_those_of_scipy():
    differences = np.random.default_rng(5).choice([-3, -2, -1, 1, 2, 3], 300)
    assert paired_tests.signed_rank_test(differences) == pytest.approx(
        stats.wilcoxon(differences, method="approx").pvalue
    )


@pytest.mark.parametrize("seed", range(8))
def test_wilcoxon_tries_all_signs_where_differences_are_equal(seed):
    differences = np.random.default_rng(seed).choice([-3, -2, -1, 1, 2, 3, 4], 9)
    ranks = stats.rankdata(np.abs(differences))
    uneven = abs((ranks * np.sign(differences)).sum())
    signs = np.array(list(itertools.product([-1, 1], repeat=9)))
    expected = (np.abs(signs @ ranks) >= uneven).mean()
    assert (
        paired_tests.signed_rank_test(differences) == paired_tests.signed_rank_test(-differences) == min(1.0, expected)
    )


def test_equal_systems_have_p_1(simulation):
    first, second = means(simulation, range(30), range(30))
    for test in TESTS.values():
        assert test(first, second, 99, 1)[0] == 1.0


def test_effect_is_cohens_d_of_a_mean(simulation):
    a, b = np.random.default_rng(3).random((2, 25))
    first, second = means(simulation, a, b)
    assert paired_tests.effect(first, second)[0] == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
