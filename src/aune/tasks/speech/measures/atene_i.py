"""ATENE_I: how much more the errors invite entities that are not there (insertions of entities).

    ATENE_I = Σ Δ(S) / N      over the N stretches of words outside entities

The margin of a stretch is that of its most tempting word, by a maximum-entropy model of being inside an entity: how far
"outside" is ahead of the best type, where that is negative, else 1. Δ is the margin on the response less that on the
key. Below 0 when there are more temptations; 0 for a response equal to the key. Needs a `model` (see `aune speech train
atene`).

Source: the thesis of Ben Jannet 2015, eqs. 5.8 to 5.11.
Edges: stretches run between two entities of a document, whatever the utterances (p. 123, where their number is almost
that of the entities); `stretches=utterance` cuts them at the ends of utterances. One without words in the response has
margin 1, and so has one without words in the key that has some in the response. No stretch at all is undefined.

>>> MEASURE({"u": {"text": "in paris", "entities": [(1, 2, "LOC")]}}, {"u": "in paris"}, model=MODEL)  # doctest: +SKIP
speech.atene_i(atene_i=0.0000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import ANY_VALUE, Column, Measure, ratio
from aune.contract.options import NO_FILE
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.atene.margins import Stretches, margins
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.atene_ds import Closeness, ModelPath


class Counts(NamedTuple):
    """Margins lost over stretches outside entities."""

    change: Column
    segments: Column


class Score(NamedTuple):
    """The mean change of margin."""

    atene_i: Column


def count(
    comparison: Comparison,
    *,
    model: ModelPath = NO_FILE,
    alignment: WordAlignment = "similar",
    closeness: Closeness = "letters",
    stretches: Stretches = "document",
) -> Counts:
    model_margins = margins(comparison, model, alignment, "" if closeness == "letters" else closeness)
    unit, change = model_margins.stretches(stretches)
    rows = comparison.base[unit]
    return Counts(comparison.per_row(rows, change), comparison.per_row(rows))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.change, counts.segments))


MEASURE = Measure(
    count,
    score,
    range=ANY_VALUE,
    better="higher",
    perfect=0.0,
    needs=("model",),
    undefined={"atene_i": "no word outside entities"},
)
