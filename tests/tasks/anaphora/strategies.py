"""Random keys and responses for the laws that every measure keeps."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.tasks.corpora import named

OPTIONS: dict[str, Any] = {}
SKIP: dict[tuple[str, str], str] = {}
NAMES = ["Ann", "Bob", "house"]


@st.composite
def texts(draw: st.DrawFn, nameable: bool = True, circles: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """A key with both genders, real ambiguity and a nearest candidate that is wrong, and any response to it.

    `nameable`: every chain has a mention that is no pronoun; a perfect response to one of pronouns alone is graded ½.
    `circles`: the antecedents of the response can lead back to their anaphor.
    """
    count = draw(st.integers(2, 6))
    anaphors = [f"p{index}" for index in range(count)]
    antecedents: dict[str, Any] = {"p0": "Ann", "p1": "Bob"}
    for index in range(2, count):
        before = [one for one in anaphors[:index] if antecedents[one] or not nameable]
        antecedents[f"p{index}"] = draw(st.sampled_from([*NAMES, *before, None]))
    key = {
        "anaphors": antecedents,
        "candidates": {anaphor: ["Ann", "Bob", "house"] for anaphor in anaphors},
        "attributes": {
            anaphor: {"gender": "masculine" if index % 2 else "feminine"} for index, anaphor in enumerate(anaphors)
        },
    }
    response = {}
    for index, anaphor in enumerate([*anaphors, "q"]):
        antecedent = st.sampled_from([*NAMES, *(anaphors if circles else anaphors[:index])])
        chosen = st.one_of(st.none(), antecedent, st.lists(st.sampled_from(NAMES), max_size=2))
        if draw(st.booleans()):
            response[anaphor] = draw(chosen)
    return key, {"anaphors": {one: other for one, other in response.items() if one != other}}


CORPORA = named(texts())
ANY = named(texts(nameable=False))
"""With chains of pronouns alone, too."""
WITHOUT_CIRCLES = named(texts(nameable=False, circles=False))
"""The same where no anaphor leads back to itself."""


def shuffled(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same documents and anaphors in another order."""
    items = [
        (name, {**text, "anaphors": dict(rng.sample(list(text["anaphors"].items()), len(text["anaphors"])))})
        for name, text in corpus.items()
    ]
    return dict(rng.sample(items, len(items)))


def repeated(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with some antecedents given twice."""
    return {name: {**text, "anaphors": _repeated(text["anaphors"], rng)} for name, text in corpus.items()}


def _repeated(anaphors: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    as_lists = {one: [given] if isinstance(given, str) else given or [] for one, given in anaphors.items()}
    return {one: [*given, *rng.choices(given, k=rng.randrange(3))] if given else [] for one, given in as_lists.items()}


REPEATS: list[dict[str, Any]] = [{}]
"""The options under which repeats are taken."""
