"""The view of a text on a page: its words, their annotation in key and response, and the correspondence of words.

A task's `view.py` defines `view(comparison)`, which yields a `View` per document, and `confusion(comparison)`. One
shape serves every task: chains and entities are spans over the key's words, transcripts and taggings are columns of
words that correspond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Something marked in a text, over the words of its own side."""

    start: int
    end: int
    group: int = -1
    """The chain it is in, numbered on its own side; -1 for none."""
    label: str = ""
    """Its type."""
    twin: int = -1
    """For a response, the key's group that it belongs to: both sides show it in the same colour."""
    error: str = ""
    """What is wrong with it, as a kind of `ErrorRecord`; '' when it is right."""
    minor: bool = False
    """Whether it is a part of another one, such as a component of an entity: drawn with a thin line."""


class Counterpart(NamedTuple):
    """Words of the key and of the response that correspond, any number of them on each side."""

    start: int
    end: int
    """The key's words, as a half-open span; empty for something inserted."""
    words: Sequence[str]
    tags: Sequence[str] = ()
    """What the response says of each of its words."""
    error: str = ""


class View(NamedTuple):
    """One document as key and response have it."""

    document: str
    words: Sequence[str]
    """The key's."""
    sentences: Sequence[int] = (0,)
    """The first word of each sentence or utterance."""
    names: Sequence[str] = ()
    """A name for each sentence; a case whose attribute `utterance` is that name counts its place from there."""
    tags: Sequence[str] = ()
    """What the key says of each word, for tasks that tag."""
    key: Sequence[Span] = ()
    response: Sequence[Span] = ()
    columns: Sequence[Counterpart] = ()
    """How the response's words correspond; empty when it has the key's own words."""
    breaks: Sequence[int] = ()
    """The first column of each sentence; needed where words are put in at the end of a sentence."""
    places: Sequence[int] = ()
    """Where each word begins, when `ErrorRecord.place` counts something else than words."""


class Confusion(NamedTuple):
    """How to lay out the errors as a matrix: what its rows and columns are, and how often each row is right."""

    row: str
    """A field or an attribute of `ErrorRecord`: what was expected."""
    column: str
    """Likewise: what was given, or what happened."""
    right: Mapping[str, int]
    """How often what was expected was also given."""
