"""All tags: words whose universal tag, treebank tag and features are all right.

    precision = correct / words of the response    recall = correct / words of the key
    f1 = 2 · correct / (words of the key + words of the response)    accuracy = correct / aligned words

Under `parts:universal` the treebank's own tags are left out (the metric AllUTags). Of features those of the universal
list are compared, in any order.

Source: the metric AllTags of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or none of the columns. A column full of `_` is compared as it is, as there.

>>> key = [{"form": "le", "upos": "DET", "xpos": "D"}, {"form": "chat", "upos": "NOUN", "xpos": "N"}]
>>> MEASURE(key, [{"form": "le", "upos": "DET", "xpos": "D"}, {"form": "chat", "upos": "NOUN", "xpos": "V"}]).f1
0.5
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.measures.feats import universal_features
from aune.tasks.tagging.word_counts import NO_COLUMN, Counts, count_words, is_same, no_words, word_measure

Parts = Annotated[Literal["all", "universal"], "what must be right: UPOS, XPOS and features, or all but XPOS"]
COLUMNS = {"all": ("upos", "xpos", "feats"), "universal": ("upos", "feats")}


def count(comparison: Comparison, *, parts: Parts = "all") -> Counts:
    if not any(comparison.carries(column) for column in COLUMNS[parts]):
        return no_words(comparison)
    right = [is_same(comparison, column, universal_features if column == "feats" else str) for column in COLUMNS[parts]]
    return count_words(comparison, np.logical_and.reduce(right))


MEASURE = word_measure(count, NO_COLUMN, aliases=("alltags",))
