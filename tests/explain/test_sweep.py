"""Sweeps over score options, and where systems cross."""

from __future__ import annotations

import pytest

import aune
from aune.errors import UsageError
from aune.explain.sweep import parse_sweep, sweep

KEY = [(0, 3, "loc.fac"), (0, 1, "kind"), (2, 3, "name"), (5, 6, "pers.ind"), (5, 6, "name")]
LABELS = [(0, 3, "loc.fac"), (5, 6, "pers.ind")]  # good labels, no components
PARTS = [(0, 3, "org.ent"), (0, 1, "kind"), (2, 3, "name"), (5, 6, "pers.ind"), (5, 6, "name")]


def test_alpha_of_eter() -> None:
    """Figure 4.7: a system that is best at labels and one that is best at components cross."""
    result = aune.evaluate("entities", KEY, {"A": LABELS, "B": PARTS}, measures=["eter"], typology="quaero")
    data = sweep(result.scores, "alpha", [0.0, 0.5, 1.0])
    assert data["systems"] == {"A": [0.0, 0.5, 1.0], "B": [0.25, 0.125, 0.0]}
    [crossing] = data["crossings"]
    assert crossing["systems"] == ["A", "B"]
    assert crossing["at"] == pytest.approx(0.2)  # α = 0.25 (1 − α)
    assert crossing["score"] == pytest.approx(0.2)
    assert (data["measure"], data["value"], data["option"]) == ("entities.eter", "eter", "alpha")


def test_each_point_is_what_a_run_gives() -> None:
    result = aune.score("entities", KEY, PARTS, measures=["eter"], typology="quaero")
    curve = sweep(result.scores, "alpha", [0.0, 0.3, 1.0])["systems"]["response"]
    for alpha, value in zip([0.0, 0.3, 1.0], curve, strict=True):
        again = aune.score("entities", KEY, PARTS, measures=["eter"], typology="quaero", alpha=alpha)
        assert again["eter"].eter == value


def test_what_cannot_be_swept() -> None:
    scores = aune.score("entities", KEY, PARTS, measures=["eter", "ser"], typology="quaero").scores
    with pytest.raises(UsageError, match=r"a sweep is over one measure, found entities.eter, entities.ser"):
        sweep(scores, "alpha", [0.0])
    with pytest.raises(UsageError, match=r"it changes the counts of entities.eter"):
        sweep(scores[:1], "alignment_alpha", [0.0])
    with pytest.raises(UsageError, match=r"unknown option of entities.eter to sweep over 'alpa': did you mean 'alpha'"):
        sweep(scores[:1], "alpa", [0.0])


def test_values() -> None:
    assert parse_sweep("alpha")[1][:3] == [0.0, 0.05, 0.1]
    assert parse_sweep("beta=0.5,1,2") == ("beta", [0.5, 1.0, 2.0])
    for wrong in ("alpha=a", "alpha=0:1:0", "alpha=1:0:0.1", "alpha=0:1"):
        with pytest.raises(UsageError, match="--sweep"):
            parse_sweep(wrong)
