"""CLAS: content words that depend on the right word by the right relation.

    precision = correct / content words of the response    recall = correct / content words of the key
    f1 = 2 · correct / (content words of both)    accuracy = correct / aligned content words of the key

As LAS, over words whose relation is not functional (aux, cop, mark, det, clf, case, cc) nor punctuation.

Source: the metric CLAS of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or no trees. The official scorer refuses trees that are not valid; here every
word is compared as it stands: a word to which the response gives no head is wrong, one to which the key gives none is
left out, and said to be so.

>>> key = [dict(form="il", head=2, deprel="nsubj"), dict(form="dort", head=0, deprel="root")]
>>> MEASURE(key, [dict(form="il", head=2, deprel="obj"), dict(form="dort", head=0, deprel="root")])
tagging.clas(precision=0.5000, recall=0.5000, f1=0.5000, accuracy=0.5000)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.trees import NO_TREE, trees_of
from aune.tasks.tagging.word_counts import Counts, word_measure


def count(comparison: Comparison) -> Counts:
    trees = trees_of(comparison)
    return trees.counts(trees.head_right & trees.relation_right, content=True)


MEASURE = word_measure(count, NO_TREE)
