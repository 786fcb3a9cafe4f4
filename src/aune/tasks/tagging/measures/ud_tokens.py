"""Tokens: how well the response cuts the text into tokens.

    precision = correct / tokens of the response    recall = correct / tokens of the key
    f1 = 2 · correct / (tokens of the key + tokens of the response)

A token of the response is correct when the key has a token over the same characters. A multiword token (`du`) is one
token, however many words it stands for.

Source: the metric Tokens of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are.
Edges: undefined without tokens (the official scorer prints 0). Texts that differ are realigned, where the official
scorer refuses them.

>>> MEASURE([("a", "X"), ("b", "X"), ("c", "X")], [("a", "X"), ("bc", "X")])
tagging.ud_tokens(precision=0.5000, recall=0.3333, f1=0.4000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.core.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.words import Stretches, shared, tokens_of


class Counts(NamedTuple):
    """Tokens, by unit."""

    correct: Column
    key: Column
    response: Column


class Score(NamedTuple):
    """How many tokens are the same."""

    precision: Column
    recall: Column
    f1: Column


def count(comparison: Comparison) -> Counts:
    key: Stretches = tokens_of(comparison.key)
    response = tokens_of(comparison.response)
    unit = comparison.key_unit
    return Counts(
        comparison.per_unit(unit[key.word[shared(key, response)]]),
        comparison.per_unit(unit[key.word]),
        comparison.per_unit(comparison.response_unit[response.word]),
    )


def score(found: Counts) -> Score:
    correct, key, response = found
    return Score(ratio(correct, response), ratio(correct, key), ratio(2 * correct, key + response))


MEASURE = Measure(count, score)
