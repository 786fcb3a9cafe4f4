"""Compounds: adjacent words of one side that give one word of the other side when joined are right.

*white paper* and *whitepaper* are equal, and so are *a b c d* and *abcd*; but *ab c* and *a bc* are not, since no
word of one side consists of words of the other. The alignment decides which compounds to use: a compound costs nothing,
and no text is changed. The key keeps its number of words: the first of several words corresponds to the joined one,
and the others are neither wrong nor unanswered.

Source: the option `merge_compounds` of kaldialign, whose totals these are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.process import cdist

from aune.errors import UsageError
from aune.numeric.arrays import Ints
from aune.tasks.speech.alignment.words import (
    CLOSENESS,
    DELETION,
    INSERTION,
    JOINED,
    LETTER_DISTANCE,
    MAX_LETTERS,
    MOST_CELLS,
    OPTIONAL,
    SUBSTITUTION,
    Alignment,
    AlignmentKind,
)


class Compound(NamedTuple):
    """Words of one side, from `start` to before `end`, that equal the word at `place` of the other when joined."""

    start: int
    end: int
    place: int


class Weights(NamedTuple):
    """The costs of errors."""

    gap: int
    substitution: Callable[[int], Any]
    """The cost of replacing a word of the key, for each word of the response or for all."""


class CompoundStep(NamedTuple):
    """A step of the alignment that is no match, with its positions within its utterance."""

    kind: int
    key: int
    response: int


def join_compounds(alignment: Alignment, kind: AlignmentKind, words: Sequence[str]) -> Alignment:
    """An alignment in which compounds are no errors; `kind` names its method, and `words` are the words by number."""
    steps: dict[int, list[CompoundStep]] = {}
    for unit in np.unique(alignment.unit).tolist():
        key, response = (
            side.codes[side.starts[unit] : side.starts[unit + 1]] for side in (alignment.key, alignment.response)
        )
        texts = [words[code] for code in key.tolist()], [words[code] for code in response.tolist()]
        compounds = find_compounds(*texts), find_compounds(texts[1], texts[0])
        if any(compounds):
            if len(key) * len(response) > MOST_CELLS:
                raise UsageError(
                    f"found {len(key):,} words in one utterance, and {len(response):,} in the response to it, expected "
                    "fewer: cut it at pauses, or leave out --compounds"
                )
            steps[unit] = _align(key, response, *compounds, _weights(kind, *texts))
    return _replace_units(alignment, steps) if steps else alignment


def find_compounds(words: Sequence[str], others: Sequence[str]) -> list[Compound]:
    """Runs of two or more words that equal one of the others when joined.

    >>> find_compounds(["a", "white", "paper"], ["whitepaper", "paper"])
    [Compound(start=1, end=3, place=0)]
    """
    joined = "".join(words)
    candidates = [(place, other) for place, other in enumerate(others) if len(other) > 1 and other in joined]
    if not candidates:
        return []
    begins = {offset: number for number, offset in enumerate(accumulate(map(len, words), initial=0))}
    spans: dict[str, list[tuple[int, int]]] = {}
    compounds = []
    for place, other in candidates:
        if other not in spans:
            spans[other] = list(_spans(joined, other, begins))
        compounds += [Compound(start, end, place) for start, end in spans[other]]
    return compounds


def _spans(joined: str, word: str, begins: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The positions where two or more words equal a word when joined."""
    offset = joined.find(word)
    while offset >= 0:
        start, end = begins.get(offset), begins.get(offset + len(word))
        if start is not None and end is not None and end - start > 1:
            yield start, end
        offset = joined.find(word, offset + 1)


def _weights(kind: AlignmentKind, key: Sequence[str], response: Sequence[str]) -> Weights:
    """The weights of an alignment method."""
    if kind == "levenshtein":
        return Weights(1, lambda place: 1)
    if kind == "sclite":
        return Weights(3, lambda place: 4)
    gap = CLOSENESS * (min(len(key), len(response)) + 1) + 1
    letters = [word[:MAX_LETTERS].lower() for word in response]

    def substitution(place: int) -> Any:
        distances = cdist([key[place][:MAX_LETTERS].lower()], letters, **LETTER_DISTANCE)[0]
        return gap + distances.astype(np.int64)

    return Weights(gap, substitution)


def _align(
    key: Ints, response: Ints, of_key: Sequence[Compound], of_response: Sequence[Compound], weights: Weights
) -> list[CompoundStep]:
    """The best alignment of two texts in which compounds cost nothing, computed row by row of the key."""
    by_row: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for start, end, place in of_key:
        by_row[end].append((start, place, place + 1))
    for start, end, place in of_response:
        by_row[place + 1].append((place, start, end))
    first_rows = {first for cells in by_row.values() for first, _, _ in cells}
    insertions = np.arange(len(response) + 1, dtype=np.int64) * weights.gap
    row = insertions.copy()
    rows = {0: row}
    paired, inserted = [], []
    jumps: dict[tuple[int, int], tuple[int, int]] = {}
    for place in range(len(key)):
        pair = row[:-1] + np.where(response == key[place], 0, weights.substitution(place))
        best = row + weights.gap
        np.minimum(best[1:], pair, out=best[1:])
        for first, start, end in by_row.get(place + 1, ()):
            best[end] = min(best[end], rows[first][start])
        row = np.minimum.accumulate(best - insertions) + insertions
        for first, start, end in by_row.get(place + 1, ()):
            if row[end] == rows[first][start]:
                jumps[place + 1, end] = first, start
        paired.append(np.packbits(pair == row[1:]))
        inserted.append(np.packbits(row[1:] == row[:-1] + weights.gap))
        if place + 1 in first_rows:
            rows[place + 1] = row
    return _trace_back(key.tolist(), response.tolist(), paired, inserted, jumps)


def _trace_back(
    key: Sequence[int],
    response: Sequence[int],
    paired: Sequence[Any],
    inserted: Sequence[Any],
    jumps: dict[tuple[int, int], tuple[int, int]],
) -> list[CompoundStep]:
    """The steps of the alignment, traced back from the end."""
    steps: list[CompoundStep] = []
    i, j = len(key), len(response)
    while i or j:
        is_pair = i > 0 and j > 0 and _bit(paired[i - 1], j - 1)
        if is_pair and key[i - 1] == response[j - 1]:
            i, j = i - 1, j - 1
        elif (i, j) in jumps:
            first, start = jumps[i, j]
            steps += [CompoundStep(OPTIONAL, place, j) for place in range(first + 1, i)] if j - start == 1 else []
            steps += [CompoundStep(JOINED, i, place) for place in range(start + 1, j)] if i - first == 1 else []
            i, j = first, start
        elif is_pair:
            i, j = i - 1, j - 1
            steps.append(CompoundStep(SUBSTITUTION, i, j))
        elif j and (not i or _bit(inserted[i - 1], j - 1)):
            j -= 1
            steps.append(CompoundStep(INSERTION, i, j))
        else:
            i -= 1
            steps.append(CompoundStep(DELETION, i, j))
    return steps


def _bit(bits: Any, place: int) -> bool:
    return bool(bits[place >> 3] >> (7 - (place & 7)) & 1)


def _replace_units(alignment: Alignment, steps: dict[int, list[CompoundStep]]) -> Alignment:
    """The alignment with other steps for some utterances, in order."""
    stays = ~np.isin(alignment.unit, list(steps))
    columns = [(unit, *step) for unit, unit_steps in steps.items() for step in unit_steps]
    extra = np.array(columns, np.int64).reshape(-1, 4)
    unit = np.concatenate([alignment.unit[stays], extra[:, 0]])
    kind = np.concatenate([alignment.kind[stays], extra[:, 1]])
    key_at = np.concatenate([alignment.key_at[stays], extra[:, 2] + alignment.key.starts[extra[:, 0]]])
    response_at = np.concatenate([alignment.response_at[stays], extra[:, 3] + alignment.response.starts[extra[:, 0]]])
    order = np.lexsort((response_at, key_at, unit))
    return Alignment(alignment.key, alignment.response, unit[order], kind[order], key_at[order], response_at[order])
