"""One annotation out of several: an entity stays when enough of the systems, or annotators, have it.

Each has one vote times its weight for every entity that it has: the same stretch of the same text with the same label.
An entity stays when it has more than `least` of all votes, or all of them; with one half that is a majority, with 0
what anyone has, with 1 what all have. A component of a typology stays only in an entity that stays. Texts that lack
tokens are laid on one text first, as in scoring.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Any, TypeAlias

from aune.core.votes import Least, enough, paired_by_name, shares
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.model import Document, Segments, Span, document
from aune.tasks.entities.notes import told
from aune.tasks.entities.typology import typology

Entity: TypeAlias = tuple[int, int, str, Segments]


def combined(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    least: Least = 0.5,
    tell: Callable[[str], None] | None = None,
) -> list[Document]:
    """The texts with the entities that the systems vote for.

    >>> from aune.tasks.entities.model import documents
    >>> one, two, three = (documents(tags) for tags in (["B-A", "O"], ["B-A", "B-B"], ["O", "B-C"]))
    >>> combined(one, {"one": one, "two": two, "three": three})[0].triples()
    [(0, 1, 'A')]
    """
    votes = _votes(text, systems, weights, tell)
    chosen = [[entity for entity, share in found.items() if enough(share, least)] for found, _ in votes]
    housed = [_housed(entities, one.typology) for entities, one in zip(chosen, text, strict=True)]
    if tell and (alone := sum(map(len, chosen)) - sum(map(len, housed))):
        tell(f"{alone} component{'s' * (alone > 1)} with enough votes in no entity with enough of them: left out")
    if tell and not any(housed) and any(found for found, _ in votes):
        tell(f"no entity has enough votes: more than {least:g} of them, or all")
    return [
        document(
            one.id,
            [Span(start, end, label, segments=segments) for start, end, label, segments in entities],
            length=one.length, unit=one.unit, sentences=one.sentences, words=one.words, text=one.text,
            typology=one.typology, attributes=one.attributes,
        )
        for one, entities in zip(text, housed, strict=True)
    ]  # fmt: skip


def _housed(entities: Sequence[Entity], name: str) -> list[Entity]:
    """The entities, with the components that lie in one of them."""
    components = typology(name).components
    whole = sorted((start, end) for start, end, label, _ in entities if label not in components)
    furthest = list(accumulate((end for _, end in whole), max))

    def lies_in_one(start: int, end: int) -> bool:
        before = bisect_right(whole, start, key=itemgetter(0))
        return bool(before) and furthest[before - 1] >= end

    return [entity for entity in entities if entity[2] not in components or lies_in_one(*entity[:2])]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    below: float = 1.0,
) -> list[Sequence[Any]]:
    """The entities that have less than this share of the votes, the least agreed on first, under their headings.

    >>> from aune.tasks.entities.model import documents
    >>> disagreements(documents(["O"]), {"one": documents(["B-A"]), "two": documents(["O"])})[1]
    ['document', 0, 1, 'A', '0.500', 'yes', 'no', '']
    """
    rows: list[Sequence[Any]] = []
    for one, (found, owners) in zip(text, _votes(text, systems, weights, None), strict=True):
        for (start, end, label, segments), share in found.items():
            if share < below:
                said = ["yes" if name in owners[start, end, label, segments] else "no" for name in systems]
                rows.append([one.id, start, end, label, f"{float(share):.3f}", *said, one.quoted(start, end)])
    rows.sort(key=lambda row: float(row[4]))
    return [["document", "start", "end", "label", "agreement", *systems, "text"], *rows]


def _votes(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    weights: Mapping[str, float] | None,
    tell: Callable[[str], None] | None,
) -> list[tuple[dict[Entity, Fraction], dict[Entity, set[str]]]]:
    """For each text the entities in order, each with its share of the votes, and who has it."""
    voting = shares(systems, weights)
    owners: list[dict[Entity, set[str]]] = [{} for _ in text]
    for name, documents in systems.items():
        comparison = compare(paired_by_name(text, documents, name))
        if tell:
            for note in told({fact: number for fact, number in comparison.facts.items() if fact[0] != "label"}):
                tell(f"{name}: {note}")
        for number, (_, response) in enumerate(comparison.pairs):
            for index, (start, end, label) in enumerate(response.triples()):
                if end > start:
                    owners[number].setdefault((start, end, label, response.segments.get(index, ())), set()).add(name)
    return [
        ({entity: sum((voting[name] for name in found[entity]), Fraction(0)) for entity in sorted(found)}, found)
        for found in owners
    ]
