"""RIL: the relative information loss between what was said and what was recognised.

    RIL = H(Y|X) / H(Y)        H(Y|X) = − Σ p(x, y) log p(y|x)        H(Y) = − Σ p(y) log p(y)

X are the words of the key and Y those of the response, from the confusion matrix of the alignment; a word left out
meets an empty symbol, and so does one put in. A word always replaced by the same other word loses nothing.

The probabilities come from the whole corpus. Each utterance contributes the logarithms of its own pairs, so the rows
add up to the corpus, but the value of a part (a document, say) is its share under the corpus's probabilities.

Source: Miller 1955, in the thesis of Ben Jannet 2015, eqs. 2.2 to 2.5 (2.4 misprinted there: its p(x|y) is p(y|x), and
the sum is weighted by p(x, y)).
Edges: undefined when the response has only one kind of word (H(Y) = 0). No bootstrap: resampled corpora have too few
kinds of pairs, and the value would be biased.

>>> MEASURE(["a a b"], ["a a b"]).ril, MEASURE(["a a b"], ["x x y"]).ril
(0.0, 0.0)
>>> round(MEASURE(["a b a b"], ["a b b b"]).ril, 4)
0.6163
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aune.core.measure import POSITIVE, Column, Measure, ratio
from aune.tasks.speech.alignment.words import INSERTION, OPTIONAL, SUBSTITUTION, Ints, WordAlignment
from aune.tasks.speech.comparison import Comparison


class Counts(NamedTuple):
    """Sums of −log p over the pairs of each row, under the probabilities of the whole corpus."""

    conditional: Column
    response: Column


class Score(NamedTuple):
    """The share of the information that is lost."""

    ril: Column


class Pairs(NamedTuple):
    """Every step of an alignment: the row, and the words of both sides (-1 for none)."""

    row: Ints
    key: Ints
    response: Ints


def count(comparisons: Sequence[Comparison], *, alignment: WordAlignment = "levenshtein") -> list[Counts]:
    found = [_pairs(comparison, alignment) for comparison in comparisons]
    joint: Counter[tuple[str | None, str | None]] = Counter()
    for comparison, pairs in zip(comparisons, found, strict=True):
        joint.update(_named(comparison, pairs))
    keys: Counter[str | None] = Counter()
    responses: Counter[str | None] = Counter()
    for (said, given), times in joint.items():
        keys[said] += times
        responses[given] += times
    total = sum(joint.values())
    counted = []
    for comparison, pairs in zip(comparisons, found, strict=True):
        named = list(_named(comparison, pairs))
        given_key = np.array([joint[pair] / keys[pair[0]] for pair in named])
        alone = np.array([responses[pair[1]] / total for pair in named])
        sums = [comparison.per_row(pairs.row, -np.log(share)) for share in (given_key, alone)]
        counted.append(Counts(*(sum_ + 0.0 for sum_ in sums)))
    return counted


def _pairs(comparison: Comparison, kind: WordAlignment) -> Pairs:
    found = comparison.alignment(kind)
    keys, responses = found.matched
    counted = found.kind < OPTIONAL
    wrong = found.kind[counted]
    said = np.where(wrong == INSERTION, -1, np.append(found.key.codes, -1)[found.key_at[counted]])
    answered = (wrong == SUBSTITUTION) | (wrong == INSERTION)
    given = np.where(answered, np.append(found.response.codes, -1)[found.response_at[counted]], -1)
    rows = np.concatenate([comparison.word_rows(found)[keys], comparison.error_rows(found)[counted]])
    return Pairs(
        rows, np.concatenate([found.key.codes[keys], said]), np.concatenate([found.response.codes[responses], given])
    )


def _named(comparison: Comparison, pairs: Pairs) -> zip[tuple[str | None, str | None]]:
    words: list[str | None] = [*comparison.words, None]
    return zip(
        (words[code] for code in pairs.key.tolist()), (words[code] for code in pairs.response.tolist()), strict=True
    )


def score(counts: Counts) -> Score:
    return Score(ratio(counts.conditional, counts.response))


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    bootstrap=False,
    range=POSITIVE,  # of a part under the probabilities of the whole; of the whole a share
    together=True,
    undefined={"ril": "the response has fewer than two kinds of words"},
)
