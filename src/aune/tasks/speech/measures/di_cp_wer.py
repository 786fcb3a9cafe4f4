"""DI-cpWER: the word error rate of a meeting, whatever speakers the response gives to its segments.

    DI-cpWER = (S + D + I) / N      each segment of the response goes to the speaker of the key where errors are fewest

The segments of the response stay whole and in the order of their times. The difference to `cp_wer` is what wrong
speakers cost (`cp_split`).

Source: von Neumann et al. 2023. meeteval computes it by a greedy search alone; with `search` `exact` it is never more.
Edges: as `orc_wer`.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> said = Utterance("1", "a b", {"speaker": "ann"}), Utterance("2", "c d", {"speaker": "bo"})
>>> heard = Utterance("1", "a b", {"speaker": "1"}), Utterance("2", "c d", {"speaker": "1"})
>>> MEASURE([Recording("m", said)], [Recording("m", heard)]).di_cp_wer
0.0
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column
from aune.tasks.speech.alignment.utterance_assignment import Search
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate


class Score(NamedTuple):
    """The error rate and its parts."""

    di_cp_wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, search: Search = "exact") -> Errors:
    return comparison.assigned_errors("response", search)


def score(words: Errors) -> Score:
    return Score(*words.rates)


MEASURE = error_rate(count, score, "the key has no word", units="meeting_units", aliases=("dicpwer",))
