"""Every anaphora measure a second time: slow, with sets, from the definitions.

A text is its links, the antecedents of each anaphor. Where no kind is known, anaphors are pronouns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Links = dict[str, set[str]]


def links(text: dict[str, Any]) -> Links:
    result = {}
    for anaphor, chosen in text["anaphors"].items():
        several = chosen if isinstance(chosen, list) else [chosen]
        result[anaphor] = {item for item in several if item}
    return result


def chain(mention: str, pairs: Links) -> set[str]:
    """Everything that pairs lead to, either way."""
    reached = {mention}
    while True:
        more = {b for a, bs in pairs.items() for b in bs if a in reached}
        more |= {a for a, bs in pairs.items() if bs & reached}
        if more <= reached:
            return reached
        reached |= more


class Seen(NamedTuple):
    """An anaphor of a key, and what a response does with it."""

    anaphor: str
    expected: set[str]
    chosen: set[str]
    mine: set[str]
    """Its key chain, without it."""
    named: set[str]
    """What is no pronoun in it."""
    given: set[str]
    """Its response class, with it."""
    foreign: set[str]
    """What is no pronoun and of another key chain in its response class."""


def anaphors(key_text: dict[str, Any], response_text: dict[str, Any]) -> Iterator[Seen]:
    """The anaphors of a key that have an antecedent."""
    key, response = links(key_text), links(response_text)
    known = set(key) | {antecedent for antecedents in key.values() for antecedent in antecedents}

    def is_pronoun(mention: str) -> bool:
        return mention in key or (mention in response and mention not in known)

    for anaphor, expected in key.items():
        if expected:
            own_value, actual = chain(anaphor, key), chain(anaphor, response)
            yield Seen(
                anaphor, expected, response.get(anaphor, set()), own_value - {anaphor},
                {mention for mention in own_value - {anaphor} if not is_pronoun(mention)}, actual,
                {mention for mention in actual - own_value if not is_pronoun(mention)},
            )  # fmt: skip


Corpora = tuple[dict[str, Any], dict[str, Any]]


def all_anaphors(corpora: Corpora) -> list[Seen]:
    return [anaphor for name in corpora[0] for anaphor in anaphors(corpora[0][name], corpora[1][name])]
