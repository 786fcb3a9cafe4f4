"""cpWER: the word error rate of a meeting, whatever the response calls its speakers.

    cpWER = (S + D + I) / N      with the speakers of both sides paired so that the errors are fewest

The words of each speaker are put one after the other in the order of the segments. A speaker of the key without a
partner is all deletions, one of the response all insertions. A meeting is a document with segments of several speakers:
SegLST read with `--group meeting`, or stm on both sides. A document without speakers is one speaker.

Source: Watanabe et al. 2020 (CHiME-6); the totals are meeteval's.
Edges: as `wer`. Where several alignments have the fewest errors, S, D and I are those of `wer`; where several pairings
of speakers have, those with the fewest substitutions.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> said = Utterance("1", "good morning", {"speaker": "ann"}), Utterance("2", "hi", {"speaker": "bo"})
>>> given = Utterance("1", "hi", {"speaker": "1"}), Utterance("2", "good mourning", {"speaker": "2"})
>>> MEASURE([Recording("m", said)], [Recording("m", given)]).cp_wer
0.3333333333333333
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.tasks.speech.alignment.meetings import Distance, untimed_errors
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate


class Score(NamedTuple):
    """The error rate and its parts."""

    cp_wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison) -> Errors:
    return meeting_errors(comparison, "untimed", untimed_errors)


def meeting_errors(comparison: Comparison, name: str, distance: Distance) -> Errors:
    """The errors of each meeting when its speakers are paired for the fewest errors under a distance."""
    pairs = comparison.meetings(name, distance)
    names = ("words", "substitutions", "deletions", "insertions")
    table = [[float(sum(getattr(pair, name) for pair in meeting)) for name in names] for meeting in pairs]
    words, substitutions, deletions, insertions = np.array(table).reshape(-1, 4).T
    return Errors(words - substitutions - deletions, substitutions, deletions, insertions)


def score(words: Errors) -> Score:
    return Score(*words.rates)


def details(comparisons: Sequence[Comparison]) -> Any:
    """Who answers whom in each meeting, with the errors between them."""
    return [
        {"document": document, "speakers": [pair._asdict() for pair in meeting]}
        for comparison in comparisons
        for document, meeting in zip(
            comparison.meeting_units["document"], comparison.meetings("untimed", untimed_errors), strict=True
        )
    ]


MEASURE = error_rate(count, score, "the key has no word", details=details, units="meeting_units", aliases=("cpwer",))
