"""JER: the mean over the speakers of the key of how much of their time is not shared with their partner (Jaccard).

    JER = mean of 1 − |key ∩ response| / |key ∪ response|      1 for a speaker without a partner

Every speaker counts the same, however little they say. Speakers are paired as in `der`; options as there.

Source: Ryant et al. 2019 (DIHARD II); the numbers are pyannote.metrics'.
Edges: where several pairings share as much time, pyannote.metrics takes any of them, and aune the one in which the
partners say least besides. A key without segments has no rate (undefined). The mean is over the speakers of all
meetings.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> def side(*times):
...     return [Recording("m", tuple(Utterance(who, "", {"speaker": who}, span=(a, b)) for who, a, b in times))]
>>> MEASURE(side(("ann", 0, 6), ("bo", 6, 10)), side(("1", 0, 3))).jer
0.75
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.speech.alignment.diarisation import BoundaryCollar, Overlap, SpeakerTimes, speaker_times
from aune.tasks.speech.comparison import Comparison


class Counts(NamedTuple):
    """Speakers of the key, and the sum of their errors."""

    errors: Column
    speakers: Column


class Score(NamedTuple):
    """The mean error of a speaker."""

    jer: Column


def count(comparison: Comparison, *, boundary_collar: BoundaryCollar = 0.0, overlap: Overlap = True) -> Counts:
    meetings = [_speaker_errors(speaker_times(*pair, boundary_collar, overlap)) for pair in comparison.documents]
    return Counts(*np.array(meetings, float).reshape(-1, 2).T)


def _speaker_errors(times: SpeakerTimes) -> tuple[float, int]:
    speakers = int((times.durations @ times.key > 0).sum())
    shares = 0.0
    for row, column in times.pairs:
        shared = times.durations @ (times.key[:, row] & times.response[:, column])
        either = times.durations @ (times.key[:, row] | times.response[:, column])
        shares += float(shared / either)
    return speakers - shares, speakers


def score(counts: Counts) -> Score:
    return Score(ratio(counts.errors, counts.speakers))


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    main="jer",
    units="meeting_units",
    undefined={"jer": "no segment of the key has a time"},
    aliases=("jaccard_error_rate",),
)
