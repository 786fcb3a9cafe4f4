"""LAS: words that depend on the right word by the right relation.

    precision = correct / words of the response    recall = correct / words of the key
    f1 = 2 · correct / (words of the key + words of the response)    accuracy = correct / aligned words

Relations are compared without their sub-types: `nsubj:pass` is `nsubj`.

Source: the metric LAS of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or no trees. The official scorer refuses trees that are not valid; here every
word is compared as it stands: a word to which the response gives no head is wrong, one to which the key gives none is
left out, and said to be so.

>>> key = [dict(form="il", head=2, deprel="nsubj"), dict(form="dort", head=0, deprel="root")]
>>> MEASURE(key, [dict(form="il", head=2, deprel="obj"), dict(form="dort", head=0, deprel="root")])
tagging.las(precision=0.5000, recall=0.5000, f1=0.5000, accuracy=0.5000)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.trees import NO_TREE, trees_of
from aune.tasks.tagging.word_counts import Counts, word_measure


def count(comparison: Comparison) -> Counts:
    trees = trees_of(comparison)
    return trees.counts(trees.head_right & trees.relation_right)


MEASURE = word_measure(count, NO_TREE)
