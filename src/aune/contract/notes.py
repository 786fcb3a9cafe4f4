"""Notes: warnings as a kind with counts and a first place, merged over all chunks before they are worded.

A warning that is worded immediately counts within its chunk; a `Note` counts within the corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

Wording: TypeAlias = Callable[..., str]
"""`wording(counts, first)`: the sentence; '' when there is nothing to report. It must be a function of a module, so
that it can be sent to another process."""
LAST_PLACE = 1 << 62


class Note(NamedTuple):
    """One kind of warning.

    >>> def fixed_wording(counts, first):
    ...     return f"{counts['tokens']} tokens differ, first in {first}"
    >>> both = merge_notes([Note("t", fixed_wording, {"tokens": 2}, "a"), Note("t", fixed_wording, {"tokens": 3}, "b")])
    >>> [note.text() for note in both]
    ['5 tokens differ, first in a']
    """

    kind: str
    """Notes of the same kind are merged into one."""
    wording: Wording
    counts: Mapping[Any, int] = {}
    first: Any = ""
    """The first place: the name of a document, or a value that the wording understands."""
    rank: int = 0
    """Notes are printed in this order, then in that of their places."""
    place: int = LAST_PLACE
    """The position of `first` in the corpus; the smallest is kept when notes are merged."""

    def text(self) -> str:
        return self.wording(self.counts, self.first)


def fixed_wording(message: str, counts: Mapping[Any, int], first: Any) -> str:
    """A message that does not depend on counts."""
    return message


def plain_note(message: str, rank: int = 0) -> Note:
    """A note that consists of one sentence, printed once."""
    return Note(message, partial(fixed_wording, message), rank=rank)


def as_note(message: Note | str) -> Note:
    return plain_note(message) if isinstance(message, str) else message


def merge_notes(notes: Iterable[Note]) -> list[Note]:
    """One note of each kind: counts added up, and the first place of all; in the order of ranks and places."""
    by_kind: dict[str, Note] = {}
    for note in notes:
        if note.kind not in by_kind:
            by_kind[note.kind] = note
            continue
        known = by_kind[note.kind]
        first = min(
            known, note, key=lambda candidate: candidate.place
        )  # the one that is known, if both have the same place
        counts = Counter(known.counts)
        counts.update(note.counts)
        by_kind[note.kind] = first._replace(counts=counts)
    return sorted(by_kind.values(), key=lambda note: (note.rank, note.place))


def note_texts(notes: Iterable[Note]) -> list[str]:
    """The sentences of notes; notes without a sentence are left out."""
    return [text for note in notes if (text := note.text())]


def file_note_texts(notes: Mapping[str, Iterable[Note]]) -> list[str]:
    """The sentences of the notes on files: one for each kind over all files, with the first file that it is about.

    >>> def fixed_wording(counts, first):
    ...     return f"{counts['tags']} tags, first {first}"
    >>> notes = {"a": [Note("t", fixed_wording, {"tags": 1}, "X")], "b": [Note("t", fixed_wording, {"tags": 2}, "Y")]}
    >>> file_note_texts(notes)
    ['a and 1 more file: 3 tags, first X']
    """
    kinds: dict[str, dict[str, Note]] = {}
    for name, file_notes in notes.items():
        for note in merge_notes(file_notes):
            kinds.setdefault(note.kind, {})[name] = note
    texts = []
    for by_file in kinds.values():
        name, first = next(iter(by_file.items()))
        counts: Counter[Any] = Counter()
        for note in by_file.values():
            counts.update(note.counts)
        others = len(by_file) - 1
        more = f" and {others:,} more file{'s' * (others > 1)}" if others else ""
        texts += [f"{name}{more}: {text}" for text in note_texts([first._replace(counts=counts)])]
    return texts
