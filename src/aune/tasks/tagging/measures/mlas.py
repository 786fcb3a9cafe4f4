"""MLAS: content words with the right head, relation, tag, features and function words.

    precision = correct / content words of the response    recall = correct / content words of the key
    f1 = 2 · correct / (content words of both)    accuracy = correct / aligned content words of the key

As CLAS, and a word is right only when its universal tag and features are, and when the same function words depend on it
by the same relations, with the same tags and features.

Source: the metric MLAS of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or no trees. The official scorer refuses trees that are not valid; here every
word is compared as it stands: a word to which the response gives no head is wrong, one to which the key gives none is
left out, and said to be so.

>>> key = [dict(form="il", head=2, deprel="nsubj"), dict(form="dort", head=0, deprel="root")]
>>> MEASURE(key, [dict(form="il", head=2, deprel="obj"), dict(form="dort", head=0, deprel="root")])
tagging.mlas(precision=0.5000, recall=0.5000, f1=0.5000, accuracy=0.5000)
"""

from __future__ import annotations

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.measures.feats import universal_features
from aune.tasks.tagging.trees import NO_TREE, trees_of
from aune.tasks.tagging.word_counts import Counts, is_same, word_measure


def count(comparison: Comparison) -> Counts:
    trees = trees_of(comparison)
    right = trees.head_right & trees.relation_right & trees.functional_children_right(universal_features)
    right &= is_same(comparison, "upos") & is_same(comparison, "feats", universal_features)
    return trees.counts(right, content=True)


MEASURE = word_measure(count, NO_TREE)
