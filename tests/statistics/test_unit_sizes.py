"""What a value rests on: few special words among many others, and rare labels of an average."""

from __future__ import annotations

import numpy as np
import pytest

import aune
from aune.contract.measure import mean_of_defined, ratio
from aune.results.result import Result
from aune.statistics.effective_sample import effective, scale_of, unit_numbers
from aune.statistics.group_spread import difference_groups, system_groups
from aune.statistics.intervals import with_intervals
from aune.statistics.resampling import common_stack
from aune.statistics.unit_sizes import count_elasticities, unit_sizes
from benchmarks.coverage import DIFFERENCES, MACRO, SPECIAL, Special, coverage_of, stack_campaigns

GENERATOR = np.random.default_rng(8)
WORDS = GENERATOR.integers(1, 30, 50).astype(float)
RIGHT = GENERATOR.binomial(WORDS.astype(int), 0.9).astype(float)


def share_of(piles):
    return [ratio(piles[..., 0], piles[..., 1])]


@pytest.mark.parametrize("right", [RIGHT, WORDS, 0 * WORDS], ids=["some", "all", "none"])
def test_sizes_are_those_of_the_denominator(right):
    """However many words are right, a document weighs as many words as it has."""
    sizes = unit_sizes(np.stack([right, WORDS], axis=1), share_of)
    assert sizes.shares[:, 0] == pytest.approx(WORDS / WORDS.sum())
    assert sizes.number == pytest.approx(WORDS.sum() ** 2 / (WORDS**2).sum())
    assert sizes.is_part.all()


def test_units_with_errors_alone_are_part_of_a_value_too():
    """Of true and false answers, each in a column of its own, the larger half is the size."""
    right = np.repeat([1.0, 0.0], [30, 10])
    sizes = unit_sizes(np.stack([right, 1 - right], axis=1), lambda piles: [ratio(piles[..., 0], piles.sum(axis=-1))])
    assert sizes.is_part.all() and sizes.number == pytest.approx(30)


def test_elasticities_are_the_derivatives_of_the_logarithm():
    """Of C / (C + W)², by hand: 1 − 2 C / (C + W) for C and −2 W / (C + W) for W, times the value."""
    totals = np.array([30.0, 70.0])
    [value] = [30 / 100**2]
    elasticities = count_elasticities(totals, lambda piles: [piles[..., 0] / (piles[..., 0] + piles[..., 1]) ** 2])
    assert elasticities[:, 0] / (2 * 0.01) / value == pytest.approx([1 - 0.6, -1.4], rel=0.001)


def test_units_without_what_a_value_counts_are_no_evidence(simulation):
    """Five documents of a hundred have a special word, all of them right: these five are all that is known."""
    special = (np.arange(100) < 5).astype(float)
    words = np.full(100, 20.0)
    stack = common_stack([simulation.make_score(Special(words, words, special, special), measure=SPECIAL)])
    assert unit_numbers(stack) == pytest.approx(5)
    low, high = effective(stack, 0.95)[:, 0]
    assert (low, high) == pytest.approx((0.025 ** (1 / 5), 1.0))


def test_entities_alone_are_the_evidence_of_their_accuracy():
    """Words that are no entities are right too, and say nothing of those that are."""
    plain, named = [("it", "O"), ("rains", "O")], [("Ann", "B-PER"), ("sings", "O")]
    key = {f"d{number:02d}": [named if number < 6 else plain] for number in range(60)}
    result = with_intervals(aune.score("entities", key, key, measures=["token_accuracy"]))
    intervals = result["token_accuracy"].intervals
    assert intervals["entity_accuracy"][0] == pytest.approx(0.025 ** (1 / 6))
    assert intervals["accuracy"][0] == pytest.approx(0.025 ** (1 / 60))


def labels(rare_right: float, units: int = 40):
    """Four labels: some words of the first are wrong, two units have the last one."""
    columns = np.zeros((8, units))
    columns[1], columns[0] = 10.0, 10.0 - (np.arange(units) % 3 == 0)
    columns[2:4], columns[4:6] = 4.0, 2.0
    columns[7, :2] = 1.0
    columns[6, :2] = rare_right
    return stack_campaigns(MACRO, [column[:, None] for column in columns])


def test_a_rare_label_without_errors_is_not_certain():
    """Its two units are two trials with the average's own share, a sixteenth of whose variance is in the average."""
    stack = labels(1.0)
    spread = system_groups(stack, *scale_of(stack))
    value = float(stack.estimates[0])
    hidden = value * (1 - value) * (1 / 40 + 1 / 40 + 1 / 2) / 16
    assert spread.variance == pytest.approx(hidden)
    low, high = effective(stack, 0.95)[:, 0]
    assert high - low > 2 * np.sqrt(hidden)


def test_labels_without_errors_need_no_more_where_none_has_any(simulation):
    """Everything is right: the rule for perfect responses holds."""
    whole = np.full((8, 40), 5.0)
    stack = stack_campaigns(MACRO, [column[:, None] for column in whole])
    assert effective(stack, 0.95)[:, 0] == pytest.approx((0.025 ** (1 / 40), 1.0))


def test_systems_that_agree_on_a_rare_label_may_differ_on_others():
    terms = [(1.0, labels(1.0)), (-1.0, labels(1.0))]
    spread = difference_groups(terms, np.array([0.3]))
    assert spread.variance == pytest.approx(0.3 * (3 / 40 + 1 / 2) / 16)


def test_an_average_over_labels_is_wider_than_its_frequent_labels_say():
    """Through the files' way: two of a hundred sentences have a rare label."""

    def sentence(number, response):
        words = [("Ann", "B-PER"), ("in", "O"), ("Rome", "O" if response and number % 9 == 0 else "B-LOC")]
        return [*words, ("Ox", "B-ANIMAL")] if number < 2 else words

    key, response = ({f"d{n:03d}": [sentence(n, side)] for n in range(100)} for side in (False, True))
    result = aune.score("entities", key, response, measures=["macro(f_measure, by=label)"])
    [score] = result.scores
    [interval] = [entry.intervals["f1"] for entry in with_intervals(Result(result.task, [score]))]
    jackknife = with_intervals(result, "jackknife").scores[0].intervals["f1"]
    assert interval[1] - interval[0] > 3 * (jackknife[1] - jackknife[0])


def test_averages_that_lie_in_units_have_no_rare_groups(simulation):
    assert mean_of_defined(np.array([0.5, np.nan])) == 0.5
    key = {str(number): [{1, 2, 3}] for number in range(20)}
    stack = common_stack(aune.score("coref", key, key, measures=["macro(muc, by=document)"]).scores)
    spread = system_groups(stack, *scale_of(stack))
    assert not spread.variance.any() and np.isinf(spread.freedom).all()


@pytest.mark.parametrize("family", [*DIFFERENCES])
def test_differences_cover_as_often_as_they_promise(family):
    """A small part of the table of docs/statistics.md."""
    for units, share in ((20, 0.3), (100, 0.5), (100, 1.0)):
        covered = coverage_of("effective", family, share, units, 0.0, campaigns=60, seed=3)
        assert covered >= 0.93 - 2.6 * np.sqrt(0.93 * 0.07 / 60), (units, share, covered)
