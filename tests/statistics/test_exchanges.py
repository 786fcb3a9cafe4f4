from __future__ import annotations

import numpy as np
import pytest

from aune.statistics import exchanges, paired_tests
from aune.statistics.exchanges import code_shifts, count_shifts
from aune.statistics.paired_tests import randomisations
from aune.statistics.resampling import common_stack, swaps

UNITS = 30


def drawn_shifts(gains, draws, seed):
    """The shift of each exchange, one after the other."""
    return np.concatenate([exchanged @ gains for exchanged in swaps(len(gains), draws, seed)])


@pytest.mark.parametrize("units", [3, 12, 40])
def test_every_exchange_is_counted_once(units):
    generator = np.random.default_rng(units)
    gains = [generator.integers(-2, 3, (units, 2)).astype(float) for _ in range(4)]
    gains[1][:] = 0  # two systems that are equal
    codes = [code_shifts(gain) for gain in gains]
    for gain, code, (occurring, times) in zip(gains, codes, count_shifts(codes, units, 500, 1), strict=True):
        shifts, numbers = np.unique(drawn_shifts(gain, 500, 1), axis=0, return_counts=True)
        order = np.lexsort(code.shifts(occurring).T[::-1])
        assert np.array_equal(code.shifts(occurring)[order], shifts)
        assert np.array_equal(times[order], numbers)


def test_small_blocks_count_the_same(monkeypatch):
    generator = np.random.default_rng(1)
    codes = [code_shifts(generator.integers(-1, 2, (UNITS, 2)).astype(float)) for _ in range(5)]
    together = [times.tolist() for _, times in count_shifts(codes, UNITS, 300, 1)]
    monkeypatch.setattr(exchanges, "BLOCK_CELLS", 1)
    assert [times.tolist() for _, times in count_shifts(codes, UNITS, 300, 1)] == together


@pytest.mark.parametrize("gain", [0.5, np.nan, np.inf, 1e300])
def test_what_is_no_whole_number_or_too_large_has_no_code(gain):
    assert code_shifts(np.array([[1.0, gain], [0.0, 1.0]])) is None


def test_p_values_do_not_depend_on_codes(simulation, monkeypatch):
    generator = np.random.default_rng(5)
    key = generator.integers(2, 6, UNITS)
    runs = [simulation.Found(generator.binomial(key, share), key, key) for share in (0.9, 0.7, 0.7)]
    stacks = [common_stack([simulation.make_score(run, name)]) for run, name in zip(runs, "ABC", strict=True)]
    by_code = randomisations(stacks, 999, 1)
    monkeypatch.setattr(paired_tests, "code_shifts", lambda gains: None)
    for pair, p in randomisations(stacks, 999, 1).items():
        assert np.array_equal(by_code[pair], p, equal_nan=True)
