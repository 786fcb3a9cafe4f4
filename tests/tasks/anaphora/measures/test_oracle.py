"""A slow second implementation of the anaphora measures, with sets, on random texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings

import aune
from tests.tasks.anaphora import strategies

Links = dict[str, set[str]]


def links(text: dict[str, Any]) -> Links:
    found = {}
    for anaphor, chosen in text["anaphors"].items():
        several = chosen if isinstance(chosen, list) else [chosen]
        found[anaphor] = {one for one in several if one}
    return found


def chain(mention: str, pairs: Links) -> set[str]:
    """Everything that pairs lead to, either way."""
    reached = {mention}
    while True:
        more = {b for a, bs in pairs.items() for b in bs if a in reached}
        more |= {a for a, bs in pairs.items() if bs & reached}
        if more <= reached:
            return reached
        reached |= more


@settings(max_examples=80)
@given(strategies.CORPORA)
def test_slow_counts(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    grades, right, tied, nameable, clean, resolved = (Fraction(0) for _ in range(6))
    for name in corpora[0]:
        key, response = links(corpora[0][name]), links(corpora[1][name])

        def is_pronoun(mention: str, key: Links = key, response: Links = response) -> bool:
            return mention in key or (mention in response and not known(mention, key))

        for anaphor in (one for one, antecedents in key.items() if antecedents):
            mine, given = chain(anaphor, key), chain(anaphor, response)
            named = {mention for mention in mine if not is_pronoun(mention)}
            chosen = response.get(anaphor, set())
            good = bool(chosen) and chosen <= mine - {anaphor}
            right += good
            grades += good * (1 if given & named or not named else Fraction(1, 2))
            nameable += bool(named)
            tied += bool(given & named)
            resolved += len(given) > 1
            foreign = {mention for mention in given - mine if not is_pronoun(mention)}
            clean += len(given) > 1 and not foreign
    found = aune.score("anaphora", *corpora, measures=["graded", "azzam", "accuracy"])
    assert found["accuracy"].counts["chain_hits"] == right
    graded = found["graded"].counts
    assert graded["one"] + Fraction(graded["half"]) / 2 == grades
    assert tuple(found["azzam"].counts.values()) == (tied, nameable, clean, resolved)


def known(mention: str, key: Links) -> bool:
    return any(mention in antecedents for antecedents in key.values())
