"""Small worlds in which every response to every key can be tried.

A task says what its small documents are with a `Universe`: all of them for a given size, the trivial responses that
should score badly, and what correcting one error means. For coreference the documents are the partitions of a set of
mentions: 203 of them for six mentions, and 41,209 pairs of a key and a response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from aune.evaluation import asked_options
from aune.measure import Column, Measure
from aune.options import options_of
from aune.task import Task

CHUNK = 50_000  # pairs compared at once


@dataclass(frozen=True)
class Universe:
    """What a task's small documents are."""

    documents: Callable[[int], Sequence[Any]]
    """Every document of a size."""
    show: Callable[[Any], str]
    """A document as a short text, for examples."""
    trivial: Mapping[str, Callable[[Any], Any]]
    """What a system gives that does not try, by name: from a key to the response."""
    profile: Callable[[Any], Any]
    """What a random response shares with the key: documents of one profile are equally likely."""
    shuffled: Callable[[np.random.Generator, Any], Any]
    """A random response with the key's profile."""
    corrections: Callable[[Any, Any], list[Any]]
    """The responses that have one error less, from a key and a response."""
    sample: Callable[[np.random.Generator, int], tuple[Any, Any]]
    """A random larger key and a response near it."""


def values_of(task: Task, measures: Sequence[Measure], pairs: Sequence[tuple[Any, Any]], convention: str | None = None,
              **options: Any) -> list[dict[str, Column]]:  # fmt: skip
    """The values of every pair alone: for each measure, an array per value."""
    asked = asked_options(task, measures, convention, options)
    compare_options = asked.of(options_of(task.compare))
    found: list[list[Any]] = [[] for _ in measures]
    iterator = iter(pairs)
    while chunk := list(islice(iterator, CHUNK)):
        comparison = task.compare(chunk, **compare_options)
        for place, measure in enumerate(measures):
            own = asked.of(measure.options) | dict(measure.given)
            found[place].append(measure.scored(measure.counted(comparison, own), own))
    return [
        {name: np.concatenate(arrays) for name, *arrays in zip(chunks[0]._fields, *chunks, strict=True)}
        for chunks in found
    ]
