"""κ: agreement on links beyond chance.

Of the |E| − 1 links that could hold a text's mentions together, the key makes k, the response r, and a of them are
common; the 2×2 table of links made or not made on each side gives Cohen's coefficient:

    κ = (p₀ − pₑ) / (1 − pₑ),   p₀ = (a + n) / t,   pₑ = (k·r + (t−k)(t−r)) / t²,   n = t − k − r + a,   t = |E| − 1

Source: Passonneau 1997, as Popescu-Belis 1999 (§4.2) computes it from MUC's counts: a = |E| − Σ|π(K)|, k = |E| − |P_K|,
r = |E| − |P_R|. It reproduces every κ of his tables 3 and 6.
Edges: the cell "neither" can be negative when key and response lie across each other, and κ then falls below −1:
K = {1 2}{3 4}, R = {1 3}{2 4} gives −2. Undefined when chance alone agrees on everything (pₑ = 1), as for a text with
fewer than two mentions. For a corpus the links of all documents are added up. Mention sets are always completed.

>>> MEASURE([{1, 2}, {3, 4}], [{1, 3}, {2, 4}])
coref.kappa(kappa=-2.0000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import AT_MOST_ONE, Column, Measure, ratio
from aune.tasks.coref.comparison import Comparison, Completed


class Counts(NamedTuple):
    """Links, by document."""

    common_links: Column
    key_links: Column
    response_links: Column
    possible_links: Column


class Score(NamedTuple):
    """Agreement beyond chance."""

    kappa: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    return Counts(
        table.key_mentions - table.cells,
        table.key_mentions - table.key_chains,
        table.key_mentions - table.response_chains,
        np.maximum(table.key_mentions - 1, 0),
    )


def score(links: Counts) -> Score:
    """κ with both sides multiplied by t², so that 1 − pₑ is 0 exactly when it should be."""
    common, key, response, possible = links
    observed = (possible - key - response + 2 * common) * possible
    chance = key * response + (possible - key) * (possible - response)
    return Score(ratio(observed - chance, possible**2 - chance))


MEASURE = Measure(
    count,
    score,
    range=AT_MOST_ONE,
    undefined={"kappa": "chance alone agrees on every link: there is nothing to exceed"},
)
