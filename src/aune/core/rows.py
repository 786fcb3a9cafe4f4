"""Rows of counts at the finest unit, and the two things done with them: adding up and grouping.

Sums do not depend on the order of the rows, to the last digit: whole numbers are exact in any order, and other columns
are summed exactly (`math.fsum`) or in sorted order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.core.errors import UsageError
from aune.core.measure import Column, Counts, Layout, flatten, layout_of
from aune.core.options import check_known


@dataclass(frozen=True, eq=False)
class Rows:
    """A row of counts per unit, with what is known of each unit (its document, speaker, genre…)."""

    attributes: Mapping[str, Sequence[str]]
    matrix: Column
    layout: Layout

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def total(self) -> Column:
        return totals(self.matrix)

    @property
    def counts(self) -> Counts:
        """All rows, as the measure's `Counts`."""
        return self.layout.unflatten(self.matrix)


def rows_of(units: Mapping[str, Sequence[str]], chunks: Sequence[Counts]) -> Rows:
    """The counts of one or several chunks as rows."""
    return Rows(units, np.concatenate([flatten(counts) for counts in chunks]), layout_of(chunks[0]))


def joined_units(chunks: Sequence[Mapping[str, Sequence[str]]]) -> Mapping[str, Sequence[str]]:
    """The attributes of the units of several chunks, one after the other; '' where a chunk lacks one."""
    if len(chunks) == 1:
        return chunks[0]
    names = dict.fromkeys(name for chunk in chunks for name in chunk)
    nothing = [[""] * len(chunk["document"]) for chunk in chunks]
    return {
        name: [value for chunk, blank in zip(chunks, nothing, strict=True) for value in chunk.get(name, blank)]
        for name in names
    }


def totals(matrix: Column) -> Column:
    """The sum of each column, the same whatever the order of the rows.

    >>> totals(np.array([[0.1, 1], [0.2, 2], [0.3, 3]])).tolist()
    [0.6, 6.0]
    """
    sums: Column = matrix.sum(axis=0)
    for index in np.flatnonzero(~integral(matrix)):
        sums[index] = math.fsum(matrix[:, index].tolist())
    return sums


def integral(matrix: Column) -> NDArray[np.bool_]:
    """Which columns hold only whole numbers."""
    return np.asarray((matrix == np.floor(matrix)).all(axis=0))


def group(rows: Rows, by: str) -> Rows:
    """One row per value of an attribute, in order of first appearance."""
    check_known([by], rows.attributes, "attribute to group by")
    names, codes = coded(rows.attributes[by])
    if len(names) == len(rows):
        return rows
    first = np.unique(codes, return_index=True)[1]
    same = first[codes].tolist()
    kept = {other: values for other, values in rows.attributes.items() if other == by or _follows(values, same)}
    attributes = {other: [values[index] for index in first.tolist()] for other, values in kept.items()}
    return Rows(attributes, group_sums(rows.matrix, codes, len(names)), rows.layout)


class _Numbers(dict[str, int]):
    """A number for each value, in order of first appearance."""

    def __missing__(self, value: str) -> int:
        number = self[value] = len(self)
        return number


def coded(values: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct values in order of first appearance, and each value's number among them."""
    numbers = _Numbers()
    codes = np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
    return list(numbers), codes


def _follows(values: Sequence[str], same: Sequence[int]) -> bool:
    """Whether an attribute has one value per group (that of the group's first row), so that it makes sense for it."""
    return all(map(str.__eq__, values, [values[index] for index in same]))


def group_sums(matrix: Column, codes: NDArray[np.int64], groups: int) -> Column:
    """The sums of the rows of each group (every group has at least one row)."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(groups))
    sums = np.add.reduceat(matrix[order], starts, axis=0) if groups else np.zeros((0, matrix.shape[1]))
    for index in np.flatnonzero(~integral(matrix)):
        column = matrix[:, index]
        sums[:, index] = np.add.reduceat(column[np.lexsort((column, codes))], starts)
    return sums


def pivoted(rows: Rows, unit: str, by: str) -> tuple[list[str], list[str], Rows]:
    """Rows per unit with a further axis for the groups of `by`: what a macro average is computed from."""
    check_known([unit, by], rows.attributes, "attribute to group by")
    units, unit_codes = coded(rows.attributes[unit])
    groups, group_codes = coded(rows.attributes[by])
    cells, inverse = np.unique(unit_codes * len(groups) + group_codes, return_inverse=True)
    if len(units) * len(groups) * rows.matrix.shape[1] > 100_000_000:
        raise UsageError(f"a macro average over {len(groups)} values of {by!r} and {len(units)} units is too large")
    dense = np.zeros((len(units) * len(groups), rows.matrix.shape[1]))
    dense[cells] = group_sums(rows.matrix, inverse, len(cells))
    stacked = dense.reshape(len(units), len(groups), -1)
    layout = _with_axis(rows.layout, len(groups))
    return units, groups, Rows({unit: units}, flatten(rows.layout.unflatten(stacked)), layout)


def _with_axis(layout: Layout, groups: int) -> Layout:
    fields = tuple(_with_axis(part, groups) if isinstance(part, Layout) else (groups, *part) for part in layout.fields)
    return Layout(layout.kind, layout.names, fields)


def plain(value: Any) -> Any:
    """A number as JSON should show it: whole numbers without a point, undefined ones as None.

    >>> plain(2.0), plain(0.5), plain(float("nan"))
    (2, 0.5, None)
    """
    number = float(value)
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def bucket(size: int) -> str:
    """A length as a range, so that scores can be broken down by it.

    >>> [bucket(size) for size in (0, 3, 6, 20, 150)]
    ['0', '1–5', '6–10', '11–20', '101–200']
    """
    if size <= 0:
        return "0"
    low, high, steps = 0, 5, (2.0, 2.0, 2.5)
    step = 0
    while size > high:
        low, high, step = high, int(high * steps[step % 3]), step + 1
    return f"{low + 1}–{high}"
