"""Combine several annotations into one: keep the entities that enough of the systems, or annotators, have.

Each system has one vote times its weight for every entity that it has: the same span of the same text with the same
label. An entity is kept if it has more than the share `least` of all votes, or all of them: 0.5 is a majority, 0 keeps
the entities of any system, 1 those of all systems. A component of a typology is kept only inside an entity that is
kept. Texts that lack tokens are first realigned with one text, as in scoring.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Any, TypeAlias

from aune.contract.voting import LeastShare, VoteRecord, is_enough, pair_by_name, vote_shares
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.model import Document, Segments, Span, make_document
from aune.tasks.entities.notes import comparison_notes
from aune.typologies.typology import typology

Entity: TypeAlias = tuple[int, int, str, Segments]
TOTALS = ("",)
"""Instead of the name of a system: facts about all of them."""


def combine(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    least: LeastShare = 0.5,
    tell: Callable[[str], None] | None = None,
    record: VoteRecord | None = None,
) -> list[Document]:
    """The texts with the entities for which the systems vote.

    >>> from aune.tasks.entities.model import documents
    >>> one, two, three = (documents(tags) for tags in (["B-A", "O"], ["B-A", "B-B"], ["O", "B-C"]))
    >>> combine(one, {"one": one, "two": two, "three": three})[0].triples()
    [(0, 1, 'A')]
    """
    record = record or VoteRecord()
    votes = _votes(text, systems, weights, record)
    chosen = [
        [entity for entity, share in entity_shares.items() if is_enough(share, least)] for entity_shares, _ in votes
    ]
    remaining = [
        _drop_stray_components(entities, original.typology) for entities, original in zip(chosen, text, strict=True)
    ]
    entity_count = sum(map(len, remaining))
    record.facts[*TOTALS, "stray components"] += sum(map(len, chosen)) - entity_count
    record.facts[*TOTALS, "entities kept"] += entity_count
    documents = [document for responses in systems.values() for document in responses]
    record.facts[*TOTALS, "left out"] += sum(bool(document.relations or document.features) for document in documents)
    record.facts[*TOTALS, "entities", f"{least:g}"] += sum(len(entity_shares) for entity_shares, _ in votes)
    if tell:
        for note in combination_notes(record):
            tell(note)
    return [
        make_document(
            original.id,
            [Span(start, end, label, segments=segments) for start, end, label, segments in entities],
            length=original.length,
            unit=original.unit,
            sentences=original.sentences,
            words=original.words,
            text=original.text,
            typology=original.typology,
            attributes=original.attributes,
        )
        for original, entities in zip(text, remaining, strict=True)
    ]


def combination_notes(record: VoteRecord) -> list[str]:
    """What users should know about the systems and the vote."""
    by_system = record.facts_by_system()
    totals = by_system.pop(*TOTALS)
    notes = [f"{name}: {note}" for name, facts in by_system.items() for note in comparison_notes(facts)]
    if alone := totals["stray components",]:
        notes.append(
            f"{alone} component{'s' * (alone > 1)} with enough votes in no entity with enough of them: left out"
        )
    if totals["left out",]:
        notes.append("features and relations of entities are not combined: left out")
    candidates = {fact[1]: number for fact, number in totals.items() if fact[0] == "entities"}
    if not totals["entities kept",] and any(candidates.values()):
        notes.append(f"no entity has enough votes: more than {next(iter(candidates))} of them, or all")
    return notes


def _drop_stray_components(entities: Sequence[Entity], name: str) -> list[Entity]:
    """The entities, without components that lie in none of them."""
    components = typology(name).components
    entity_spans = sorted((start, end) for start, end, label, _ in entities if label not in components)
    furthest = list(accumulate((end for _, end in entity_spans), max))

    def lies_in_one(start: int, end: int) -> bool:
        before = bisect_right(entity_spans, start, key=itemgetter(0))
        return bool(before) and furthest[before - 1] >= end

    return [entity for entity in entities if entity[2] not in components or lies_in_one(*entity[:2])]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    below: float = 1.0,
    record: VoteRecord | None = None,
) -> list[Sequence[Any]]:
    """The entities that have less than this share of the votes, in order of increasing share, below a row of headings.

    >>> from aune.tasks.entities.model import documents
    >>> disagreements(documents(["O"]), {"one": documents(["B-A"]), "two": documents(["O"])})[1]
    ['document', 0, 1, 'A', '0.500', 'yes', 'no', '']
    """
    rows: list[Sequence[Any]] = []
    for document, (entity_shares, owners) in zip(
        text, _votes(text, systems, weights, record or VoteRecord()), strict=True
    ):
        for (start, end, label, segments), share in entity_shares.items():
            if share < below:
                answers = ["yes" if name in owners[start, end, label, segments] else "no" for name in systems]
                rows.append(
                    [document.id, start, end, label, f"{float(share):.3f}", *answers, document.excerpt(start, end)]
                )
    rows.sort(key=lambda row: float(row[4]))
    return [["document", "start", "end", "label", "agreement", *systems, "text"], *rows]


def _votes(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    weights: Mapping[str, float] | None,
    record: VoteRecord,
) -> list[tuple[dict[Entity, Fraction], dict[Entity, set[str]]]]:
    """For each text, the entities in order, each with its share of the votes and the systems that have it."""
    voting = vote_shares(systems, weights)
    owners: list[dict[Entity, set[str]]] = [{} for _ in text]
    for name, documents in systems.items():
        comparison = compare(pair_by_name(text, documents, name), record.survey(name))
        record.add(name, {fact: number for fact, number in comparison.facts.items() if fact[0] != "label"})
        for number, (_, response) in enumerate(comparison.pairs):
            for index, (start, end, label) in enumerate(response.triples()):
                if end > start:
                    owners[number].setdefault((start, end, label, response.segments.get(index, ())), set()).add(name)
    return [
        ({entity: sum((voting[name] for name in voters[entity]), Fraction(0)) for entity in sorted(voters)}, voters)
        for voters in owners
    ]
