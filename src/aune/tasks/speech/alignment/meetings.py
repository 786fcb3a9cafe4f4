"""Meetings: pair the speakers of key and response so that the errors are fewest.

The words of each speaker are concatenated in the order of the segments. Speakers of both sides are paired one to one;
all words of a speaker without a partner are deletions, or insertions. With times, two words can be aligned
only if they may have been said at the same time: the words of a segment divide its time by their letters, a word
of the response is a point in the middle of its share, and a collar around it is allowed.

Source: Watanabe et al. 2020 (CHiME-6) for cpWER, von Neumann et al. 2023 (meeteval) for tcpWER.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from aune.numeric.arrays import Floats
from aune.numeric.grouping import group_items
from aune.numeric.matching import first_matching
from aune.tasks.speech.alignment.recordings import middle
from aune.tasks.speech.model import Document, Recording, Utterance

ERROR_WEIGHT = 2**24  # the weight of an error relative to a substitution: more than any number of words
ANY_TIME = (-np.inf, np.inf)  # the time of a word without a time


class SpeakerWords(NamedTuple):
    """The words of one speaker and the time of each, in seconds."""

    words: list[str]
    begin: Floats
    end: Floats


class SpeakerPair(NamedTuple):
    """A pair of speakers, and the errors between them; an unpaired speaker has an empty partner."""

    key: str
    response: str
    words: int
    substitutions: int
    deletions: int
    insertions: int


def speaker_streams(document: Document, ignored_spans: Sequence[tuple[float, float]] = ()) -> dict[str, SpeakerWords]:
    """The words of each speaker of a document, by speaker name; words without a speaker have the name ''."""
    parts = scored_parts(document, ignored_spans)
    by_speaker = group_items((part.attributes.get("speaker", ""), part) for part in parts)
    return {name: words_in_order(speaker_parts) for name, speaker_parts in sorted(by_speaker.items())}


def scored_parts(document: Document, ignored_spans: Sequence[tuple[float, float]] = ()) -> list[Utterance]:
    """The scored utterances of a document, ordered by their beginning."""
    parts = document.utterances if isinstance(document, Recording) else (document,)
    scored = [part for part in parts if not part.ignored and not _within(part, ignored_spans)]
    return sorted(scored, key=lambda part: part.span[0] if part.span else 0.0)


def _within(part: Utterance, spans: Sequence[tuple[float, float]]) -> bool:
    return part.span is not None and any(start <= middle(*part.span) < end for start, end in spans)


def words_in_order(parts: Sequence[Utterance]) -> SpeakerWords:
    words = [word for part in parts for word in part.words]
    times = np.array([time for part in parts for time in word_times(part)], float).reshape(-1, 2)
    return SpeakerWords(words, times[:, 0], times[:, 1])


def word_times(part: Utterance) -> Sequence[tuple[float, float]]:
    """The time of each word of an utterance: as given, or its share of the utterance's time by its letters.

    >>> word_times(Utterance("u", "abc d", span=(0.0, 4.0)))
    [(0.0, 3.0), (3.0, 4.0)]
    """
    words = part.words
    if part.times is not None:
        return part.times
    if part.span is None or not words:
        return [ANY_TIME] * len(words)
    start, end = part.span
    if len(words) == 1:
        return [(start, end)]
    sizes = np.cumsum([0, *map(len, words)])
    letter = (end - start) / int(sizes[-1])
    return [(start + letter * first, start + letter * last) for first, last in pairwise(sizes.tolist())]


class ErrorCounts(NamedTuple):
    """The errors between two speakers."""

    errors: int
    substitutions: int


Distance = Callable[[SpeakerWords, SpeakerWords], ErrorCounts]


def untimed_errors(key: SpeakerWords, response: SpeakerWords) -> ErrorCounts:
    """The fewest errors, ignoring times."""
    steps = Levenshtein.editops(key.words, response.words)
    return ErrorCounts(len(steps), sum(step.tag == "replace" for step in steps))


def time_constrained(collar: float) -> Distance:
    """The fewest errors when only simultaneous words can be aligned; among equals, the fewest substitutions."""

    def errors(key: SpeakerWords, response: SpeakerWords) -> ErrorCounts:
        numbers = {word: number for number, word in enumerate(dict.fromkeys([*key.words, *response.words]))}
        codes = np.array([numbers[word] for word in response.words], np.int64)
        early, late = _reach(response, collar)
        steps = np.arange(len(codes) + 1, dtype=np.int64) * ERROR_WEIGHT
        row = steps.copy()
        for word, begin, end in zip(key.words, key.begin, key.end, strict=True):
            overlapping = (begin < late) & (end > early)
            pair = row[:-1] + np.where(codes == numbers[word], 0, ERROR_WEIGHT + 1)
            best = row + ERROR_WEIGHT
            best[1:] = np.where(overlapping, np.minimum(best[1:], pair), best[1:])
            row = np.minimum.accumulate(best - steps) + steps
        return ErrorCounts(*divmod(int(row[-1]), ERROR_WEIGHT))

    return errors


def overlapping_words(begin: float, end: float, response: SpeakerWords, collar: float) -> Any:
    """A mask of the words of the response that may have been spoken at the time of a word of the key."""
    early, late = _reach(response, collar)
    return (begin < late) & (end > early)


def _reach(response: SpeakerWords, collar: float) -> tuple[Floats, Floats]:
    """The time range in which each word can be aligned; any time for words without times."""
    known = np.isfinite(response.begin)
    middles = (np.where(known, response.begin, 0.0) + np.where(known, response.end, 0.0)) / 2
    return np.where(known, middles - collar, -np.inf), np.where(known, middles + collar, np.inf)


NO_SPEAKER = SpeakerWords([], np.zeros(0), np.zeros(0))


def pair_speakers(
    key: dict[str, SpeakerWords], response: dict[str, SpeakerWords], distance: Distance
) -> list[SpeakerPair]:
    """Speakers paired one to one for the fewest errors; among equals, the fewest substitutions, then by name."""
    size = max(len(key), len(response))
    keys = [*key.items(), *[("", NO_SPEAKER)] * (size - len(key))]
    responses = [*response.items(), *[("", NO_SPEAKER)] * (size - len(response))]
    table = [[distance(key_speaker, response_speaker) for _, response_speaker in responses] for _, key_speaker in keys]
    costs = np.array([cell.errors * ERROR_WEIGHT + cell.substitutions for row in table for cell in row], np.int64)
    rows, columns = np.divmod(np.arange(len(costs)), max(size, 1))
    chosen = np.flatnonzero(first_matching(rows, columns, costs.max(initial=0) + 1 - costs)).tolist()
    return [
        speaker_errors(keys[row], responses[column], table[row][column])
        for row, column in (divmod(place, size) for place in chosen)
    ]


def speaker_errors(
    key: tuple[str, SpeakerWords], response: tuple[str, SpeakerWords], errors: ErrorCounts
) -> SpeakerPair:
    """The errors between two speakers, from E errors with S substitutions, and I − D as the difference in length."""
    key_size, response_size = len(key[1].words), len(response[1].words)
    insertions = (errors.errors - errors.substitutions + response_size - key_size) // 2
    return SpeakerPair(
        key[0], response[0], key_size, errors.substitutions, insertions + key_size - response_size, insertions
    )
