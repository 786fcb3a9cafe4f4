"""The analysis of variance against regression."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import evaluate, score
from aune.errors import UsageError
from aune.statistics.anova import anova, two_way

KEY = {"a": [("x", "N"), ("y", "V"), ("z", "N")], "b": [("x", "N"), ("z", "V")], "c": [("x", "D"), ("y", "N")]}
ONE = {"a": [("x", "N"), ("y", "V|N"), ("z", "V")], "b": [("x", "N"), ("z", "N")], "c": [("x", "D"), ("y", "N|V")]}


@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 100))
def test_two_way_is_regression(systems: int, texts: int, seed: int) -> None:
    table = np.random.default_rng(seed).random((systems, texts))
    rows, columns = (index.ravel() for index in np.indices(table.shape))
    on_texts = np.eye(texts)[columns]
    on_both = np.hstack([on_texts, np.eye(systems)[rows][:, 1:]])
    left = [
        float(((design @ np.linalg.lstsq(design, table.ravel(), rcond=None)[0] - table.ravel()) ** 2).sum())
        for design in (on_texts, on_both)
    ]
    outcome = two_way(table)
    assert outcome.residual.squares == pytest.approx(left[1], abs=1e-9)
    assert outcome.systems.squares == pytest.approx(left[0] - left[1], abs=1e-9)
    total = float(((table - table.mean()) ** 2).sum())
    assert outcome.systems.squares + outcome.texts.squares + outcome.residual.squares == pytest.approx(total)


def test_anova_over_systems_and_texts() -> None:
    result = evaluate("tagging", KEY, {"key": KEY, "one": ONE}, measures=["precision_decision"])
    for value in ("p_min", "p_mean", "p_max"):
        table = anova(result, value, measure="precision_decision")
        assert (table.systems.freedom, table.texts.freedom, table.residual.freedom) == (1, 2, 2)
        assert table.systems.p is None or 0 <= table.systems.p <= 1
    with pytest.raises(UsageError, match="two systems"):
        anova(score("tagging", KEY, ONE, measures=["precision_decision"]), "p_mean", measure="precision_decision")
