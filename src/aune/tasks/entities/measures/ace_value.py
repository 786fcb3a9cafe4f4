"""ACE value: what the entities that a system found are worth, errors deducted.

An entity is all its mentions. The value of a response entity mapped to a key entity is

    entity value × Σ mention values
    entity value  = min(type · class of the two)
                    × 0.5 if the types differ × 0.9 if the sub-types do × 0.75 if the classes do
    mention value = min(type of the two) × 0.9 for each of type, role and style that differs;
                    −0.75 · type for a mention that the key entity lacks

and that of an entity mapped to none is −0.75 · type · class · Σ mention types. Entities and mentions are mapped one to
one, through mentions that share text, so that the value is largest; of equals the first mapping in the text is taken
(what a response entity is worth is counted where the key entity stands, and under its type).

    EDT value  = Σ values of the response's entities          (the count `edt`)
    LEDR value = EDT value / Σ values of the key's entities   (`ledr`)

All the weights can be given in a TOML file, `ace_weights` (see typologies/ace.toml). The input is ACE's APF or JSON
lines of entities with their mentions; in other formats every span is an entity that is named once.

Source: Doddington et al. 2004; NIST 2005 and 2008; eqs 1.2, 4.5 and 4.6 of Ben Jannet 2015.
Edges: undefined when the key is worth nothing. It is negative for a response with more errors than value.

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (4, 6, "GPE")])
entities.ace_value(ledr=0.7500)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from aune.core.measure import AT_MOST_ONE, Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.pairing.referents import values, worth

Weights: TypeAlias = Annotated[
    str, "a TOML file with the worth of types, classes, mentions and errors; none: ACE's own"
]


class Counts(NamedTuple):
    """Values of the response's and of the key's entities, by unit."""

    edt: Column
    key_edt: Column


class Score(NamedTuple):
    """The one value."""

    ledr: Column


def count(comparison: Comparison, *, ace_weights: Weights = "") -> Counts:
    key, response = comparison.referents
    found = values(key, response, worth(ace_weights))
    cells = comparison.referent_cells
    mapped = found.mapped >= 0
    unit = np.where(mapped, cells.key[found.mapped], cells.response) if len(cells.key) else cells.response
    return Counts(np.bincount(unit, found.response, cells.size), np.bincount(cells.key, found.key, cells.size))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.edt, counts.key_edt))


MEASURE = Measure(
    count, score, range=AT_MOST_ONE, units="referent_units", undefined={"ledr": "the key's entities are worth nothing"}
)
