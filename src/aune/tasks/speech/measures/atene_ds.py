"""ATENE_DS: how much harder the errors make it to find the entities (deletions and substitutions of entities).

    ATENE_DS = Σ (Δ where the entity begins + Δ where it ends) / 2N      over the N entities of the key

Δ is the margin of the right answer on the response less that on the key, by two maximum-entropy models: does an entity
of this type begin here, does one end here. A missing entity has margin −1. Below 0 when entities are harder to find; 0
for a response equal to the key. Needs a `model` (see `aune speech train atene`).

Source: the thesis of Ben Jannet 2015, eqs. 5.5 to 5.7.
Edges: a key without entities has no value (undefined). An entity of a type that the models never saw is judged as one
of any type: how far the best type is ahead of "outside".

>>> MEASURE({"u": {"text": "in paris", "entities": [(1, 2, "LOC")]}}, {"u": "in paris"}, model=MODEL)  # doctest: +SKIP
speech.atene_ds(atene_ds=0.0000)
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.contract.measure import ANY_VALUE, Column, Measure, ratio
from aune.contract.options import NO_FILE, OptionFile
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.atene.margins import margins
from aune.tasks.speech.comparison import Comparison

ModelPath: TypeAlias = Annotated[
    OptionFile,
    "the models of ATENE, as `aune speech train atene` wrote them, or JSON lines with probabilities",
]
Closeness: TypeAlias = Annotated[
    Literal["letters", "en", "fr"], "how entities are found in the response: by letters, or by English or French sounds"
]


class Counts(NamedTuple):
    """Margins lost over entities."""

    change: Column
    """Δ where each entity begins and Δ where it ends, added up."""
    entities: Column


class Score(NamedTuple):
    """The mean change of margin."""

    atene_ds: Column


def count(
    comparison: Comparison,
    *,
    model: ModelPath = NO_FILE,
    alignment: WordAlignment = "similar",
    closeness: Closeness = "letters",
) -> Counts:
    model_margins = margins(comparison, model, alignment, "" if closeness == "letters" else closeness)
    rows = comparison.entities.row
    return Counts(comparison.per_row(rows, model_margins.entity_loss), comparison.per_row(rows))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.change, 2 * counts.entities))


MEASURE = Measure(
    count,
    score,
    range=ANY_VALUE,
    better="higher",
    perfect=0.0,
    needs=("model",),
    undefined={"atene_ds": "the key has no entity"},
)
