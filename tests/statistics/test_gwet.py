"""Gwet's AC1 and AC2."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

from aune.statistics.agreement import agreement
from aune.statistics.gwet import weights

PARADOX = [("+", "+")] * 118 + [("+", "-")] * 5 + [("-", "+")] * 2
"""Nearly everybody always says yes: κ is below 0 although 94 % agree."""


def slow_gwet(table: list[tuple[Any, ...]], labels: list[Any], weight: Any) -> float:
    """The coefficient as the book writes it, pair by pair."""
    compared = [[value for value in row if value is not None] for row in table]
    pairs = [[weight(labels.index(a), labels.index(b)) for a, b in combinations(row, 2)] for row in compared]
    observed = [sum(row) / len(row) for row in pairs if row]
    judged = [row for row in compared if row]
    shares = [sum(row.count(label) / len(row) for row in judged) / len(judged) for label in labels]
    size = len(labels)
    total = sum(weight(a, b) for a in range(size) for b in range(size))
    chance = total / (size * (size - 1)) * sum(share * (1 - share) for share in shares)
    agreed = sum(observed) / len(observed)
    return float((agreed - chance) / (1 - chance))


def test_by_hand() -> None:
    result = agreement({"text": PARADOX}, ["Ann", "Ben"], gwet=True)
    assert float(result["Ann–Ben", "cohen"].kappa or 0) < 0
    shares = (243 / 250, 7 / 250)
    chance = 2 * shares[0] * shares[1]
    assert result["Ann–Ben", "gwet_ac1"].ac == pytest.approx((118 / 125 - chance) / (1 - chance))


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(5))
def test_as_the_book_writes_it(distance: Any, seed: int) -> None:
    rng = random.Random(seed)
    labels = [1, 2, 3, 5]
    table = [tuple(rng.choice([*labels, None]) for _ in range(4)) for _ in range(30)]
    table = [*table, tuple(labels)]
    size = weights(distance, labels, len(labels))
    name = "gwet_ac1" if distance == "nominal" else f"gwet_ac2({distance})"
    result = agreement({"a": table[:10], "b": table[10:]}, ["w", "x", "y", "z"], distance=distance, gwet=True)
    assert result["overall", name].ac == pytest.approx(slow_gwet(table, labels, lambda a, b: float(size[a, b])))


IRRCAC = {"nominal": -0.06555, "ordinal": -0.0196, "interval": -0.01172}
"""What irrCAC 0.4.4 gives for the table below (weights identity, ordinal, quadratic), rounded to 5 places."""


@pytest.mark.parametrize("distance", IRRCAC)
def test_as_irrcac(distance: Any) -> None:
    rng = random.Random(7)
    table = [tuple(rng.choice([1, 2, 3, 4]) for _ in range(3)) for _ in range(40)]
    label = "gwet_ac1" if distance == "nominal" else f"gwet_ac2({distance})"
    result = agreement({"t": table}, ["a", "b", "c"], distance=distance, gwet=True)
    assert result["overall", label].ac == pytest.approx(IRRCAC[distance], abs=1e-5)


def test_one_label_is_undefined() -> None:
    result = agreement({"text": [("N", "N"), ("N", "N")]}, ["Ann", "Ben"], gwet=True)
    assert result["Ann–Ben", "gwet_ac1"].ac is None
