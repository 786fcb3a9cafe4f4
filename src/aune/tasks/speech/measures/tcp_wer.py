"""tcpWER: the word error rate of a meeting in which words answer each other only when said at about the same time.

    tcpWER = (S + D + I) / N      as cpWER, with an alignment that keeps to the times of the words, but for a collar

A word of the key and one of the response can be aligned when the time of the first overlaps the middle of the second
plus and minus `collar` seconds. Where only segments have times, their words share it by their letters.

Source: von Neumann et al. 2023; the totals are meeteval's, with its usual word times (`character_based`).
Edges: as `cp_wer`. Of the alignments with the fewest errors, the one with the fewest substitutions. Words without any
time may answer any word.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> key = [Recording("m", (Utterance("1", "yes", {"speaker": "ann"}, span=(0.0, 1.0)),))]
>>> late = [Recording("m", (Utterance("1", "yes", {"speaker": "1"}, span=(60.0, 61.0)),))]
>>> MEASURE(key, late).tcp_wer
2.0
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from aune.contract.measure import Column
from aune.contract.options import Range
from aune.tasks.speech.alignment.meetings import time_constrained
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures import cp_wer
from aune.tasks.speech.rates import error_rate

Collar = Annotated[float, "the seconds by which the time of a word may be off", Range(0, 3600)]


class Score(NamedTuple):
    """The error rate and its parts."""

    tcp_wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, collar: Collar = 5.0) -> Errors:
    return cp_wer.meeting_errors(comparison, f"collar {collar}", time_constrained(collar))


def score(words: Errors) -> Score:
    return Score(*words.rates)


MEASURE = error_rate(count, score, "the key has no word", units="meeting_units", aliases=("tcpwer",))
