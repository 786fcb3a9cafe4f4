"""The view of a text on a page: its words, their annotation in key and response, and the correspondence of words.

A task's `view.py` defines `view(comparison)`, which yields a `View` per document, and `confusion(comparison)`. The
structure is the same for every task: chains and entities are spans over the key's words, transcripts and taggings are
columns of corresponding words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """A marked span of a text, over the words of its own side."""

    start: int
    end: int
    group: int = -1
    """The number of its chain on its own side; -1 for none."""
    label: str = ""
    """Its type."""
    twin: int = -1
    """For a response, the key's group that it belongs to: both sides show it in the same colour."""
    error: str = ""
    """What is wrong with it, as a kind of `ErrorRecord`; '' if it is right."""
    minor: bool = False
    """Whether it is a part of another one, such as a component of an entity: drawn with a thin line."""


class Counterpart(NamedTuple):
    """Words of the key and of the response that correspond, any number of them on each side."""

    start: int
    end: int
    """The key's words, as a half-open span; empty for an insertion."""
    words: Sequence[str]
    tags: Sequence[str] = ()
    """The response's annotation of each of its words."""
    error: str = ""


class View(NamedTuple):
    """One document in its key version and its response version."""

    document: str
    words: Sequence[str]
    """The words of the key."""
    sentences: Sequence[int] = (0,)
    """The first word of each sentence or utterance."""
    names: Sequence[str] = ()
    """A name for each sentence; a case whose attribute `utterance` is that name counts its place from there."""
    tags: Sequence[str] = ()
    """The key's annotation of each word, for tasks with tags."""
    key: Sequence[Span] = ()
    response: Sequence[Span] = ()
    columns: Sequence[Counterpart] = ()
    """How the response's words correspond; empty if they are the words of the key."""
    breaks: Sequence[int] = ()
    """The first column of each sentence; needed where words are inserted at the end of a sentence."""
    places: Sequence[int] = ()
    """The beginning of each word, if `ErrorRecord.place` counts other units than words."""


class Confusion(NamedTuple):
    """The layout of the errors as a matrix: its rows and columns, and how often each row is right."""

    row: str
    """A field or an attribute of `ErrorRecord`: what was expected."""
    column: str
    """A field or an attribute too: what was given, or what happened."""
    right: Mapping[str, int]
    """How often what was expected was also given."""
