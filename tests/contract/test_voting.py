"""Who votes, and how much."""

from __future__ import annotations

from fractions import Fraction

import pytest

from aune.contract.voting import is_enough, pair_by_name, vote_shares
from aune.errors import UsageError
from aune.tasks.speech.model import documents


def test_shares_add_up_exactly() -> None:
    assert sum(vote_shares(dict.fromkeys("abc"), {"a": 0.1, "b": 0.2}).values()) == 1
    for systems, weights in (({}, {}), ({"a": []}, {"a": 0}), ({"a": [], "b": []}, {"a": -1})):
        with pytest.raises(UsageError):
            vote_shares(systems, weights)


def test_enough_is_more_or_all() -> None:
    assert not is_enough(Fraction(1, 2), 0.5) and is_enough(Fraction(2, 3), 0.5)
    assert is_enough(Fraction(1), 1.0) and not is_enough(Fraction(0), 0.0)


def test_documents_pair_by_name_or_alone() -> None:
    first, second = documents({"a": "x"}), documents({"b": "y"})
    assert pair_by_name(first, second, "s") == [(first[0], second[0])]
    two_texts = documents({"a": "x", "b": "y"})
    assert [pair[1].id for pair in pair_by_name(two_texts, two_texts[::-1], "s")] == ["a", "b"]
    with pytest.raises(UsageError, match="s: no document 'b'"):
        pair_by_name(two_texts, first, "s")
