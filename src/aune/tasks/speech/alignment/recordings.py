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

from aune.contract.notes import Note
from aune.errors import InputError, Problem
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


class TimedItem(NamedTuple):
    """A word or a choice of the response, and when it was said."""

    item: str | list[Tree]
    start: float
    end: float
    confidence: float | None = None

    @property
    def middle(self) -> float:
        return middle(self.start, self.end)


def share_words(key: Recording, response: Document, reduce: str = "none") -> list[tuple[Utterance, Utterance]]:
    """Each utterance of the key with what the response has for it; ignored ones are left out on both sides."""
    words = timed_words(response)
    segments = list(key.utterances)
    if reduce in ("key", "both") and words:
        first, last = words[0].start, words[-1].end
        segments = [segment for segment in segments if not (first >= _span(segment)[1] or last <= _span(segment)[0])]
    if reduce in ("response", "both") and segments:
        begin, end = min(_span(segment)[0] for segment in segments), max(_span(segment)[1] for segment in segments)
        words = [word for word in words if not (word.start > end or word.end < begin)]
    pairs, place = [], 0
    for number, segment in enumerate(segments):
        start = place
        if number == len(segments) - 1:
            place = len(words)
        while place < len(words) and words[place].middle < _span(segment)[1]:
            place += 1
        if not segment.ignored:
            pairs.append((segment, _build_utterance(segment.id, [word.item for word in words[start:place]])))
    return pairs


def _span(utterance: Utterance) -> tuple[float, float]:
    return utterance.span or (0.0, float("inf"))


def _build_utterance(name: str, items: Tree) -> Utterance:
    if has_choices(items):
        return Utterance(name, first_wording(items), tree=items)
    return Utterance(name, items)  # type: ignore[arg-type] # no choices, so only words


def timed_words(response: Document) -> list[TimedItem]:
    """The words of a response in time; those of an utterance without word times are spread over its own.

    Words with the same times stay in the order of the file: there is nothing else to tell it by.
    """
    words = [word for part in _parts(response) for word in _utterance_items(part)]
    return sorted(words, key=lambda word: (word.start, word.end))


def _parts(document: Document) -> tuple[Utterance, ...]:
    return document.utterances if isinstance(document, Recording) else (document,)


def has_untimed_words(document: Document) -> bool:
    """Whether there are words of which nobody knows when they were said."""
    return any(part.times is None and part.span is None and part.words for part in _parts(document))


def _utterance_items(part: Utterance) -> list[TimedItem]:
    items: Tree = part.tree if part.tree is not None else list(part.words)
    if part.times is not None:
        confidences: Sequence[float | None] = part.confidences or [None] * len(items)
        return [
            TimedItem(item, *times, confidence)
            for item, times, confidence in zip(items, part.times, confidences, strict=True)
        ]
    begin, end = part.span or (0.0, 0.0)
    step = (end - begin) / max(len(items), 1)
    return [TimedItem(item, begin + step * place, begin + step * (place + 1)) for place, item in enumerate(items)]


def as_utterance(document: Document) -> Utterance:
    """A recording as one long utterance, for the other side that has no times."""
    if isinstance(document, Utterance):
        return document
    return join_utterances(document.id, document.utterances)._replace(line=document.line)


def join_utterances(name: str, parts: Sequence[Utterance]) -> Utterance:
    """Utterances one after the other as one, with what they all agree on."""
    items: Tree = []
    entities: list[Entity] = []
    for part in parts:
        entities += [entity.shift(len(items)) for entity in part.entities]
        items += part.tree if part.tree is not None else list(part.words)
    shared = set.intersection(*(set(part.attributes.items()) for part in parts)) if parts else set()
    with_choices = has_choices(items)
    return _build_utterance(name, items)._replace(
        attributes=dict(sorted(shared)), entities=() if with_choices else tuple(entities)
    )


def pair_utterances(
    pairs: Sequence[tuple[Document, Document]], reduce: str
) -> tuple[list[tuple[Utterance, Utterance]], list[Note]]:
    """Utterances side by side: recordings shared out, ignored utterances left out; and what the user should know."""
    if set(map(type, chain.from_iterable(pairs))) == {Utterance}:
        return [(key, response) for key, response in pairs if not key.ignored], []  # type: ignore[union-attr, misc]
    utterance_pairs: list[tuple[Utterance, Utterance]] = []
    untimed_names: list[str] = []
    for key, response in pairs:
        if isinstance(key, Recording) and has_untimed_words(response):
            refuse_gaps(key)
            utterance_pairs.append((as_utterance(key), as_utterance(response)))
            untimed_names.append(key.id)
        elif isinstance(key, Recording):
            utterance_pairs += share_words(key, response, reduce)
        elif not key.ignored:
            utterance_pairs.append((key, as_utterance(response)))
    return utterance_pairs, [
        Note("no times", _no_times_text, {"recordings": len(untimed_names)}, untimed_names[0], 1)
    ] if untimed_names else []


def _no_times_text(counts: Mapping[str, int], first: str) -> str:
    which = first if counts["recordings"] == 1 else f"{counts['recordings']} recordings, first {first}"
    return f"the response has no times in {which}: compared as one text, not utterance by utterance"


def refuse_gaps(key: Recording) -> None:
    """Parts that are not to be scored can be left out of a response with times only."""
    for part in key.utterances:
        if part.ignored:
            problem = Problem.in_file(
                "response.without-times",
                key.id,
                part.line,
                found="a segment that is not to be scored and a response without times",
                expected="times in the response too, to leave out what it has there",
                remedies=["give it as ctm or stm"],
            )
            raise InputError([problem])
