"""Tokens: how well the response cuts the text into tokens.

    precision = correct / tokens of the response    recall = correct / tokens of the key
    f1 = 2 · correct / (tokens of the key + tokens of the response)

A token of the response is correct when the key has a token over the same characters. A multiword token (`du`) is one
token, however many words it stands for.

Source: the metric Tokens of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are.
Edges: undefined without tokens (the official scorer prints 0). Texts that differ are realigned, where the official
scorer refuses them.

>>> MEASURE([("a", "X"), ("b", "X"), ("c", "X")], [("a", "X"), ("bc", "X")])
tagging.ud_tokens(precision=0.5000, recall=0.3333, f1=0.4000)
"""

from __future__ import annotations

from aune.contract.measure import Measure
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.word_counts import StretchCounts, count_stretches, score_stretches, token_stretches


def count(comparison: Comparison) -> StretchCounts:
    return count_stretches(comparison, token_stretches)


MEASURE = Measure(count, score_stretches)
