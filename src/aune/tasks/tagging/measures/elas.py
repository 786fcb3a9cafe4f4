"""ELAS: edges of the enhanced graphs between the right words with the right relation.

    precision = correct / edges of the response    recall = correct / edges of the key
    f1 = 2 · correct / (edges of both)

An edge is a word, one of its heads in the ninth column of CoNLL-U (`deps`), and the relation with its sub-types, as in
`conj:and`. Edges from empty nodes are left out unless the files are read with `empty_nodes:collapse`, which puts paths
such as `conj:and>obj` in their place.

Source: the metric ELAS of the IWPT 2020 shared task (Bouma et al. 2020); the numbers are those of udtools.
Edges: undefined when the key has no enhanced dependencies. An edge that a word has twice is matched twice at most; the
official scorer counts each of the four pairs.

>>> key = [dict(form="il", deps="2:nsubj|3:nsubj:xsubj"), dict(form="veut", deps="0:root"),
...        dict(form="dormir", deps="2:xcomp")]
>>> MEASURE(key, [dict(form="il", deps="2:nsubj|3:nsubj"), *key[1:]])
tagging.elas(precision=0.7500, recall=0.7500, f1=0.7500)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.enhanced import EdgeCounts, count_edges, edge_measure


def count(comparison: Comparison) -> EdgeCounts:
    return count_edges(comparison)


MEASURE = edge_measure(count)
