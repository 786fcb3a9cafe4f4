"""What an entity recogniser makes of a transcript: its output on the words that were recognised, scored.

The entities of the key are projected on the response, so that what the recogniser found there can be compared with what
it should have found; `pae` says by how much each kind of its errors grows from the manual to the automatic transcript.

Source: the thesis of Ben Jannet 2015, §5.3.4 and eq. 5.2, §5.3.5, figures 5.11 and 5.12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from aune import registry
from aune.errors import UsageError
from aune.matching import best_matching
from aune.tasks.speech.alignment import Kind
from aune.tasks.speech.atene.projection import projected
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.model import Entity


class EntityErrors(NamedTuple):
    """How many entities were right, wrong in type or extent, missed, and made up."""

    correct: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def expected(self) -> int:
        return self.correct + self.substitutions + self.deletions

    @property
    def slot_error_rate(self) -> float | None:
        wrong = self.substitutions + self.deletions + self.insertions
        return wrong / self.expected if self.expected else None

    @property
    def f1(self) -> float | None:
        total = self.expected + self.correct + self.substitutions + self.insertions
        return 2 * self.correct / total if total else None


def projected_entities(comparison: Comparison, kind: Kind = "similar") -> list[list[Entity]]:
    """The entities of the key where they are in the response, utterance by utterance; missing ones have no extent."""
    places = projected(comparison, comparison.alignment(kind), None)
    found: list[list[Entity]] = [[] for _ in comparison.pairs]
    entities = comparison.entities
    rows = zip(entities.unit.tolist(), places.start.tolist(), places.end.tolist(), entities.labels, strict=True)
    for unit, start, end, label in rows:
        found[unit].append(Entity(start, end, label))
    return found


def entity_errors(expected: Sequence[Sequence[Entity]], given: Sequence[Sequence[Entity]]) -> list[EntityErrors]:
    """The errors of a recogniser, utterance by utterance.

    An entity with the same extent and type is correct; of the others, those that overlap are paired one to one (as many
    as can be, the largest overlaps) as substitutions; an entity without extent can only be missed.

    >>> entity_errors([[Entity(0, 2, "PER"), Entity(4, 5, "LOC")]], [[Entity(0, 1, "PER"), Entity(7, 8, "LOC")]])
    [EntityErrors(correct=0, substitutions=1, deletions=1, insertions=1)]
    """
    return [_errors(list(key), list(response)) for key, response in zip(expected, given, strict=True)]


def _errors(key: list[Entity], response: list[Entity]) -> EntityErrors:
    common = Counter(key) & Counter(response)
    correct = sum(times for entity, times in common.items() if entity.end > entity.start)
    left, right = list((Counter(key) - common).elements()), list((Counter(response) - common).elements())
    left += [entity for entity in common.elements() if entity.end == entity.start]
    edges = [
        (i, j, min(a.end, b.end) - max(a.start, b.start) + 1000.0)
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if min(a.end, b.end) > max(a.start, b.start)
    ]
    paired = 0
    if edges:
        lefts, rights, weights = (np.array(column) for column in zip(*edges, strict=True))
        paired = int(best_matching(lefts, rights, weights).sum())
    return EntityErrors(correct, paired, len(left) - paired, len(right) - paired)


def total(errors: Sequence[EntityErrors]) -> EntityErrors:
    return EntityErrors(*(sum(column) for column in zip(*errors, strict=True))) if errors else EntityErrors(0, 0, 0, 0)


def pae(manual: EntityErrors, automatic: EntityErrors) -> dict[str, float | None]:
    """The percentage by which each kind of error grows from the manual to the automatic transcript (5.2).

    >>> pae(EntityErrors(80, 10, 10, 5), EntityErrors(60, 15, 25, 4))
    {'substitutions': 50.0, 'deletions': 150.0, 'insertions': -20.0}
    """
    found = {}
    for kind in ("substitutions", "deletions", "insertions"):
        before, after = getattr(manual, kind), getattr(automatic, kind)
        found[kind] = 100 * (after - before) / before if before else None
    return found


def inserted_per_segment(
    expected: Sequence[Sequence[Entity]], given: Sequence[Sequence[Entity]], lengths: Sequence[int]
) -> dict[int, int]:
    """How many stretches between entities have 0, 1, 2… entities made up in them (figures 5.11 and 5.12).

    >>> inserted_per_segment([[Entity(1, 2, "PER")]], [[Entity(1, 2, "PER"), Entity(4, 5, "LOC")]], [6])
    {0: 1, 1: 1}
    """
    found: Counter[int] = Counter()
    for key, response, length in zip(expected, given, lengths, strict=True):
        bounds = [0, *(place for entity in key for place in (entity.start, entity.end)), length]
        for start, end in zip(bounds[::2], bounds[1::2], strict=True):
            if end > start:
                found[sum(start <= entity.start and entity.end <= end for entity in response)] += 1
    return dict(sorted(found.items()))


def scored_entities(
    expected: Mapping[str, tuple[Sequence[str], Sequence[Entity]]],
    given: Mapping[str, tuple[Sequence[str], Sequence[Entity]]],
    measures: Sequence[str] = ("ser", "eter"),
    **options: Any,
) -> Any:
    """The output of a recogniser on a transcript by the measures of the entities task (SER, ETER).

    Both sides are utterances by name, as words and entities, the expected ones projected on the transcript.
    """
    if "entities" not in registry.task_names():
        raise UsageError("SER and ETER are measures of the entities task, which this version of aune does not have")
    from aune import score  # noqa: PLC0415

    sides = [
        {name: [(e.start, e.end, e.label) for e in found if e.end > e.start] for name, (_, found) in side.items()}
        for side in (expected, given)
    ]
    return score("entities", sides[0], sides[1], measures=list(measures), **options)
