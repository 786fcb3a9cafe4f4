"""NE-SWER: the mean of the entity word error rates of the stories.

    NE-SWER = (1/n) Σ NE-WER(story)

Source: Garofolo et al. 2000 (TREC spoken document retrieval); the thesis of Ben Jannet 2015, figure 2.3.
Edges: stories without entities are left out of the mean.

>>> key = {"a": {"text": "in paris", "entities": [(1, 2, "LOC")]}, "b": {"text": "no name"}}
>>> MEASURE(key, {"a": "in parish", "b": "no name"}).ne_wer
1.0
"""

from __future__ import annotations

from aune.measure import Measure
from aune.tasks.speech.alignment import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures import ne_wer


def count(comparison: Comparison, *, alignment: WordAlignment = "similar") -> Errors:
    return ne_wer.count(comparison, alignment=alignment)


def score(words: Errors) -> ne_wer.Score:
    return ne_wer.score(words)


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    main="ne_wer",
    by="document",
    label="speech.story_ne_wer",
    undefined=dict.fromkeys(ne_wer.Score._fields, ne_wer.NO_ENTITY),
)
