"""What a user should know, as kinds with counts and a first place: merged over all chunks first, worded after.

A warning that is worded where it is found says how many there are in a chunk; a `Note` says it of the corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

Wording: TypeAlias = Callable[..., str]
"""`wording(counts, first)`: the sentence; '' when there is nothing to say after all. A function of a module, so that it
can be sent to another process."""
LAST = 1 << 62


class Note(NamedTuple):
    """One kind of thing to know.

    >>> def sentence(counts, first):
    ...     return f"{counts['tokens']} tokens differ, first in {first}"
    >>> both = merged([Note("tokens", sentence, {"tokens": 2}, "a"), Note("tokens", sentence, {"tokens": 3}, "b")])
    >>> [note.worded() for note in both]
    ['5 tokens differ, first in a']
    """

    kind: str
    """Notes of one kind become one."""
    wording: Wording
    counts: Mapping[Any, int] = {}
    first: Any = ""
    """Where it was first found: the name of a document, or a place for a wording that knows what it means."""
    rank: int = 0
    """Notes are said in this order, and in that of their places."""
    place: int = LAST
    """Where `first` stands in the corpus; what comes first is kept when notes are merged."""

    def worded(self) -> str:
        return self.wording(self.counts, self.first)


def sentence(message: str, counts: Mapping[Any, int], first: Any) -> str:
    """A message that is the same wherever it comes from."""
    return message


def plain_note(message: str, rank: int = 0) -> Note:
    """A note that is one sentence, said once."""
    return Note(message, partial(sentence, message), rank=rank)


def as_note(told: Note | str) -> Note:
    return plain_note(told) if isinstance(told, str) else told


def merged(notes: Iterable[Note]) -> list[Note]:
    """One note of each kind: counts added up, and the first place of all; in the order of ranks and places."""
    found: dict[str, Note] = {}
    for note in notes:
        if note.kind not in found:
            found[note.kind] = note
            continue
        known = found[note.kind]
        first = min(known, note, key=lambda one: one.place)  # the one known, where both are at the same place
        counts = Counter(known.counts)
        counts.update(note.counts)
        found[note.kind] = first._replace(counts=counts)
    return sorted(found.values(), key=lambda note: (note.rank, note.place))


def worded(notes: Iterable[Note]) -> list[str]:
    """The sentences of notes that have something to say."""
    return [text for note in notes if (text := note.worded())]


def told_of_files(notes: Mapping[str, Iterable[Note]]) -> list[str]:
    """The sentences of the notes on files: one for each kind of all, with the first file that it is about.

    >>> def sentence(counts, first):
    ...     return f"{counts['tags']} tags, first {first}"
    >>> told_of_files({"a": [Note("t", sentence, {"tags": 1}, "X")], "b": [Note("t", sentence, {"tags": 2}, "Y")]})
    ['a and 1 more file: 3 tags, first X']
    """
    kinds: dict[str, dict[str, Note]] = {}
    for name, of_file in notes.items():
        for note in merged(of_file):
            kinds.setdefault(note.kind, {})[name] = note
    told = []
    for by_file in kinds.values():
        name, first = next(iter(by_file.items()))
        counts: Counter[Any] = Counter()
        for note in by_file.values():
            counts.update(note.counts)
        others = len(by_file) - 1
        more = f" and {others:,} more file{'s' * (others > 1)}" if others else ""
        told += [f"{name}{more}: {text}" for text in worded([first._replace(counts=counts)])]
    return told
