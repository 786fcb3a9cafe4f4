"""An error behind a score: its place, the key, the response, and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class ErrorRecord(NamedTuple):
    """One error. A task's `errors.py` makes them from a comparison: `errors(comparison) -> list[ErrorRecord]`."""

    document: str
    place: tuple[int, int]
    """The place in the document, as a half-open span of tokens (or utterance and word), for sorting and display."""
    kind: str
    key: str
    """The key, as text; '' for something spurious."""
    response: str
    """The response, as text; '' for something missing."""
    context: str = ""
    cost: float = 1.0
    """Its contribution to the error count of the task's main measure."""
    attributes: Mapping[str, str] = {}
    """Attributes to filter by: label, speaker, length…"""
