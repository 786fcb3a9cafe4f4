"""An error behind a score: where it is, what was expected, what was given, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Case(NamedTuple):
    """One error. A task's `errors.py` makes them from a comparison: `errors(comparison) -> list[Case]`."""

    document: str
    place: tuple[int, int]
    """Where in the document, as a half-open span of tokens (or utterance and word), for sorting and for showing."""
    kind: str
    key: str
    """What was expected, as text; '' for something spurious."""
    response: str
    """What was given; '' for something missing."""
    context: str = ""
    cost: float = 1.0
    """What it adds to the error count of the task's main measure."""
    attributes: Mapping[str, str] = {}
    """Anything to filter by: label, speaker, length…"""
