"""The word error rate by what the errors come from: exactly one cause for each error, so that the causes add up.

    WER = case + punctuation + number format + … + other      errors of a cause for each word of the key

The causes and their rules are a table in `aune.tasks.speech.causes`; `aune errors speech … --by cause` lists errors.
Homophones need the extra `phonemes` and `--sounds en` (or fr); words out of the vocabulary need `--vocabulary`.

Source: the thesis of Ben Jannet 2015, §5.2.3, for homophones, disfluencies and unknown words; the rest is ours.
Edges: as `wer`. The alignment is `similar`, which has as many errors as the one of `wer`.

>>> score = MEASURE(["it cost twenty one dollars in the white paper"], ["it cost $21 in the whitepaper um"])
>>> score.number_format, score.compound, score.wer == 5 / 9
(0.3333333333333333, 0.2222222222222222, True)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.contract.options import NO_FILE
from aune.tasks.speech.causes import CAUSES, CauseLanguage, Sounds, error_causes
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.oov_wer import Vocabulary


class Counts(NamedTuple):
    """The words of the key, and the errors by cause."""

    words: Column
    case: Column
    punctuation: Column
    number_format: Column
    contraction: Column
    compound: Column
    spelling_variant: Column
    filler: Column
    repetition: Column
    inserted_run: Column
    omitted_run: Column
    homophone: Column
    inflection: Column
    out_of_vocabulary: Column
    name_or_entity: Column
    other: Column


class Score(NamedTuple):
    """The error rate, and the part of each cause."""

    wer: Column
    case: Column
    punctuation: Column
    number_format: Column
    contraction: Column
    compound: Column
    spelling_variant: Column
    filler: Column
    repetition: Column
    inserted_run: Column
    omitted_run: Column
    homophone: Column
    inflection: Column
    out_of_vocabulary: Column
    name_or_entity: Column
    other: Column


def count(
    comparison: Comparison,
    *,
    sounds: Sounds = "none",
    transcript_language: CauseLanguage = "en",
    vocabulary: Vocabulary = NO_FILE,
) -> Counts:
    alignment, causes = error_causes(comparison, sounds, transcript_language, vocabulary)
    numbers = np.array(causes, np.int64)
    rows = comparison.error_rows(alignment)
    by_cause = [comparison.per_row(rows[numbers == number]) for number in range(len(CAUSES))]
    return Counts(comparison.errors("similar").key_size, *by_cause)


def score(counts: Counts) -> Score:
    by_cause: Any = counts[1:]
    return Score(ratio(sum(by_cause), counts.words), *(ratio(errors, counts.words) for errors in by_cause))


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    range=dict.fromkeys(Score._fields, NON_NEGATIVE),
    main="wer",
    undefined=dict.fromkeys(Score._fields, "the key has no word"),
)
