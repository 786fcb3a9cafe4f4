"""XPOS: words with the right tag of the treebank's own tagset.

    precision = correct / words of the response    recall = correct / words of the key
    f1 = 2 · correct / (words of the key + words of the response)    accuracy = correct / aligned words

Source: the metric XPOS of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or no such column. A column full of `_` is compared as it is, as there.

>>> key = [{"form": "le", "xpos": "D"}, {"form": "chat", "xpos": "N"}]
>>> MEASURE(key, [{"form": "le", "xpos": "D"}, {"form": "chat", "xpos": "V"}])
tagging.xpos(precision=0.5000, recall=0.5000, f1=0.5000, accuracy=0.5000)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.word_counts import NO_COLUMN, Counts, count_column, word_measure


def count(comparison: Comparison) -> Counts:
    return count_column(comparison, "xpos")


MEASURE = word_measure(count, NO_COLUMN)
