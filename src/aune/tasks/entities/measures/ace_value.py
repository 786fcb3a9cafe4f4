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
lines of entities with their mentions. In other formats every entity is named once: a component of a structured entity
is no entity, and several labels on the same text (metonymy) are one entity, whose types are joined by `+`: its weight
is the mean of theirs, and a pair has the right type when both entities have the same types.

Source: Doddington et al. 2004; NIST 2005 and 2008; eqs 1.2, 4.5 and 4.6 of Ben Jannet 2015.
Edges: undefined when the key is worth nothing. It is negative for a response with more errors than value.

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (4, 6, "GPE")])
entities.ace_value(ledr=0.7500)
>>> minister = [(0, 2, "func.ind"), (0, 1, "qualifier"), (1, 2, "kind")]
>>> MEASURE([*minister, (4, 5, "func.ind"), (4, 5, "kind")], minister, typology="quaero")
entities.ace_value(ledr=0.5000)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import AT_MOST_ONE, Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.pairing.referents import load_weights, map_entities

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
    entity_values = map_entities(key, response, load_weights(ace_weights))
    cells = comparison.referent_cells
    mapped = entity_values.mapped >= 0
    unit = np.where(mapped, cells.key[entity_values.mapped], cells.response) if len(cells.key) else cells.response
    return Counts(
        np.bincount(unit, entity_values.response, cells.size), np.bincount(cells.key, entity_values.key, cells.size)
    )


def score(counts: Counts) -> Score:
    return Score(ratio(counts.edt, counts.key_edt))


MEASURE = Measure(
    count, score, range=AT_MOST_ONE, units="referent_units", undefined={"ledr": "the key's entities are worth nothing"}
)
