"""The individual errors behind the scores: every substituted, deleted or inserted word.

With causes, the kind of an error is its cause: see `aune.tasks.speech.causes`. With the models of ATENE, the cost of an
error is the margin that it lost, and its kind describes the harm: see `aune.tasks.speech.atene.harm`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from aune.contract.error_record import ErrorRecord
from aune.contract.options import NO_FILE
from aune.errors import UsageError
from aune.tasks.speech.alignment.words import ALIGNMENT_HELP, DELETION, INSERTION, OPTIONAL, Alignment, AlignmentKind
from aune.tasks.speech.causes import CAUSES, CauseLanguage, Sounds, error_causes
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.atene_ds import ModelPath
from aune.tasks.speech.measures.oov_wer import Vocabulary

EDITS = ("substitution", "deletion", "insertion")
KIND_NAMES = (*EDITS, *CAUSES)
CONTEXT = 3  # words shown on each side
AnyAlignment = Annotated[AlignmentKind | None, ALIGNMENT_HELP]


ErrorKind: TypeAlias = Annotated[
    Literal["edit", "cause"], "what the kind of an error is: substitution, deletion or insertion, or what it comes from"
]


def errors(
    comparison: Comparison,
    *,
    model: ModelPath = NO_FILE,
    alignment: AnyAlignment = None,
    by: ErrorKind = "edit",
    sounds: Sounds = "none",
    transcript_language: CauseLanguage = "en",
    vocabulary: Vocabulary = NO_FILE,
) -> list[ErrorRecord]:
    """The errors of the word error rate, by kind or by cause; with a model only harmful ones, the worst first.

    The alignment is `levenshtein`, or `similar` with a model, unless another is selected. For causes it is `similar`,
    which has as many errors as `levenshtein`.
    """
    if by == "cause":
        if model or alignment == "sclite":
            raise UsageError(
                "--by cause counts the fewest errors and takes no model: leave out --alignment and --model"
            )
        return errors_by_cause(comparison, sounds, transcript_language, vocabulary)
    if model:
        return harmful_errors(comparison, model, alignment or "similar")
    word_alignment = comparison.alignment(alignment or "levenshtein")
    labels = _labels(comparison, word_alignment)
    return [
        _case(comparison, word_alignment, number, labels[number], EDITS[kind])
        for number, kind in enumerate(word_alignment.kind.tolist())
        if kind < OPTIONAL
    ]


def errors_by_cause(
    comparison: Comparison, sounds: Sounds = "none", language: CauseLanguage = "en", vocabulary: str = NO_FILE
) -> list[ErrorRecord]:
    """The errors of the word error rate, each with its cause."""
    word_alignment, causes = error_causes(comparison, sounds, language, vocabulary)
    labels = _labels(comparison, word_alignment)
    return [
        _case(comparison, word_alignment, number, labels[number], CAUSES[cause])
        for number, cause in enumerate(causes)
        if cause >= 0
    ]


def harmful_errors(
    comparison: Comparison, model: str, kind: AlignmentKind = "similar", sounds: str = ""
) -> list[ErrorRecord]:
    """The errors that harm entity recognition, the worst first."""
    from aune.tasks.speech.atene.harm import harm  # noqa: PLC0415 - only needed with a model

    result, word_alignment = harm(comparison, model, kind, sounds), comparison.alignment(kind)
    labels = _labels(comparison, word_alignment)
    cases = [
        _case(
            comparison,
            word_alignment,
            number,
            labels[number],
            result.kind[number],
            float(lost),
            result.features[number],
        )
        for number, lost in enumerate(result.lost)
        if lost > 0
    ]
    return sorted(cases, key=lambda case: (-case.cost, case.document, case.place))


def _labels(comparison: Comparison, alignment: Alignment) -> list[str]:
    """The type of the entity that contains each error."""
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
) -> ErrorRecord:
    unit, edit = int(alignment.unit[number]), int(alignment.kind[number])
    key, words = comparison.pairs[unit][0], comparison.words
    place, first = int(alignment.key_at[number]), int(alignment.key.starts[unit])
    stop = int(alignment.key.starts[unit + 1])
    key_word = "" if edit == INSERTION else words[alignment.key.codes[place]]
    response_word = "" if edit == DELETION else words[alignment.response.codes[int(alignment.response_at[number])]]
    before = alignment.key.codes[max(place - CONTEXT, first) : place].tolist()
    after = alignment.key.codes[place + bool(key_word) : min(place + CONTEXT + bool(key_word), stop)].tolist()
    context = [
        *(words[code] for code in before),
        f"[{key_word or '*'} → {response_word or '*'}]",
        *(words[code] for code in after),
    ]
    attributes = {**key.attributes, "utterance": key.id, "type": EDITS[edit]}
    if label:
        attributes["label"] = label
    if features:
        attributes["features"] = features
    here = place - first
    document = key.attributes.get("document", key.id)
    return ErrorRecord(
        document, (here, here + bool(key_word)), kind, key_word, response_word, " ".join(context), cost, attributes
    )
