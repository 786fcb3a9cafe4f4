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

from aune.core import registry
from aune.core.errors import UsageError
from aune.core.matching import best_matching
from aune.core.result import plain_value
from aune.tasks.speech.alignment.words import Kind
from aune.tasks.speech.atene.projection import projected
from aune.tasks.speech.comparison import Comparison, Errors, compare
from aune.tasks.speech.measures import wer
from aune.tasks.speech.model import Document, Entity, outermost


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


def _spans(words: Sequence[str], found: Sequence[Entity]) -> list[tuple[int, int, str]]:
    """Entities for the entities task; one that is missing lies after the last word, where nothing can meet it."""
    after = len(words)
    missing = iter(range(after, after + len(found)))
    return [
        (entity.start, entity.end, entity.label)
        if entity.end > entity.start
        else ((place := next(missing)), place + 1, entity.label)
        for entity in found
    ]


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

    sides = [{name: _spans(words, found) for name, (words, found) in side.items()} for side in (expected, given)]
    return score("entities", sides[0], sides[1], measures=list(measures), **options)


class Downstream(NamedTuple):
    """A recogniser of entities on the words of a speech recogniser, and on the words of the key where that is given."""

    automatic: EntityErrors
    manual: EntityErrors | None
    ser: float | None
    eter: float | None
    pae: dict[str, float | None]
    word_deletions: float | None
    """Words deleted and inserted by the speech recogniser, beside the entities missed and made up (figures 5.5–5.8)."""
    word_insertions: float | None
    inserted: dict[int, int]
    """How many stretches between entities have 0, 1, 2… entities made up in them."""


def downstream(
    pairs: Sequence[tuple[Document, Document]],
    manual: Mapping[str, Sequence[Entity]] | None = None,
    normalise: str = "none",
) -> Downstream:
    """What a recogniser of entities made of a transcript.

    `pairs` are utterances of the key, with the entities that are right, and of the response, with those that the
    recogniser found there; `manual` are those that it found on the key's own words, by utterance.
    """
    comparison = compare(pairs, normalise=normalise)
    expected = projected_entities(comparison)
    given = [outermost(response.entities) for _, response in comparison.pairs]
    automatic = total(entity_errors(expected, given))
    before = None
    if manual is not None:
        keys = [key for key, _ in comparison.pairs]
        right = [outermost(key.entities) for key in keys]
        before = total(entity_errors(right, [outermost(manual.get(key.id, ())) for key in keys]))
    words = wer.score(Errors(*(column.sum() for column in comparison.errors("similar"))))
    lengths = [len(response.words) for _, response in comparison.pairs]
    sides = [
        {key.id: (response.words, entities) for (key, response), entities in zip(comparison.pairs, found, strict=True)}
        for found in (expected, given)
    ]
    scores = scored_entities(sides[0], sides[1]) if "entities" in registry.task_names() else None
    return Downstream(
        automatic, before, scores["ser"].ser if scores else None, scores["eter"].eter if scores else None,
        pae(before, automatic) if before else {}, plain_value(words.deletions), plain_value(words.insertions),
        inserted_per_segment(expected, given, lengths),
    )  # fmt: skip
