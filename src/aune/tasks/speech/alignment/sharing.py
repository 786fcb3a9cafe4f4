"""Sharing the words of a recording out among the utterances of its key, by their times.

A word belongs to the first utterance that ends after the middle of the word; what comes after the last utterance
belongs to it. `reduce` leaves out what only one side covers.

Source: NIST's sclite, stm against ctm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.tasks.speech.alignment.networks import Tree, first_wording, has_choices
from aune.tasks.speech.model import Document, Recording, Utterance

Reduce: TypeAlias = Annotated[
    Literal["none", "key", "response", "both"],
    "with time marks: leave out the part of the key, of the response or of both that the other side does not cover",
]


class Timed(NamedTuple):
    """A word or a choice of the response, and when it was said."""

    item: str | list[Tree]
    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


def shared_out(key: Recording, response: Document, reduce: str = "none") -> list[tuple[Utterance, Utterance]]:
    """Each utterance of the key with what the response has for it; ignored ones are left out on both sides."""
    words = timed(response)
    kept = list(key.utterances)
    if reduce in ("key", "both") and words:
        first, last = words[0].start, words[-1].end
        kept = [one for one in kept if not (first >= _span(one)[1] or last <= _span(one)[0])]
    if reduce in ("response", "both") and kept:
        begin, end = min(_span(one)[0] for one in kept), max(_span(one)[1] for one in kept)
        words = [word for word in words if not (word.start > end or word.end < begin)]
    pairs, place = [], 0
    for number, one in enumerate(kept):
        start = place
        if number == len(kept) - 1:
            place = len(words)
        while place < len(words) and words[place].middle < _span(one)[1]:
            place += 1
        if not one.ignored:
            pairs.append((one, _utterance(one.id, [word.item for word in words[start:place]])))
    return pairs


def _span(one: Utterance) -> tuple[float, float]:
    return one.span or (0.0, float("inf"))


def _utterance(name: str, items: Tree) -> Utterance:
    if has_choices(items):
        return Utterance(name, first_wording(items), tree=items)
    return Utterance(name, items)  # type: ignore[arg-type] # no choices, so only words


def timed(response: Document) -> list[Timed]:
    """The words of a response in time; those of an utterance without word times are spread over its own."""
    parts = response.utterances if isinstance(response, Recording) else (response,)
    return [word for part in parts for word in _timed_words(part)]


def _timed_words(part: Utterance) -> list[Timed]:
    items: Tree = part.tree if part.tree is not None else list(part.words)
    if part.times is not None:
        return [Timed(item, start, end) for item, (start, end) in zip(items, part.times, strict=True)]
    begin, end = part.span or (0.0, 0.0)
    step = (end - begin) / max(len(items), 1)
    return [Timed(item, begin + step * place, begin + step * (place + 1)) for place, item in enumerate(items)]


def whole(one: Document) -> Utterance:
    """A recording as one long utterance, for a key without times."""
    if isinstance(one, Utterance):
        return one
    items = [word.item for word in timed(one)]
    return _utterance(one.id, items)._replace(line=one.line)


def paired(pairs: Sequence[tuple[Document, Document]], reduce: str) -> list[tuple[Utterance, Utterance]]:
    """Utterances side by side: recordings shared out, ignored utterances left out."""
    found: list[tuple[Utterance, Utterance]] = []
    for key, response in pairs:
        if isinstance(key, Recording):
            found += shared_out(key, response, reduce)
        elif not key.ignored:
            found.append((key, response if isinstance(response, Utterance) else whole(response)))
    return found
