"""NE-SWER: the mean of the entity word error rates of the stories.

    NE-SWER = (1/n) Σ NE-WER(story)

Source: Garofolo et al. 2000 (TREC spoken document retrieval); the thesis of Ben Jannet 2015, figure 2.3.
Edges: stories without entities are left out of the mean; utterances without a story as in `story_wer`.

>>> key = {"a": {"text": "in paris", "entities": [(1, 2, "LOC")]}, "b": {"text": "no name"}}
>>> MEASURE(key, {"a": "in parish", "b": "no name"}).ne_wer
1.0
"""

from __future__ import annotations

from dataclasses import replace

from aune.contract.expressions import macro
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures import ne_wer
from aune.tasks.speech.measures.story_wer import note_stories


def count(comparison: Comparison, *, alignment: WordAlignment = "similar") -> Errors:
    note_stories(comparison)
    return ne_wer.count(comparison, alignment=alignment)


MEASURE = macro(replace(ne_wer.MEASURE, count=count), by="document", module=__name__)
