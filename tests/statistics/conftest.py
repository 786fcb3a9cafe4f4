"""Simulated campaigns: many small evaluations at once, each a score in one stack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from aune.contract.measure import Column, Measure, RecallPrecision, ratio, recall_precision
from aune.contract.signature import Signature
from aune.results.result import SystemScore
from aune.results.rows import make_rows
from aune.statistics.resampling import Stack, common_stack


class Found(NamedTuple):
    correct: Column
    key: Column
    response: Column


class Share(NamedTuple):
    part: Column
    whole: Column


class Mean(NamedTuple):
    mean: Column


def count_f(comparison) -> Found:
    return Found(*comparison)


def score_f(counts: Found) -> RecallPrecision:
    correct, key, response = counts
    return recall_precision(correct, key, response, "zero")


def count_mean(comparison) -> Share:
    return Share(*comparison)


def score_mean(counts: Share) -> Mean:
    return Mean(ratio(counts.part, counts.whole))


F_MEASURE = Measure(count_f, score_f, label="test.f")
MEAN = Measure(count_mean, score_mean, label="test.mean")


def make_score(counts, system="A", measure=None, names=None) -> SystemScore:
    """A score made from counts by document."""
    measure = measure or (F_MEASURE if isinstance(counts, Found) else MEAN)
    names = names or [f"{place:05d}" for place in range(len(counts[0]))]
    return SystemScore(system, measure, Signature(measure.name, {}, "0"), make_rows({"document": names}, [counts]))


def f_responses(generator, key, campaigns, quality=0.7, spread=1.0):
    """One system's counts in many campaigns: how well it does varies from document to document."""
    logits = np.log(quality / (1 - quality)) + spread * generator.standard_normal(key.shape)
    correct = generator.binomial(key, 1 / (1 + np.exp(-logits)))
    response = correct + generator.binomial(key, 0.3)
    return [Found(correct[:, c], key[:, c], response[:, c]) for c in range(campaigns)]


class Simulation:
    make_score = staticmethod(make_score)
    Found, Share, MEAN, F_MEASURE = Found, Share, MEAN, F_MEASURE

    @staticmethod
    def null_campaigns(campaigns: int, units: int, seed: int) -> tuple[Stack, Stack]:
        """Two systems of the same quality on the same documents, again and again."""
        generator = np.random.default_rng(seed)
        key = generator.integers(5, 60, (units, campaigns))
        first, second = (f_responses(generator, key, campaigns) for _ in range(2))
        return common_stack([make_score(c) for c in first]), common_stack([make_score(c, "B") for c in second])

    @staticmethod
    def samples(campaigns: int, units: int, seed: int) -> Stack:
        """One system in many campaigns, drawn from one population of documents."""
        generator = np.random.default_rng(seed)
        key = generator.integers(5, 60, (units, campaigns))
        return common_stack([make_score(c) for c in f_responses(generator, key, campaigns)])


@pytest.fixture(scope="session")
def simulation() -> type[Simulation]:
    return Simulation
