"""Lemmas: words with the right lemma.

    precision = correct / words of the response    recall = correct / words of the key
    f1 = 2 · correct / (words of the key + words of the response)    accuracy = correct / aligned words

A key word whose lemma is `_` is right whatever the response says.

Source: the metric Lemmas of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or no such column. A column full of `_` is compared as it is, as there.

>>> key = [{"form": "le", "lemma": "le"}, {"form": "chat", "lemma": "chat"}]
>>> MEASURE(key, [{"form": "le", "lemma": "le"}, {"form": "chat", "lemma": "chas"}])
tagging.lemmas(precision=0.5000, recall=0.5000, f1=0.5000, accuracy=0.5000)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.word_counts import NO_COLUMN, Counts, count_column, word_measure


def count(comparison: Comparison) -> Counts:
    return count_column(comparison, "lemma", free="_")


MEASURE = word_measure(count, NO_COLUMN)
