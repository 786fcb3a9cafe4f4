"""ATENE: what the errors of a transcript cost a recogniser of named entities.

    ATENE = −(ATENE_DS + ATENE_I) / 2

The risk that entities are missed or taken for others, and the risk that entities are found where there are none; tables
show it times 100, as eq. 5.12. It may lie below 0, when the errors make entities easier to find.

`combine` puts another measure in the place of −ATENE_DS: the word error rate on entities (`ne_wer`), or the share of
the key's words that are not recognised (`recall`), both cheaper to compute. Needs a `model` (see `aune speech train
atene`).

Source: the thesis of Ben Jannet 2015, eq. 5.12; §5.8 for the combinations.
Edges: as `atene_ds`, `atene_i`, `ne_wer` and `word_prf`.

>>> MEASURE({"u": {"text": "in paris", "entities": [(1, 2, "LOC")]}}, {"u": "in paris"}, model=MODEL)  # doctest: +SKIP
speech.atene(atene=0.0000)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

from aune.contract.error_record import ErrorRecord
from aune.contract.measure import ANY_VALUE, Column, Measure
from aune.contract.options import NO_FILE
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.atene.margins import Stretches
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures import atene_ds, atene_i, ne_wer, word_prf
from aune.tasks.speech.measures.atene_ds import Closeness, ModelPath

MOST_SHOWN = 20  # errors in the details
Combine = Annotated[Literal["ds", "ne_wer", "recall"], "what ATENE_I is combined with: ATENE_DS, NE-WER or word recall"]


class Counts(NamedTuple):
    """The counts of the parts."""

    ds: atene_ds.Counts
    i: atene_i.Counts
    entities: Errors
    words: Errors


class Score(NamedTuple):
    """The cost."""

    atene: Column


def count(
    comparison: Comparison,
    *,
    model: ModelPath = NO_FILE,
    alignment: WordAlignment = "similar",
    closeness: Closeness = "letters",
    stretches: Stretches = "document",
) -> Counts:
    return Counts(
        atene_ds.count(comparison, model=model, alignment=alignment, closeness=closeness),
        atene_i.count(comparison, model=model, alignment=alignment, closeness=closeness, stretches=stretches),
        ne_wer.count(comparison, alignment=alignment),
        comparison.errors(alignment),
    )


def score(counts: Counts, *, combine: Combine = "ds") -> Score:
    insertions = -atene_i.score(counts.i).atene_i
    if combine == "ds":
        return Score((insertions - atene_ds.score(counts.ds).atene_ds) / 2)
    if combine == "ne_wer":
        return Score((insertions + ne_wer.score(counts.entities).ne_wer) / 2)
    return Score((insertions + 1 - word_prf.score(counts.words).recall) / 2)


def details(
    comparisons: Sequence[Comparison], *, model: ModelPath = NO_FILE, alignment: WordAlignment = "similar",
    closeness: Closeness = "letters",
) -> Any:  # fmt: skip
    """Which kinds of errors cost the most, and the worst errors themselves."""
    from aune.tasks.speech.atene.harm import harm, harm_by_kind  # noqa: PLC0415 - they know this task's measures
    from aune.tasks.speech.errors import harmful_errors  # noqa: PLC0415

    sounds = "" if closeness == "letters" else closeness
    kinds: dict[str, dict[str, Any]] = {}
    worst: list[ErrorRecord] = []
    for comparison in comparisons:
        table = harm_by_kind(harm(comparison, model, alignment, sounds), comparison.alignment(alignment).kind)
        for kind, row in table.items():
            totals = kinds.setdefault(kind, {"errors": 0, "lost": []})
            totals["errors"] += row["errors"]
            totals["lost"].append(row["lost"])
        worst += harmful_errors(comparison, model, alignment, sounds)[:MOST_SHOWN]
    worst.sort(key=lambda case: (-case.cost, case.document, case.place))
    kinds = {kind: {**row, "lost": math.fsum(row["lost"])} for kind, row in kinds.items()}
    ranked = sorted(kinds.items(), key=lambda item: (-item[1]["lost"], item[0]))
    return {"kinds": dict(ranked), "worst": [case._asdict() for case in worst[:MOST_SHOWN]]}


MEASURE = Measure(
    count,
    score,
    range=ANY_VALUE,
    better="lower",
    perfect=0.0,
    details=details,
    needs=("model",),
    undefined={"atene": "no entity, or no word outside them"},
)
