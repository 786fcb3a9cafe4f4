"""What a user should know about the texts and entities of a comparison.

A comparison keeps facts, as numbers that add up over chunks; what they mean for the user is decided once, when all of
them are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from aune.alignment.records import told_of
from aune.tasks.entities.typology import told_without

Fact: TypeAlias = tuple[str, ...]
"""What was seen: its kind, then the side, document or label."""
LISTED = 5
ROLES = ("key", "response")
REMEDY = "--realign words lays them on the key's text"
TEXTS = {
    "moved": "tokens are missing or cut otherwise in {}: entities are matched where their tokens stand in the key; "
    + REMEDY,
    "other text": "the text differs from the key's in {}: entities are matched by position; " + REMEDY,
}


def told(facts: Mapping[Fact, int]) -> list[str]:
    """Everything worth saying, in order."""
    said = [*_left_out(facts), *_texts(facts), *told_of(facts), *_asked(facts)]
    return [*said, *_labels(facts), *_components(facts)]


def _left_out(facts: Mapping[Fact, int]) -> Iterator[str]:
    for role in ROLES:
        if number := facts.get(("repeated", role), 0):
            yield f"{number} entities of the {role} occur twice with the same span and label: counted once"
        if number := facts.get(("hollow", role), 0):
            yield f"{number} entities of the {role} are empty: left out"
        if number := facts.get(("repaired", role), 0):
            many = f"{number} entit{'ies' if number > 1 else 'y'} of the {role}"
            yield f"{many} with illegal tags, repaired as the signature says"
        if number := facts.get(("stray", role), 0):
            yield f"{number} components of the {role} stand in no entity: ETER does not see them"


def _texts(facts: Mapping[Fact, int]) -> Iterator[str]:
    for kind, done in TEXTS.items():
        if documents := [fact[1] for fact, number in facts.items() if fact[0] == kind and number]:
            yield done.format(_documents(documents))
    differing = {fact[1]: number for fact, number in facts.items() if fact[0] == "differing" and number}
    if differing:
        total, where = sum(differing.values()), _documents(list(differing))
        yield f"{total} tokens differ from the key's in {where}: entities are matched by position; {REMEDY}"


def _documents(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} documents, first {names[0]}"


def _asked(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels that were asked for by name and that nobody uses: a slip of the hand, or another set of labels."""
    for fact, times in facts.items():
        if fact[0] == "asked" and not times:
            yield f"--labels {fact[1]}: neither the key nor the response has this label"


def _labels(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels of the response that the key never uses, or only in another case: their entities cannot match."""
    key, response = (
        {fact[2]: number for fact, number in facts.items() if fact[:2] == ("label", role) and number} for role in ROLES
    )
    by_case = {label.lower(): label for label in sorted(key)}
    other_case = {label: by_case[label.lower()] for label in response if label not in key and label.lower() in by_case}
    if other_case:
        said = [f"{label} for {other_case[label]} ({response[label]}×)" for label in sorted(other_case)]
        yield (
            f"labels in another case than the key's, counted as other labels: {_listed(said)}; "
            "--case fold takes them as one"
        )
    foreign = [label for label in sorted(response) if label not in key and label not in other_case]
    if key and foreign and len(foreign) == len(response):
        yield (
            f"no label of the response ({_listed(foreign)}) is one of the key's ({_listed(sorted(key))}): "
            "nothing with its label can be right; --rename "
            f"{foreign[0]}={min(key)} takes one for another"
        )
        return
    types = {_type(label) for label in key}
    said = [f"{label} ({response[label]}×)" for label in foreign if _type(label) not in types]
    if key and said:
        yield (
            f"labels that the key never uses, so that nothing with them can be right: {_listed(said)}; "
            "--rename OLD=NEW takes one for another"
        )


def _components(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Labels of a known typology that are no entities there, where none was chosen; components left out by others."""
    if facts.get(("no typology",), 0):
        labels = {fact[2] for fact, number in facts.items() if fact[0] == "label" and number}
        if text := told_without(labels):
            yield text
    if number := facts.get(("parts left out",), 0):
        yield (
            f"{number} components have none of the labels that count: entities are compared without their parts, ETER "
            "without decomposition; --by label tells labels apart with them"
        )


def _type(label: str) -> str:
    """What a label begins with: another sub-type is a mistake like any other."""
    return label.partition(".")[0]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
