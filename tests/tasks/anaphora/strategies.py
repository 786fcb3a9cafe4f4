"""Random keys and responses for the laws that every measure keeps."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.tasks.corpora import named_texts

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
        before = [item for item in anaphors[:index] if antecedents[item] or not nameable]
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
    return key, {"anaphors": {first: other for first, other in response.items() if first != other}}


CORPORA = named_texts(texts())
ANY = named_texts(texts(nameable=False))
"""With chains of pronouns alone, too."""
WITHOUT_CIRCLES = named_texts(texts(nameable=False, circles=False))
"""The same where no anaphor leads back to itself."""


def shuffle_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same documents and anaphors in another order."""
    items = [
        (name, {**text, "anaphors": dict(rng.sample(list(text["anaphors"].items()), len(text["anaphors"])))})
        for name, text in corpus.items()
    ]
    return dict(rng.sample(items, len(items)))


def repeat_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with some antecedents given twice."""
    return {name: {**text, "anaphors": _repeat_items(text["anaphors"], rng)} for name, text in corpus.items()}


def _repeat_items(anaphors: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    as_lists = {item: [anaphor] if isinstance(anaphor, str) else anaphor or [] for item, anaphor in anaphors.items()}
    return {
        item: [*value, *rng.choices(value, k=rng.randrange(3))] if value else [] for item, value in as_lists.items()
    }


REPEATS: list[dict[str, Any]] = [{}]
"""The options under which repeats are taken."""
