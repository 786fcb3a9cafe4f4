"""Severity: the errors of a transcript, each by what errors like it cost an entity recogniser (experimental).

    severity = Σ weight(class of the error) / N      over all errors, N words in the key

A WER whose errors do not weigh the same. The weights are learnt once, from annotated transcripts by ATENE (`aune speech
train severity`); afterwards neither entities nor a statistical model are needed. Experimental: the classes are few and
the weights come from one kind of text.

Source: the thesis of Ben Jannet 2015, Perspectives.
Edges: as `wer`. `weights` names the file; without it every error weighs 1, which is the WER under `similar`.

>>> MEASURE(["the cat sat"], ["the cat sad"]).severity
0.3333333333333333
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Experimental, Measure, ratio
from aune.contract.options import NO_FILE, OptionFile
from aune.errors import UsageError
from aune.tasks.speech.alignment.words import OPTIONAL, WordAlignment
from aune.tasks.speech.comparison import Comparison

WeightsPath = Annotated[OptionFile, "what errors cost by class, as `aune speech train severity` wrote it"]


class Counts(NamedTuple):
    """Weighted errors, and words of the key."""

    cost: Column
    words: Column


class Score(NamedTuple):
    """The cost of errors for each word said."""

    severity: Column


def count(
    comparison: Comparison,
    *,
    weights: WeightsPath = NO_FILE,
    alignment: WordAlignment = "similar",
    status: Experimental = "experimental",
) -> Counts:
    from aune.tasks.speech.atene.error_weights import error_classes, load  # noqa: PLC0415 - they know this task's measures

    word_alignment = comparison.alignment(alignment)
    costs = (word_alignment.kind < OPTIONAL).astype(float)
    if weights:
        learnt = load(weights)
        if learnt.normalise != comparison.normalise:
            raise UsageError(f"the weights {weights} are for text normalised with {learnt.normalise!r}: "
                             f"score with --normalise {learnt.normalise}")  # fmt: skip
        classes = error_classes(comparison, word_alignment, learnt.common, learnt.language)
        costs = np.array([learnt.cost_of(name) if name else 0.0 for name in classes])
    return Counts(
        comparison.per_row(comparison.error_rows(word_alignment), costs),
        comparison.per_row(comparison.word_rows(word_alignment)),
    )


def score(counts: Counts) -> Score:
    return Score(ratio(counts.cost, counts.words))


MEASURE = Measure(
    count, score, range=NON_NEGATIVE, better="lower", perfect=0.0, undefined={"severity": "the key has no word"}
)
