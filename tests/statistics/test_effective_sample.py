"""Intervals are never narrower than the evidence allows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import aune
from aune.contract.measure import ANY_VALUE, NON_NEGATIVE, Column, Measure, ratio
from aune.results.result import Result
from aune.statistics.comparison import compare_systems
from aune.statistics.effective_sample import effective
from aune.statistics.intervals import METHODS, with_intervals
from aune.statistics.resampling import common_stack
from benchmarks.coverage import FAMILIES, coverage_of


class Part(NamedTuple):
    part: Column
    whole: Column


class Rate(NamedTuple):
    rate: Column


def count_rate(comparison) -> Part:
    return Part(*comparison)


def score_rate(counts: Part) -> Rate:
    return Rate(ratio(counts.part, counts.whole))


RATE = Measure(count_rate, score_rate, range=NON_NEGATIVE, better="lower", perfect=0.0, label="test.rate")
FREE = Measure(count_rate, score_rate, range=ANY_VALUE, label="test.free")


@pytest.mark.parametrize("hits", [0, 1, 3, 17, 40])
def test_units_of_one_trial_have_the_interval_of_clopper_and_pearson(simulation, hits):
    """For one trial per unit the effective number of units is their number."""
    units = 2_000  # Student's t is then the normal distribution, nearly
    values = np.repeat([1.0, 0.0], [hits, units - hits])
    low, high = effective(common_stack([simulation.make_score(Part(values, np.ones(units)))]), 0.95)[:, 0]
    exact = stats.binomtest(hits, units).proportion_ci(0.95, "exact")
    assert (low, high) == pytest.approx((exact.low, exact.high), rel=0.02)


@pytest.mark.parametrize("errors", [0, 20, 60])
def test_units_of_one_word_have_the_interval_of_garwood(simulation, errors):
    units = 2_000
    values = np.repeat([1.0, 0.0], [errors, units - errors])
    low, high = effective(common_stack([simulation.make_score(Part(values, np.ones(units)), measure=RATE)]), 0.95)[:, 0]
    exact = stats.gamma.ppf(0.025, errors) if errors else 0.0, stats.gamma.ppf(0.975, errors + 1)
    assert (low * units, high * units) == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize("method", [*METHODS])
def test_a_perfect_response_is_not_certain(method):
    key = {f"d{number:02d}": [{1, 2, 3}, {4, 5}] for number in range(40)}
    result = with_intervals(aune.score("coref", key, key, measures=["muc"]), method, draws=99)
    low, high = result["muc"].intervals["f1"]
    assert (low, high) == pytest.approx((1 - (1 - 0.025 ** (1 / 40)), 1.0))


@pytest.mark.parametrize("method", [*METHODS])
def test_an_error_rate_of_zero_is_not_certain(method):
    words = ["good morning"] * 12
    result = with_intervals(aune.score("speech", words, words, measures=["wer"]), method, draws=99)
    low, high = result["wer"].intervals["wer"]
    assert low == 0
    assert high == pytest.approx(-np.log(0.025) / 12)


def test_units_that_are_all_alike_may_meet_others(simulation):
    """Half of every unit is right: the worst and the best of the share that nobody has seen bound the value."""
    stack = common_stack([simulation.make_score(Part(np.full(20, 3.0), np.full(20, 6.0)))])
    unseen = 1 - 0.025 ** (1 / 20)
    assert effective(stack, 0.95)[:, 0] == pytest.approx((0.5 - unseen / 2, 0.5 + unseen / 2))


def test_a_value_without_ends_has_no_interval_where_units_do_not_differ(simulation):
    free = simulation.make_score(Part(np.full(20, 3.0), np.full(20, 6.0)), measure=FREE)
    result = with_intervals(Result("test", [free]))
    assert result.scores[0].intervals == {"rate": None}
    assert "A: test.free.rate has no interval: the 20 documents do not differ" in result.warnings[0]


def test_the_same_response_twice_may_differ_on_other_documents():
    key = {f"d{number:02d}": [{1, 2, 3}, {4, 5}] for number in range(40)}
    half = {name: [{1, 2}, {3}, {4, 5}] for name in key}
    comparison = aune.compare(aune.evaluate("coref", key, {"a": half, "b": half}, measures=["muc"]), draws=99)
    pair = next(pair for pair in comparison.pairs if pair.value == "f1")
    unseen = 1 - 0.025 ** (1 / 40)
    assert pair.difference == 0
    assert pair.ci == pytest.approx((-unseen, unseen))


def test_a_longer_unit_weighs_more_than_others(simulation):
    """One of twenty units has nearly all words: they are worth little more than that one."""
    sizes = np.array([1_000.0] + [1.0] * 19)
    low, _ = effective(common_stack([simulation.make_score(Part(sizes, sizes))]), 0.95)[:, 0]
    assert low < 0.05


@pytest.mark.parametrize("family", [*FAMILIES])
@pytest.mark.parametrize("units", [5, 20, 100])
@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_intervals_cover_as_often_as_they_promise(family, units, correlation):
    """A small part of the table of docs/statistics.md, which `benchmarks/coverage.py` makes."""
    for share in (0.0, 0.001, 0.01, 0.5, 0.99, 1.0):
        covered = coverage_of("effective", family, share, units, correlation, campaigns=120, seed=3)
        assert covered >= 0.93 - 2.6 * np.sqrt(0.93 * 0.07 / 120), (share, covered)


def test_differences_cover_as_often_as_they_promise(simulation):
    """Two systems that differ on few units."""
    generator = np.random.default_rng(4)
    for units, share in ((20, 0.05), (20, 0.3), (60, 0.02), (60, 0.3)):
        hits = 0
        for _ in range(150):
            words = generator.integers(5, 20, units).astype(float)
            first = generator.binomial(words.astype(int), 0.8)
            changed = generator.random(units) < share
            second = np.where(changed, generator.binomial(words.astype(int), 0.5), first)
            scores = [simulation.make_score(Part(first.astype(float), words)),
                      simulation.make_score(Part(second.astype(float), words), "B")]  # fmt: skip
            low, high = compare_systems(Result("test", scores), "sign", draws=200).pairs[0].ci
            hits += low <= 0.3 * share <= high
        assert hits >= 0.93 * 150 - 2.6 * np.sqrt(150 * 0.07), (units, share, hits)
