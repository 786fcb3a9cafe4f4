"""Statistics work for every registered measure, because they only see counts."""

from __future__ import annotations

import random
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.contract.options import options_of
from aune.statistics import paired_tests
from aune.statistics.comparison import compare_systems
from aune.statistics.intervals import with_intervals
from aune.statistics.resampling import common_stack

MEASURES = [measure for task in registry.task_names() for measure in registry.measures(task)]
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)


def strategies(task):
    return import_module(f"tests.tasks.{task}.strategies")


@every_measure
def test_intervals_and_comparisons(measure):
    home = strategies(measure.task)
    if (measure.name, "bootstrap") in home.SKIP:
        pytest.skip(home.SKIP[measure.name, "bootstrap"])

    known = {**measure.options, **options_of(registry.task(measure.task).comparing.compare)}
    options = {name: value for name, value in home.OPTIONS.items() if name in known}

    @settings(max_examples=4)
    @given(home.CORPORA)
    def check(corpora):
        key, response = corpora
        result = aune.evaluate(measure.task, key, {"A": response, "B": key}, measures=[measure], **options)
        methods = ["auto", "jackknife", "delta", *(["bca"] if measure.bootstrap else [])]
        for method in methods:
            for score in with_intervals(result, method, draws=30):
                for value, bounds in score.intervals.items():
                    assert value in score.values
                    assert bounds is None or bounds[0] <= bounds[1]
        compared = compare_systems(result, draws=30)
        assert all(pair.p is None or 0 < pair.p <= 1 for pair in compared.pairs)
        assert_same_pairs(result, compared, measure)

    check()


def assert_same_pairs(result, compared, measure):
    """One value alone gives the same numbers, and so do exchanges that are tried one by one."""
    for value in measure.values:
        alone = compare_systems(result, draws=30, only=(measure.name, value))
        assert alone.pairs == [pair for pair in compared.pairs if pair.value == value]
        assert alone.orders == [order for order in compared.orders if order.value == value]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paired_tests, "code_shifts", lambda gains: None)
        assert compare_systems(result, draws=30).pairs == compared.pairs


@pytest.mark.parametrize("measure", registry.measures("coref"), ids=lambda measure: measure.name)
def test_resampling_does_not_bias_a_measure_or_is_disabled(measure, data):
    """The mean of the replicates lies within half a standard deviation of the value."""
    folder = data / "coref" / "litbank"
    result = aune.score("coref", str(folder / "key.conll.gz"), str(folder / "s2-sieve.conll.gz"), measures=[measure])
    stack = common_stack(result.scores)
    replicates = stack.replicates(2000, 1)
    spread = replicates.std(axis=0)
    biased = np.abs(replicates.mean(axis=0) - stack.estimates) > 0.5 * spread + 1e-12
    assert not biased.any() or not measure.bootstrap


def test_resampling_sentences_does_not_bias_measures_of_entities(data):
    folder = data / "entities" / "wnut17"
    result = aune.score("entities", str(folder / "gold.conll"), str(folder / "uh_ritual.conll"), measures=["all"])
    stack = common_stack([score for score in result if "sentence" in score.rows.attributes], "sentence")
    replicates = stack.replicates(500, 1)
    biased = np.abs(replicates.mean(axis=0) - stack.estimates) > 0.5 * replicates.std(axis=0) + 1e-12
    assert [name for name, wrong in zip(stack.names, biased, strict=True) if wrong] == []


@pytest.mark.parametrize("task", registry.task_names())
def test_order_changes_no_interval(task):
    """Documents and what is in them, in any order: the same intervals to the last digit, whatever is resampled."""
    home = strategies(task)
    known = options_of(registry.task(task).comparing.compare)
    options = {name: value for name, value in home.OPTIONS.items() if name in known}

    def intervals(key, response):
        result = aune.evaluate(task, key, {"s": response}, **options)
        return [score.intervals for score in with_intervals(result, draws=50)]

    @settings(max_examples=15)
    @given(home.CORPORA, st.integers(0, 1000))
    def check(corpora, seed):
        generator = random.Random(seed)
        shuffled = [home.shuffle_items(corpus, generator) for corpus in corpora]
        assert repr(intervals(*corpora)) == repr(intervals(*shuffled))

    check()
