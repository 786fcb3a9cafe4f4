"""tcORC-WER: ORC-WER in which words answer each other only when they were said at about the same time.

    tcORC-WER = (S + D + I) / N      as ORC-WER, with an alignment that keeps to the times of words, but for a collar

Source: von Neumann et al. 2023; the totals are meeteval's, with its usual word times.
Edges: as `orc_wer`; times as `tcp_wer`.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> key = [Recording("m", (Utterance("1", "yes", {"speaker": "ann"}, span=(0.0, 1.0)),))]
>>> late = [Recording("m", (Utterance("1", "yes", {"speaker": "1"}, span=(60.0, 61.0)),))]
>>> MEASURE(key, late).tcorc_wer
2.0
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column
from aune.tasks.speech.alignment.utterance_assignment import Search
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures.tcp_wer import Collar
from aune.tasks.speech.rates import error_rate


class Score(NamedTuple):
    """The error rate and its parts."""

    tcorc_wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, collar: Collar = 5.0, search: Search = "exact") -> Errors:
    return comparison.assigned_errors("key", search, collar)


def score(words: Errors) -> Score:
    return Score(*words.rates)


MEASURE = error_rate(count, score, "the key has no word", units="meeting_units", aliases=("tcorcwer",))
