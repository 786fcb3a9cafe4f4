"""One-to-one matching of weighted edges: which left thing goes with which right thing so that the total is largest.

The edges are sparse: only pairs that share something. They fall apart into connected components, and most of those are
a single edge or a star, whose best edge is seen at once. The others are solved one by one, by scipy's dense solver when
the component is small and by its sparse one when it is large.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

Mask = NDArray[np.bool_]
DENSE = 40_000  # cells up to which the dense solver is the faster one


def best_matching(left: NDArray[Any], right: NDArray[Any], weight: NDArray[Any]) -> Mask:
    """Which edges belong to a matching of largest total weight.

    Edge i joins `left[i]` and `right[i]`, numbers from 0; no pair occurs twice; edges of weight 0 or less are never
    chosen. Among equal totals the choice depends on the edges' order alone, so give them in an order of their content.
    For a secondary criterion add a small multiple of it to the weight.

    >>> best_matching(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3.0, 2.0, 2.0])).tolist()
    [False, True, True]
    """
    chosen = np.zeros(len(weight), bool)
    useful = np.flatnonzero(np.asarray(weight) > 0)
    if not len(useful):
        return chosen
    left, right, weight = left[useful], right[useful], np.asarray(weight, float)[useful]
    component = _components(left, right)
    simple = _star_edges(left, right, component)
    chosen[useful[_best_of_each(component, weight, simple)]] = True
    rest = np.flatnonzero(~simple)
    rest = rest[np.argsort(component[rest], kind="stable")]
    bounds = np.flatnonzero(np.diff(component[rest])) + 1
    for edges in np.split(rest, bounds) if len(rest) else ():
        chosen[useful[edges[_solved(left[edges], right[edges], weight[edges])]]] = True
    return chosen


def _components(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The number of the connected component of each edge."""
    _, rows = np.unique(left, return_inverse=True)
    _, columns = np.unique(right, return_inverse=True)
    size = int(rows.max()) + int(columns.max()) + 2
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns + rows.max() + 1)), shape=(size, size))
    labels: NDArray[Any] = connected_components(graph.tocsr(), directed=False)[1]
    return labels[rows]


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


def _solved(left: NDArray[Any], right: NDArray[Any], weight: NDArray[Any]) -> NDArray[Any]:
    """The chosen edges of one component, as positions in its arrays."""
    rows_known, rows = np.unique(left, return_inverse=True)
    columns_known, columns = np.unique(right, return_inverse=True)
    shape = len(rows_known), len(columns_known)
    if shape[0] * shape[1] <= DENSE:
        table = np.zeros(shape)
        table[rows, columns] = weight
        number = np.full(shape, -1)
        number[rows, columns] = np.arange(len(weight))
        picked = number[linear_sum_assignment(table, maximize=True)]
        return picked[picked >= 0]
    return _solved_sparse(rows, columns, weight, shape)


def _solved_sparse(
    rows: NDArray[Any], columns: NDArray[Any], weight: NDArray[Any], shape: tuple[int, int]
) -> NDArray[Any]:
    """The same for a large component: a dummy column per row lets a row go unmatched."""
    height, width = shape
    top = weight.max()
    cost = np.concatenate([top - weight + 1.0, np.full(height, top + 1.0)])
    all_rows = np.concatenate([rows, np.arange(height)])
    all_columns = np.concatenate([columns, width + np.arange(height)])
    graph = csr_array((cost, (all_rows, all_columns)), shape=(height, width + height))
    taken_rows, taken_columns = min_weight_full_bipartite_matching(graph)
    real = taken_columns < width
    number = csr_array((np.arange(1, len(weight) + 1), (rows, columns)), shape=shape)
    return np.asarray(number[taken_rows[real], taken_columns[real]]).ravel() - 1
