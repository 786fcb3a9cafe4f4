"""Compare key and response anaphors, one by one.

A unit is an anaphor of the key, or one that only the response has. All counts for the measures are made in one pass,
because all measures judge antecedents by the same criteria.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract import task as core
from aune.contract.measure import Column
from aune.contract.notes import Note
from aune.contract.survey import STANDALONE, Survey
from aune.tasks.anaphora.model import Anaphor, Document, circular_anaphors, nearest_agreeing

Right: TypeAlias = Annotated[
    Literal["chain", "strict"],
    "when an antecedent is right: any other mention of the anaphor's key chain, or only the key's antecedents",
]
GAP_NAMES = frozenset({"A", "B"})
"""The two candidates in a row of GAP."""
MIN_KNOWN_SHARE = 0.1
"""If the key knows a smaller share of the response's antecedents, the two probably count positions differently."""
MIN_UNANSWERED, MIN_UNANSWERED_SHARE = 3, 0.5
"""A response that lacks this many anaphors, and this share of them, may be incomplete."""


class Unit(NamedTuple):
    """An anaphor of the key, of the response, or of both."""

    key: Document
    response: Document
    mention: str
    key_anaphor: Anaphor | None
    response_anaphor: Anaphor | None

    @property
    def attributes(self) -> Mapping[str, str]:
        anaphor = self.key_anaphor or self.response_anaphor
        attributes = anaphor.attributes if anaphor else {}
        return {**self.key.attributes, **attributes} if self.key.attributes else attributes

    @property
    def is_anaphoric(self) -> bool:
        return bool(self.key_anaphor and self.key_anaphor.antecedents)

    @property
    def antecedents(self) -> tuple[str, ...]:
        """The antecedents that the response chose."""
        return self.response_anaphor.antecedents if self.response_anaphor else ()

    def is_in_chain(self, mention: str | None) -> bool:
        """Whether a mention is another member of the anaphor's key chain."""
        chain = self.key.chains.get(self.mention)
        return (
            mention is not None
            and mention != self.mention
            and chain is not None
            and self.key.chains.get(mention) == chain
        )

    def is_pronominal(self, mention: str) -> bool:
        document = self.key if self.key.knows(mention) else self.response
        return document.is_pronominal(mention)


class Judgements(NamedTuple):
    """The facts about each unit, as columns of integers."""

    listed: Column
    """1: the key lists it, as an anaphor or as a mention that is not anaphoric."""
    anaphoric: Column
    """1: the key gives it an antecedent."""
    key_antecedents: Column
    """The number of antecedents in the key."""
    response_antecedents: Column
    """The number of antecedents in the response."""
    strict_hits: Column
    """The number of response antecedents that the key gives too."""
    chain_hits: Column
    """The number of response antecedents in the key chain."""
    candidates: Column
    agreeing: Column
    """The number of candidates that agree in gender and number."""
    recent: Column
    """1: the nearest agreeing candidate is in the key chain."""
    recent_strict: Column
    gender: Column
    """0 masculine, 1 feminine, 2 other or unknown."""
    unanswered: Column
    """The number of GAP's two names without an answer, because the response lacks the row."""

    def is_resolved(self, right: Right) -> Column:
        """The anaphors that the response resolves, with correct antecedents only."""
        hits = self.chain_hits if right == "chain" else self.strict_hits
        return np.asarray((self.anaphoric == 1) & (self.response_antecedents > 0) & (hits == self.response_antecedents))


class Reach(NamedTuple):
    """What the response's class of each anaphor contains, as columns of 0 and 1."""

    pronominal: Column
    nameable: Column
    """The key chain has another mention that is not a pronoun."""
    linked: Column
    """The response's class of the anaphor contains another mention."""
    named: Column
    """The response's class contains a mention of the key chain that is not a pronoun, possibly the anaphor itself."""
    names_entity: Column
    """The response's class contains such a mention other than the anaphor."""
    foreign: Column
    """The response's class contains a mention of another key chain that is not a pronoun."""


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """The comparison that all anaphora measures use."""

    units: Mapping[str, Sequence[str]]
    rows: Sequence[Unit]
    warnings: tuple[Note, ...] = ()

    @cached_property
    def judgements(self) -> Judgements:
        return Judgements(*_columns([_judgement_row(row) for row in self.rows], len(Judgements._fields)))

    @cached_property
    def reach(self) -> Reach:
        row_by_response = {id(row.response): row for row in self.rows}
        classes = {response: _ResponseClasses(row) for response, row in row_by_response.items()}
        return Reach(*_columns([classes[id(row.response)].reach_row(row) for row in self.rows], len(Reach._fields)))


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> list[Column]:
    return list(np.asarray(rows, np.int64).reshape(-1, width).T)


def _judgement_row(unit: Unit) -> tuple[int, ...]:
    expected = unit.key_anaphor.antecedents if unit.key_anaphor else ()
    candidates = unit.key_anaphor.candidates if unit.key_anaphor else ()
    recent = nearest_agreeing(unit.key_anaphor) if unit.key_anaphor and candidates else None
    gender = unit.attributes.get("gender", "")[:1].lower()
    return (
        int(unit.key_anaphor is not None),
        int(unit.is_anaphoric),
        len(expected),
        len(unit.antecedents),
        len(set(unit.antecedents) & set(expected)),
        sum(map(unit.is_in_chain, unit.antecedents)),
        len(candidates),
        sum(candidate.agrees for candidate in candidates),
        int(unit.is_in_chain(recent)),
        int(recent in expected),
        "mf".find(gender) if gender in ("m", "f") else 2,
        len(candidates)
        if unit.response_anaphor is None and {candidate.mention for candidate in candidates} == GAP_NAMES
        else 0,
    )


class _ResponseClasses:
    """The classes of a response document, with counts by key chain of their mentions that are not pronouns."""

    def __init__(self, unit: Unit) -> None:
        key, response = unit.key, unit.response
        self.by_class: dict[int, dict[object, int]] = {}
        for chain, members in response.members.items():
            name_counts = self.by_class[chain] = {}
            for mention in members:
                if not unit.is_pronominal(mention):
                    key_chain: object = key.chains.get(mention, mention)
                    name_counts[key_chain] = name_counts.get(key_chain, 0) + 1
        self.by_chain = {
            chain: sum(not key.is_pronominal(mention) for mention in members) for chain, members in key.members.items()
        }

    def reach_row(self, unit: Unit) -> tuple[int, ...]:
        key, response, mention = unit.key, unit.response, unit.mention
        pronominal = unit.is_pronominal(mention)
        self_count = int(not pronominal)
        key_chain: object = key.chains.get(mention, mention)
        response_chain = response.chains.get(mention)
        name_counts = self.by_class[response_chain] if response_chain is not None else {}
        own_names = name_counts.get(key_chain, 0)
        return (
            int(pronominal),
            int(self.by_chain.get(key.chains.get(mention, -1), 0) > self_count),
            int(response_chain is not None and len(response.members[response_chain]) > 1),
            int(own_names > 0),
            int(own_names > (self_count if response_chain is not None else 0)),
            int(len(name_counts) > (own_names > 0)),
        )


def compare(pairs: Sequence[tuple[Document, Document]], survey: Survey = STANDALONE) -> Comparison:
    """The anaphors of key and response, paired by mention."""
    rows = [unit for key, response in pairs for unit in _units(key, response)]
    row_attributes = [row.attributes for row in rows]
    names = sorted({name for attributes in row_attributes for name in attributes} - {"document", "anaphor"})
    units = {
        "document": [row.key.id for row in rows],
        "anaphor": [f"{row.key.id}:{row.mention}" for row in rows],
        **{name: [attributes.get(name, "") for attributes in row_attributes] for name in names},
    }
    return Comparison(units, rows, (known_antecedents_note(rows), circles_note(pairs), unanswered_note(rows)))


def known_antecedents_note(rows: Sequence[Unit]) -> Note:
    """Count the response's antecedents for key anaphors, and those among them that the key mentions anywhere."""
    counts = Counter(given=0, known=0)
    for row in rows:
        if row.key_anaphor and row.key_anaphor.antecedents and row.antecedents:
            candidates = {candidate.mention for candidate in row.key_anaphor.candidates}
            counts["given"] += len(row.antecedents)
            counts["known"] += sum(mention in candidates or row.key.knows(mention) for mention in row.antecedents)
    return Note("antecedents known", _word_known_antecedents, counts)


def _word_known_antecedents(counts: Mapping[str, int], first: str) -> str:
    total, known = counts["given"], counts["known"]
    if known >= MIN_KNOWN_SHARE * total:
        return ""
    return (
        f"{known} of {total} antecedents in the response are mentions that the key knows of: check that both write "
        "positions in the same way"
    )


def unanswered_note(rows: Sequence[Unit]) -> Note:
    """Count the key anaphors that the response does not list, not even without an antecedent."""
    counts = Counter(total=0, missing=0, undecided=0)
    for row in rows:
        if row.is_anaphoric:
            counts["total"] += 1
            counts["missing"] += row.response_anaphor is None
            counts["undecided"] += row.response_anaphor is not None and not row.response_anaphor.antecedents
    return Note("unanswered", _word_unanswered, counts, rank=2)


def _word_unanswered(counts: Mapping[str, int], first: str) -> str:
    """A warning if the response lists undecided anaphors but lacks others, or lacks so many that it may be cut off."""
    missing, total = counts["missing"], counts["total"]
    lacks_many = missing >= max(MIN_UNANSWERED, MIN_UNANSWERED_SHARE * total)
    if not (lacks_many or (missing and counts["undecided"] and total > MIN_UNANSWERED)):
        return ""
    share = f"{missing:,} of {total:,} anaphors of the key ({100 * missing / total:.0f} %)"
    return f"{share} are not in the response, and count as unresolved: check that it is whole"


def circles_note(pairs: Sequence[tuple[Document, Document]]) -> Note:
    """Count the anaphors on either side whose antecedents lead back to them."""
    counts = Counter(key=0, response=0)
    first = ""
    for pair in pairs:
        for side, document in zip(("key", "response"), pair, strict=True):
            endless = circular_anaphors(document)
            counts[side] += len(endless)
            first = first or next((f"{mention} in {document.id}" for mention in endless), "")
    return Note("circles", _word_circles, counts, first, 1)


def _word_circles(counts: Mapping[str, int], first: str) -> str:
    phrases = [f"{number:,} of the {side}" for side, number in counts.items() if number]
    if not phrases:
        return ""
    message = "anaphors that are among their own antecedents, or whose antecedents only lead back to themselves"
    return f"{message}: {' and '.join(phrases)}, first {first}"


def _units(key: Document, response: Document) -> list[Unit]:
    """The key's anaphors, then those that only the response has; a document without anaphors has one empty unit."""
    units = [
        Unit(key, response, anaphor.mention, anaphor, response.by_mention.get(anaphor.mention))
        for anaphor in key.anaphors
    ]
    units += [
        Unit(key, response, anaphor.mention, None, anaphor)
        for anaphor in response.anaphors
        if anaphor.mention not in key.by_mention and anaphor.antecedents
    ]
    return units or [Unit(key, response, "", None, None)]
