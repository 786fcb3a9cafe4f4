"""NE-SWER: the mean of the entity word error rates of the stories.

    NE-SWER = (1/n) Σ NE-WER(story)

Source: Garofolo et al. 2000 (TREC spoken document retrieval); the thesis of Ben Jannet 2015, figure 2.3.
Edges: stories without entities are left out of the mean.

>>> key = {"a": {"text": "in paris", "entities": [(1, 2, "LOC")]}, "b": {"text": "no name"}}
>>> MEASURE(key, {"a": "in parish", "b": "no name"}).ne_wer
1.0
"""

from __future__ import annotations

from aune.contract.expressions import macro
from aune.tasks.speech.measures import ne_wer

MEASURE = macro(ne_wer.MEASURE, by="document", module=__name__)
