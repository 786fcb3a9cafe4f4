"""Where the entities of the key are in the response.

With time marks on both sides, the candidates are the runs of words said in the time of the entity; without, the words
that the alignment gives its words, with or without the inserted words beside them. Of the candidates the one closest in
letters (or in sounds) to the entity is kept. An entity whose words are all missing has an empty place.

Source: Galibert et al. 2011 in the thesis of Ben Jannet 2015, §5.5.2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from aune.tasks.speech.alignment.words import Alignment, Ints
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.model import Utterance

SLACK = 0.15  # seconds that the time of a word may be off
MOST_EXTRA = 4  # inserted words tried on each side


class Projected(NamedTuple):
    """The place of each entity in the response's utterance; start = end for one that is missing."""

    start: Ints
    end: Ints


def projected(
    comparison: Comparison, found: Alignment, sounds: Callable[[Sequence[str]], list[str]] | None
) -> Projected:
    """The places of all entities of the key, in order and never crossing."""
    entities = comparison.entities
    answers = found.answers
    answered = np.zeros(found.response.size + 1, bool)
    answered[answers[answers >= 0]] = True
    gaps = dict(zip(found.key_at.tolist(), found.response_at.tolist(), strict=True))
    places = []
    before, last = -1, 0
    for unit, start, end in zip(*(column.tolist() for column in entities[:3]), strict=True):
        last = 0 if unit != before else last
        key, response = comparison.pairs[unit]
        first_key, first = int(found.key.starts[unit]), int(found.response.starts[unit])
        stop = int(found.response.starts[unit + 1])
        if key.times is not None and response.times is not None:
            place = _by_time(key, response, start, end, last)
        else:
            mine = answers[first_key + start : first_key + end]
            gap = gaps.get(first_key + start, first)
            place = _by_alignment(mine[mine >= 0].tolist(), gap, answered, (first, stop))
        chosen = _closest(key.words[start:end], response.words, place, last, sounds)
        places.append(chosen)
        before, last = unit, chosen[1]
    table = np.array(places, np.int64).reshape(-1, 2)
    return Projected(table[:, 0], table[:, 1])


def _by_alignment(
    mine: list[int], gap: int, answered: NDArray[np.bool_], bounds: tuple[int, int]
) -> list[tuple[int, int]]:
    """The words that answer an entity, and the same with words that answer nothing beside them; or its gap."""
    first, stop = bounds
    if not mine:
        return [(gap - first, gap - first)]
    low, high = min(mine), max(mine) + 1
    lows, highs = [low], [high]
    while lows[-1] > first and not answered[lows[-1] - 1] and len(lows) <= MOST_EXTRA:
        lows.append(lows[-1] - 1)
    while highs[-1] < stop and not answered[highs[-1]] and len(highs) <= MOST_EXTRA:
        highs.append(highs[-1] + 1)
    return [(start - first, end - first) for start in lows for end in highs]


def _by_time(key: Utterance, response: Utterance, start: int, end: int, last: int) -> list[tuple[int, int]]:
    """The runs of words that were said in the time of an entity."""
    assert key.times is not None and response.times is not None
    begin, stop = key.times[start][0] - SLACK, key.times[end - 1][1] + SLACK
    middles = [(first + second) / 2 for first, second in response.times]
    inside = [place for place, middle in enumerate(middles) if begin <= middle <= stop and place >= last]
    if not inside:
        gap = max(sum(middle < begin for middle in middles), last)
        return [(gap, gap)]
    low, high = inside[0], inside[-1] + 1
    return [(first, second) for first in range(low, high) for second in range(first + 1, high + 1)]


def _closest(
    words: Sequence[str],
    response: Sequence[str],
    candidates: Sequence[tuple[int, int]],
    last: int,
    sounds: Callable[[Sequence[str]], list[str]] | None,
) -> tuple[int, int]:
    """The candidate closest to the words of the entity; of equals the shortest, then the first."""
    allowed = [(max(start, last), max(end, last)) for start, end in candidates]
    if len(allowed) == 1:
        return allowed[0]
    shown = sounds or (lambda given: list(" ".join(given).lower()))
    said = shown(words)
    return min(
        allowed,
        key=lambda place: (
            Levenshtein.distance(said, shown(response[place[0] : place[1]])),
            place[1] - place[0],
            place,
        ),
    )
