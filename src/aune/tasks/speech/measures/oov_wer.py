"""The error rate on words that the recogniser could not know: out of its vocabulary (OOV).

    OOV WER = (S + D) / N      over the words of the key that are not in the vocabulary

Beside it the rate on all other words, with all insertions, since nobody can say which word an insertion belongs to.
`vocabulary` is a file with a word on each line (what follows a blank, as in a pronunciation dictionary, is not looked
at). The counts say how many words are out of it.

Source: the evaluations of the WSJ/NAB task (Pallett et al. 1995), in the thesis of Ben Jannet 2015, §2.3.3.
Edges: without a vocabulary every word is in it, and the rate is undefined. Words are looked up in small letters.

>>> MEASURE(["the monro company"], ["the monroe company"]).oov_wer is None
True
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.contract.options import NO_FILE, OptionFile, cache_while_unchanged
from aune.errors import UsageError
from aune.files import read_text
from aune.tasks.speech.alignment.words import INSERTION, OPTIONAL, WordAlignment
from aune.tasks.speech.comparison import Comparison

Vocabulary = Annotated[OptionFile, "the words that the recogniser knows, one on each line"]


class Counts(NamedTuple):
    """Words of the key in and out of the vocabulary, and the errors on them."""

    unknown: Column
    unknown_wrong: Column
    known: Column
    known_wrong: Column
    """Insertions too."""


class Score(NamedTuple):
    """The two rates."""

    oov_wer: Column
    known_wer: Column


def count(comparison: Comparison, *, vocabulary: Vocabulary = NO_FILE, alignment: WordAlignment = "similar") -> Counts:
    word_alignment = comparison.alignment(alignment)
    words = known_words(vocabulary) if vocabulary else None
    unknown = np.array([words is not None and word.lower() not in words for word in comparison.words] or [False])
    key_unknown = unknown[word_alignment.key.codes]
    rows, errors = comparison.word_rows(word_alignment), comparison.error_rows(word_alignment)
    wrong = word_alignment.kind < OPTIONAL
    of_unknown = wrong & (word_alignment.kind != INSERTION) & np.append(key_unknown, False)[word_alignment.key_at]
    return Counts(
        comparison.per_row(rows[key_unknown]),
        comparison.per_row(errors[of_unknown]),
        comparison.per_row(rows[~key_unknown]),
        comparison.per_row(errors[wrong & ~of_unknown]),
    )


@cache_while_unchanged
def known_words(path: str) -> frozenset[str]:
    """The words of a vocabulary."""
    try:
        lines = read_text(path).lower().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--vocabulary {path}: expected a file with a word on each line ({error})") from None
    return frozenset(line.split()[0] for line in lines if line.strip())


def score(counts: Counts) -> Score:
    return Score(
        ratio(counts.unknown_wrong, counts.unknown),
        ratio(counts.known_wrong, counts.known),
    )


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    range={"known_wer": NON_NEGATIVE},
    main="oov_wer",
    undefined={
        "oov_wer": "no word of the key is out of the vocabulary",
        "known_wer": "no word of the key is in the vocabulary",
    },
)
