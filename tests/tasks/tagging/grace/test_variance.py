"""The delta method against the binomial and the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.errors import UsageError
from aune.tasks.tagging.grace.variance import estimates, standard_errors, variance
from aune.tasks.tagging.measures.precision_decision import contributions

KEY = {
    "a": [("x", "N"), ("y", "V"), ("z", "N"), ("t", "D")],
    "b": [("x", "N"), ("z", "V"), ("t", "N")],
    "c": [("x", "D"), ("y", "N")],
}
ONE = {
    "a": [("x", "N"), ("y", "V|N"), ("z", "V"), ("t", "D")],
    "b": [("x", "N"), ("z", "N"), ("t", "N|D")],
    "c": [("x", "D"), ("y", "N|V")],
}


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_of_a_share_is_binomial(right: list[bool]) -> None:
    share = sum(right) / len(right)
    assert variance(np.array(right, float), np.ones(len(right))) == pytest.approx(share * (1 - share) / len(right))


def test_of_precision_and_decision_in_closed_form() -> None:
    result = score("tagging", KEY, ONE, measures=["precision_decision"])["precision_decision"]
    errors = result.details["standard_errors"]
    precision, decision = result.precision, result.decision
    strict = result.counts["ok"] + result.counts["err"]
    assert errors["precision"] ** 2 == pytest.approx(precision * (1 - precision) / strict)
    assert errors["decision"] ** 2 == pytest.approx(decision * (1 - decision) / 9)


def test_agrees_with_the_bootstrap() -> None:
    rng = np.random.default_rng(0)
    outcomes = rng.choice(4, 400, p=[0.7, 0.1, 0.1, 0.1])
    cases = np.zeros((400, 7))
    cases[:, 0] = 1
    cases[outcomes == 0, 2] = 1
    cases[outcomes == 1, 3] = 1
    cases[outcomes == 2, 6] = 0.5
    cases[outcomes == 3, 5] = 1
    drawn = cases[rng.integers(0, 400, (2000, 400))].sum(axis=1)
    evaluated, strict = drawn[:, 0], drawn[:, 2] + drawn[:, 3]
    sampled = {
        "precision": drawn[:, 2] / strict,
        "decision": strict / evaluated,
        "p_min": (drawn[:, 2] + drawn[:, 4]) / evaluated,
        "p_mean": (drawn[:, 2] + drawn[:, 6]) / evaluated,
        "p_max": (evaluated - drawn[:, 3] - drawn[:, 5]) / evaluated,
    }
    for name, error in standard_errors(cases).items():
        assert error == pytest.approx(sampled[name].std(), rel=0.08), name


def test_estimates_by_unit() -> None:
    result = score("tagging", KEY, ONE, measures=["precision_decision"])["precision_decision"]
    by_document = estimates(result, "document")
    assert by_document["precision"].value == result.precision
    assert 0 <= by_document["p_min"].low <= by_document["p_min"].value <= by_document["p_min"].high <= 1
    with pytest.raises(UsageError, match="precision_decision"):
        estimates(score("tagging", KEY, ONE, measures=["accuracy"])["accuracy"])


def test_every_case_contributes_once() -> None:
    from aune.tasks.tagging.comparison import compare
    from aune.tasks.tagging.model import documents

    comparison = compare(list(zip(documents(KEY), documents(ONE), strict=True)))
    cases = np.stack(contributions(comparison.cases), axis=1)
    assert cases[:, 0].sum() == 9 and len(cases) == 9
