"""The warnings and notes on the texts, tags and tables of a comparison.

A comparison collects facts, as numbers that add up over chunks. The messages for the user are made once, when the
facts of all chunks are known: an entry that one chunk does not use may be used in the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Fact: TypeAlias = tuple[str, ...]
"""A fact: its kind, then the file, document or tag."""
MAX_LISTED = 12  # tags that a warning names


def comparison_notes(facts: Mapping[Fact, int]) -> list[str]:
    """All notes, in order."""
    nonzero = {fact: number for fact, number in facts.items() if number}
    parts = (_texts, _compounds, _tables, _tagsets, _disjoint_tags, _not_evaluated, _headless)
    return [note for part in parts for note in part(nonzero)]


def _facts_of(facts: Mapping[Fact, int], kind: str) -> dict[Fact, int]:
    return {fact[1:]: number for fact, number in facts.items() if fact[0] == kind}


def _texts(facts: Mapping[Fact, int]) -> Iterator[str]:
    if differing := _facts_of(facts, "differs"):
        first, *others = (document for (document,) in differing)
        more = f" and {len(others)} more documents" if others else ""
        yield (
            f"the text differs from the key's in {first}{more} ({sum(differing.values())} characters): words were "
            "realigned there"
        )


def _compounds(facts: Mapping[Fact, int]) -> Iterator[str]:
    units, others = facts.get(("units",), 0), facts.get(("no units",), 0)
    if units or others:
        yield (
            f"the response marks {units + others} compounds: {units} are evaluated as units, where the key has such "
            f"a unit, the words of {others} one by one"
        )


def _tables(facts: Mapping[Fact, int]) -> Iterator[str]:
    missing, outside, inexpressible = (_facts_of(facts, kind) for kind in ("missing", "outside", "inexpressible"))
    entries, used = _facts_of(facts, "entry"), _facts_of(facts, "used")
    for path in dict.fromkeys(fact[0] for fact in entries):
        lacking_entry = {(fact[1], fact[2]): number for fact, number in missing.items() if fact[0] == path}
        if lacking_entry:
            treatment = "left out of the alternatives" if next(iter(lacking_entry))[0] == "drop" else "kept as they are"
            counted_tags = _join_counts({tag: number for (_, tag), number in lacking_entry.items()})
            yield f"{path}: tags without an entry, {treatment}: {counted_tags}"
        if unused := sorted(entry for file, entry in entries if file == path and (file, entry) not in used):
            yield f"{path}: entries never used: {_abbreviate(unused)}"
        if unknown := sorted(tag for file, tag in outside if file == path):
            yield f"{path}: tags outside the pivot's: {_abbreviate(unknown)}"
        if unexpressed := {tag: number for (file, tag), number in inexpressible.items() if file == path}:
            yield f"{path}: tags of the key that no entry can express, not evaluated: {_join_counts(unexpressed)}"


def _tagsets(facts: Mapping[Fact, int]) -> Iterator[str]:
    unknown = _facts_of(facts, "strange")
    for side, name in dict.fromkeys(fact[:2] for fact in unknown):
        tags = sorted(fact[2] for fact in unknown if fact[:2] == (side, name))
        yield f"tags of the {side} outside the tagset {name}: {_abbreviate(tags)}"


def _disjoint_tags(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Sides without a common tag: no word can be right."""
    key, response = ({tag for side, tag in _facts_of(facts, "tag") if side == role} for role in ("key", "response"))
    if key and response and not key & response:
        yield (
            f"no tag of the response ({_abbreviate(sorted(response))}) is one of the key's "
            f"({_abbreviate(sorted(key))}): "
            "not one can be right; a correspondence table makes them comparable (--table)"
        )


def _not_evaluated(facts: Mapping[Fact, int]) -> Iterator[str]:
    """How many words are not evaluated, among those with an expected tag."""
    lost, cases = facts.get(("lost",), 0), facts.get(("cases",), 0)
    if lost:
        yield (
            f"{lost} of {cases} words ({100 * lost / cases:.2f} %) not evaluated: "
            "`aune errors tagging … --kind 'not evaluated'` lists them"
        )


def _headless(facts: Mapping[Fact, int]) -> Iterator[str]:
    """Trees that are incomplete in the key; a key without any trees is not reported."""
    heads, none = facts.get(("head",), 0), facts.get(("no head",), 0)
    if heads and none:
        yield f"{none} of {heads + none} words of the key have no head: left out of UAS, LAS, CLAS, MLAS and BLEX"


def _join_counts(tags: Mapping[str, int]) -> str:
    often = sorted(tags, key=lambda tag: (-tags[tag], tag))
    return _abbreviate([f"{tag} {tags[tag]}×" for tag in often])


def _abbreviate(names: Sequence[str]) -> str:
    rest = len(names) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {rest} more" if rest > 0 else "")
