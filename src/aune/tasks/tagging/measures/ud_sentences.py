"""Sentences: how well the response cuts the text into sentences.

    precision = correct / sentences of the response    recall = correct / sentences of the key
    f1 = 2 · correct / (sentences of the key + sentences of the response)

A sentence of the response is correct when the key has a sentence over the same characters.

Source: the metric Sentences of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are.
Edges: undefined without sentences (the official scorer prints 0). Texts that differ are realigned, where the official
scorer refuses them.

>>> key = {"words": ["a", "b", "c"], "tags": ["X", "X", "X"], "sentences": [0, 1, 2]}
>>> MEASURE(key, {**key, "sentences": [0, 2]})
tagging.ud_sentences(precision=0.5000, recall=0.3333, f1=0.4000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.core.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.words import Stretches, sentences_of, shared


class Counts(NamedTuple):
    """Sentences, by unit."""

    correct: Column
    key: Column
    response: Column


class Score(NamedTuple):
    """How many sentences are the same."""

    precision: Column
    recall: Column
    f1: Column


def count(comparison: Comparison) -> Counts:
    key: Stretches = sentences_of(comparison.key)
    response = sentences_of(comparison.response)
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
