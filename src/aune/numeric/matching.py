"""One-to-one matching of weighted edges: which left node is paired with which right node for the largest total.

The edges are sparse: only pairs that share something. They form connected components, most of which are a single edge
or a star, whose best edge is obvious. The others are solved one by one, by scipy's dense solver if the component is
small and by its sparse one if it is large. scipy takes longer to load than most files to score, so it is imported when
there is something to match.

If there are several best matchings, the solver decides between them, and another version may decide differently.
`best_matching` is for code that only needs the total; code that uses the pairs calls `first_matching`, which is unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Ints, Mask, run_starts

DENSE = 40_000  # cells up to which the dense solver is faster
EXACT_STEPS = 27_000  # rows × columns × the smaller of both, up to which exact whole numbers are used: 30³
EXACT_FLOATS = 2**53  # totals up to which the solvers compute exactly


def best_matching(left: NDArray[Any], right: NDArray[Any], weight: NDArray[Any]) -> Mask:
    """Which edges belong to a matching with the largest total weight.

    Edge i joins `left[i]` and `right[i]`, small numbers from 0; no pair occurs twice; edges of weight 0 or less are
    never chosen. Between equal totals the solver decides.

    >>> best_matching(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3.0, 2.0, 2.0])).tolist()
    [False, True, True]
    """
    weight = np.asarray(weight, float)
    chosen = np.zeros(len(weight), bool)
    useful = np.flatnonzero(weight > 0)
    chosen[useful[Edges(left[useful], right[useful]).match_best(weight[useful])]] = True
    return chosen


def first_matching(left: NDArray[Any], right: NDArray[Any], *worths: NDArray[Any]) -> Mask:
    """Which edges belong to the first of the matchings with the largest total worth.

    Edges are as in `best_matching`. Worths are exact, integers or fractions (in arrays of objects). Totals are
    compared by the first worth, then by the second, and so on; an edge whose first worth is 0 or less is never chosen.
    Between equals the first matching is chosen: the smallest number on the left is matched if possible, and with the
    smallest possible number on the right; then the next one on the left, and so on.

    In a component too large for that (`EXACT_STEPS`: more than 30 nodes on each side) the later rules are dropped: as
    many worths are used as floating-point numbers can represent, and the solver decides the rest.

    >>> first_matching(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1, 1, 1, 1])).tolist()
    [True, False, False, True]
    """
    chosen = np.zeros(len(left), bool)
    useful = np.flatnonzero(worths[0] > 0)
    if len(useful):
        order = useful[np.lexsort((right[useful], left[useful]))]
        chosen[order[Edges(left[order], right[order]).match_first([worth[order] for worth in worths])]] = True
    return chosen


class Edges:
    """A bipartite graph, split into components once, to be matched under one or several weights."""

    def __init__(self, left: NDArray[Any], right: NDArray[Any]) -> None:
        self.count = len(left)
        if not self.count:
            return
        self.component = _components(left, right)
        self.simple = _star_edges(left, right, self.component)
        self.hard = np.flatnonzero(~self.simple)
        part = np.unique(self.component[self.hard], return_inverse=True)[1]
        self.part = part
        self.rows, self.heights = _number_within(left[self.hard], part)
        self.columns, self.widths = _number_within(right[self.hard], part)

    def match_best(self, weight: NDArray[Any]) -> NDArray[Any]:
        """The edges of the best matching under positive weights."""
        if not self.count:
            return np.zeros(0, np.int64)
        easy = _heaviest_edges(self.component, weight, self.simple)
        return np.concatenate([easy, self.hard[self._solve(weight[self.hard])]])

    def match_first(self, worths: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """The edges of the first of the best matchings, edges in the order of their nodes (see `first_matching`)."""
        ranks = np.zeros(self.count, np.int64)
        ranks[self.simple] = _ranks([worth[self.simple] for worth in worths])
        easy = _heaviest_edges(self.component, ranks, self.simple)
        steps = np.minimum(self.heights, self.widths) * self.heights * self.widths
        chosen, large, weights = [easy], [], []
        order = np.argsort(self.part, kind="stable")
        for name, group in enumerate(np.split(order, np.cumsum(np.bincount(self.part))[:-1]) if len(order) else ()):
            values = [worth[self.hard[group]].tolist() for worth in worths]
            shape = int(self.heights[name]), int(self.widths[name])
            if steps[name] <= EXACT_STEPS:
                taken = _match_component(self.rows[group].tolist(), self.columns[group].tolist(), values, shape)
                chosen.append(self.hard[group[taken]])
            else:
                large.append(self.hard[group])
                weights.append(_round_worths(values, min(shape)))
        if large:
            weight = np.zeros(self.count)
            weight[np.concatenate(large)] = np.concatenate(weights)
            solved = self.hard[self._solve(weight[self.hard])]
            chosen.append(solved[weight[solved] > 0])
        return np.concatenate(chosen)

    def _solve(self, weight: NDArray[Any]) -> NDArray[Any]:
        """The chosen edges of components that need a solver, as indices into them.

        The tables of all components are consecutive in one buffer, so that each only costs a slice and a call.
        """
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

        part, heights, widths = self.part, self.heights, self.widths
        cells = heights * widths
        small = cells <= DENSE
        starts = np.cumsum(cells * small) - cells * small
        places = starts[part] + self.rows * widths[part] + self.columns
        dense = small[part]
        table = np.zeros(int((cells * small).sum()))
        table[places[dense]] = weight[dense]
        picked = [
            linear_sum_assignment(table[start : start + height * width].reshape(height, width), maximize=True)
            for start, height, width in zip(*(each[small].tolist() for each in (starts, heights, widths)), strict=True)
        ]
        chosen = []
        if picked:
            taken = np.minimum(heights, widths)[small]
            rows, columns = (np.concatenate(each) for each in zip(*picked, strict=True))
            number = np.full(len(table), -1)
            number[places[dense]] = np.flatnonzero(dense)
            solved = number[np.repeat(starts[small], taken) + rows * np.repeat(widths[small], taken) + columns]
            chosen.append(solved[solved >= 0])
        for name in np.flatnonzero(~small).tolist():
            edges = np.flatnonzero(part == name)
            shape = int(heights[name]), int(widths[name])
            chosen.append(edges[_solve_sparse(self.rows[edges], self.columns[edges], weight[edges], shape)])
        return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)


def _components(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The number of the connected component of each edge."""
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    height, width = int(left.max()) + 1, int(right.max()) + 1
    graph = coo_array((np.ones(len(left), np.int8), (left, right + height)), shape=(height + width, height + width))
    labels = connected_components(graph.tocsr(), directed=False)[1]
    return np.asarray(labels[left])


def _star_edges(left: NDArray[Any], right: NDArray[Any], component: NDArray[Any]) -> Mask:
    """Which edges belong to a component with one node on the left or one on the right."""
    several_left = np.zeros(component.max() + 1, bool)
    several_right = several_left.copy()
    first = np.full(component.max() + 1, -1)
    first[component[::-1]] = np.arange(len(component))[::-1]
    several_left[component[left != left[first[component]]]] = True
    several_right[component[right != right[first[component]]]] = True
    return np.asarray(~(several_left & several_right)[component])


def _heaviest_edges(component: NDArray[Any], weight: NDArray[Any], among: Mask) -> NDArray[Any]:
    """The heaviest edge of each component; the first one if several are equally heavy."""
    edges = np.flatnonzero(among)
    order = edges[np.lexsort((edges, -weight[edges], component[edges]))]
    return order[np.concatenate([[True], component[order][1:] != component[order][:-1]])] if len(order) else order


def _number_within(nodes: NDArray[Any], part: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers from 0 for the nodes of each component, and how many nodes each component has."""
    order = np.lexsort((nodes, part))
    new = np.ones(len(order), bool)
    new[1:] = (nodes[order][1:] != nodes[order][:-1]) | (part[order][1:] != part[order][:-1])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.cumsum(new) - 1
    sizes = np.bincount(part[order][new])
    return rank - (np.cumsum(sizes) - sizes)[part], sizes


def _solve_sparse(
    rows: NDArray[Any], columns: NDArray[Any], weight: NDArray[Any], shape: tuple[int, int]
) -> NDArray[Any]:
    """The same for a large component: with a dummy column, a row can stay unmatched."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    height, width = shape
    top = weight.max()
    cost = np.concatenate([top - weight + 1.0, np.full(height, top + 1.0)])
    all_rows = np.concatenate([rows, np.arange(height)])
    all_columns = np.concatenate([columns, width + np.arange(height)])
    places = (all_rows.astype(np.int32), all_columns.astype(np.int32))  # scipy 1.11 accepts no other types
    graph = csr_array((cost, places), shape=(height, width + height))
    taken_rows, taken_columns = min_weight_full_bipartite_matching(graph)
    real = taken_columns < width
    number = csr_array((np.arange(1, len(weight) + 1), (rows, columns)), shape=shape)
    return np.asarray(number[taken_rows[real], taken_columns[real]]).ravel() - 1


# The first of the best matchings, in whole numbers.


def _ranks(worths: Sequence[NDArray[Any]]) -> Ints:
    """A number for each edge, larger for a larger first worth, then for a larger second one, and so on."""
    columns = [_rank_values(worth) for worth in worths]
    order = np.lexsort(columns[::-1])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(np.any([run_starts(column[order]) for column in columns], axis=0))
    return ranks


def _rank_values(worth: NDArray[Any]) -> Ints:
    """The rank of each value among the distinct values, from the smallest on."""
    if worth.dtype != object:
        return worth
    values = worth.tolist()
    number = {value: place for place, value in enumerate(sorted(set(values)))}
    return np.fromiter(map(number.__getitem__, values), np.int64, len(values))


def _combine_worths(worths: Sequence[Sequence[Any]], pairs: int) -> list[int]:
    """A whole number for each edge: its totals over this many pairs order matchings as all worths in turn do.

    Each worth is multiplied by more than the largest difference that all later ones can make.
    """
    weights = [0] * len(worths[0])
    for worth in reversed(worths):
        denominator = _common_denominator(worth)
        scale = 2 * pairs * max(map(abs, weights)) + 1
        weights = [
            value.numerator * (denominator // value.denominator) * scale + weight
            for value, weight in zip(worth, weights, strict=True)
        ]
    return weights


def _common_denominator(worth: Sequence[Any]) -> int:
    """The factor that turns fractions into whole numbers."""
    return lcm(*{value.denominator for value in worth})


def _match_component(
    rows: Sequence[int], columns: Sequence[int], worths: Sequence[Sequence[Any]], shape: tuple[int, int]
) -> list[int]:
    """The edges of the first of the best matchings of a component.

    The columns of the rows, read as the digits of one number, are a worth like any other: each matching has a different
    number, and an earlier row outweighs all later ones.
    """
    height, width = shape
    first = [(width - column) * (width + 1) ** (height - row) for row, column in zip(rows, columns, strict=True)]
    number = {place: edge for edge, place in enumerate(zip(rows, columns, strict=True))}
    table = [[0] * width for _ in range(height)]
    for (row, column), weight in zip(number, _combine_worths([*worths, first], min(shape)), strict=True):
        table[row][column] = weight
    if height <= width:
        places = list(enumerate(_assign_columns(table)))
    else:
        places = [
            (row, column)
            for column, row in enumerate(_assign_columns([list(each) for each in zip(*table, strict=True)]))
        ]
    return [number[place] for place in places if place in number]


def _assign_columns(table: Sequence[Sequence[int]]) -> list[int]:
    """The column of each row in the assignment with the largest total, for at most as many rows as columns.

    Kuhn's Hungarian method: rows are added one by one, each along the cheapest augmenting path, and prices keep the
    reduced cost of every cell from being below 0.
    """
    height, width = len(table), len(table[0])
    row_price, column_price = [max(row) for row in table], [0] * width
    owner = [-1] * width
    for new in range(height):
        lacks: list[float] = [inf] * width
        before = [-1] * width
        waiting, passed = set(range(width)), list[int]()
        row, column = new, -1
        while row >= 0:
            price = row_price[row]
            for candidate in waiting:
                lack = price + column_price[candidate] - table[row][candidate]
                if lack < lacks[candidate]:
                    lacks[candidate], before[candidate] = lack, column
            nearest = min(waiting, key=lacks.__getitem__)
            step: Any = lacks[nearest]
            row_price[new] -= step
            for candidate in passed:
                row_price[owner[candidate]] -= step
                column_price[candidate] += step
            for candidate in waiting:
                lacks[candidate] -= step
            waiting.remove(nearest)
            passed.append(nearest)
            row, column = owner[nearest], nearest
        while column >= 0:
            owner[column] = owner[before[column]] if before[column] >= 0 else new
            column = before[column]
    columns = [-1] * height
    for column, row in enumerate(owner):
        if row >= 0:
            columns[row] = column
    return columns


def _round_worths(worths: Sequence[Sequence[Any]], pairs: int) -> NDArray[Any]:
    """As many worths as floats can represent exactly over this many pairs; the first one is rounded if necessary."""
    for used in range(len(worths), 0, -1):
        if all(_common_denominator(worth) <= EXACT_FLOATS for worth in worths[:used]):
            weights = _combine_worths(worths[:used], pairs)
            if pairs * max(weights) <= EXACT_FLOATS:
                return np.asarray(weights, float)
    from fractions import Fraction  # noqa: PLC0415 - hardly any worths are that large

    step = Fraction(pairs * max(worths[0]), EXACT_FLOATS)
    denominator, numerator = step.denominator, step.numerator
    return np.asarray(
        [max(value.numerator * denominator // (value.denominator * numerator), 1) for value in worths[0]], float
    )
