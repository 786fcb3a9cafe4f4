"""Align words of the response with words of the key.

Three alignments with different criteria:

- `levenshtein`: the fewest errors; ties are broken as in RapidFuzz (and so jiwer), identically on every run;
- `sclite`: NIST's weights, 3 for an insertion or a deletion and 4 for a substitution; on ties a substitution rather
  than an insertion rather than a deletion, from the end of the utterance;
- `similar`: the fewest errors, and among such alignments the one whose substituted words are closest in letters.

An alignment stores only its errors: everything else is correct, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist, cpdist

from aune.errors import UsageError
from aune.numeric.arrays import Ints, Numbering

AlignmentKind: TypeAlias = Literal["levenshtein", "sclite", "similar"]
ALIGNMENT_HELP = (
    "how words are aligned: by fewest errors (levenshtein), NIST's weights (sclite), or closeness too (similar)"
)
WordAlignment: TypeAlias = Annotated[AlignmentKind, ALIGNMENT_HELP]

SUBSTITUTION, DELETION, INSERTION, OPTIONAL, ALLOWED, JOINED = range(6)
"""The last three are no errors: an optional word that is left out, on the side of the key or of the response, and a
word of the response that equals one key word when joined with those before it (in the key these are optional)."""
TAGS = {"replace": SUBSTITUTION, "delete": DELETION, "insert": INSERTION}
CLOSENESS = 1000  # steps between two equal words and two words without common letters
BATCH_CELLS = 60_000  # per row of a batch, about what stays in the cache
MAX_LETTERS = 200  # of a word that are compared: a longer string is no word
MOST_CELLS = 1_000_000_000  # per utterance: ten seconds, and a quarter of a gigabyte
MOST_PAIRS = 4_000_000  # cells of a batch whose word distances are computed one by one


class EncodedWords:
    """The words of many utterances, one after the other, as numbers; the numbers are computed on demand."""

    def __init__(self, starts: Ints, codes: Ints | Callable[[], Ints]) -> None:
        self.starts = starts
        """The index of the first word of each utterance, followed by the end of the last one."""
        self._codes = codes

    @cached_property
    def codes(self) -> Ints:
        return self._codes() if callable(self._codes) else self._codes

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    @property
    def size(self) -> int:
        return int(self.starts[-1])


@dataclass(frozen=True)
class Alignment:
    """The errors of many utterances, in order, and the wordings to which they refer."""

    key: EncodedWords
    response: EncodedWords
    unit: Ints
    """(errors,): the number of the utterance."""
    kind: Ints
    key_at: Ints
    """(errors,): the index of the key's word among all words; for an insertion, of the word after it."""
    response_at: Ints
    """(errors,): the index of the response's word among all words; for a deletion, of the word after it."""

    @cached_property
    def correct_places(self) -> tuple[Ints, Ints]:
        """The indices of the correct words, on both sides."""
        right_key = np.ones(self.key.size, bool)
        right_key[self.key_at[np.isin(self.kind, (SUBSTITUTION, DELETION, OPTIONAL))]] = False
        right_response = np.ones(self.response.size, bool)
        right_response[self.response_at[np.isin(self.kind, (SUBSTITUTION, INSERTION, ALLOWED, JOINED))]] = False
        return np.flatnonzero(right_key), np.flatnonzero(right_response)

    @cached_property
    def answers(self) -> Ints:
        """(key words,): the index of the response's aligned word, right or wrong, or -1."""
        places = np.full(self.key.size, -1)
        keys, responses = self.correct_places
        places[keys] = responses
        wrong = self.kind == SUBSTITUTION
        places[self.key_at[wrong]] = self.response_at[wrong]
        return places


class UtteranceErrors(NamedTuple):
    """The errors of one utterance, with positions within it."""

    kind: list[int]
    key: list[int]
    response: list[int]


BOUNDARY = "\0"  # the separator of utterances in a joined text


def encode_texts(texts: Sequence[str | Sequence[str]], numbers: Numbering[str]) -> EncodedWords:
    """The words of utterances as numbers."""
    if all(map(str.__instancecheck__, texts)) and not any(BOUNDARY in text for text in texts):
        words = f" {BOUNDARY} ".join(texts).split()  # type: ignore[arg-type] # a single split
        bound = numbers[BOUNDARY]
        codes = numbers.codes(words, len(words))
        bounds = np.flatnonzero(codes == bound)
        ends = np.append(bounds - np.arange(len(bounds)), len(codes) - len(bounds))
        return EncodedWords(np.append(0, ends[: len(texts)]), np.delete(codes, bounds))
    lists = [text.split() if isinstance(text, str) else text for text in texts]
    starts = np.concatenate([[0], np.cumsum([len(words) for words in lists])]).astype(np.int64)
    every = (word for words in lists for word in words)
    return EncodedWords(starts, numbers.codes(every, int(starts[-1])))


def word_strings(words: EncodedWords) -> list[Any]:
    """Each utterance as a string with one character per word, for RapidFuzz; as a list if characters run out."""
    bounds = words.starts.tolist()
    codes = words.codes + 0x800 * (words.codes >= 0xD800)  # D800 to DFFF are not characters
    if len(codes) and codes.max() > 0x10FFFF:
        numbers = words.codes.tolist()
        return [numbers[start:end] for start, end in pairwise(bounds)]
    text = codes.astype("<u4").tobytes().decode("utf-32-le")
    return [text[start:end] for start, end in pairwise(bounds)]


def align_words(kind: AlignmentKind, key: EncodedWords, response: EncodedWords, words: Sequence[str]) -> Alignment:
    """The alignment of each utterance of the key with the response's utterance of the same number."""
    keys, responses = word_strings(key), word_strings(response)
    if kind == "levenshtein":
        return _levenshtein_alignment(edit_steps(keys, responses), key, response)
    different = [unit for unit, (a, b) in enumerate(zip(keys, responses, strict=True)) if a != b]
    ends = [_common_end(keys[unit], responses[unit]) for unit in different]
    begins = [
        _common_start(keys[unit], responses[unit], end) if kind == "similar" else 0
        for unit, end in zip(different, ends, strict=True)
    ]
    cores = [
        (keys[unit][begin : len(keys[unit]) - end], responses[unit][begin : len(responses[unit]) - end])
        for unit, begin, end in zip(different, begins, ends, strict=True)
    ]
    codes = [
        _Core(
            key.codes[key.starts[unit] + begin : key.starts[unit + 1] - end],
            response.codes[response.starts[unit] + begin : response.starts[unit + 1] - end],
        )
        for unit, begin, end in zip(different, begins, ends, strict=True)
    ]
    distances = cpdist(
        [a for a, _ in cores], [b for _, b in cores], scorer=Levenshtein.distance, dtype=np.int64, workers=1
    )
    errors = _weighted_errors(
        codes, distances, [word[:MAX_LETTERS].lower() for word in words] if kind == "similar" else None
    )
    return _build_alignment(key, response, zip(different, errors, begins, strict=True))


BLOCK_SIZE = 300  # utterances whose words are split together, few enough to stay in the cache


class EditSteps(NamedTuple):
    """The edits that turn the texts of one side into those of the other."""

    unit: list[int]
    """(steps,): the number of the text."""
    edits: list[Any]
    """The kind of edit (a name in `TAGS`) and its positions in both texts."""

    @property
    def kind(self) -> Ints:
        return np.fromiter(map(TAGS.__getitem__, map(itemgetter(0), self.edits)), np.int64, len(self.edits))


def edit_steps(keys: Iterable[Any], responses: Iterable[Any], first: int = 0) -> EditSteps:
    """The fewest edits between texts, of words or of characters; `first` is the number of the first text."""
    editops = Levenshtein.editops
    result = EditSteps([], [])
    for unit, (key, response) in enumerate(zip(keys, responses, strict=True), first):
        if key != response:
            steps = editops(key, response).as_list()
            result.unit.extend([unit] * len(steps))
            result.edits.extend(steps)
    return result


def align_texts(
    keys: Sequence[str | Sequence[str]],
    responses: Sequence[str | Sequence[str]],
    codes: tuple[Callable[[], Ints], Callable[[], Ints]],
) -> Alignment:
    """The `levenshtein` alignment of texts, directly from their words; `codes` computes numbers if they are needed."""
    steps = EditSteps([], [])
    lengths: tuple[list[int], list[int]] = [0], [0]
    for start in range(0, len(keys), BLOCK_SIZE):
        sides = [
            [text.split() if isinstance(text, str) else text for text in texts[start : start + BLOCK_SIZE]]
            for texts in (keys, responses)
        ]
        for side_lengths, lists in zip(lengths, sides, strict=True):
            side_lengths.extend(map(len, lists))
        block_steps = edit_steps(sides[0], sides[1], start)
        steps.unit.extend(block_steps.unit)
        steps.edits.extend(block_steps.edits)
    key, response = (
        EncodedWords(np.cumsum(side_lengths), make_codes)
        for side_lengths, make_codes in zip(lengths, codes, strict=True)
    )
    return _levenshtein_alignment(steps, key, response)


def _levenshtein_alignment(steps: EditSteps, key: EncodedWords, response: EncodedWords) -> Alignment:
    unit = np.array(steps.unit, np.int64)
    _, sources, goals = zip(*steps.edits, strict=True) if steps.edits else ((), (), ())
    key_at, response_at = np.array(sources, np.int64) + key.starts[unit], np.array(goals, np.int64)
    return Alignment(key, response, unit, steps.kind, key_at, response_at + response.starts[unit])


def _build_alignment(
    key: EncodedWords, response: EncodedWords, errors_by_unit: Iterable[tuple[int, UtteranceErrors, int]]
) -> Alignment:
    units: list[int] = []
    kinds: list[int] = []
    sources: list[int] = []
    goals: list[int] = []
    for number, errors, begin in errors_by_unit:
        units += [number] * len(errors.kind)
        kinds += errors.kind
        sources += [place + begin for place in errors.key]
        goals += [place + begin for place in errors.response]
    unit = np.array(units, np.int64)
    key_at, response_at = np.array(sources, np.int64) + key.starts[unit], np.array(goals, np.int64)
    return Alignment(key, response, unit, np.array(kinds, np.int64), key_at, response_at + response.starts[unit])


def _common_end(a: Any, b: Any) -> int:
    size = 0
    for x, y in zip(reversed(a), reversed(b), strict=False):
        if x != y:
            break
        size += 1
    return size


def _common_start(a: Any, b: Any, end: int) -> int:
    """The length of the common beginning of both, outside their common end."""
    size, most = 0, min(len(a), len(b)) - end
    while size < most and a[size] == b[size]:
        size += 1
    return size


class _Core(NamedTuple):
    """The words of one utterance between the common beginning and the common end."""

    key: Ints
    response: Ints


def _weighted_errors(cores: Sequence[_Core], distances: Ints, words: Sequence[str] | None) -> list[UtteranceErrors]:
    """The best alignments under sclite's weights, or by closeness of the words if these are given.

    Utterances of similar size are aligned together. Only the diagonals that the best alignment can
    reach are computed: an alignment with at most e gaps deviates at most that far.
    """
    results: list[UtteranceErrors] = [UtteranceErrors([], [], [])] * len(cores)
    order = sorted(range(len(cores)), key=lambda i: (len(cores[i].key), len(cores[i].response), i))
    start = 0
    while start < len(order):
        longest = len(cores[order[start]].key)
        stop = start + 1
        width = _band(cores[order[start]], int(distances[order[start]]), words is None)
        if longest * (sum(width) + 1) > MOST_CELLS:
            raise UsageError(
                f"found {longest:,} words in one utterance, and {len(cores[order[start]].response):,} others in the "
                "response to it, expected fewer, or more alike: cut it at pauses, or choose --alignment levenshtein"
            )
        while stop < len(order):
            below, above = _band(cores[order[stop]], int(distances[order[stop]]), words is None)
            wider = (max(width[0], below), max(width[1], above))
            size = len(cores[order[stop]].key)
            row = (stop - start + 1) * (sum(wider) + 1)
            if row > BATCH_CELLS or size > 1.2 * longest + 4 or (words is not None and row * size > MOST_PAIRS):
                break
            width = wider
            stop += 1
        chosen = order[start:stop]
        for index, errors in zip(chosen, _align_batch([cores[i] for i in chosen], *width, words), strict=True):
            results[index] = errors
        start = stop
    return results


def _band(core: _Core, distance: int, sclite: bool) -> tuple[int, int]:
    """How far below and above the first diagonal the best alignment can be."""
    gaps = distance + distance // 3 if sclite else distance  # 3 gaps ≤ cost ≤ 4 distance
    more = len(core.response) - len(core.key)
    return max((gaps - more) // 2, 0), max((gaps + more) // 2, 0)


def _align_batch(cores: Sequence[_Core], below: int, above: int, words: Sequence[str] | None) -> list[UtteranceErrors]:
    """Dynamic programming over several utterances at once, along diagonals.

    Cell (i, k) covers the first i words of the key and the first i + k − below of the response. From one row to the
    next a pair of words stays on its diagonal k, a deletion comes from k + 1, an insertion from k − 1 of its own row.
    """
    size = len(cores)
    width = below + above + 1
    longest = max(len(core.key) for core in cores)
    keys = np.full((size, max(longest, 1)), -1, np.int32)
    responses = np.full((size, longest + width + 1), -2, np.int32)
    for number, core in enumerate(cores):
        keys[number, : len(core.key)] = core.key
        fitting = core.response[: responses.shape[1] - below]
        responses[number, below : below + len(fitting)] = fitting
    gap, substitution = _costs(cores, longest, width, below, words, responses)
    kind: Any = np.int32 if (2 * longest + width + 2) * gap < 2**29 else np.int64
    never = 2**29 if kind is np.int32 else 2**60
    # Costs are stored less k gaps, so that an insertion costs nothing more and a deletion two gaps.
    first = np.where(np.arange(width) >= below, -below * gap, never)
    row = np.repeat(first[None, :].astype(kind), size, axis=0)
    best, deleted = np.empty_like(row), np.empty_like(row[:, 1:])
    pairs, insertions = [], []
    inserted = np.zeros((size, width), bool)
    for i in range(longest):
        paired = row + kind(substitution(i))
        np.copyto(paired, row, where=keys[:, i, None] == responses[:, i : i + width])
        np.add(row[:, 1:], kind(2 * gap), out=deleted)
        np.minimum(paired[:, :-1], deleted, out=best[:, :-1])
        best[:, -1] = paired[:, -1]
        np.minimum.accumulate(best, axis=1, out=best)
        pairs.append(np.packbits(paired == best, axis=1))
        np.equal(best[:, 1:], best[:, :-1], out=inserted[:, 1:])
        insertions.append(np.packbits(inserted, axis=1))
        row, best = best, row
    return _trace_back(cores, below, pairs, insertions)


def _costs(
    cores: Sequence[_Core],
    longest: int,
    width: int,
    below: int,
    words: Sequence[str] | None,
    responses: NDArray[np.int32],
) -> tuple[int, Callable[[int], Any]]:
    """The cost of a gap, and a function that gives the costs of substituting the i-th words of the key."""
    if words is None:
        return 3, lambda i: 4
    gap = CLOSENESS * (min(longest, max(len(core.response) for core in cores)) + 1) + 1
    if len(cores) == 1:
        return gap, _single_costs(cores[0], gap, width, below, words)
    distance = _distances(cores, longest, width, words, responses)
    return gap, lambda i: gap + distance[:, i]


def _distances(
    cores: Sequence[_Core], longest: int, width: int, words: Sequence[str], responses: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The word distances of every cell of a batch; each pair of words is compared once."""
    keys = np.full((len(cores), longest), -1)
    for number, core in enumerate(cores):
        keys[number, : len(core.key)] = core.key
    windows = np.lib.stride_tricks.sliding_window_view(responses, width, axis=1)[:, :longest]
    real = (keys[:, :, None] >= 0) & (windows >= 0)
    joined = (keys[:, :, None] * len(words) + windows)[real]
    cells, inverse = np.unique(joined, return_inverse=True)
    firsts, seconds = np.divmod(cells, len(words))
    key_words, response_words = ([words[i] for i in codes.tolist()] for codes in (firsts, seconds))
    distances = np.zeros(windows.shape, np.int32)
    distances[real] = cpdist(key_words, response_words, **LETTER_DISTANCE)[inverse]
    return distances


LETTER_DISTANCE: Any = {
    "scorer": Levenshtein.normalized_distance,
    "score_multiplier": CLOSENESS,
    "dtype": np.uint16,
    "workers": 1,
}
"""The distances of words, from 0 to `CLOSENESS`."""


def _single_costs(
    core: _Core, gap: int, width: int, below: int, words: Sequence[str]
) -> Callable[[int], NDArray[np.int64]]:
    """Costs for one long pair of texts: the distances of the distinct words, looked up row by row."""
    distinct_keys, key_codes = np.unique(core.key, return_inverse=True)
    distinct_responses, response_codes = np.unique(core.response, return_inverse=True)
    response_words = [words[i] for i in distinct_responses.tolist()] or [""]  # padding for an empty text
    padded = np.zeros(len(core.key) + width + below + 1, np.int64)
    padded[below : below + len(response_codes)] = response_codes[: len(padded) - below]
    rows: dict[int, NDArray[np.uint16]] = {}

    def costs(i: int) -> NDArray[np.int64]:
        code = int(key_codes[i])
        if code not in rows:
            if len(rows) * len(response_words) > 50_000_000:
                rows.clear()
            rows[code] = cdist([words[int(distinct_keys[code])]], response_words, **LETTER_DISTANCE)[0]
        cell_costs: NDArray[np.int64] = gap + rows[code][padded[i : i + width]][None, :].astype(np.int64)
        return cell_costs

    return costs


def _trace_back(
    cores: Sequence[_Core], below: int, pairs: Sequence[Any], insertions: Sequence[Any]
) -> list[UtteranceErrors]:
    """The errors of every utterance, traced back from its end."""
    results = []
    for number, core in enumerate(cores):
        errors = UtteranceErrors([], [], [])
        key, response = core.key.tolist(), core.response.tolist()
        i, j = len(key), len(response)
        while i or j:
            place = j - i + below
            byte, bit = place >> 3, 7 - (place & 7)
            if i and j and pairs[i - 1][number, byte] >> bit & 1:
                i, j = i - 1, j - 1
                if key[i] != response[j]:
                    _add_error(errors, SUBSTITUTION, i, j)
            elif not i or (j and insertions[i - 1][number, byte] >> bit & 1):
                j -= 1
                _add_error(errors, INSERTION, i, j)
            else:
                i -= 1
                _add_error(errors, DELETION, i, j)
        for part in errors:
            part.reverse()
        results.append(errors)
    return results


def _add_error(errors: UtteranceErrors, kind: int, key: int, response: int) -> None:
    errors.kind.append(kind)
    errors.key.append(key)
    errors.response.append(response)
