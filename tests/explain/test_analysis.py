"""Studies, and two systems side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.core import registry
from aune.core.cases import Case
from aune.core.errors import UsageError
from aune.explain.analysis import errors_of, of_kinds, study, versus

CASES = st.lists(
    st.builds(
        Case,
        st.sampled_from(["a", "b"]),
        st.tuples(st.integers(0, 3), st.integers(4, 5)),
        st.sampled_from(["missed", "wrong", "spurious"]),
        st.sampled_from(["", "x", "y"]),
        st.sampled_from(["", "z"]),
    ),
    max_size=12,
)


@given(CASES, CASES)
def test_every_error_is_fixed_broken_or_in_both(first: list[Case], second: list[Case]) -> None:
    split = versus(first, second)
    assert sorted([*split.fixed, *split.both], key=str) == sorted(first, key=str)
    assert len(split.both) + len(split.broken) == len(second)
    back = versus(second, first)
    assert (len(back.fixed), len(back.broken), len(back.both)) == tuple(
        map(len, (split.broken, split.fixed, split.both))
    )


@given(CASES)
def test_a_system_fixes_nothing_of_its_own(cases: list[Case]) -> None:
    assert versus(cases, cases) == ([], [], cases)


def test_the_same_place_wrong_in_two_ways_is_wrong_in_both() -> None:
    missed = Case("d", (1, 2), "missed", "Paris", "")
    mistyped = Case("d", (1, 2), "type", "Paris", "person")
    assert versus([missed], [mistyped]).both == [missed]


def test_kinds_are_found_by_name() -> None:
    task = registry.task("coref")
    cases = errors_of("coref", [[(0, 1), (2, 3)]], [[(0, 1), (5, 6)]])
    assert [case.kind for case in of_kinds(task, cases, ["missing-mention"])] == ["missing mention"]
    assert of_kinds(task, cases, ["span_error"]) == []
    with pytest.raises(UsageError, match="did you mean 'span-error'"):
        of_kinds(task, cases, ["span-eror"])


def test_a_study_sees_every_system_once() -> None:
    found = study("coref", [{1, 2}], {"A": [{1, 2}], "B": [{1}, {2}]})
    assert list(found.comparisons) == ["A", "B"]
    assert found.cases["A"] == [] and [case.kind for case in found.cases["B"]] == ["divided entity"]
