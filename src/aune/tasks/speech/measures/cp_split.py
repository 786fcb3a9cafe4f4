"""cpWER in two parts: errors of recognition, and errors of who spoke.

    cpWER = recognition + attribution
    recognition = DI-cpWER                  what is wrong whatever speakers the response gives to its segments
    attribution = cpWER − DI-cpWER          what its speakers make worse

Source: von Neumann et al. 2023 (meeteval).
Edges: as `cp_wer` and `di_cp_wer`. With `search` `greedy` recognition may be too large; it is never more than cpWER.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> said = Utterance("1", "a b", {"speaker": "ann"}), Utterance("2", "c d", {"speaker": "bo"})
>>> heard = Utterance("1", "a b", {"speaker": "1"}), Utterance("2", "c x", {"speaker": "1"})
>>> MEASURE([Recording("m", said)], [Recording("m", heard)])
speech.cp_split(cp_wer=1.0000, recognition=0.2500, attribution=0.7500)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.tasks.speech.alignment.utterance_assignment import Search
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures import cp_wer


class Counts(NamedTuple):
    """The words of the key, and errors with and without those of speakers."""

    words: Column
    errors: Column
    recognition_errors: Column


class Score(NamedTuple):
    """The error rate and its two parts."""

    cp_wer: Column
    recognition: Column
    attribution: Column


def count(comparison: Comparison, *, search: Search = "exact") -> Counts:
    together = cp_wer.count(comparison)
    recognition = comparison.assigned_errors("response", search)
    return Counts(together.key_size, together.wrong, np.minimum(recognition.wrong, together.wrong))


def score(counts: Counts) -> Score:
    attribution = counts.errors - counts.recognition_errors
    parts = (counts.errors, counts.recognition_errors, attribution)
    return Score(*(ratio(part, counts.words) for part in parts))


VALUES = ("cp_wer", "recognition", "attribution")
MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    range=dict.fromkeys(VALUES, NON_NEGATIVE),
    main="cp_wer",
    units="meeting_units",
    undefined=dict.fromkeys(VALUES, "the key has no word"),
)
