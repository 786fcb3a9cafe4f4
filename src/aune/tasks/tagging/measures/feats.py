"""Features: words with the right morphological features, all of them.

    precision = correct / words of the response    recall = correct / words of the key
    f1 = 2 · correct / (words of the key + words of the response)    accuracy = correct / aligned words

The order of features does not matter. Under `features:universal` only the features of the universal list are compared.

Source: the metric UFeats of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are; `accuracy` is its
aligned accuracy.
Edges: undefined when the key has no words or no such column. A column full of `_` is compared as it is, as there.

>>> key = [{"form": "le", "feats": "Gender=Masc|Number=Sing"}, {"form": "chat", "feats": "Gender=Masc"}]
>>> MEASURE(key, [{"form": "le", "feats": "Gender=Masc|Number=Sing"}, {"form": "chat", "feats": "Gender=Fem"}])
tagging.feats(precision=0.5000, recall=0.5000, f1=0.5000, accuracy=0.5000)
"""

from __future__ import annotations

from typing import Annotated, Literal

from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.word_counts import NO_COLUMN, Counts, count_column, word_measure

UNIVERSAL = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})  # fmt: skip
Features = Annotated[Literal["universal", "all"], "which features are compared: those of the universal list, or all"]


def count(comparison: Comparison, *, features: Features = "universal") -> Counts:
    return count_column(comparison, "feats", universal_features if features == "universal" else sort_features)


def universal_features(features: str) -> str:
    """The features of the universal list, in order.

    >>> universal_features("Number=Sing|Gender=Masc|Typo=Yes")
    'Gender=Masc|Number=Sing'
    """
    return "|".join(sorted(pair for pair in features.split("|") if pair.partition("=")[0] in UNIVERSAL))


def sort_features(features: str) -> str:
    return "|".join(sorted(features.split("|"))) or "_"


MEASURE = word_measure(count, NO_COLUMN)
