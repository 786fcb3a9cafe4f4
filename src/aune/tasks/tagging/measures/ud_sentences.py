"""Sentences: how well the response cuts the text into sentences.

    precision = correct / sentences of the response    recall = correct / sentences of the key
    f1 = 2 · correct / (sentences of the key + sentences of the response)

A sentence of the response is correct when the key has a sentence over the same characters.

Source: the metric Sentences of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are.
Edges: undefined without sentences (the official scorer prints 0). Texts that differ are realigned, where the official
scorer refuses them.

>>> key = {"words": ["a", "b", "c"], "tags": ["X", "X", "X"], "sentences": [0, 1, 2]}
>>> MEASURE(key, {**key, "sentences": [0, 2]})
tagging.ud_sentences(precision=0.5000, recall=0.3333, f1=0.4000)
"""

from __future__ import annotations

from aune.contract.measure import Measure
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.word_counts import StretchCounts, count_stretches, score_stretches, sentence_stretches


def count(comparison: Comparison) -> StretchCounts:
    return count_stretches(comparison, sentence_stretches)


MEASURE = Measure(count, score_stretches)
