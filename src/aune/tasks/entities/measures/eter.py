"""ETER, the entity tree error rate: what errors on whole entities cost, their labels and their decomposition.

An entity is a tree: a span with its labels, and the constituents one level below. Key and response entities are paired,
then the constituents of each pair; a pair costs its classification error E_T and its decomposition error E_C:

    ETER = (I + D + Σ (1 − α) E_T + α E_C) / entities of the key

    E_T = E_L + 0.25 if the boundaries differ;  E_L = 0.5 for another type, 0.25 for another sub-type, 0 otherwise;
          with several labels (metonymy) the mean over the best assignment, an unmatched label costing 0.5
    E_C = (I_c + D_c + Σ E_c1) / constituents of the key entity;
          E_c1 = 0.5 if the labels differ + 0.25 if the boundaries differ

ETER_DS = (D + Σ …) / N leaves insertions out, ETER_I = I / N is only them; the two add up to ETER. α = 0 looks at
detection and classification only, α = 1 at detection and decomposition only.

`alignment` says how entities are paired: `levels`, at the lowest Σ E_T (ties by E_C, then by shared text, then in the
order of the text), then their constituents at the lowest Σ E_c1; or `global`, at the lowest Σ (1 − a) E_T + a E_C with
a = `alignment_alpha`. The weights are those of the typology's [weights.eter], or of `eter_weights`. Per label: a pair
and an omission go with the key's labels (joined by +), an insertion with its own.

Source: Ben Jannet 2015, eqs 4.7 to 4.17, 5.13 and 5.14, §4.9.
Edges: undefined without an entity in the key. An entity without constituents has E_C = 0, or the number of inserted
constituents. Components outside entities (a problem for `aune validate`) do not count.

>>> ambassador = [(0, 6, "func.ind"), (0, 1, "kind"), (3, 4, "name"), (5, 6, "name")]
>>> MEASURE([*ambassador, (3, 4, "loc.adm.nat"), (5, 6, "loc.adm.nat")], ambassador, typology="quaero")
entities.eter(eter=0.7222, eter_ds=0.7222, eter_i=0.0000)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.contract.options import Range
from aune.errors import UsageError
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.pairing.spans import count_overlaps
from aune.tasks.entities.pairing.trees import Alignment, Candidates, align_entities, candidates
from aune.typologies.typology import merge_weights, parse_weights

USUAL_ALPHA = 0.5
AlignmentMode: TypeAlias = Annotated[
    Literal["levels", "global"], "how entities are paired: by their labels, then constituents; or by both at once"
]


class Counts(NamedTuple):
    """Entities and their errors, by unit."""

    omission: Column
    insertion: Column
    type_error: Column
    """Σ E_T over pairs."""
    decomposition_error: Column
    """Σ E_C over pairs."""
    pairs: Column
    correct: Column
    """Pairs without any error."""
    key: Column


class Score(NamedTuple):
    """The rate and its two parts."""

    eter: Column
    eter_ds: Column
    eter_i: Column


def count(
    comparison: Comparison,
    *,
    alignment: AlignmentMode = "levels",
    alignment_alpha: Annotated[float, "the α that the global alignment minimises for", Range(0, 1)] = USUAL_ALPHA,
    eter_weights: Annotated[str, "what errors cost, such as subtype=0.1; others as the typology says"] = "",
) -> Counts:
    if alignment_alpha != USUAL_ALPHA and alignment != "global":
        raise UsageError(f"--alignment-alpha {alignment_alpha}: expected --alignment global, which alone has it")
    weights = merge_weights(comparison.typology.eter, parse_weights(eter_weights))
    pairs = alignment_of(comparison, alignment, alignment_alpha, eter_weights)
    key, response = comparison.count_entities(0), comparison.count_entities(1)
    good = (pairs.type_error == 0) & (pairs.decomposition_error == 0)
    return Counts(
        weights["omission"] * (key - comparison.count_entities(0, pairs.key)),
        weights["insertion"] * (response - comparison.count_entities(1, pairs.response)),
        comparison.count_entities(0, pairs.key, pairs.type_error),
        comparison.count_entities(0, pairs.key, pairs.decomposition_error),
        comparison.count_entities(0, pairs.key),
        comparison.count_entities(0, pairs.key[good]),
        key,
    )


def alignment_of(comparison: Comparison, way: str, alpha: float, eter_weights: str) -> Alignment:
    """The pairs of entities, made once for each way of pairing."""
    weights = merge_weights(comparison.typology.eter, parse_weights(eter_weights))
    possible = comparison.compute_once(("candidates", eter_weights), lambda: _candidates(comparison, weights))
    share = None if way == "levels" else alpha
    return comparison.compute_once((way, alpha, eter_weights), lambda: align_entities(possible, weights, share))


def _candidates(comparison: Comparison, weights: Mapping[str, float]) -> Candidates:
    trees = comparison.forest
    comparison.check_size(count_overlaps(trees.key.spans, trees.response.spans), trees.key.spans.document)
    return candidates(trees, comparison.labels.type, weights)


def score(
    counts: Counts,
    *,
    alpha: Annotated[float, "the weight of decomposition against classification", Range(0, 1)] = 0.5,
) -> Score:
    pairs = (1 - alpha) * counts.type_error + alpha * counts.decomposition_error
    return Score(
        ratio(counts.insertion + counts.omission + pairs, counts.key),
        ratio(counts.omission + pairs, counts.key),
        ratio(counts.insertion, counts.key),
    )


MEASURE = Measure(
    count,
    score,
    range=NON_NEGATIVE,
    better="lower",
    perfect=0.0,
    main="eter",
    units="entity_units",
    undefined={"eter": "no entity in the key: nothing to find"},
)
