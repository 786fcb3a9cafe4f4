"""Studies, and two systems side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.error_record import ErrorRecord
from aune.errors import UsageError
from aune.explain.analysis import errors_of, select_kinds, split_errors, study
from aune.reading.corpus import read

CASES = st.lists(
    st.builds(
        ErrorRecord,
        st.sampled_from(["a", "b"]),
        st.tuples(st.integers(0, 3), st.integers(4, 5)),
        st.sampled_from(["missed", "wrong", "spurious"]),
        st.sampled_from(["", "x", "y"]),
        st.sampled_from(["", "z"]),
        cost=st.floats(0, 9),
    ),
    max_size=12,
)


@given(CASES, CASES)
def test_every_error_is_fixed_broken_or_in_both(first: list[ErrorRecord], second: list[ErrorRecord]) -> None:
    split = split_errors(first, second)
    assert sorted([*split.fixed, *split.both], key=str) == sorted(first, key=str)
    assert len(split.both) + len(split.broken) == len(second)
    back = split_errors(second, first)
    assert (len(back.fixed), len(back.broken), len(back.both)) == tuple(
        map(len, (split.broken, split.fixed, split.both))
    )


@given(CASES)
def test_a_system_fixes_nothing_of_its_own(cases: list[ErrorRecord]) -> None:
    assert split_errors(cases, cases) == ([], [], cases)


def test_the_same_place_wrong_in_two_ways_is_wrong_in_both() -> None:
    missed = ErrorRecord("d", (1, 2), "missed", "Paris", "")
    mistyped = ErrorRecord("d", (1, 2), "type", "Paris", "person")
    assert split_errors([missed], [mistyped]).both == [missed]


def test_kinds_are_found_by_name() -> None:
    task = registry.task("coref")
    cases = errors_of("coref", [[(0, 1), (2, 3)]], [[(0, 1), (5, 6)]])
    assert [case.kind for case in select_kinds(task, cases, ["missing-mention"])] == ["missing mention"]
    assert select_kinds(task, cases, ["span_error"]) == []
    with pytest.raises(UsageError, match="did you mean 'span-error'"):
        select_kinds(task, cases, ["span-eror"])


EXAMPLES = {
    "anaphora": ("key.tsv", "nearest.tsv"), "coref": ("key.conll", "strings.conll"),
    "entities": ("key.jsonl", "answers.jsonl"), "speech": ("key.jsonl", "south.jsonl"),
    "tagging": ("key.tsv", "lexicon.tsv"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kind_of_error_is_known_where_there_is_none(name: str, examples: Path) -> None:
    """Whoever asks for a kind that a response does not have is told that there is none, not that it is unknown."""
    task, folder = registry.task(name), examples / ("any-output" if name == "entities" else name)
    key, response = (read(task, folder / file).documents for file in EXAMPLES[name])
    kinds = {case.kind for case in errors_of(name, key, response)}
    assert kinds and kinds <= set(task.explaining.kinds)
    assert select_kinds(task, [], list(task.explaining.kinds)) == []


def test_a_study_sees_every_system_once() -> None:
    evaluated = study("coref", [{1, 2}], {"A": [{1, 2}], "B": [{1}, {2}]})
    assert list(evaluated.comparisons) == ["A", "B"]
    assert evaluated.cases["A"] == [] and [case.kind for case in evaluated.cases["B"]] == ["divided entity"]
