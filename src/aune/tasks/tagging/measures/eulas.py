"""EULAS: edges of the enhanced graphs between the right words with the right universal relation.

    precision = correct / edges of the response    recall = correct / edges of the key
    f1 = 2 · correct / (edges of both)

As ELAS, with relations compared without their sub-types: `conj:and` is `conj`, and the path `conj:and>nsubj:pass` is
`conj>nsubj`.

Source: the metric EULAS of the IWPT 2020 shared task (Bouma et al. 2020); the numbers are those of udtools.
Edges: undefined when the key has no enhanced dependencies. Two edges of a word to one head that differ in their
sub-types alone are matched twice at most; the official scorer counts each of the four pairs.

>>> key = [dict(form="il", deps="2:nsubj|3:nsubj:xsubj"), dict(form="veut", deps="0:root"),
...        dict(form="dormir", deps="2:xcomp")]
>>> MEASURE(key, [dict(form="il", deps="2:nsubj|3:nsubj"), *key[1:]])
tagging.eulas(precision=1.0000, recall=1.0000, f1=1.0000)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.enhanced import EdgeCounts, count_edges, edge_measure, universal_path


def count(comparison: Comparison) -> EdgeCounts:
    return count_edges(comparison, universal_path)


MEASURE = edge_measure(count)
