"""Recall, precision and F of words.

    R = C / N_key        P = C / N_response        F = 2PR / (P + R)

Recognition seen as retrieval: each word of the key is something to find.

Source: McCowan et al. 2004; the thesis of Ben Jannet 2015, eqs. 2.8 and 2.9.
Edges: a side without words leaves its own ratio, and F, undefined.

>>> MEASURE(["a b c d"], ["a b x"])
speech.word_prf(recall=0.5000, precision=0.6667, f1=0.5714)
"""

from __future__ import annotations

from aune.contract.measure import Measure, RecallPrecision, recall_precision
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Errors:
    return comparison.errors(alignment)


def score(words: Errors) -> RecallPrecision:
    return recall_precision(words.correct, words.key_size, words.response_size)


NO_WORD = {
    "recall": "the key has no word",
    "precision": "the response has no word",
    "f1": "a side has no word",
}

MEASURE = Measure(count, score, undefined=NO_WORD, aliases=("f1", "f_measure", "prf"))
