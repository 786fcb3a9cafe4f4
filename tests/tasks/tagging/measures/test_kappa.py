"""κ against the textbook formula on fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.tagging.measures.kappa import MEASURE

PAIRS = st.lists(st.tuples(st.sampled_from("NVD"), st.sampled_from("NVD")), min_size=1, max_size=15)


@given(PAIRS)
def test_cohen(pairs: list[tuple[str, str]]) -> None:
    size = len(pairs)
    observed = Fraction(sum(a == b for a, b in pairs), size)
    chance = sum(
        Fraction(sum(a == tag for a, _ in pairs), size) * Fraction(sum(b == tag for _, b in pairs), size)
        for tag in "NVD"
    )
    result = MEASURE(*([(f"w{i}", pair[side]) for i, pair in enumerate(pairs)] for side in (0, 1))).kappa
    assert result == (None if chance == 1 else pytest.approx(float((observed - chance) / (1 - chance))))


@given(PAIRS)
def test_it_is_symmetrical(pairs: list[tuple[str, str]]) -> None:
    first, other = ([(f"w{i}", pair[side]) for i, pair in enumerate(pairs)] for side in (0, 1))
    assert MEASURE(first, other).kappa == MEASURE(other, first).kappa


def test_only_words_with_one_tag_count() -> None:
    key, response = [("a", "N"), ("b", "V"), ("c", "N")], [("a", "N"), ("b", "V"), ("c", "N|V")]
    assert MEASURE(key, response).kappa == 1.0


@given(st.lists(st.tuples(st.sampled_from(["N", "V", "N|V"]), st.sampled_from(["N", "V", "N|V", "_"])), min_size=1))
def test_what_is_not_decided_is_not_compared(pairs: list[tuple[str, str]]) -> None:
    """Silence cannot lower κ, so the share of words that it is about stands beside it."""
    key, response = ([(f"w{i}", pair[side]) for i, pair in enumerate(pairs)] for side in (0, 1))
    sides = [pair for pair in pairs if set(pair) <= {"N", "V"}]
    kappa = score("tagging", key, response, measures=["kappa"])["kappa"]
    assert kappa.compared == len(sides) / len(pairs)
    assert kappa.measure.headline == "kappa"
