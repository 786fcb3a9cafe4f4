"""Sharing the words of a recording out among the utterances of its key, by their times.

A word belongs to the first utterance that ends after the middle of the word; a middle exactly where an utterance ends
belongs to the next one. What comes after the last utterance belongs to it. Words are taken in the order of their times,
whatever the order of the file. `reduce` leaves out what only one side covers. A response without any times cannot be
shared out: the whole recording is one text then.

Source: NIST's sclite, stm against ctm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.core.errors import InputError, Problem
from aune.core.notes import Note
from aune.tasks.speech.alignment.networks import Tree, first_wording, has_choices
from aune.tasks.speech.model import Document, Entity, Recording, Utterance

Reduce: TypeAlias = Annotated[
    Literal["none", "key", "response", "both"],
    "with time marks: leave out the part of the key, of the response or of both that the other side does not cover",
]

DECIMALS = 6  # of a second, in durations


def middle(start: float, end: float) -> float:
    """The middle of a word as sclite computes it, from its start and its duration as they stand in the file.

    >>> middle(0.01, 0.01 + 0.06), (0.01 + (0.01 + 0.06)) / 2 < 0.04
    (0.04, True)
    """
    return start + round(end - start, DECIMALS) / 2


class Timed(NamedTuple):
    """A word or a choice of the response, and when it was said."""

    item: str | list[Tree]
    start: float
    end: float
    confidence: float | None = None

    @property
    def middle(self) -> float:
        return middle(self.start, self.end)


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


def _span(utterance: Utterance) -> tuple[float, float]:
    return utterance.span or (0.0, float("inf"))


def _utterance(name: str, items: Tree) -> Utterance:
    if has_choices(items):
        return Utterance(name, first_wording(items), tree=items)
    return Utterance(name, items)  # type: ignore[arg-type] # no choices, so only words


def timed(response: Document) -> list[Timed]:
    """The words of a response in time; those of an utterance without word times are spread over its own.

    Words with the same times stay in the order of the file: there is nothing else to tell it by.
    """
    words = [word for part in _parts(response) for word in _timed_words(part)]
    return sorted(words, key=lambda word: (word.start, word.end))


def _parts(document: Document) -> tuple[Utterance, ...]:
    return document.utterances if isinstance(document, Recording) else (document,)


def untimed(document: Document) -> bool:
    """Whether there are words of which nobody knows when they were said."""
    return any(part.times is None and part.span is None and part.words for part in _parts(document))


def _timed_words(part: Utterance) -> list[Timed]:
    items: Tree = part.tree if part.tree is not None else list(part.words)
    if part.times is not None:
        sure: Sequence[float | None] = part.confidences or [None] * len(items)
        return [Timed(item, *times, one) for item, times, one in zip(items, part.times, sure, strict=True)]
    begin, end = part.span or (0.0, 0.0)
    step = (end - begin) / max(len(items), 1)
    return [Timed(item, begin + step * place, begin + step * (place + 1)) for place, item in enumerate(items)]


def whole(document: Document) -> Utterance:
    """A recording as one long utterance, for the other side that has no times."""
    if isinstance(document, Utterance):
        return document
    return joined(document.id, document.utterances)._replace(line=document.line)


def joined(name: str, parts: Sequence[Utterance]) -> Utterance:
    """Utterances one after the other as one, with what they all agree on."""
    items: Tree = []
    entities: list[Entity] = []
    for part in parts:
        entities += [entity.moved(len(items)) for entity in part.entities]
        items += part.tree if part.tree is not None else list(part.words)
    shared = set.intersection(*(set(part.attributes.items()) for part in parts)) if parts else set()
    with_choices = has_choices(items)
    return _utterance(name, items)._replace(
        attributes=dict(sorted(shared)), entities=() if with_choices else tuple(entities)
    )


def paired(
    pairs: Sequence[tuple[Document, Document]], reduce: str
) -> tuple[list[tuple[Utterance, Utterance]], list[Note]]:
    """Utterances side by side: recordings shared out, ignored utterances left out; and what the user should know."""
    if set(map(type, chain.from_iterable(pairs))) == {Utterance}:
        return [(key, response) for key, response in pairs if not key.ignored], []  # type: ignore[union-attr, misc]
    found: list[tuple[Utterance, Utterance]] = []
    texts: list[str] = []
    for key, response in pairs:
        if isinstance(key, Recording) and untimed(response):
            refuse_gaps(key)
            found.append((whole(key), whole(response)))
            texts.append(key.id)
        elif isinstance(key, Recording):
            found += shared_out(key, response, reduce)
        elif not key.ignored:
            found.append((key, whole(response)))
    return found, [Note("no times", _without_times, {"recordings": len(texts)}, texts[0], 1)] if texts else []


def _without_times(counts: Mapping[str, int], first: str) -> str:
    which = first if counts["recordings"] == 1 else f"{counts['recordings']} recordings, first {first}"
    return f"the response has no times in {which}: compared as one text, not utterance by utterance"


def refuse_gaps(key: Recording) -> None:
    """Parts that are not to be scored can be left out of a response with times only."""
    for part in key.utterances:
        if part.ignored:
            expected = "expected times in the response too, to leave out what it has there: give it as ctm or stm"
            what = f"found a segment that is not to be scored and a response without times, {expected}"
            raise InputError([Problem(key.id, part.line, 1, what)])
