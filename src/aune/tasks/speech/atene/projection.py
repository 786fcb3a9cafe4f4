"""Project the entities of the key onto the response.

With times on both sides, the candidates are the runs of words spoken during the entity. Without times, they are the
words aligned with the entity's words, with or without adjacent insertions. The candidate closest in letters (or in
sounds) to the entity is chosen. An entity whose words are all missing has an empty place.

Source: Galibert et al. 2011 in the thesis of Ben Jannet 2015, §5.5.2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from aune.numeric.arrays import Ints
from aune.tasks.speech.alignment.words import Alignment
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.model import Entity, Utterance

TIME_SLACK = 0.15  # tolerance for the times of words, in seconds
Sounds = Callable[[Sequence[str]], list[str]] | None
"""Converts words to sounds, for closeness by sounds; None for closeness by letters."""
MOST_EXTRA = 4  # inserted words that are tried on each side


class EntityPlaces(NamedTuple):
    """The place of each entity in the response's utterance; start = end for a missing entity."""

    start: Ints
    end: Ints


class PlacedEntity(NamedTuple):
    """A node of an entity's tree at its place in the response; start = end for a missing entity."""

    start: int
    end: int
    label: str
    depth: int


def project_entities(comparison: Comparison, alignment: Alignment, sounds: Sounds) -> EntityPlaces:
    """The places of the key's outermost entities, in order and without crossings."""
    place = Placer(comparison, alignment, sounds)
    places = []
    before, last = -1, 0
    for unit, start, end in zip(*(column.tolist() for column in comparison.entities[:3]), strict=True):
        last = 0 if unit != before else last
        chosen = place(unit, start, end, last)
        places.append(chosen)
        before, last = unit, chosen[1]
    table = np.array(places, np.int64).reshape(-1, 2)
    return EntityPlaces(table[:, 0], table[:, 1])


def project_trees(
    comparison: Comparison, alignment: Alignment, sounds: Sounds, is_component: Callable[[str], bool]
) -> list[list[PlacedEntity]]:
    """All entities of the key with their nested entities, utterance by utterance.

    A nested entity is placed within the place of the enclosing one, and dropped if none of its words is left. An
    outermost entity without any word left is kept, with an empty place: it cannot be found, but it counts as missed.
    """
    place = Placer(comparison, alignment, sounds)
    forest: list[list[PlacedEntity]] = []
    for unit, (key, _) in enumerate(comparison.pairs):
        placed: list[PlacedEntity] = []
        open_nodes: list[tuple[Entity, PlacedEntity, list[int]]] = []
        tops = [0]  # the end of the last outermost entity
        for entity in nested_order(key.entities if key.tree is None else (), is_component):
            while open_nodes and not _encloses(open_nodes[-1][0], entity):
                open_nodes.pop()
            if not open_nodes:
                start, end = place(unit, entity.start, entity.end, tops[0])
                tops[0] = end
            else:
                _, parent, ends = open_nodes[-1]
                start, end = place(unit, entity.start, entity.end, max(parent.start, ends[0]))
                start, end = min(start, parent.end), min(end, parent.end)
                same = (entity.start, entity.end) == open_nodes[-1][0][:2]
                start, end = (parent.start, parent.end) if same else (start, end)
                if start >= end:
                    continue
                ends[0] = end if not same else ends[0]
            node = PlacedEntity(start, end, entity.label, len(open_nodes))
            placed.append(node)
            open_nodes.append((entity, node, [start]))
        forest.append(placed)
    return forest


def nested_order(entities: Sequence[Entity], is_component: Callable[[str], bool]) -> list[Entity]:
    """Entities ordered after those that enclose them; with equal extents, components are inside the others."""
    return sorted(entities, key=lambda entity: (entity.start, -entity.end, is_component(entity.label), entity.label))


def _encloses(outer: Entity, inner: Entity) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


class Placer:
    """Finds the place of a stretch of the key in the response."""

    def __init__(self, comparison: Comparison, alignment: Alignment, sounds: Sounds) -> None:
        self.comparison, self.alignment, self.sounds = comparison, alignment, sounds
        self.answers = alignment.answers
        self.answered = np.zeros(alignment.response.size + 1, bool)
        self.answered[self.answers[self.answers >= 0]] = True
        self.gaps = dict(zip(alignment.key_at.tolist(), alignment.response_at.tolist(), strict=True))

    def __call__(self, unit: int, start: int, end: int, last: int) -> tuple[int, int]:
        """The place, in the response's utterance, of the key's words from start to end, not before `last`."""
        key, response = self.comparison.pairs[unit]
        first_key, first = int(self.alignment.key.starts[unit]), int(self.alignment.response.starts[unit])
        stop = int(self.alignment.response.starts[unit + 1])
        if key.times is not None and response.times is not None:
            candidates = _by_time(key, response, start, end, last)
        else:
            answers = self.answers[first_key + start : first_key + end]
            gap = self.gaps.get(first_key + start, first)
            candidates = _by_alignment(answers[answers >= 0].tolist(), gap, self.answered, (first, stop))
        return _closest(key.words[start:end], response.words, candidates, last, self.sounds)


def _by_alignment(
    answers: list[int], gap: int, answered: NDArray[np.bool_], bounds: tuple[int, int]
) -> list[tuple[int, int]]:
    """The words aligned with an entity, also with adjacent unaligned words; or its gap."""
    first, stop = bounds
    if not answers:
        return [(gap - first, gap - first)]
    low, high = min(answers), max(answers) + 1
    lows, highs = [low], [high]
    while lows[-1] > first and not answered[lows[-1] - 1] and len(lows) <= MOST_EXTRA:
        lows.append(lows[-1] - 1)
    while highs[-1] < stop and not answered[highs[-1]] and len(highs) <= MOST_EXTRA:
        highs.append(highs[-1] + 1)
    return [(start - first, end - first) for start in lows for end in highs]


def _by_time(key: Utterance, response: Utterance, start: int, end: int, last: int) -> list[tuple[int, int]]:
    """The runs of words that were spoken during an entity."""
    assert key.times is not None and response.times is not None
    begin, stop = key.times[start][0] - TIME_SLACK, key.times[end - 1][1] + TIME_SLACK
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
    sounds: Sounds,
) -> tuple[int, int]:
    """The candidate closest to the words of the entity; among equals the shortest, then the first."""
    allowed = [(max(start, last), max(end, last)) for start, end in candidates]
    if len(allowed) == 1:
        return allowed[0]
    to_sounds = sounds or (lambda sequence: list(" ".join(sequence).lower()))
    entity_sounds = to_sounds(words)
    return min(
        allowed,
        key=lambda place: (
            Levenshtein.distance(entity_sounds, to_sounds(response[place[0] : place[1]])),
            place[1] - place[0],
            place,
        ),
    )
