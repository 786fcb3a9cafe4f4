"""The errors behind the scores, one by one: every word replaced, left out or put in.

With the models of ATENE, an error costs the margin it lost, and its kind says how: see `aune.tasks.speech.atene.harm`.
"""

from __future__ import annotations

from typing import Annotated

from aune.core.cases import Case
from aune.core.options import NO_FILE
from aune.tasks.speech.alignment.words import DELETION, HELP, INSERTION, OPTIONAL, Alignment, Kind
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.atene_ds import ModelPath

NAMES = ("substitution", "deletion", "insertion")
CONTEXT = 3  # words shown on each side
AnyAlignment = Annotated[Kind | None, HELP]


def errors(comparison: Comparison, *, model: ModelPath = NO_FILE, alignment: AnyAlignment = None) -> list[Case]:
    """The errors of the word error rate; with a model those that do harm, the worst first.

    The alignment is `levenshtein`, and `similar` with a model, unless another is asked for.
    """
    if model:
        return harmful(comparison, model, alignment or "similar")
    found = comparison.alignment(alignment or "levenshtein")
    labels = _labels(comparison, found)
    return [
        _case(comparison, found, number, labels[number], NAMES[kind])
        for number, kind in enumerate(found.kind.tolist())
        if kind < OPTIONAL
    ]


def harmful(comparison: Comparison, model: str, kind: Kind = "similar", sounds: str = "") -> list[Case]:
    """The errors that cost an entity recogniser something, the worst first."""
    from aune.tasks.speech.atene.harm import harm  # noqa: PLC0415 - only for those who have a model

    found, aligned = harm(comparison, model, kind, sounds), comparison.alignment(kind)
    labels = _labels(comparison, aligned)
    cases = [
        _case(comparison, aligned, number, labels[number], found.kind[number], float(lost), found.features[number])
        for number, lost in enumerate(found.lost)
        if lost > 0
    ]
    return sorted(cases, key=lambda case: (-case.cost, case.document, case.place))


def _labels(comparison: Comparison, alignment: Alignment) -> list[str]:
    """The type of the entity that each error is in."""
    labels = comparison.units.get("label")
    return [labels[row] for row in comparison.error_rows(alignment).tolist()] if labels else [""] * len(alignment.kind)


def _case(
    comparison: Comparison,
    alignment: Alignment,
    number: int,
    label: str,
    kind: str,
    cost: float = 1.0,
    features: str = "",
) -> Case:
    unit, what = int(alignment.unit[number]), int(alignment.kind[number])
    key, words = comparison.pairs[unit][0], comparison.words
    place, first = int(alignment.key_at[number]), int(alignment.key.starts[unit])
    stop = int(alignment.key.starts[unit + 1])
    said = "" if what == INSERTION else words[alignment.key.codes[place]]
    given = "" if what == DELETION else words[alignment.response.codes[int(alignment.response_at[number])]]
    before = alignment.key.codes[max(place - CONTEXT, first) : place].tolist()
    after = alignment.key.codes[place + bool(said) : min(place + CONTEXT + bool(said), stop)].tolist()
    shown = [*(words[code] for code in before), f"[{said or '*'} → {given or '*'}]", *(words[code] for code in after)]
    attributes = {**key.attributes, "utterance": key.id, "type": NAMES[what]}
    if label:
        attributes["label"] = label
    if features:
        attributes["features"] = features
    here = place - first
    document = key.attributes.get("document", key.id)
    return Case(document, (here, here + bool(said)), kind, said, given, " ".join(shown), cost, attributes)
