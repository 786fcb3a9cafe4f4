"""Who votes, and how much."""

from __future__ import annotations

from fractions import Fraction

import pytest

from aune.core.errors import UsageError
from aune.core.votes import enough, paired_by_name, shares
from aune.tasks.speech.model import documents


def test_shares_add_up_exactly() -> None:
    assert sum(shares(dict.fromkeys("abc"), {"a": 0.1, "b": 0.2}).values()) == 1
    for systems, weights in (({}, {}), ({"a": []}, {"a": 0}), ({"a": [], "b": []}, {"a": -1})):
        with pytest.raises(UsageError):
            shares(systems, weights)


def test_enough_is_more_or_all() -> None:
    assert not enough(Fraction(1, 2), 0.5) and enough(Fraction(2, 3), 0.5)
    assert enough(Fraction(1), 1.0) and not enough(Fraction(0), 0.0)


def test_documents_pair_by_name_or_alone() -> None:
    one, two = documents({"a": "x"}), documents({"b": "y"})
    assert paired_by_name(one, two, "s") == [(one[0], two[0])]
    both = documents({"a": "x", "b": "y"})
    assert [pair[1].id for pair in paired_by_name(both, both[::-1], "s")] == ["a", "b"]
    with pytest.raises(UsageError, match="s: no document 'b'"):
        paired_by_name(both, one, "s")
