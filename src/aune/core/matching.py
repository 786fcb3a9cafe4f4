"""One-to-one matching of weighted edges: which left thing goes with which right thing so that the total is largest.

The edges are sparse: only pairs that share something. They fall apart into connected components, and most of those are
a single edge or a star, whose best edge is seen at once. The others are solved one by one, by scipy's dense solver when
the component is small and by its sparse one when it is large. scipy takes longer to load than most files to score: it
is imported when there is something to match.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.core.arrays import Mask

DENSE = 40_000  # cells up to which the dense solver is the faster one


def best_matching(left: NDArray[Any], right: NDArray[Any], weight: NDArray[Any]) -> Mask:
    """Which edges belong to a matching of largest total weight.

    Edge i joins `left[i]` and `right[i]`, small numbers from 0; no pair occurs twice; edges of weight 0 or less are
    never chosen. Among equal totals the choice depends on the edges' order alone, so give them in an order of their
    content. For a secondary criterion add a small multiple of it to the weight.

    >>> best_matching(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3.0, 2.0, 2.0])).tolist()
    [False, True, True]
    """
    weight = np.asarray(weight, float)
    chosen = np.zeros(len(weight), bool)
    useful = np.flatnonzero(weight > 0)
    chosen[useful[Edges(left[useful], right[useful]).best(weight[useful])]] = True
    return chosen


class Edges:
    """A bipartite graph taken apart once, to be matched under one or several weights."""

    def __init__(self, left: NDArray[Any], right: NDArray[Any]) -> None:
        self.count = len(left)
        if not self.count:
            return
        self.component = _components(left, right)
        self.simple = _star_edges(left, right, self.component)
        self.hard = np.flatnonzero(~self.simple)
        part = np.unique(self.component[self.hard], return_inverse=True)[1]
        self.part = part
        self.rows, self.heights = _numbered_within(left[self.hard], part)
        self.columns, self.widths = _numbered_within(right[self.hard], part)

    def best(self, weight: NDArray[Any]) -> NDArray[Any]:
        """The edges of the best matching under positive weights."""
        if not self.count:
            return np.zeros(0, np.int64)
        easy = _best_of_each(self.component, weight, self.simple)
        return np.concatenate([easy, self.hard[self._solved(weight[self.hard])]])

    def _solved(self, weight: NDArray[Any]) -> NDArray[Any]:
        """The chosen edges of components that need a solver, as positions among them.

        The tables of all components lie one after the other in one buffer, so that each costs a slice and a call.
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
            chosen.append(edges[_solved_sparse(self.rows[edges], self.columns[edges], weight[edges], shape)])
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
    """Which edges lie in a component with one node on the left or one on the right."""
    several_left = np.zeros(component.max() + 1, bool)
    several_right = several_left.copy()
    first = np.full(component.max() + 1, -1)
    first[component[::-1]] = np.arange(len(component))[::-1]
    several_left[component[left != left[first[component]]]] = True
    several_right[component[right != right[first[component]]]] = True
    return np.asarray(~(several_left & several_right)[component])


def _best_of_each(component: NDArray[Any], weight: NDArray[Any], among: Mask) -> NDArray[Any]:
    """The heaviest edge of each component; the first one where several are."""
    edges = np.flatnonzero(among)
    order = edges[np.lexsort((edges, -weight[edges], component[edges]))]
    return order[np.concatenate([[True], component[order][1:] != component[order][:-1]])] if len(order) else order


def _numbered_within(nodes: NDArray[Any], part: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers from 0 for the nodes of each part, and how many each part has."""
    order = np.lexsort((nodes, part))
    new = np.ones(len(order), bool)
    new[1:] = (nodes[order][1:] != nodes[order][:-1]) | (part[order][1:] != part[order][:-1])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.cumsum(new) - 1
    sizes = np.bincount(part[order][new])
    return rank - (np.cumsum(sizes) - sizes)[part], sizes


def _solved_sparse(
    rows: NDArray[Any], columns: NDArray[Any], weight: NDArray[Any], shape: tuple[int, int]
) -> NDArray[Any]:
    """The same for a large component: a dummy column per row lets a row go unmatched."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    height, width = shape
    top = weight.max()
    cost = np.concatenate([top - weight + 1.0, np.full(height, top + 1.0)])
    all_rows = np.concatenate([rows, np.arange(height)])
    all_columns = np.concatenate([columns, width + np.arange(height)])
    places = (all_rows.astype(np.int32), all_columns.astype(np.int32))  # the only ones that scipy 1.11 takes
    graph = csr_array((cost, places), shape=(height, width + height))
    taken_rows, taken_columns = min_weight_full_bipartite_matching(graph)
    real = taken_columns < width
    number = csr_array((np.arange(1, len(weight) + 1), (rows, columns)), shape=shape)
    return np.asarray(number[taken_rows[real], taken_columns[real]]).ravel() - 1
