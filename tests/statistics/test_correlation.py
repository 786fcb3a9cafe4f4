from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from aune.statistics.correlation import correlation, correlations, interval_of_mean

COLUMNS = st.integers(2, 9).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 5), min_size=size, max_size=size)] * 2)
)


@given(COLUMNS)
@settings(max_examples=150, deadline=None)
def test_coefficients_are_those_of_scipy(columns):
    first, second = columns
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    assert correlations(first, second, "spearman") == pytest.approx(stats.spearmanr(first, second).statistic)
    assert correlations(first, second, "kendall") == pytest.approx(stats.kendalltau(first, second).statistic)
    assert correlations(first, second, "weighted") == pytest.approx(stats.weightedtau(first, second).statistic)
    assert correlations(first, second, "pearson") == pytest.approx(stats.pearsonr(first, second).statistic)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall", "weighted", "pearson"])
def test_a_constant_column_orders_nothing(coefficient):
    assert np.isnan(correlations([1, 1, 1], [1, 2, 3], coefficient))
    assert correlation([1, 1, 1], [1, 2, 3], coefficient)[:3] == (None, None, None)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall", "pearson"])
def test_p_of_few_systems_tries_every_order(coefficient):
    first, second = [1.0, 3, 2, 5, 4, 6], [2.0, 1, 3, 4, 6, 5]
    rival_pvalue = stats.permutation_test(
        (first,), lambda x: float(correlations(x, second, coefficient)), permutation_type="pairings", vectorized=False
    ).pvalue
    assert correlation(first, second, coefficient).p == pytest.approx(rival_pvalue)


def test_p_of_many_systems_holds_its_level():
    generator = np.random.default_rng(3)
    tables = generator.random((400, 2, 10))
    p = [correlation(*table, "kendall", draws=199).p for table in tables]
    assert abs(np.mean(np.array(p) <= 0.1) - 0.1) < 3 * np.sqrt(0.09 / 400)


def test_a_table_is_a_mean_over_documents():
    generator = np.random.default_rng(3)
    first, second = generator.random((2, 12, 6))
    second[3] = 0.5
    coefficient = correlation(first, second, draws=500)
    each = [
        stats.spearmanr(a, b).statistic for place, (a, b) in enumerate(zip(first, second, strict=True)) if place != 3
    ]
    assert coefficient.value == pytest.approx(np.mean(each))
    assert (coefficient.systems, coefficient.documents, coefficient.undefined) == (6, 11, 1)
    assert coefficient.ci[0] < coefficient.value < coefficient.ci[1]


@pytest.mark.parametrize("documents", [20, 200])
def test_the_interval_of_a_mean_over_documents_is_near_that_of_student(documents):
    """Around the middle of the scale, of which Clopper and Pearson's interval knows the ends."""
    values = np.random.default_rng(3).normal(0.1, 0.3, documents).clip(-1, 1)
    error = values.std(ddof=1) / np.sqrt(documents)
    expected = stats.t.interval(0.95, documents - 1, values.mean(), error)
    assert interval_of_mean(values) == pytest.approx(expected, abs=0.04)


def test_documents_that_all_agree_are_not_certain():
    """Not [1, 1]: of ten documents, each is one trial between −1 and 1."""
    order = np.tile(np.arange(5.0), (10, 1))
    assert correlation(order, order).ci == pytest.approx((2 * 0.025 ** (1 / 10) - 1, 1.0))


def test_one_pair_of_columns_has_fishers_interval():
    first, second = np.arange(10.0), np.array([1.0, 0, 3, 2, 5, 4, 7, 6, 9, 8])
    low, high = stats.pearsonr(first, second).confidence_interval()
    assert correlation(first, second, "pearson").ci == pytest.approx((low, high))
    assert correlation(first[:3], second[:3], "pearson").ci is None


def test_documents_with_missing_scores_are_left_out():
    assert correlation([[1, 2, 3], [1, np.nan, 3]], [[1, 2, 3], [3, 2, 1]]).value == 1.0


def test_one_document_has_no_spread():
    assert interval_of_mean(np.array([0.5])) is None
