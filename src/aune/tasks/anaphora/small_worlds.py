"""The small worlds of anaphora: all assignments of antecedents to a few pronouns after two names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from aune.contract.small_worlds import universe_from_states
from aune.tasks.anaphora.model import Anaphor, Candidate, make_document

Antecedents: TypeAlias = tuple[int, ...]
"""The antecedent of each pronoun: the number of a mention (the names are 0 and 1), or `NOT_ANAPHORIC`."""
NOT_ANAPHORIC = -1
NAMES = ("Ann", "Eve")
MAX_PRONOUNS = 3  # 60 resolutions, 3,600 pairs of them


def resolutions(pronouns: int) -> Iterator[Antecedents]:
    """Every resolution of a number of pronouns to preceding mentions; nothing for more than `MAX_PRONOUNS`.

    >>> [len(list(resolutions(pronouns))) for pronouns in (1, 2, 3, 4)]
    [3, 12, 60, 0]
    """
    if pronouns <= MAX_PRONOUNS:
        yield from product(*(range(NOT_ANAPHORIC, len(NAMES) + place) for place in range(pronouns)))


def document_from(antecedents: Antecedents) -> Any:
    """The text of two names and the pronouns; all mentions before a pronoun are its candidates."""
    mentions = [*NAMES, *(f"she{place}" for place in range(1, len(antecedents) + 1))]
    anaphors = [
        Anaphor(
            mentions[len(NAMES) + place],
            () if antecedent == NOT_ANAPHORIC else (mentions[antecedent],),
            tuple(map(Candidate, mentions[: len(NAMES) + place])),
        )
        for place, antecedent in enumerate(antecedents)
    ]
    kinds = {mention: "name" if mention in NAMES else "pronoun" for mention in mentions}
    return make_document("document", anaphors, kinds=kinds)


def resolution_text(antecedents: Antecedents) -> str:
    """The antecedents, in text order.

    >>> resolution_text((0, -1, 2))
    'she1→Ann she2 she3→she1'
    """
    pairs = zip(range(1, len(antecedents) + 1), antecedents, strict=True)
    return " ".join(f"she{number}" + _arrow(antecedent) for number, antecedent in pairs)


def _arrow(antecedent: int) -> str:
    if antecedent == NOT_ANAPHORIC:
        return ""
    return f"→{NAMES[antecedent]}" if antecedent < len(NAMES) else f"→she{antecedent - len(NAMES) + 1}"


def corrections(key: Antecedents, response: Antecedents) -> list[Antecedents]:
    """The responses in which the antecedent of one pronoun is corrected."""
    wrong = [place for place, antecedent in enumerate(response) if antecedent != key[place]]
    return [(*response[:place], key[place], *response[place + 1 :]) for place in wrong]


def shuffle(generator: np.random.Generator, key: Antecedents) -> Antecedents:
    """The anaphors of the key with random antecedents."""
    return tuple(
        antecedent if antecedent == NOT_ANAPHORIC else int(generator.integers(len(NAMES) + place))
        for place, antecedent in enumerate(key)
    )


def sample(generator: np.random.Generator, pronouns: int) -> tuple[Antecedents, Antecedents]:
    """A random key, and the key with a few antecedents changed."""
    key = [int(generator.integers(NOT_ANAPHORIC, len(NAMES) + place)) for place in range(pronouns)]
    key[0] = 0  # at least one anaphor
    response = list(key)
    for place in generator.choice(pronouns, generator.integers(1, 4), replace=False).tolist():
        response[place] = int(generator.integers(NOT_ANAPHORIC, len(NAMES) + place))
    return tuple(key), tuple(response)


UNIVERSE = universe_from_states(
    resolutions,
    document_from,
    resolution_text,
    trivial={
        "nothing resolved": lambda key: (NOT_ANAPHORIC,) * len(key),
        "always the mention before": lambda key: tuple(range(1, len(key) + 1)),
    },
    profile=lambda antecedents: tuple(antecedent == NOT_ANAPHORIC for antecedent in antecedents),
    shuffle=shuffle,
    corrections=corrections,
    sample=sample,
    excluded_measures=frozenset({"gap"}),
)
