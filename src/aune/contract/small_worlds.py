"""Small worlds in which every response to every key can be tried.

A task describes its small documents with a `Universe`: all documents of a given size, the trivial responses that
should score badly, and what correcting one error means. For coreference the documents are the partitions of a set of
mentions: 203 of them for six mentions, and 41,209 pairs of a key and a response.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from aune.errors import UsageError

MOST_PAIRS = 1_000_000  # most pairs of one size: enough for the partitions of seven mentions, not of eight


@dataclass(frozen=True)
class Universe:
    """The small documents of a task."""

    documents: Callable[[int], Sequence[Any]]
    """Every document of a size."""
    show: Callable[[Any], str]
    """A document as a short text, for examples."""
    trivial: Mapping[str, Callable[[Any], Any]]
    """The responses of trivial systems, by name: from a key to the response."""
    profile: Callable[[Any], Any]
    """What a random response shares with the key: documents with the same profile are equally likely."""
    shuffle: Callable[[np.random.Generator, Any], Any]
    """A random response with the key's profile."""
    corrections: Callable[[Any, Any], list[Any]]
    """The responses that have one error less, for a key and a response."""
    sample: Callable[[np.random.Generator, int], tuple[Any, Any]]
    """A random larger key and a response close to it."""
    nested: bool = False
    """Whether the documents of a size include the smaller ones, so that keys and responses can differ in length."""
    groups: Callable[[Any], int] | None = None
    """The number of chains, or other groups, that a document makes of its units."""
    right: str = ""
    """The measure that gives an upper bound on how much of a response is right: a value below it is too severe."""
    excluded_measures: frozenset[str] = frozenset()
    """Measures of properties that the small documents do not have, which are left out."""

    def check(self, size: int) -> None:
        """Refuse a size for which not every pair can be tried."""
        for tried in range(2, size + 1):
            count = len(self.documents(tried))
            if count**2 > MOST_PAIRS:
                raise UsageError(
                    f"size {size}: {count**2:,} pairs of documents of size {tried}, expected a size up to {tried - 1}"
                )


def universe_from_states(
    states: Callable[[int], Iterable[Any]],
    build: Callable[[Any], Any],
    show: Callable[[Any], str],
    trivial: Mapping[str, Callable[[Any], Any]],
    profile: Callable[[Any], Hashable],
    shuffle: Callable[[np.random.Generator, Any], Any],
    corrections: Callable[[Any, Any], list[Any]],
    sample: Callable[[np.random.Generator, int], tuple[Any, Any]],
    nested: bool = False,
    excluded_measures: frozenset[str] = frozenset(),
) -> Universe:
    """A universe given by plain states, such as tuples; `build` returns the document of a state."""
    documents: dict[Any, Any] = {}
    state_of: dict[int, Any] = {}

    def document(state: Any) -> Any:
        if state not in documents:
            documents[state] = build(state)
            state_of[id(documents[state])] = state
        return documents[state]

    def respond_with(give: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda key: document(give(state_of[id(key)]))

    def sample_documents(generator: np.random.Generator, size: int) -> tuple[Any, Any]:
        key, response = sample(generator, size)
        return document(key), document(response)

    return Universe(
        cache(lambda size: tuple(map(document, states(size)))),
        lambda item: show(state_of[id(item)]),
        {name: respond_with(give) for name, give in trivial.items()},
        lambda item: profile(state_of[id(item)]),
        lambda generator, key: document(shuffle(generator, state_of[id(key)])),
        lambda key, response: [
            document(correction) for correction in corrections(state_of[id(key)], state_of[id(response)])
        ],
        sample_documents,
        nested,
        excluded_measures=excluded_measures,
    )
