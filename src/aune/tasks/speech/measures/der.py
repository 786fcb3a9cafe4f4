"""DER: how much of the time of speech is given to no speaker, to too many, or to a wrong one (diarisation error rate).

    DER = (missed + false alarm + confusion) / time of the speakers of the key

Speakers of both sides are paired one to one so that the time in which both speak is longest. Where m speakers of the
key speak and n of the response, max(m − n, 0) are missed, max(n − m, 0) are false alarms, and those of the others that
are not paired with each other are confused. Segments come from files with times and speakers, such as rttm.

`collar` leaves out so many seconds on each side of where segments of the key begin and end (NIST: 0.25); `overlap` no
leaves out where several of its speakers speak.

Source: NIST, Rich Transcription 2009 evaluation plan; the numbers are pyannote.metrics', whose collar is twice ours.
Edges: a key without segments has no rate (undefined). What a speaker says at the same time twice counts once.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> def side(*times):
...     return [Recording("m", tuple(Utterance(who, "", {"speaker": who}, span=(a, b)) for who, a, b in times))]
>>> MEASURE(side(("ann", 0, 6), ("bo", 6, 10)), side(("1", 0, 5), ("2", 5, 9)))
speech.der(der=0.2000, missed=0.1000, false_alarm=0.0000, confusion=0.1000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.tasks.speech.alignment.diarisation import SECOND, BoundaryCollar, Overlap, SpeakerTimes, speaker_times
from aune.tasks.speech.comparison import Comparison


class Counts(NamedTuple):
    """Seconds of speech."""

    speech: Column
    missed: Column
    false_alarm: Column
    confusion: Column


class Score(NamedTuple):
    """The error rate and its parts."""

    der: Column
    missed: Column
    false_alarm: Column
    confusion: Column


def count(comparison: Comparison, *, boundary_collar: BoundaryCollar = 0.0, overlap: Overlap = True) -> Counts:
    meetings = [_seconds(speaker_times(*pair, boundary_collar, overlap)) for pair in comparison.documents]
    return Counts(*np.array(meetings, float).reshape(-1, 4).T)


def _seconds(times: SpeakerTimes) -> tuple[float, ...]:
    keys, responses = times.key.sum(1), times.response.sum(1)
    correct = sum((times.key[:, row] * times.response[:, column] for row, column in times.pairs), np.zeros_like(keys))
    stretches = (
        keys,
        np.maximum(keys - responses, 0),
        np.maximum(responses - keys, 0),
        np.minimum(keys, responses) - correct,
    )
    return tuple(int(number @ times.durations) / SECOND for number in stretches)


def score(counts: Counts) -> Score:
    wrong = counts.missed + counts.false_alarm + counts.confusion
    parts = (wrong, counts.missed, counts.false_alarm, counts.confusion)
    return Score(*(ratio(part, counts.speech) for part in parts))


VALUES = ("der", "missed", "false_alarm", "confusion")
MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    range={"der": NON_NEGATIVE, "false_alarm": NON_NEGATIVE},
    main="der",
    units="meeting_units",
    undefined=dict.fromkeys(VALUES, "no segment of the key has a time"),
    aliases=("diarisation_error_rate",),
)
