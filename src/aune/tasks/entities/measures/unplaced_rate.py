"""Unplaced rate: the share of what a response gives that has no place in the key's text.

    unplaced = (absent + repeated + unlike its surroundings + out of order + cut off) / given

It is 0 for a response over the key's own text. Under `--realign words`, and for entities given as strings, it says how
much of a response could not be scored on its merits: under `--unplaced count` these things are errors of precision,
under `--unplaced ignore` they are as if they had not been given.

Source: aune; GRACE (Adda et al.) reports what could not be realigned in the same spirit.
Edges: undefined where the response gives nothing.

>>> from aune.tasks.entities.model import StringEntity, make_document
>>> words = "Ann met Bob".split()
>>> key = make_document("d", [], length=3, words=words.copy)
>>> from dataclasses import replace
>>> response = replace(make_document("d", []), listed=(StringEntity("Ann", "PER"), StringEntity("Eve", "PER")))
>>> MEASURE([key], [response])
entities.unplaced_rate(unplaced=0.5000)
"""

from __future__ import annotations

import numpy as np

from aune.alignment.unplaced_rate import Counts, score, unplaced_counts
from aune.contract.measure import Measure
from aune.tasks.entities.comparison import Comparison


def count(comparison: Comparison) -> Counts:
    amounts = np.bincount(comparison.response.document, minlength=len(comparison.pairs))
    return unplaced_counts(comparison.placements, amounts)


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    units="document_units",
    undefined={"unplaced": "the response gives nothing"},
)
