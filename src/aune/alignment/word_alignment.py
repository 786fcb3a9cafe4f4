"""Align every character of a response's text with the key's: words first, characters only between equal words.

Words that both texts have in the same order are found by `sequences`. The range between two equal words is a gap. A
gap whose characters are nearly the same is aligned character by character, so that `can not` is `cannot`. In other
small gaps similar words are paired, and the rest is aligned word by word if both sides have the same number of words,
otherwise only as a whole. An equal word is accepted if most words around it, on both sides, are equal too: common words
of unrelated passages match by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from aune.alignment.folding import FoldedText
from aune.alignment.sequences import Step, steps
from aune.numeric.arrays import Floats, Ints

WORD_RUNS = (6, 3, 1)
CHARACTER_RUNS = (16, 8, 4)
MIN_SIMILARITY = 0.5  # the similarity from which two words, or two long gaps, are spelling variants
MIN_EQUAL_SHARE = 0.8  # the share of equal characters from which a small gap is aligned by characters, across words
LARGEST_GAP = 8  # words on either side of a gap up to which it is aligned word by word or as a whole
GAP_EDGE = 2  # words at each end of a gap that count as surroundings of a position
WINDOW = 10  # words on each side that decide whether an equal word is equal by chance
SURROGATES = 0xD800, 0x800  # characters that cannot represent a word


class Correspondence(NamedTuple):
    """For every folded character of the response, its range in the key."""

    starts: Ints
    """(characters,): the first character of the key that it is aligned with; −1 if there is none."""
    ends: Ints
    """(characters,): the character after the last one."""
    blocks: Ints
    """(characters,): the number of a gap that is aligned as a whole or not at all, from 1; 0 elsewhere."""
    support: Floats
    """(characters,): the share of words around it that both texts have, on the side where it is smaller."""
    key_coverage: float
    """The share of the key's words that the response has."""
    response_coverage: float
    """The share of the response's words that the key has."""


def correspondence(key: FoldedText, response: FoldedText) -> Correspondence:
    """Align the characters of a response with those of the key.

    >>> from aune.alignment.folding import fold_text
    >>> found = correspondence(fold_text("the old dog sleeps"), fold_text("The dog naps"))
    >>> found.starts.tolist()
    [0, 1, 2, 6, 7, 8, 9, 9, 9, 9]
    """
    size = len(response.characters)
    if key.characters == response.characters:
        positions = np.arange(size)
        return Correspondence(positions, positions + 1, np.zeros(size, np.int64), np.ones(size), 1.0, 1.0)
    key_words, response_words = _as_symbols(key.forms, response.forms)
    places = _CharacterMap(key, response)
    for step in _merge_gaps(steps(key_words, response_words, WORD_RUNS)):
        places.fill(step)
    support = _support(key, response, places)
    return Correspondence(places.starts, places.ends, places.blocks, support,
                          _mean(places.key_alike), _mean(places.response_alike))  # fmt: skip


def _mean(flags: Floats) -> float:
    return float(flags.mean()) if len(flags) else 1.0


def _as_symbols(*texts: Sequence[str]) -> tuple[str, ...]:
    """Texts as strings with one character per word; equal words have the same character."""
    numbers: dict[str, int] = {}
    for forms in texts:
        for form in forms:
            numbers.setdefault(form, len(numbers))
    first, many = SURROGATES
    symbols = {form: chr(number if number < first else number + many) for form, number in numbers.items()}
    return tuple("".join(map(symbols.__getitem__, forms)) for forms in texts)


def _merge_gaps(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps, with consecutive steps that are not equal merged into a gap."""
    gap: Step | None = None
    for step in steps:
        if step.equal:
            if gap:
                yield gap
            gap = None
            yield step
        else:
            gap = Step(False, gap.key_start, step.key_end, gap.response_start, step.response_end) if gap else step
    if gap:
        yield gap


class _CharacterMap:
    """The positions of the response's characters, filled in range by range."""

    def __init__(self, key: FoldedText, response: FoldedText) -> None:
        self.key, self.response = key, response
        self.starts, self.ends = np.full(len(response.characters), -1), np.full(len(response.characters), -1)
        self.blocks, self.block = np.zeros(len(response.characters), np.int64), 0
        self.key_alike, self.response_alike = np.zeros(len(key.words) - 1), np.zeros(len(response.words) - 1)

    def fill(self, step: Step) -> None:
        """Place the response's characters of a step: equal words, or a gap, unless it is too large or too unlike."""
        key_words, words = step.key_end - step.key_start, step.response_end - step.response_start
        if step.equal:
            self._by_characters(step, [Step(True, 0, length := self._key(step)[1] - self._key(step)[0], 0, length)], 1)
        elif key_words and words:
            inside = steps(*self._characters(step), CHARACTER_RUNS)
            equal = sum(part.key_end - part.key_start for part in inside if part.equal)
            alike = equal / max(map(len, self._characters(step)))
            if alike >= (MIN_EQUAL_SHARE if max(key_words, words) <= LARGEST_GAP else MIN_SIMILARITY):
                self._by_characters(step, inside, alike)
            elif max(key_words, words) <= LARGEST_GAP:
                self._by_words(step)

    def _key(self, step: Step) -> tuple[int, int]:
        return int(self.key.words[step.key_start]), int(self.key.words[step.key_end])

    def _response(self, step: Step) -> tuple[int, int]:
        return int(self.response.words[step.response_start]), int(self.response.words[step.response_end])

    def _characters(self, step: Step) -> tuple[str, str]:
        return self.key.characters[slice(*self._key(step))], self.response.characters[slice(*self._response(step))]

    def _by_characters(self, step: Step, inside: Sequence[Step], alike: float) -> None:
        key_at, at = self._key(step)[0], self._response(step)[0]
        for part in inside:
            if part.key_end - part.key_start == part.response_end - part.response_start:
                characters = slice(at + part.response_start, at + part.response_end)
                self.starts[characters] = np.arange(key_at + part.key_start, key_at + part.key_end)
                self.ends[characters] = self.starts[characters] + 1
        self.key_alike[step.key_start : step.key_end] = alike
        self.response_alike[step.response_start : step.response_end] = alike

    def _by_words(self, gap: Step) -> None:
        """A small gap: similar words are paired, and split it into smaller gaps."""
        key_at, at = gap.key_start, gap.response_start
        for key_word, word in [*self._similar_words(gap), (gap.key_end, gap.response_end)]:
            self._fill_gap(Step(False, key_at, key_word, at, word))
            if word < gap.response_end:
                self._fill_gap(Step(False, key_word, key_word + 1, word, word + 1))
            key_at, at = key_word + 1, word + 1

    def _fill_gap(self, gap: Step) -> None:
        """A gap of different words: word by word, as a whole, or (if that would be a guess) not at all."""
        key_words, words = gap.key_end - gap.key_start, gap.response_end - gap.response_start
        if key_words == words:
            for offset in range(words):
                characters = slice(*self.response.words[gap.response_start + offset : gap.response_start + offset + 2])
                self.starts[characters], self.ends[characters] = self.key.words[
                    gap.key_start + offset : gap.key_start + offset + 2
                ]
        elif key_words and words:
            characters = slice(*self._response(gap))
            self.blocks[characters] = self.block = self.block + 1
            if key_words == 1:
                self.starts[characters], self.ends[characters] = self._key(gap)

    def _similar_words(self, gap: Step) -> list[tuple[int, int]]:
        """The similar words of a gap, in order, with the largest total similarity."""
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only texts that differ need it

        key_words = [self._word(self.key, place) for place in range(gap.key_start, gap.key_end)]
        words = [self._word(self.response, place) for place in range(gap.response_start, gap.response_end)]
        totals = np.zeros((len(key_words) + 1, len(words) + 1))
        alike = np.zeros_like(totals)
        for i, j in ((i, j) for i in reversed(range(len(key_words))) for j in reversed(range(len(words)))):
            alike[i, j] = Levenshtein.normalized_similarity(key_words[i], words[j], score_cutoff=MIN_SIMILARITY)
            totals[i, j] = max(totals[i + 1, j], totals[i, j + 1], totals[i + 1, j + 1] + alike[i, j])
        pairs, i, j = [], 0, 0
        while i < len(key_words) and j < len(words):
            if alike[i, j] and totals[i, j] == totals[i + 1, j + 1] + alike[i, j]:
                pairs.append((gap.key_start + i, gap.response_start + j))
                i, j = i + 1, j + 1
            elif totals[i, j] == totals[i + 1, j]:
                i += 1
            else:
                j += 1
        return pairs

    @staticmethod
    def _word(text: FoldedText, place: int) -> str:
        return text.characters[text.words[place] : text.words[place + 1]]


def _support(key: FoldedText, response: FoldedText, places: _CharacterMap) -> Floats:
    """How many of the words around each character of the response are in both texts."""
    support = np.repeat(_windowed_mean(places.response_alike), np.diff(response.words))
    key_support = np.append(np.repeat(_windowed_mean(places.key_alike), np.diff(key.words)), 0.0)
    return np.asarray(np.minimum(support, key_support[places.starts]))


def _windowed_mean(flags: Floats) -> Floats:
    """The mean of the flags at most `WINDOW` positions away; of a long gap only the edges count.

    An address that a response writes as `url` is a single difference, although it has a dozen words.
    """
    near = flags > 0
    for step in range(1, GAP_EDGE + 1):
        near[step:] |= flags[:-step] > 0
        near[:-step] |= flags[step:] > 0
    near[:GAP_EDGE] = near[-GAP_EDGE:] = True
    counted = np.flatnonzero(near)
    sums = np.concatenate([[0.0], np.cumsum(flags[counted])])
    places = np.cumsum(near) - 1
    first, last = np.maximum(places - WINDOW, 0), np.minimum(places + WINDOW + 1, len(counted))
    return np.asarray((sums[last] - sums[first]) / (last - first))
