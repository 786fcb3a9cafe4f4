"""Rows of counts: adding up, grouping, and the order that never matters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract.measure import Column, flatten, layout_of, mean_of_defined, ratio
from aune.errors import UsageError
from aune.results.rows import (
    Attribute,
    CodedColumn,
    PackedStrings,
    Rows,
    column_totals,
    encode_column,
    group,
    join_units,
    make_rows,
    pivot_rows,
    plain_number,
)

NUMBERS = st.one_of(st.integers(0, 1000).map(float), st.floats(0, 1e6), st.sampled_from([0.1, 1 / 3, 1e-9]))


class Inner(NamedTuple):
    right: Column
    wrong: Column


class Outer(NamedTuple):
    total: Column
    parts: Inner
    labels: Column


def outer(rows: int) -> Outer:
    numbers = np.arange(rows * 6, dtype=float).reshape(rows, 6)
    return Outer(numbers[:, 0], Inner(numbers[:, 1], numbers[:, 2]), numbers[:, 3:].copy())


def table(values: list[list[float]], **attributes: list[str]) -> Rows:
    matrix = np.asarray(values, float)
    return make_rows(attributes, [Inner(matrix[:, 0], matrix[:, 1])])


def test_nested_counts_lie_flat_and_come_back() -> None:
    counts = outer(4)
    layout = layout_of(counts)
    assert layout.columns() == ["total", "parts.right", "parts.wrong", "labels[0]", "labels[1]", "labels[2]"]
    again = layout.unflatten(flatten(counts))
    assert type(again) is Outer and type(again.parts) is Inner
    np.testing.assert_array_equal(again.labels, counts.labels)
    np.testing.assert_array_equal(again.parts.wrong, counts.parts.wrong)


def test_any_leading_axes_come_back() -> None:
    counts = outer(4)
    cube = layout_of(counts).unflatten(np.stack([flatten(counts)] * 3))
    assert cube.total.shape == (3, 4) and cube.labels.shape == (3, 4, 3)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=30), st.randoms())
def test_totals_do_not_depend_on_the_order(rows: list[tuple[float, float]], random: object) -> None:
    matrix = np.asarray(rows)
    shuffled = matrix[np.random.default_rng(len(rows)).permutation(len(rows))]
    assert column_totals(matrix).tolist() == column_totals(shuffled).tolist()
    assert column_totals(matrix).tolist() == [math.fsum(matrix[:, 0]), math.fsum(matrix[:, 1])]


@given(st.lists(st.tuples(st.sampled_from("abc"), NUMBERS, NUMBERS), min_size=1, max_size=20))
def test_groups_are_sums_in_the_order_of_first_appearance(rows: list[tuple[str, float, float]]) -> None:
    names = [name for name, _, _ in rows]
    grouped = group(table([[first, other] for _, first, other in rows], genre=names), "genre")
    assert grouped.attributes["genre"] == list(dict.fromkeys(names))
    for name, sums in zip(grouped.attributes["genre"], grouped.matrix, strict=True):
        assert sums[0] == pytest.approx(math.fsum(item for kind, item, _ in rows if kind == name), rel=1e-12)
    backwards = group(table([[first, other] for _, first, other in rows[::-1]], genre=names[::-1]), "genre")
    result = dict(zip(grouped.attributes["genre"], grouped.matrix.tolist(), strict=True))
    assert result == dict(zip(backwards.attributes["genre"], backwards.matrix.tolist(), strict=True))


def test_attributes_that_follow_the_group_are_kept() -> None:
    rows = table([[1, 0], [2, 0], [4, 0]], sentence=["1", "2", "3"], document=["x", "x", "y"], genre=["n", "n", "w"])
    grouped = group(rows, "document")
    assert dict(grouped.attributes) == {"document": ["x", "y"], "genre": ["n", "w"]}
    assert grouped.matrix[:, 0].tolist() == [3, 4]


def test_unknown_attribute() -> None:
    with pytest.raises(UsageError) as error:
        group(table([[1, 2]], document=["a"], genre=["n"]), "gener")
    assert str(error.value) == "unknown attribute to group by 'gener': did you mean 'genre'?"


def test_pivot_gives_every_unit_an_axis_of_groups() -> None:
    rows = table([[1, 10], [2, 20], [4, 40]], document=["x", "y", "x"], label=["a", "a", "b"])
    units, groups, piles = pivot_rows(rows, "document", "label")
    assert (units, groups) == (["x", "y"], ["a", "b"])
    np.testing.assert_array_equal(piles.counts.right, [[1, 4], [2, 0]])
    np.testing.assert_array_equal(piles.layout.unflatten(piles.total).wrong, [30, 40])


def test_pivot_of_nested_counts() -> None:
    rows = make_rows({"document": list("xxyy"), "label": list("abab")}, [outer(4)])
    _, _, piles = pivot_rows(rows, "document", "label")
    assert piles.counts.labels.shape == (2, 2, 3)
    np.testing.assert_array_equal(piles.counts.labels[1, 0], outer(4).labels[2])


def test_a_pivot_too_large_is_refused() -> None:
    many = [f"{index}" for index in range(8000)]
    with pytest.raises(UsageError, match="a macro average over 8000 values of 'b' and 8000 units is too large"):
        pivot_rows(table([[1, 1]] * 8000, a=many, b=many), "a", "b")


def test_units_of_chunks_are_joined() -> None:
    joined = join_units([{"document": ["a"]}, {"document": ["b", "c"], "genre": ["n", "w"]}])
    assert dict(joined) == {"document": ["a", "b", "c"], "genre": ["", "n", "w"]}


@pytest.mark.parametrize(("number", "shown"), [(2.0, 2), (0.5, 0.5), (float("nan"), None), (1e300, 1e300), (-0.0, 0)])
def test_plain_numbers(number: float, shown: object) -> None:
    assert plain_number(number) == shown and type(plain_number(number)) is type(shown)


def test_ratio_is_where_undefined_comes_from() -> None:
    assert ratio(np.array([1, 0, 3]), np.array([2, 0, 0]), 1.0).tolist() == [0.5, 1.0, 1.0]
    assert np.isnan(ratio(np.array(0), np.array(0)))


def test_mean_of_what_is_defined() -> None:
    values = np.array([[1.0, np.nan, 0.0], [np.nan] * 3])
    assert mean_of_defined(values)[0] == 0.5 and np.isnan(mean_of_defined(values)[1])


def test_an_attribute_is_the_same_under_another_name_and_counts_its_names() -> None:
    parts = [encode_column(["a", "b", "a"]), encode_column(["c", "b"])]
    attribute = Attribute(parts)
    assert attribute.same_as(Attribute(list(parts)))
    assert not attribute.same_as(Attribute([encode_column(["a", "b", "a"]), encode_column(["c", "b"])]))
    assert not attribute.same_as(["a", "b", "a", "c", "b"])
    assert attribute.distinct_count == 3


class Parts(list[CodedColumn]):
    """Parts that count how often one was read, as those on a disk are."""

    read = 0

    def __iter__(self):
        for part in super().__iter__():
            self.read += 1
            yield part


@given(st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1), min_size=1), st.integers(0, 8))
def test_enough_names_are_found_without_looking_further(names, number):
    parts = Parts(CodedColumn(PackedStrings.from_strings(part)) for part in names)
    attribute = Attribute(parts)
    assert attribute.has_at_least(number) == (len({name for part in names for name in part}) >= number)
    needed = next((size for size in range(1, len(names) + 1) if len(set().union(*names[:size])) >= number), len(names))
    assert parts.read == needed
