"""Measures of the WER family say the same of their values: lower is better, 0 is perfect, and why there may be none."""

from __future__ import annotations

import pytest

from aune.contract import registry
from aune.contract.measure import NON_NEGATIVE


@pytest.mark.parametrize("name", ["cer", "per", "content_wer", "ne_wer", "cp_wer", "tcp_wer"])
def test_an_error_rate_is_its_first_value_and_its_parts(name: str) -> None:
    measure = registry.measure(name, "speech")
    rate, *parts = measure.values
    assert measure.main == rate
    assert parts == ["substitutions", "deletions", "insertions"]
    assert measure.range == {rate: NON_NEGATIVE, "insertions": NON_NEGATIVE}
    assert set(measure.undefined) == set(measure.values)
    assert all(measure.better_of(value) == "lower" and measure.perfect_of(value) == 0.0 for value in measure.values)
