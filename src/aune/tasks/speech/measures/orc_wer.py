"""ORC-WER: the word error rate of a meeting, whoever of the response is said to speak (optimal reference combination).

    ORC-WER = (S + D + I) / N      each utterance of the key goes to the speaker of the response where errors are fewest

The utterances of the key stay whole, and in the order of their times. Mistaken speakers cost nothing, so this is about
what was recognised; `cp_wer` counts who said it, too. Utterances go together by `search`: `exact` tries every way, and
is refused for long meetings with many speakers; `greedy` moves one utterance at a time from the pairing of `cp_wer`,
and may find more errors than the fewest.

Source: Sklyar et al. 2022; the totals are meeteval's.
Edges: as `cp_wer`. Where several ways have the fewest errors, S, D and I are those of one of them.

>>> from aune.tasks.speech.model import Recording, Utterance
>>> key = [Recording("m", (Utterance("1", "a b", {"speaker": "ann"}), Utterance("2", "c", {"speaker": "ann"})))]
>>> heard = [Recording("m", (Utterance("1", "a b", {"speaker": "1"}), Utterance("2", "c", {"speaker": "2"})))]
>>> MEASURE(key, heard).orc_wer
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

    orc_wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, search: Search = "exact") -> Errors:
    return comparison.assigned_errors("key", search)


def score(words: Errors) -> Score:
    return Score(*words.rates)


MEASURE = error_rate(count, score, "the key has no word", units="meeting_units", aliases=("orcwer",))
