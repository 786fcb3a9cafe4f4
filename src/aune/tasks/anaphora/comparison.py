"""Key and response anaphors side by side, judged one by one.

A unit is an anaphor of the key, or one that only the response has. What the measures count is found in one pass, since
an antecedent is right or wrong for the same reasons in all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.core import task as core
from aune.core.measure import Column
from aune.core.notes import Note
from aune.core.survey import ALONE, Survey
from aune.tasks.anaphora.model import Anaphor, Document, astray, nearest_agreeing

Right: TypeAlias = Annotated[
    Literal["chain", "strict"],
    "when an antecedent is right: any other mention of the anaphor's key chain, or only the key's antecedents",
]
NAMES = frozenset({"A", "B"})
"""The two candidates of a row of GAP."""
FEW = 0.1
"""Below this share of antecedents that the key knows of, the response hardly counts positions as the key does."""


class Unit(NamedTuple):
    """An anaphor of the key, of the response, or of both."""

    key: Document
    response: Document
    mention: str
    expected: Anaphor | None
    given: Anaphor | None

    @property
    def attributes(self) -> Mapping[str, str]:
        known = self.expected or self.given
        mine = known.attributes if known else {}
        return {**self.key.attributes, **mine} if self.key.attributes else mine

    @property
    def is_anaphoric(self) -> bool:
        return bool(self.expected and self.expected.antecedents)

    @property
    def antecedents(self) -> tuple[str, ...]:
        """What the response chose."""
        return self.given.antecedents if self.given else ()

    def in_chain(self, mention: str | None) -> bool:
        """Whether a mention is another one of the anaphor's key chain."""
        mine = self.key.chains.get(self.mention)
        return (
            mention is not None
            and mention != self.mention
            and mine is not None
            and self.key.chains.get(mention) == mine
        )

    def is_pronominal(self, mention: str) -> bool:
        known = self.key if self.key.knows(mention) else self.response
        return known.is_pronominal(mention)


class Judged(NamedTuple):
    """What is true of each unit, as columns of whole numbers."""

    listed: Column
    """1: the key lists it, as an anaphor or as a mention that is none."""
    anaphoric: Column
    """1: the key gives it an antecedent."""
    expected: Column
    """How many antecedents the key gives it."""
    given: Column
    """How many antecedents the response gives it."""
    strict: Column
    """How many of those are the key's."""
    chained: Column
    """How many of those are in the key chain."""
    candidates: Column
    agreeing: Column
    """How many candidates agree in gender and number."""
    recent: Column
    """1: the nearest agreeing candidate is in the key chain."""
    recent_strict: Column
    gender: Column
    """0 masculine, 1 feminine, 2 other or unknown."""
    unanswered: Column
    """How many names of GAP's two the response has no answer for, since it lacks the row."""

    def resolved(self, right: Right) -> Column:
        """Which anaphors the response resolves, with nothing but right antecedents."""
        agreed = self.chained if right == "chain" else self.strict
        return np.asarray((self.anaphoric == 1) & (self.given > 0) & (agreed == self.given))


class Reached(NamedTuple):
    """How far the response's class of each anaphor goes, as columns of 0 and 1."""

    pronominal: Column
    nameable: Column
    """The key chain has another mention that is no pronoun."""
    linked: Column
    """The response puts something in the anaphor's class."""
    followed: Column
    """The response's links lead from the anaphor to a mention of the key chain that is no pronoun."""
    own: Column
    """The response's class holds such a mention."""
    foreign: Column
    """The response's class holds one of another key chain."""


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """What all anaphora measures read."""

    units: Mapping[str, Sequence[str]]
    rows: Sequence[Unit]
    warnings: tuple[Note, ...] = ()

    @cached_property
    def judged(self) -> Judged:
        return Judged(*_columns([_judged(row) for row in self.rows], len(Judged._fields)))

    @cached_property
    def reached(self) -> Reached:
        a_row = {id(row.response): row for row in self.rows}
        classes = {response: _Classes(row) for response, row in a_row.items()}
        return Reached(*_columns([classes[id(row.response)].reached(row) for row in self.rows], len(Reached._fields)))


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> list[Column]:
    return list(np.asarray(rows, np.int64).reshape(-1, width).T)


def _judged(unit: Unit) -> tuple[int, ...]:
    expected = unit.expected.antecedents if unit.expected else ()
    candidates = unit.expected.candidates if unit.expected else ()
    recent = nearest_agreeing(unit.expected) if unit.expected and candidates else None
    gender = unit.attributes.get("gender", "")[:1].lower()
    return (
        int(unit.expected is not None),
        int(unit.is_anaphoric),
        len(expected),
        len(unit.antecedents),
        len(set(unit.antecedents) & set(expected)),
        sum(map(unit.in_chain, unit.antecedents)),
        len(candidates),
        sum(candidate.agrees for candidate in candidates),
        int(unit.in_chain(recent)),
        int(recent in expected),
        "mf".find(gender) if gender in ("m", "f") else 2,
        len(candidates) if unit.given is None and {candidate.mention for candidate in candidates} == NAMES else 0,
    )


class _Classes:
    """The classes of a response document, by the key chains of the mentions in them that are no pronouns."""

    def __init__(self, unit: Unit) -> None:
        key, response = unit.key, unit.response
        self.by_class: dict[int, dict[object, int]] = {}
        for chain, members in response.members.items():
            named = self.by_class[chain] = {}
            for mention in members:
                if not unit.is_pronominal(mention):
                    theirs: object = key.chains.get(mention, mention)
                    named[theirs] = named.get(theirs, 0) + 1
        self.by_chain = {
            chain: sum(not key.is_pronominal(mention) for mention in members) for chain, members in key.members.items()
        }
        self.dead_ends: dict[object, set[str]] = {}
        """For each key chain, the mentions from which the response's links lead to no name of it."""
        self.ways: dict[object, set[str]] = {}
        """For each key chain, mentions from which they are known to lead to one."""

    def reached(self, unit: Unit) -> tuple[int, ...]:
        key, response, mention = unit.key, unit.response, unit.mention
        pronominal = unit.is_pronominal(mention)
        itself = int(not pronominal)
        mine: object = key.chains.get(mention, mention)
        number = response.chains.get(mention)
        there = self.by_class[number] if number is not None else {}
        own = there.get(mine, 0)
        return (
            int(pronominal),
            int(self.by_chain.get(key.chains.get(mention, -1), 0) > itself),
            int(number is not None and len(response.members[number]) > 1),
            int(self.leads_to_name(unit, mine)),
            int(own > (itself if number is not None else 0)),
            int(len(there) > (own > 0)),
        )

    def leads_to_name(self, unit: Unit, chain: object) -> bool:
        """Whether following the response's links from the anaphor reaches a mention of its chain that is no pronoun."""
        links, dead = unit.response.by_mention, self.dead_ends.setdefault(chain, set())
        pronoun = unit.is_pronominal(unit.mention)  # where it is a name, a way may lead back to itself
        ways = self.ways.setdefault(chain, set()) if pronoun else set()
        come_from: dict[str, str] = {unit.mention: ""}
        waiting = [unit.mention]
        while waiting:
            here = waiting.pop()
            for mention in links[here].antecedents if here in links else ():
                if mention in come_from or mention in dead:
                    continue
                named = unit.key.chains.get(mention, mention) == chain and not unit.is_pronominal(mention)
                if named or mention in ways:
                    while here:
                        ways.add(here)
                        here = come_from[here]
                    return True
                come_from[mention] = here
                waiting.append(mention)
        dead |= come_from.keys()
        return False


def compare(pairs: Sequence[tuple[Document, Document]], survey: Survey = ALONE) -> Comparison:
    """Anaphors of key and response paired by mention."""
    rows = [unit for key, response in pairs for unit in _units(key, response)]
    known = [row.attributes for row in rows]
    names = sorted({name for one in known for name in one} - {"document", "anaphor"})
    units = {
        "document": [row.key.id for row in rows],
        "anaphor": [f"{row.key.id}:{row.mention}" for row in rows],
        **{name: [one.get(name, "") for one in known] for name in names},
    }
    return Comparison(units, rows, (antecedents_known(rows), circles(pairs)))


def antecedents_known(rows: Sequence[Unit]) -> Note:
    """How many antecedents that the response gives to the key's anaphors are mentions that the key knows of."""
    counts = Counter(given=0, known=0)
    for row in rows:
        if row.expected and row.expected.antecedents and row.antecedents:
            candidates = {candidate.mention for candidate in row.expected.candidates}
            counts["given"] += len(row.antecedents)
            counts["known"] += sum(mention in candidates or row.key.knows(mention) for mention in row.antecedents)
    return Note("antecedents known", _worded, counts)


def _worded(counts: Mapping[str, int], first: str) -> str:
    given, known = counts["given"], counts["known"]
    if known >= FEW * given:
        return ""
    return (
        f"{known} of {given} antecedents in the response are mentions that the key knows of: check that both write "
        "positions in the same way"
    )


def circles(pairs: Sequence[tuple[Document, Document]]) -> Note:
    """How many anaphors lead back to themselves, on either side."""
    counts = Counter(key=0, response=0)
    first = ""
    for both in pairs:
        for side, document in zip(("key", "response"), both, strict=True):
            endless = astray(document)
            counts[side] += len(endless)
            first = first or next((f"{mention} in {document.id}" for mention in endless), "")
    return Note("circles", _circles_worded, counts, first, 1)


def _circles_worded(counts: Mapping[str, int], first: str) -> str:
    held = [f"{number:,} of the {side}" for side, number in counts.items() if number]
    if not held:
        return ""
    what = "anaphors that are among their own antecedents, or whose antecedents only lead back to themselves"
    return f"{what}: {' and '.join(held)}, first {first}"


def _units(key: Document, response: Document) -> list[Unit]:
    """The key's anaphors, then those that only the response has; one empty unit for a document without any."""
    found = [
        Unit(key, response, anaphor.mention, anaphor, response.by_mention.get(anaphor.mention))
        for anaphor in key.anaphors
    ]
    found += [
        Unit(key, response, anaphor.mention, None, anaphor)
        for anaphor in response.anaphors
        if anaphor.mention not in key.by_mention and anaphor.antecedents
    ]
    return found or [Unit(key, response, "", None, None)]
