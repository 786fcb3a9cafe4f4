"""Questions about a whole corpus that decide how it is read or compared; their answers merge over chunks.

Some decisions concern a corpus and not a document: which column contains the tags, which scheme they use. A chunk
decides from its own documents and records its answer (`ask`). Once all chunks have answered, chunks whose answer
differs from the merged one are counted again with that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Answers: TypeAlias = Mapping[str, frozenset[str]]
"""The answers, by question."""


@dataclass(eq=False)
class Survey:
    """The questions that a chunk asks about its corpus.

    >>> alone = Survey()
    >>> sorted(alone.ask("columns", {"upos"}))
    ['upos']
    >>> together = Survey(unite_answers([alone.seen, {"columns": frozenset({"xpos"})}]))
    >>> sorted(together.ask("columns", {"upos"}))
    ['upos', 'xpos']
    """

    known: Answers = field(default_factory=dict)
    seen: dict[str, frozenset[str]] = field(default_factory=dict, init=False)

    def ask(self, question: str, seen: Iterable[str]) -> frozenset[str]:
        """The answer of the whole corpus if it is known, else that of this chunk; `seen` is recorded as its answer."""
        answer = frozenset(seen) | self.seen.get(question, frozenset())
        self.seen[question] = answer
        return self.known.get(question, answer)


class _StandaloneSurvey(Survey):
    """The survey of a chunk that contains the whole corpus."""

    def ask(self, question: str, seen: Iterable[str]) -> frozenset[str]:
        return frozenset(seen)


STANDALONE: Survey = _StandaloneSurvey()


def unite_answers(answers: Iterable[Answers]) -> dict[str, frozenset[str]]:
    """The merged answers of all chunks."""
    union: dict[str, frozenset[str]] = {}
    for chunk_answers in answers:
        for question, seen in chunk_answers.items():
            union[question] = union.get(question, frozenset()) | seen
    return union


def disagrees(seen: Answers, known: Answers) -> bool:
    """Whether a chunk with these answers may have decided differently from the corpus."""
    return any(known[question] != answer for question, answer in seen.items())
