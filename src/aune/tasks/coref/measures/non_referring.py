"""Non-referring expressions: those that look like mentions and denote nothing (expletives, predicates, idioms).

    recall = non-referring expressions that both sides have / those of the key,    precision = the same / the response's

Formats mark them with the feature `referring` (`no`); they belong to no chain, and the other measures leave them out.

Source: Poesio et al. 2018 (CRAC), as in the Universal Anaphora scorer.
Edges: expressions are the same when they have the same tokens. None on a side is `undefined`.

>>> MEASURE([{1, 2}], [{1, 2}])
coref.non_referring(recall=0.0000, precision=0.0000, f1=0.0000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.matches import mention_tokens
from aune.tasks.coref.mentions.preparation import is_referring
from aune.tasks.coref.model import Document, check_places


class Counts(NamedTuple):
    """Non-referring expressions, by document."""

    common: Column
    key: Column
    response: Column


def count(comparison: Comparison) -> Counts:
    rows = [_count_pair(*pair) for pair in comparison.unfiltered_pairs]
    return Counts(*np.asarray(rows, np.int64).reshape(-1, 3).T)


def _count_pair(key: Document, response: Document) -> tuple[int, int, int]:
    key_expressions, response_expressions = _expressions(key), _expressions(response)
    return len(key_expressions & response_expressions), len(key_expressions), len(response_expressions)


def _expressions(document: Document) -> set[frozenset[int]]:
    """The tokens of each non-referring expression."""
    check_places(document)
    return {mention_tokens(document, mention) for mention in np.flatnonzero(~is_referring(document)).tolist()}


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined)


MEASURE = Measure(count, score)
