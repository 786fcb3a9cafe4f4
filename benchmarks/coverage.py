"""Coverage: how often intervals of 95 % contain the true value, near the ends of the scale and with few units.

Campaigns are simulated: each unit has a true share of its own (beta-distributed, so that its words are correlated by a
given coefficient), and counts are drawn from it. Families of measures:

- units: one trial per unit, such as sentences that are right or wrong;
- words: 20 trials per unit, such as the accuracy of words by document;
- lengths: a log-normal number of trials per unit, on average about 20;
- f: an F-measure of 20 items per unit, with a response that adds wrong ones;
- mean: the mean over units of their own shares of 20 words, such as a macro average over documents;
- kappa: Cohen's κ of 20 words per unit with two labels, from −1 to 1 (three words in ten have the first);
- value: 1 − errors per word, which is at most 1 and may be any number below;
- rate: errors per word, which may exceed 1, drawn from a Poisson distribution;
- part: the share of a few special words (one in seven units has one), beside 20 others that are counted too;
- sparse: an F-measure of items of which most units have none, such as names in sentences;
- macro: the average over four labels of which units have 12, 5, 1 and 0.02 words on average;
- free: the mean of 20 numbers per unit that may be any, normally distributed around p;
- difference: the difference of two systems that are right about 80 % of the words, and differ on a share p of units;
- difference of part, difference of macro: the same for special words, and for the average over labels.

Campaigns in which the value or its interval is undefined (without any special word, for instance) are left out.

`python -m benchmarks.coverage` prints the coverage of every cell as Markdown, how many cells from 5 units on are below
93 %, and how many of the rough ones with fewer units are; `--campaigns` sets how many campaigns each cell has.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from aune.contract.measure import (
    ANY_VALUE,
    AT_MOST_ONE,
    NON_NEGATIVE,
    Column,
    Measure,
    mean_of_defined,
    ratio,
    recall_precision,
)
from aune.contract.options import Range
from aune.contract.signature import Signature
from aune.results.result import SystemScore
from aune.results.rows import make_rows
from aune.statistics.comparison import Resampling, pair_interval
from aune.statistics.intervals import interval_bounds, quantiles, tails
from aune.statistics.paired_tests import difference
from aune.statistics.resampling import Stack, UnitCounts
from aune.statistics.sampling_units import ENOUGH_UNITS

SHARES = (0.0, 0.001, 0.01, 0.5, 0.99, 1.0)
UNITS = (3, 5, 20, 100, 1_000)
CORRELATIONS = (0.0, 0.3)
WORDS = 20
FIRST_LABEL = 0.3
SPECIAL_WORDS = 0.15
"""Of the family `part`, per unit."""
ITEMS = 0.4
"""Of the family `sparse`, per unit."""
LABELS = (12.0, 5.0, 1.0, 0.02)
"""Words of each label of the family `macro`, per unit."""
PROMISED = 0.93
"""The least coverage of a cell from 5 units on."""
DRAWS = 1_000


class Part(NamedTuple):
    part: Column
    whole: Column


class Items(NamedTuple):
    correct: Column
    key: Column
    response: Column


class Labels(NamedTuple):
    agree: Column
    key_first: Column
    response_first: Column
    words: Column


class Special(NamedTuple):
    right: Column
    words: Column
    right_special: Column
    special: Column


class ByLabel(NamedTuple):
    right: Column
    words: Column
    right_second: Column
    second: Column
    right_third: Column
    third: Column
    right_rare: Column
    rare: Column


class Value(NamedTuple):
    value: Column


def count_part(comparison: Part) -> Part:
    return comparison


def score_part(counts: Part) -> Value:
    return Value(ratio(counts.part, counts.whole))


def count_items(comparison: Items) -> Items:
    return comparison


def score_items(counts: Items) -> Value:
    return Value(recall_precision(*counts, "zero").f1)


def count_labels(comparison: Labels) -> Labels:
    return comparison


def score_labels(counts: Labels) -> Value:
    agree, key, response, words = counts
    key_share, response_share = ratio(key, words), ratio(response, words)
    expected = key_share * response_share + (1 - key_share) * (1 - response_share)
    return Value(ratio(ratio(agree, words) - expected, 1 - expected))


def count_special(comparison: Special) -> Special:
    return comparison


def score_special(counts: Special) -> Value:
    return Value(ratio(counts.right_special, counts.special))


def count_by_label(comparison: ByLabel) -> ByLabel:
    return comparison


def score_by_label(counts: ByLabel) -> Value:
    return Value(mean_of_defined(label_values(counts)))


def label_values(counts: ByLabel) -> Column:
    """The share of each label, on the last axis."""
    return np.stack([ratio(right, words) for right, words in zip(counts[::2], counts[1::2], strict=True)], axis=-1)


SHARE = Measure(count_part, score_part, label="share")
RATE = Measure(count_part, score_part, range=NON_NEGATIVE, better="lower", perfect=0.0, label="rate")
FREE = Measure(count_part, score_part, range=ANY_VALUE, label="free")
F = Measure(count_items, score_items, label="f")
KAPPA = Measure(count_labels, score_labels, range=Range(-1, 1), label="kappa")
SPECIAL = Measure(count_special, score_special, label="part")
MACRO = Measure(count_by_label, score_by_label, label="macro")
VALUE = Measure(count_part, score_part, range=AT_MOST_ONE, label="value")


class Family(NamedTuple):
    """How counts of many campaigns are simulated: from a generator, the true shares of units, and that of all."""

    measure: Measure
    simulate: Callable[[np.random.Generator, Column, float, float], tuple[NamedTuple, float]]
    """The counts, each (units, campaigns), and the true value."""


class Campaigns(Stack):
    """Many campaigns of the same measure side by side, scored at once instead of one by one."""

    def values(self, piles: Column) -> Column:
        measure = self.scores[0].measure
        columns = np.moveaxis(piles.reshape(*piles.shape[:-1], len(self.scores), -1), -1, 0)
        return np.asarray(measure.score(measure.counts(*columns)).value)


def stack_campaigns(measure: Measure, counts: Sequence[Column]) -> Campaigns:
    """A stack with a score for each campaign, from counts of the shape (units, campaigns)."""
    columns = np.stack([np.asarray(column, float) for column in counts], axis=-1)
    units, campaigns, width = columns.shape
    names = [f"{number:05d}" for number in range(units)]
    rows = make_rows({"document": names}, [measure.counts(*columns[:, 0].T)])
    score = SystemScore("simulated", measure, Signature(measure.name, {}, "0"), rows)
    values = partial(_score_piles, measure)
    by_label = (_label_piles, [f"{mean:g}" for mean in LABELS]) if measure is MACRO else (None, ())
    parts = [UnitCounts(names, columns[:, place], values, *by_label) for place in range(campaigns)]
    return Campaigns([score] * campaigns, names, columns.reshape(units, campaigns * width), parts)


def _score_piles(measure: Measure, piles: Column) -> Iterator[Column]:
    yield from measure.score(measure.counts(*np.moveaxis(piles, -1, 0)))


def _label_piles(piles: Column) -> Iterator[Column]:
    yield label_values(ByLabel(*np.moveaxis(piles, -1, 0)))


def simulate_units(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Part, float]:
    return Part(generator.binomial(1, shares), np.ones_like(shares)), share


def simulate_words(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Part, float]:
    return Part(generator.binomial(WORDS, shares), np.full(shares.shape, WORDS)), share


def simulate_lengths(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Part, float]:
    words = np.maximum(1, generator.lognormal(2.5, 1, shares.shape).astype(int))
    return Part(generator.binomial(words, shares), words), share


def simulate_items(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Items, float]:
    """Half of what is missed is answered wrongly."""
    correct = generator.binomial(WORDS, shares)
    response = correct + generator.binomial(WORDS - correct, 0.5)
    return Items(correct, np.full(shares.shape, WORDS), response), 2 * share / (1 + share + (1 - share) / 2)


def simulate_mean(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Part, float]:
    return Part(generator.binomial(WORDS, shares) / WORDS, np.ones_like(shares)), share


def simulate_labels(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Labels, float]:
    """Three words in ten have the first label in the key; a wrong answer is the other label."""
    first = generator.binomial(WORDS, np.full(shares.shape, FIRST_LABEL))
    right, right_others = generator.binomial(first, shares), generator.binomial(WORDS - first, shares)
    response = right + WORDS - first - right_others
    response_share = FIRST_LABEL * share + (1 - FIRST_LABEL) * (1 - share)
    expected = FIRST_LABEL * response_share + (1 - FIRST_LABEL) * (1 - response_share)
    truth = (share - expected) / (1 - expected)
    return Labels(right + right_others, first, response, np.full(shares.shape, WORDS)), truth


def simulate_rate(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Part, float]:
    return Part(generator.poisson(WORDS * shares), np.full(shares.shape, WORDS)), share


def simulate_values(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Part, float]:
    return Part(WORDS - generator.poisson(WORDS * shares), np.full(shares.shape, WORDS)), 1 - share


def simulate_special(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Special, float]:
    special = generator.poisson(SPECIAL_WORDS, shares.shape)
    right_special = generator.binomial(special, shares)
    right = right_special + generator.binomial(WORDS, shares)
    return Special(right, special + WORDS, right_special, special), share


def simulate_sparse(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[Items, float]:
    key = generator.poisson(ITEMS, shares.shape)
    correct = generator.binomial(key, shares)
    response = correct + generator.binomial(key - correct, 0.5)
    return Items(correct, key, response), 2 * share / (1 + share + (1 - share) / 2)


def simulate_by_label(generator: np.random.Generator, shares: Column, share: float, _: float) -> tuple[ByLabel, float]:
    words = [generator.poisson(mean, shares.shape) for mean in LABELS]
    columns = [column for number in words for column in (generator.binomial(number, shares), number)]
    return ByLabel(*columns), share


def simulate_numbers(
    generator: np.random.Generator, shares: Column, share: float, correlation: float
) -> tuple[Part, float]:
    spread = np.sqrt(correlation + (1 - correlation) / WORDS)
    return Part(generator.normal(share, spread, shares.shape), np.ones_like(shares)), share


FAMILIES = {
    "units": Family(SHARE, simulate_units),
    "words": Family(SHARE, simulate_words),
    "lengths": Family(SHARE, simulate_lengths),
    "f": Family(F, simulate_items),
    "mean": Family(SHARE, simulate_mean),
    "kappa": Family(KAPPA, simulate_labels),
    "rate": Family(RATE, simulate_rate),
    "value": Family(VALUE, simulate_values),
    "part": Family(SPECIAL, simulate_special),
    "sparse": Family(F, simulate_sparse),
    "macro": Family(MACRO, simulate_by_label),
    "free": Family(FREE, simulate_numbers),
}
DIFFERENCES = {
    "difference": Family(SHARE, simulate_words),
    "difference of part": FAMILIES["part"],
    "difference of macro": FAMILIES["macro"],
}


def coverage_of(
    method: str, family: str, share: float, units: int, correlation: float, *, campaigns: int, seed: int
) -> float:
    """The share of campaigns whose interval contains the true value."""
    generator = np.random.default_rng(seed)
    if family in DIFFERENCES:
        return coverage_of_difference(generator, DIFFERENCES[family], share, correlation, (units, campaigns), seed)
    measure, simulate = FAMILIES[family]
    shares = draw_shares(generator, share, correlation, (units, campaigns))
    counts, truth = simulate(generator, shares, share, correlation)
    stack = stack_campaigns(measure, [*counts])
    return covered_share(interval_bounds(stack, method, 0.95, DRAWS, seed), truth)


def coverage_of_difference(
    generator: np.random.Generator,
    family: Family,
    share: float,
    correlation: float,
    shape: tuple[int, int],
    seed: int,
) -> float:
    """The same for the difference of two systems on the same words: the second is worse on a share of the units."""
    right, worse = (draw_shares(generator, level, correlation, shape) for level in (0.8, 0.5))
    words, _ = family.simulate(np.random.default_rng([seed, 1]), right, share, correlation)
    others, _ = family.simulate(np.random.default_rng([seed, 1]), worse, share, correlation)  # the same words
    is_changed = generator.random(shape) < share
    changed = [np.where(is_changed, other, word) for word, other in zip(words, others, strict=True)]
    first, second = stack_campaigns(family.measure, words), stack_campaigns(family.measure, changed)
    draws = difference(first, first.replicates(DRAWS, seed), second.replicates(DRAWS, seed))
    interval = pair_interval(first, second, Resampling("randomisation", 0.95, DRAWS, seed))
    bounds = np.where(interval.is_drawn, quantiles(draws, tails(0.95)), interval.bounds)
    return covered_share(bounds, 0.3 * share)


def covered_share(bounds: Column, truth: float) -> float:
    low, high = bounds
    return float(((low <= truth + 1e-9) & (truth <= high + 1e-9)).mean() / (~np.isnan(low)).mean())


def draw_shares(generator: np.random.Generator, share: float, correlation: float, shape: tuple[int, int]) -> Column:
    """The true share of each unit: the same for all, or from a beta distribution."""
    if correlation == 0 or share in (0, 1):
        return np.full(shape, share)
    size = (1 - correlation) / correlation
    return generator.beta(share * size, (1 - share) * size, shape)


def print_table(method: str, families: Sequence[str], campaigns: int) -> list[tuple[int, float]]:
    """Print the coverage of every cell; each cell's number of units and coverage."""
    print(f"\n| {method} | units | correlation | " + " | ".join(f"p = {share:g}" for share in SHARES) + " |")
    print("|---|---:|---:|" + "---:|" * len(SHARES))
    cells = []
    for family in families:
        for units in UNITS:
            for correlation in CORRELATIONS:
                row = [
                    coverage_of(method, family, share, units, correlation, campaigns=campaigns, seed=1)
                    for share in SHARES
                ]
                cells += [(units, covered) for covered in row]
                shown = " | ".join(_show_values(covered, units) for covered in row)
                print(f"| {family} | {units:,} | {correlation:g} | {shown} |", flush=True)
    return cells


def _show_values(covered: float, units: int) -> str:
    """A cell: bold where it breaks the promise, slanted where it is rough."""
    text = "none" if np.isnan(covered) else f"{100 * covered:.1f}"
    if units < ENOUGH_UNITS:
        return f"*{text}*"
    return text if covered >= PROMISED else f"**{text}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=2_000)
    parser.add_argument("--methods", default="effective")
    parser.add_argument("--families", default=",".join([*FAMILIES, *DIFFERENCES]))
    arguments = parser.parse_args()
    start = time.process_time()
    for method in arguments.methods.split(","):
        cells = print_table(method, arguments.families.split(","), arguments.campaigns)
        for text, chosen in (
            (f"from {ENOUGH_UNITS} units on", [covered for units, covered in cells if units >= ENOUGH_UNITS]),
            (f"below {ENOUGH_UNITS} units (rough)", [covered for units, covered in cells if units < ENOUGH_UNITS]),
        ):
            missed = sum(covered < PROMISED for covered in chosen)
            print(f"\n{method}, {text}: {missed} of {len(chosen)} cells below {PROMISED:.0%}, least {min(chosen):.1%}")
    print(f"\n{arguments.campaigns:,} campaigns per cell, {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
