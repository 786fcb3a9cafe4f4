"""C, core classes: mentions that stay with the core of their chain.

The core of a key chain is the response chain that holds most of it. What lies outside the core is a recall error, and
symmetrically for precision:

    recall    = (Σ_K |c(K)| − |P_K|) / (|E| − |P_K|),    c(K) the largest overlap of K with a response chain
    precision = (Σ_R |c(R)| − |P_R|) / (|E| − |P_R|),    c(R) the largest overlap of R with a key chain

More severe than MUC on every response: C ≤ MUC (PROP. 8).

Source: Popescu-Belis 1999 (DÉF. 10–13).
Edges: 1 in the partition convention when there is no link to find (|E| = |P_K|) or none was made; 0 in CoNLL's.
Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2, 3, 4}], [{1, 2}, {3, 4}])
coref.core(recall=0.3333, precision=1.0000, f1=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, RecallPrecision, two_ratios
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.conventions import Undefined


class Counts(NamedTuple):
    """Links to cores, by document."""

    key_in_cores: Column
    key_links: Column
    response_in_cores: Column
    response_links: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    return Counts(
        table.key_sums(table.largest_by_key()) - table.key_chains,
        table.key_mentions - table.key_chains,
        table.response_sums(table.largest_by_response()) - table.response_chains,
        table.response_mentions - table.response_chains,
    )


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return two_ratios(*counts, undefined)


MEASURE = Measure(count, score)
