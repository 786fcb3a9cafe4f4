"""Precision, recall and F by tag.

Recall is the share of a tag's words in the key that the response tags right, precision the share of the words that the
response gives a tag where it is right:

    recall = right / key words with the tag     precision = right / response words with the tag
    f1 = 2 · recall · precision / (recall + precision)

Over all tags it says how well words and tags are found together; `--by tag` gives each tag its own line, and
`macro(f_measure, by=tag)` weighs all tags alike. A response word with several tags is never right and stands under
`several`, one without a tag under `none`. In a relative evaluation the tags are the entries of the response's table.
The details hold the confusion of tags.

Source: van Rijsbergen 1979, per class.
Edges: undefined for a tag that one side does not have. A key word that accepts several tags stands under all of them
joined by `|`; the response's word stands under its own tag.

>>> key, response = [("le", "D"), ("chat", "N"), ("dort", "V")], [("le", "D"), ("chat", "V"), ("dort", "V")]
>>> MEASURE(key, response).by("tag")["V"]
{'recall': 1.0, 'precision': 0.5, 'f1': 0.6666666666666666}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, two_ratios
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.grace.readings import NONE


class Counts(NamedTuple):
    """Words, by unit: those of the key under its tags, those of the response under its own."""

    right_in_key: Column
    key: Column
    right_in_response: Column
    response: Column


def count(comparison: Comparison) -> Counts:
    alternatives, correct = comparison.key_outcomes()
    right = (alternatives == 1) & (correct == 1)
    tagged_key, tagged_response = _has_tag(comparison)
    covered = np.unique(comparison.key_partner[right])
    return Counts(
        comparison.per_unit(comparison.key_unit[right]),
        comparison.per_unit(comparison.key_unit[tagged_key]),
        comparison.per_unit(comparison.response_unit[covered]),
        comparison.per_unit(comparison.response_unit[tagged_response]),
    )


def score(words: Counts) -> RecallPrecision:
    return two_ratios(*words)


def _has_tag(comparison: Comparison) -> tuple[Column, Column]:
    """The words that have a tag, on both sides."""
    none = comparison.labels.index(NONE)
    return comparison.key_label != none, comparison.response_label != none


def details(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """How often each key tag met each response tag, on words that both sides have."""
    confusion: Counter[tuple[str, str]] = Counter()
    for comparison in comparisons:
        has_partner = comparison.key_partner >= 0
        size = len(comparison.labels)
        pairs = (
            comparison.key_label[has_partner] * size + comparison.response_label[comparison.key_partner[has_partner]]
        )
        distinct, counts = np.unique(pairs, return_counts=True)
        for pair, number in zip(distinct.tolist(), counts.tolist(), strict=True):
            confusion[comparison.labels[pair // size], comparison.labels[pair % size]] += number
    table: dict[str, dict[str, int]] = {}
    for (key, response), number in sorted(confusion.items()):
        table.setdefault(key, {})[response] = number
    return {"confusion": table}


MEASURE = Measure(count, score, details=details, aliases=("f1", "prf"))
