"""SWER: the mean of the word error rates of the stories.

    SWER = (1/n) Σ WER(story)

A story is a document: the field `document` of the utterances, or each utterance by itself when it has none. Every
story weighs the same, whatever its length.

Source: Garofolo et al. 1999 (TREC spoken document retrieval); the thesis of Ben Jannet 2015, §2.5.2.
Edges: stories without words in the key are left out of the mean.

>>> MEASURE(["one two", "one two three four"], ["one too", "one two three four"])
speech.story_wer(wer=0.2500, substitutions=0.2500, deletions=0.0000, insertions=0.0000, recognition=0.7500)
"""

from __future__ import annotations

from aune.contract.expressions import macro
from aune.tasks.speech.measures import wer

MEASURE = macro(wer.MEASURE, by="document", module=__name__)
