"""What a corpus must be asked before it is read or compared: answers that add up over chunks.

Some decisions are about a corpus and not about a document: which column holds the tags, which scheme they are in. A
chunk decides by its own documents, and says what it saw (`asked`); once all chunks have answered, those that would have
decided otherwise had they seen everything are counted again, knowing what all saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

Answers: TypeAlias = Mapping[str, frozenset[str]]
"""What was seen, by question."""


class Survey:
    """The questions that a chunk asks of its corpus.

    >>> alone = Survey()
    >>> sorted(alone.asked("columns", {"upos"}))
    ['upos']
    >>> together = Survey(united([alone.seen, {"columns": frozenset({"xpos"})}]))
    >>> sorted(together.asked("columns", {"upos"}))
    ['upos', 'xpos']
    """

    def __init__(self, known: Answers | None = None) -> None:
        self.known = known or {}
        self.seen: dict[str, frozenset[str]] = {}

    def asked(self, question: str, seen: Iterable[str]) -> frozenset[str]:
        """What the whole corpus shows, as far as it is known; here, `seen` is what this chunk shows."""
        own = frozenset(seen) | self.seen.get(question, frozenset())
        self.seen[question] = own
        return self.known.get(question, own)


class _Alone(Survey):
    """The survey of a chunk that is all there is: what it shows is what there is to know."""

    def asked(self, question: str, seen: Iterable[str]) -> frozenset[str]:
        return frozenset(seen)


ALONE: Survey = _Alone()


def united(answers: Iterable[Answers]) -> dict[str, frozenset[str]]:
    """What all chunks saw together."""
    found: dict[str, frozenset[str]] = {}
    for one in answers:
        for question, seen in one.items():
            found[question] = found.get(question, frozenset()) | seen
    return found


def disagrees(seen: Answers, known: Answers) -> bool:
    """Whether a chunk that saw this alone may have decided otherwise than the corpus."""
    return any(known[question] != own for question, own in seen.items())
