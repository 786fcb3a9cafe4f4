"""The word error rate, and its value for every class of words or utterances.

The total is the WER; the details hold the rate of each value of `field`: a type of entity (`label`, empty for words
outside entities), a speaker, a document, or any field of the manifest.

Source: NIST's sclite (scores by speaker and by label).
Edges: as `wer`. The same values come from `--by FIELD` with `wer`.

>>> key = {"u": {"text": "we met in paris", "entities": [(3, 4, "LOC")]}}
>>> MEASURE(key, {"u": "we met in parish"}).details["LOC"]["wer"]
1.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from aune.core.measure import Measure
from aune.core.options import check_known
from aune.core.result import plain_value
from aune.core.rows import group, joined_units, plain, rows_of
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures import wer

Field = Annotated[str, "what the classes are: label (types of entities), speaker, document, or a field of the file"]


def count(comparison: Comparison, *, alignment: WordAlignment = "similar", field: Field = "label") -> Errors:
    if field != "label":
        check_known([field], comparison.units, "field to tell classes by")
    return comparison.errors(alignment)


def score(words: Errors) -> wer.Score:
    return wer.score(words)


def details(comparisons: Sequence[Comparison], *, alignment: WordAlignment = "similar", field: Field = "label") -> Any:
    """The rate and the counts of each class, in the order of their names."""
    rows = rows_of(joined_units([one.units for one in comparisons]), [one.errors(alignment) for one in comparisons])
    if field not in rows.attributes:
        return {}
    piles = group(rows, field)
    names = piles.attributes[field]
    rates = score(piles.counts)
    found = {}
    for index in sorted(range(len(names)), key=lambda index: names[index]):
        counts = {name: plain(value) for name, value in zip(Errors._fields, piles.matrix[index], strict=True)}
        found[names[index]] = {"wer": plain_value(rates.wer[index]), **counts}
    return found


MEASURE = Measure(
    count,
    score,
    better="lower",
    mixed={"recognition": "higher"},
    perfect=wer.PERFECT,
    main="wer",
    details=details,
    undefined=dict.fromkeys(wer.PERFECT, wer.EMPTY_KEY),
)
