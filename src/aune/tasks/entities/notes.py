"""The warnings and notes on the texts and entities of a comparison.

A comparison collects facts, as numbers that add up over chunks. The messages for the user are made once, when the
facts of all chunks are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from aune.alignment.offset_slips import slip_note
from aune.alignment.placement_records import placement_notes
from aune.typologies.typology import missing_typology_note

Fact: TypeAlias = tuple[str, ...]
"""A fact: its kind, then the side, document or label."""
MAX_LISTED = 5
ROLES = ("key", "response")
REMEDY = "--realign words locates them in the key's text"
TEXTS = {
    "moved": "tokens are missing or cut otherwise in {}: entities are matched where their tokens stand in the key; "
    + REMEDY,
    "other text": "the text differs from the key's in {}: entities are matched by position; " + REMEDY,
}


def comparison_notes(facts: Mapping[Fact, int]) -> list[str]:
    """All notes, in order."""
    notes = [
        *_entity_notes(facts),
        *_text_notes(facts),
        *_place_notes(facts),
        *placement_notes(facts),
        *_unused_label_notes(facts),
        *_other_case_notes(facts),
    ]
    return [*notes, *_label_notes(facts), *_component_notes(facts)]


def _entity_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    for role in ROLES:
        if number := facts.get(("repeated", role), 0):
            yield f"{number} entities of the {role} occur twice with the same span and label: counted once"
        if number := facts.get(("hollow", role), 0):
            yield f"{number} entities of the {role} are empty: left out"
        if number := facts.get(("repaired", role), 0):
            many = f"{number} entit{'ies' if number > 1 else 'y'} of the {role}"
            yield f"{many} with illegal tags, repaired as the signature says"
        if number := facts.get(("stray", role), 0):
            yield f"{number} components of the {role} stand in no entity: measures of entities leave them out"


def _text_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    for kind, template in TEXTS.items():
        if documents := [fact[1] for fact, number in facts.items() if fact[0] == kind and number]:
            yield template.format(_documents(documents))
    differing = {fact[1]: number for fact, number in facts.items() if fact[0] == "differing" and number}
    if differing:
        total, place = sum(differing.values()), _documents(list(differing))
        yield f"{total} tokens differ from the key's in {place}: entities are matched by position; {REMEDY}"


def _place_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Notes on how much of the key a response lacks, and on positions that are probably mistaken."""
    missing, total = facts.get(("tokens missing",), 0), facts.get(("key tokens",), 0)
    if missing:
        yield (
            f"the response lacks {missing:,} of the {total:,} tokens of the key ({100 * missing / total:.1f} %): "
            "is it complete?"
        )
    cut, spans = facts.get(("cut words",), 0), facts.get(("spans on text",), 0)
    slips = {fact[1]: number for fact, number in facts.items() if fact[0] == "slip"}
    if cut > spans / 2:
        yield (
            f"{cut:,} of the {spans:,} entities of the response begin or end inside a word: are its offsets off by "
            "one, or its ends the last positions (--ends inclusive)?"
        )
    elif note := slip_note(slips, "entities"):
        yield note


def _documents(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} documents, first {names[0]}"


def _unused_label_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels selected by name that no side uses: a typing error, or another set of labels."""
    for fact, times in facts.items():
        if fact[0] == "asked" and not times:
            yield f"--labels {fact[1]}: neither the key nor the response has this label"


def _other_case_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels that `--among` excludes only because of their case."""
    examples = [f"{fact[1]} ({number}×)" for fact, number in facts.items() if fact[0] == "other case" and number]
    if examples:
        yield (
            f"entities left out by --among for the case of their labels: {_abbreviate(sorted(examples))}; "
            "--case fold takes labels in another case as one"
        )


def _label_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels of the response that the key lacks or writes in another case: their entities cannot match."""
    key, response = (
        {fact[2]: number for fact, number in facts.items() if fact[:2] == ("label", role) and number} for role in ROLES
    )
    by_case = {label.lower(): label for label in sorted(key)}
    other_case = {label: by_case[label.lower()] for label in response if label not in key and label.lower() in by_case}
    if other_case:
        examples = [f"{label} for {other_case[label]} ({response[label]}×)" for label in sorted(other_case)]
        yield (
            f"labels in another case than the key's, counted as other labels: {_abbreviate(examples)}; "
            "--case fold takes them as one"
        )
    foreign = [label for label in sorted(response) if label not in key and label not in other_case]
    if key and foreign and len(foreign) == len(response):
        yield (
            f"no label of the response ({_abbreviate(foreign)}) is one of the key's ({_abbreviate(sorted(key))}): "
            "nothing with its label can be right; --rename "
            f"{foreign[0]}={min(key)} takes one for another"
        )
        return
    types = {_type(label) for label in key}
    examples = [f"{label} ({response[label]}×)" for label in foreign if _type(label) not in types]
    if key and examples:
        yield (
            f"labels that the key never uses, so that nothing with them can be right: {_abbreviate(examples)}; "
            "--rename OLD=NEW takes one for another"
        )


def _component_notes(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels that are components in a known typology, if none was chosen; components that a label filter excludes."""
    if facts.get(("no typology",), 0):
        labels = {fact[2] for fact, number in facts.items() if fact[0] == "label" and number}
        if text := missing_typology_note(labels):
            yield text
    if number := facts.get(("parts left out",), 0):
        yield (
            f"{number} components have none of the labels that count: entities are compared without their parts, ETER "
            "without decomposition; --by label tells labels apart with them"
        )


def _type(label: str) -> str:
    """The first part of a label: another sub-type is an ordinary error."""
    return label.partition(".")[0]


def _abbreviate(names: list[str]) -> str:
    return ", ".join(names[:MAX_LISTED]) + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")
