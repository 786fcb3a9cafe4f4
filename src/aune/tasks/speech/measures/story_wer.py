"""SWER: the mean of the word error rates of the stories.

    SWER = (1/n) Σ WER(story)

A story is a document: the field `document` of the utterances, or each utterance by itself when it has none. Every
story weighs the same, whatever its length.

Source: Garofolo et al. 1999 (TREC spoken document retrieval); the thesis of Ben Jannet 2015, §2.5.2.
Edges: stories without words in the key are left out of the mean. An utterance that names no story is one by
itself, with a warning.

>>> MEASURE(["one two", "one two three four"], ["one too", "one two three four"])
speech.story_wer(wer=0.2500, substitutions=0.2500, deletions=0.0000, insertions=0.0000, recognition=0.7500)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aune.contract.expressions import macro
from aune.contract.notes import Note
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures import wer


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Errors:
    note_stories(comparison)
    return wer.count(comparison, alignment=alignment)


def note_stories(comparison: Comparison) -> None:
    """Warn where utterances stand for stories, because none of them names its own."""
    named = sum("document" in key.attributes for key, _ in comparison.pairs)
    counts = {"utterances": len(comparison.pairs), "named": named}
    comparison.add_note(Note("stories", _stories_text, counts, rank=1))


def _stories_text(counts: Mapping[str, int], first: str) -> str:
    utterances, unnamed = counts["utterances"], counts["utterances"] - counts["named"]
    if not unnamed or utterances < 2:
        return ""
    which = "no utterance names" if unnamed == utterances else f"{unnamed} of {utterances} utterances do not name"
    return f"{which} the story that it is from (the field document): each is a story by itself"


MEASURE = macro(replace(wer.MEASURE, count=count), by="document", module=__name__)
