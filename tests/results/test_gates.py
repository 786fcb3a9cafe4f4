"""Gates: what does not pass, in each measure's own direction."""

from __future__ import annotations

import pytest

import aune
from aune.contract import registry
from aune.results.gates import gate_failures, is_worse, parse_gate


@pytest.mark.parametrize(
    ("name", "number", "threshold", "worse"),
    [
        ("speech.wer", 0.3, 0.2, True),
        ("speech.wer", 0.2, 0.2, False),
        ("coref.muc", 0.3, 0.2, False),
        ("coref.muc", 0.1, 0.2, True),
        ("coref.distribution", -0.3, 0.2, True),
        ("coref.distribution", -0.1, 0.2, False),
    ],
)
def test_directions(name: str, number: float, threshold: float, worse: bool) -> None:
    measure = registry.measure(name)
    assert is_worse(measure, measure.headline, number, threshold) == worse


def test_gates_are_read_and_broken() -> None:
    result = aune.score("coref", [{1, 2, 3}], [{1, 2}, {3}], measures=["muc"])
    with pytest.raises(aune.UsageError, match=r"muc.recall lies in 0 to 1: write 0.4, or 40%"):
        gate_failures(result, parse_gate("muc.recall=40"))
    assert gate_failures(result, parse_gate("muc.recall=40%")) == []
    assert gate_failures(result, parse_gate("coref.muc.recall=0.6")) == ["response: muc.recall is 0.5, worse than 0.6"]
    assert gate_failures(result, parse_gate("muc=0.9"))
    with pytest.raises(aune.UsageError, match="not among the values scored"):
        gate_failures(result, parse_gate("lea=0.5"))
    for text in ("muc", "muc=x", "muc=nan", "muc=inf"):
        with pytest.raises(aune.UsageError, match=r"expected MEASURE\.VALUE=NUMBER"):
            parse_gate(text)
