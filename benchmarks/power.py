"""Power: how often tests find the difference that `aune plan` calls detectable, and what gates let pass.

A large pilot of two systems says what difference a test set of so many documents can show with 80 % power. Then
thousands of campaigns of that size are simulated in which the systems differ by this much, and tested: by
randomisation, by Student's t, and by the gates of `aune compare`. `python -m benchmarks.power` prints the tables of
docs/statistics.md.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy import stats

from aune.contract.measure import Column, Measure
from aune.statistics.contrasts import Contrast, SystemRuns, contrast_systems, two_sided_p, upper_tail
from aune.statistics.paired_tests import randomisation
from aune.statistics.power import POWER, Precision
from aune.statistics.resampling import Stack
from benchmarks.coverage import RATE, SHARE, F, stack_campaigns

UNITS = (20, 50, 200, 1_000)
PILOT = 20_000
TEXTS = 400_000
WORDS = 20
MARGIN = 0.01
FAMILIES = {"accuracy": SHARE, "F": F, "error rate": RATE}


def simulate_pair(
    generator: np.random.Generator, measure: Measure, shape: tuple[int, int], gap: float
) -> tuple[Stack, Stack]:
    """Two systems on the same texts, some of which are harder; the second has a true share that is lower by a gap."""
    hardness = generator.normal(0, 0.8, shape)
    shares = [_share(hardness + generator.normal(0, 0.4, shape), lower) for lower in (0.0, gap)]
    stacks = [stack_campaigns(measure, _counts(generator, measure, share)) for share in shares]
    return stacks[0], stacks[1]


def _share(hardness: Column, lower: float) -> Column:
    return np.clip(1 / (1 + np.exp(-1.4 - hardness)) - lower, 0, 1)


def _counts(generator: np.random.Generator, measure: Measure, share: Column) -> list[Column]:
    words = np.full(share.shape, WORDS)
    if measure is RATE:
        return [generator.poisson(WORDS * (1 - share)), words]
    correct = generator.binomial(WORDS, share)
    if measure is F:
        return [correct, words, correct + generator.binomial(WORDS - correct, 0.5)]
    return [correct, words]


def power_in_campaigns(measure: Measure, units: int, *, campaigns: int, draws: int, seed: int) -> float:
    """The share of campaigns in which randomisation finds what a pilot calls detectable with 80 % power.

    The gap of the simulation is set so that the true difference is the detectable one.
    """
    generator = np.random.default_rng(seed)
    gap = 0.03
    for _ in range(4):  # the spread depends on the gap, and the difference on both
        pilot = simulate_pair(generator, measure, (PILOT, 4), gap)
        contrast = contrast_systems(SystemRuns("A", [pilot[0]]), SystemRuns("B", [pilot[1]]))
        wanted = float(np.mean([Precision(contrast, place).detectable(units, 0.025, POWER) for place in range(4)]))
        gap *= wanted / true_difference(measure, gap)
    first, second = simulate_pair(generator, measure, (units, campaigns), gap)
    return float((randomisation(first, second, draws, seed) <= 0.05).mean())


def true_difference(measure: Measure, gap: float) -> float:
    """The difference of the values of both systems over all texts that there could be."""
    generator = np.random.default_rng(0)
    share = _share(generator.normal(0, 0.8, TEXTS) + generator.normal(0, 0.4, TEXTS), 0.0)
    shares = np.array([share.mean(), np.clip(share - gap, 0, 1).mean()])
    values = 2 * shares / (1 + shares + (1 - shares) / 2) if measure is F else shares
    return float(values[0] - values[1])


def paired_counts(items: int, better: float, worse: float) -> Contrast:
    """Items that only the first or only the second system has right, in these shares; both have most right."""
    first, second = np.ones(items), np.ones(items)
    second[: round(items * better)] = 0
    first[-round(items * worse) :] = 0
    stacks = [stack_campaigns(SHARE, [right[:, None], np.ones((items, 1))]) for right in (first, second)]
    return contrast_systems(*(SystemRuns(name, [stack]) for name, stack in zip("AB", stacks, strict=True)))


def mcnemar_power(items: int, better: float, worse: float) -> float:
    """The power of the sign test of McNemar at 5 %, by adding up the probabilities of what is significant."""
    total = 0.0
    discordant = better + worse
    numbers = np.arange(items + 1)
    weights = stats.binom.pmf(numbers, items, discordant)
    for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
        if weight > 1e-12 and number:
            limit = stats.binom.ppf(0.025, number, 0.5) - 1  # so few on one side have a probability below 2.5 %
            share = better / discordant
            total += weight * (
                stats.binom.cdf(limit, number, share) + stats.binom.sf(number - limit - 1, number, share)
            )
    return float(total)


def gate_rates(measure: Measure, units: int, *, campaigns: int, seed: int) -> tuple[float, float]:
    """How often --fail-if-worse lets a system pass that is worse by the margin, and one that is as good."""
    generator = np.random.default_rng(seed)
    rates = []
    for gap in (MARGIN * MARGIN / true_difference(measure, MARGIN), 0.0):
        first, second = simulate_pair(generator, measure, (units, campaigns), gap)
        contrast = contrast_systems(SystemRuns("B", [second]), SystemRuns("A", [first]))
        sign = 1 if measure.better == "higher" else -1
        rates.append(float((upper_tail(MARGIN + sign * contrast.spread.observed, contrast.spread) <= 0.05).mean()))
    return rates[0], rates[1]


def false_findings(measure: Measure, units: int, *, campaigns: int, seed: int) -> float:
    """How often t finds a difference between systems that are equally good."""
    first, second = simulate_pair(np.random.default_rng(seed), measure, (units, campaigns), 0.0)
    contrast = contrast_systems(SystemRuns("A", [first]), SystemRuns("B", [second]))
    return float((two_sided_p(contrast.spread) <= 0.05).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=999)
    arguments = parser.parse_args()
    start = time.process_time()
    print("| values | documents | stated | found by randomisation | t, equal systems |")
    print("|---|---:|---:|---:|---:|")
    for name, measure in FAMILIES.items():
        for units in UNITS:
            is_quick = units <= UNITS[0]  # and the power of few documents is the least certain: more campaigns
            campaigns = arguments.campaigns * (3 if is_quick else 1)
            draws = 2 * arguments.draws + 1 if is_quick else arguments.draws
            found_share = power_in_campaigns(measure, units, campaigns=campaigns, draws=draws, seed=1)
            level = false_findings(measure, units, campaigns=campaigns, seed=2)
            print(f"| {name} | {units:,} | 80.0 | {100 * found_share:.1f} | {100 * level:.1f} |", flush=True)
    print("\n| values | documents | worse by the margin, passed | as good, passed |")
    print("|---|---:|---:|---:|")
    for name, measure in (("accuracy", SHARE), ("F", F)):
        for units in UNITS:
            worse, good = gate_rates(measure, units, campaigns=arguments.campaigns, seed=3)
            print(f"| {name} | {units:,} | {100 * worse:.1f} | {100 * good:.1f} |", flush=True)
    seconds = time.process_time() - start
    print(
        f"\n{arguments.campaigns:,} campaigns per row, three times as many for {UNITS[0]} documents in the first table"
    )
    print(f"{seconds:.0f} s of processor time")


if __name__ == "__main__":
    main()
