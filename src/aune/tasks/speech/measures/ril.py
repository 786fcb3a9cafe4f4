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

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.numeric.arrays import Ints
from aune.tasks.speech.alignment.words import INSERTION, OPTIONAL, SUBSTITUTION, WordAlignment
from aune.tasks.speech.comparison import Comparison


class Counts(NamedTuple):
    """Sums of −log p over the pairs of each row, under the probabilities of the whole corpus."""

    conditional: Column
    response: Column


class Score(NamedTuple):
    """The share of the information that is lost."""

    ril: Column


class Pairs(NamedTuple):
    """Every step of the alignments of a chunk: its row and its pair of words, as numbers into lists."""

    rows: int
    row: Ints
    pair: Ints
    key: tuple[str | None, ...]
    """The key's word of each pair; None for nothing."""
    response: tuple[str | None, ...]


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Pairs:
    word_alignment = comparison.alignment(alignment)
    keys, responses = word_alignment.correct_places
    is_error = word_alignment.kind < OPTIONAL
    wrong = word_alignment.kind[is_error]
    key_codes = np.where(
        wrong == INSERTION, -1, np.append(word_alignment.key.codes, -1)[word_alignment.key_at[is_error]]
    )
    has_response = (wrong == SUBSTITUTION) | (wrong == INSERTION)
    response_codes = np.where(
        has_response, np.append(word_alignment.response.codes, -1)[word_alignment.response_at[is_error]], -1
    )
    rows = np.concatenate([comparison.word_rows(word_alignment)[keys], comparison.error_rows(word_alignment)[is_error]])
    words: list[str | None] = [*comparison.words, None]  # the last one is the empty symbol, number -1
    left, right = (
        np.append(word_alignment.key.codes[keys], key_codes),
        np.append(word_alignment.response.codes[responses], response_codes),
    )
    codes, pair = np.unique((left + 1) * len(words) + right + 1, return_inverse=True)
    names = (tuple(words[code - 1] for code in side.tolist()) for side in np.divmod(codes, len(words)))
    return Pairs(comparison.rows, rows, pair, *names)


def settle(chunks: Sequence[Pairs]) -> list[Counts]:
    """The counts of each chunk, under the probabilities of all."""
    joint: Counter[tuple[str | None, str | None]] = Counter()
    for chunk in chunks:
        times = np.bincount(chunk.pair, minlength=len(chunk.key)).tolist()
        joint.update(dict(zip(zip(chunk.key, chunk.response, strict=True), times, strict=True)))
    keys: Counter[str | None] = Counter()
    responses: Counter[str | None] = Counter()
    for (key_word, response_word), times in joint.items():
        keys[key_word] += times
        responses[response_word] += times
    total = sum(joint.values())
    return [_chunk_counts(chunk, joint, keys, responses, total) for chunk in chunks]


def _chunk_counts(
    chunk: Pairs, joint: Counter[tuple[str | None, str | None]], keys: Counter[str | None],
    responses: Counter[str | None], total: int,
) -> Counts:  # fmt: skip
    named = list(zip(chunk.key, chunk.response, strict=True))
    given_key = np.array([joint[pair] / keys[pair[0]] for pair in named])
    alone = np.array([responses[pair[1]] / total for pair in named])
    return Counts(*(_row_sums(chunk, -np.log(share)) + 0.0 for share in (given_key, alone)))


def _row_sums(chunk: Pairs, loss: Column) -> Column:
    """The losses of each row, added in the order of their sizes: the same however the corpus was cut."""
    losses = loss[chunk.pair]
    order = np.lexsort((losses, chunk.row))
    return np.bincount(chunk.row[order], losses[order], chunk.rows)


def score(counts: Counts) -> Score:
    return Score(ratio(counts.conditional, counts.response))


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    bootstrap=False,
    range=NON_NEGATIVE,  # of a part under the probabilities of the whole; of the whole a share
    settle=settle,
    undefined={"ril": "the response has fewer than two kinds of words"},
)
