"""NE-SWER: the mean of the entity word error rates of the stories.

    NE-SWER = (1/n) Σ NE-WER(story)

Source: Garofolo et al. 2000 (TREC spoken document retrieval); the thesis of Ben Jannet 2015, figure 2.3.
Edges: stories without entities are left out of the mean.

>>> key = {"a": {"text": "in paris", "entities": [(1, 2, "LOC")]}, "b": {"text": "no name"}}
>>> MEASURE(key, {"a": "in parish", "b": "no name"}).ne_wer
1.0
"""

from __future__ import annotations

from functools import partial

from aune.core.measure import Measure
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures import ne_wer
from aune.tasks.speech.stories import Counts, Stories, stories, story_counts, story_means


def count(comparison: Comparison, *, alignment: WordAlignment = "similar") -> Stories:
    return stories(comparison, ne_wer.count(comparison, alignment=alignment))


def score(counts: Counts) -> ne_wer.Score:
    return ne_wer.Score(*story_means(counts))


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    main="ne_wer",
    settle=partial(story_counts, ne_wer.score),
    undefined=dict.fromkeys(ne_wer.Score._fields, ne_wer.NO_ENTITY),
)
