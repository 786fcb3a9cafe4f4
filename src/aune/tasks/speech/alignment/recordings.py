"""Distribute the words of a recording over the utterances of its key, by their times.

A word belongs to the first utterance that ends after the middle of the word; a middle exactly where an utterance ends
belongs to the next one. Words after the last utterance belong to it. Words are taken in the order of their times,
regardless of the order of the file. `reduce` drops what only one side covers. A response without any times cannot be
distributed: the whole recording is then compared as one text.

Times, confidences and entities follow their words. An entity whose words fall into several utterances is assigned to
the one with most of them.

Key and response may be cut differently: utterances with a recording and times can be the response to recordings, and
recordings the response to utterances (`answers_by_time`).

Source: NIST's sclite, stm against ctm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.contract.notes import Note
from aune.errors import InputError, Problem
from aune.numeric.grouping import group_items
from aune.tasks.speech.alignment.networks import Tree, first_wording, has_choices
from aune.tasks.speech.model import Document, Entity, Recording, Utterance

Reduce: TypeAlias = Annotated[
    Literal["none", "key", "response", "both"],
    "with time marks: leave out the part of the key, of the response or of both that the other side does not cover",
]

DECIMALS = 6  # decimal places of durations in seconds
BY_TIME = "other names than the key's: its words are taken by recordings and times"


def middle(start: float, end: float) -> float:
    """The middle of a word as sclite computes it, from its start and its duration as written in the file.

    >>> middle(0.01, 0.01 + 0.06), (0.01 + (0.01 + 0.06)) / 2 < 0.04
    (0.04, True)
    """
    return start + round(end - start, DECIMALS) / 2


class TimedItem(NamedTuple):
    """A word or a choice of the response, and its time."""

    item: str | list[Tree]
    start: float
    end: float
    confidence: float | None = None
    number: int = 0
    """Its position among all items of the response, in the order of the file."""
    is_measured: bool = True
    """Whether the file gives its own time, not only that of its segment."""

    @property
    def middle(self) -> float:
        return middle(self.start, self.end)


class SharedWords(NamedTuple):
    """The utterances of a recording, each with its part of the response."""

    pairs: list[tuple[Utterance, Utterance]]
    cut_entities: int
    """The number of entities of the response whose words fall into several utterances."""


def share_words(key: Recording, response: Document, reduce: str = "none") -> SharedWords:
    """Each utterance of the key with its part of the response; ignored utterances are dropped on both sides."""
    words = timed_words(response)
    segments = list(key.utterances)
    if reduce in ("key", "both") and words:
        first, last = words[0].start, words[-1].end
        segments = [segment for segment in segments if not (first >= _span(segment)[1] or last <= _span(segment)[0])]
    if reduce in ("response", "both") and segments:
        begin, end = min(_span(segment)[0] for segment in segments), max(_span(segment)[1] for segment in segments)
        words = [word for word in words if not (word.start > end or word.end < begin)]
    shares: list[list[TimedItem]] = []
    place = 0
    for number, segment in enumerate(segments):
        start = place
        if number == len(segments) - 1:
            place = len(words)
        while place < len(words) and words[place].middle < _span(segment)[1]:
            place += 1
        shares.append(words[start:place])
    entities, cut_entities = _share_entities(response, shares)
    pairs = [
        (segment, _timed_utterance(segment.id, share, tuple(entities.get(number, ()))))
        for number, (segment, share) in enumerate(zip(segments, shares, strict=True))
        if not segment.ignored
    ]
    return SharedWords(pairs, cut_entities)


def _share_entities(response: Document, shares: Sequence[Sequence[TimedItem]]) -> tuple[dict[int, list[Entity]], int]:
    """The entities of each share, and the number of those in several shares, which go to the share with most words."""
    entities: dict[int, list[Entity]] = {}
    if not any(part.entities for part in _parts(response)):
        return entities, 0
    places = {word.number: (number, place) for number, share in enumerate(shares) for place, word in enumerate(share)}
    first, cut = 0, 0
    for part in _parts(response):
        for entity in part.entities:
            words = [places[place] for place in range(first + entity.start, first + entity.end) if place in places]
            homes = Counter(number for number, _ in words)
            cut += len(homes) > 1
            if homes:
                home = max(homes, key=lambda number: (homes[number], -number))
                inside = [place for number, place in words if number == home]
                entities.setdefault(home, []).append(Entity(min(inside), max(inside) + 1, entity.label))
        first += len(_items(part))
    return entities, cut


def _timed_utterance(name: str, share: Sequence[TimedItem], entities: tuple[Entity, ...]) -> Utterance:
    """An utterance from some words with their properties; if there are several wordings, from the words alone."""
    utterance = _build_utterance(name, [word.item for word in share])
    if utterance.tree is not None:
        return utterance
    confidences = [word.confidence for word in share if word.confidence is not None]
    return utterance._replace(
        times=[(word.start, word.end) for word in share] if share and all(word.is_measured for word in share) else None,
        confidences=confidences if confidences and len(confidences) == len(share) else None,
        entities=entities,
    )


def _span(utterance: Utterance) -> tuple[float, float]:
    return utterance.span or (0.0, float("inf"))


def _build_utterance(name: str, items: Tree) -> Utterance:
    if has_choices(items):
        return Utterance(name, first_wording(items), tree=items)
    return Utterance(name, items)  # type: ignore[arg-type] # without choices, these are words


def timed_words(response: Document) -> list[TimedItem]:
    """The words of a response in time order; words without times are spread over the time of their utterance.

    Words that begin at the same time stay in the order of the file, as in sclite.
    """
    words = [word for part in _parts(response) for word in _utterance_items(part)]
    words = [word._replace(number=number) for number, word in enumerate(words)]
    return sorted(words, key=lambda word: word.start)


def _parts(document: Document) -> tuple[Utterance, ...]:
    return document.utterances if isinstance(document, Recording) else (document,)


def has_untimed_words(document: Document) -> bool:
    """Whether there are words without any time."""
    return any(part.times is None and part.span is None and part.words for part in _parts(document))


def _items(part: Utterance) -> Tree:
    return part.tree if part.tree is not None else list(part.words)


def _utterance_items(part: Utterance) -> list[TimedItem]:
    items = _items(part)
    if part.times is not None:
        confidences: Sequence[float | None] = part.confidences or [None] * len(items)
        return [
            TimedItem(item, *times, confidence)
            for item, times, confidence in zip(items, part.times, confidences, strict=True)
        ]
    begin, end = part.span or (0.0, 0.0)
    step = (end - begin) / max(len(items), 1)
    return [
        TimedItem(item, begin + step * place, begin + step * (place + 1), is_measured=False)
        for place, item in enumerate(items)
    ]


def as_utterance(document: Document) -> Utterance:
    """A recording as one long utterance, for comparison with a side without times."""
    if isinstance(document, Utterance):
        return document
    return join_utterances(document.id, document.utterances)._replace(line=document.line)


def join_utterances(name: str, parts: Sequence[Utterance]) -> Utterance:
    """Concatenate utterances to one, with the properties on which they all agree."""
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
    """Pairs of utterances, with recordings distributed and ignored utterances dropped; and notes for the user."""
    if set(map(type, chain.from_iterable(pairs))) == {Utterance}:
        return [(key, response) for key, response in pairs if not key.ignored], []  # type: ignore[union-attr, misc]
    utterance_pairs: list[tuple[Utterance, Utterance]] = []
    untimed_names: list[str] = []
    cut_entities = 0
    for key, response in pairs:
        if isinstance(key, Recording) and has_untimed_words(response):
            refuse_gaps(key)
            utterance_pairs.append((as_utterance(key), as_utterance(response)))
            untimed_names.append(key.id)
        elif isinstance(key, Recording):
            shared = share_words(key, response, reduce)
            utterance_pairs += shared.pairs
            cut_entities += shared.cut_entities
        elif not key.ignored:
            utterance_pairs.append((key, as_utterance(response)))
    notes = []
    if untimed_names:
        notes.append(Note("no times", _no_times_text, {"recordings": len(untimed_names)}, untimed_names[0], 1))
    if cut_entities:
        notes.append(Note("cut entities", _cut_entities_text, {"entities": cut_entities}, rank=1))
    return utterance_pairs, notes


def _no_times_text(counts: Mapping[str, int], first: str) -> str:
    which = first if counts["recordings"] == 1 else f"{counts['recordings']} recordings, first {first}"
    return f"the response has no times in {which}: compared as one text, not utterance by utterance"


def _cut_entities_text(counts: Mapping[str, int], first: str) -> str:
    count = counts["entities"]
    which = "1 entity of the response has" if count == 1 else f"{count} entities of the response have"
    return f"{which} words in several utterances of the key: cut to the utterance with most of them"


def answers_by_time(keys: Sequence[Document], responses: Sequence[Document]) -> list[Document] | None:
    """Responses for a key that is cut differently, by recordings and times; None if names suffice.

    The response to a key of utterances with recording (`document`) and time may be recordings (ctm, stm) or utterances
    with other names and times; the response to a key of recordings may be such utterances. Responses of other
    recordings come after these.

    >>> parts = [Utterance(name, "", {"document": "r"}, span=span) for name, span in (("a", (0, 1)), ("b", (1, 2)))]
    >>> said = Utterance("r/1", ["one", "two"], times=[(0.2, 0.4), (1.2, 1.4)])
    >>> [(answer.id, answer.text) for answer in answers_by_time(parts, [said])]
    [('a', ['one']), ('b', ['two'])]
    """
    names = {key.id for key in keys}
    if any(response.id in names for response in responses) or not all(map(_is_timed, responses)):
        return None
    by_channel = group_items((_Channel.of_document(response), response) for response in responses)
    answers: list[Document] = []
    used: set[_Channel] = set()
    for channel in _key_channels(keys, responses):
        matches = [candidate for candidate in by_channel if candidate.matches(channel)]
        if len(matches) == 1 and matches[0] not in used:  # otherwise the channel is ambiguous
            used.add(matches[0])
            parts = [part for response in by_channel[matches[0]] for part in _parts(response)]
            answers += _answers_of_channel(channel, keys, Recording(channel.name, tuple(sorted(parts, key=_begin))))
    others = [response for channel, group in by_channel.items() if channel not in used for response in group]
    return [*answers, *others] if answers else None


def _key_channels(keys: Sequence[Document], responses: Sequence[Document]) -> list[_Channel]:
    """The channels of a key that can be found by times; empty if there are none."""
    if all(isinstance(key, Recording) for key in keys):
        named = all(isinstance(response, Utterance) and response.attributes.get("document") for response in responses)
        return [_Channel.of_recording(key.id) for key in keys] if named else []
    if all(isinstance(key, Utterance) and key.span is not None and key.attributes.get("document") for key in keys):
        return list(dict.fromkeys(map(_Channel.of_document, keys)))
    return []


def _answers_of_channel(channel: _Channel, keys: Sequence[Document], answer: Recording) -> list[Document]:
    if isinstance(keys[0], Recording):
        return [answer]
    parts = [key for key in keys if isinstance(key, Utterance) and _Channel.of_document(key) == channel]
    recording = Recording(channel.name, tuple(sorted(parts, key=_begin)))
    return [shared for _, shared in share_words(recording, answer).pairs]


class _Channel(NamedTuple):
    """A channel of a recording; '' if only the recording is known."""

    recording: str
    channel: str

    @property
    def name(self) -> str:
        return f"{self.recording}/{self.channel}" if self.channel else self.recording

    def matches(self, other: _Channel) -> bool:
        """Whether this may be the same channel; an unknown channel matches any."""
        return self.recording == other.recording and (
            not self.channel or not other.channel or self.channel == other.channel
        )

    @staticmethod
    def of_recording(name: str) -> _Channel:
        recording, _, channel = name.lower().rpartition("/")
        return _Channel(recording or channel, channel if recording else "")

    @staticmethod
    def of_document(document: Document) -> _Channel:
        document_name = "" if isinstance(document, Recording) else document.attributes.get("document", "")
        if not document_name or document_name == document.id:  # a recording of ctm or stm
            return _Channel.of_recording(document.id)
        assert isinstance(document, Utterance)
        return _Channel(document_name.lower(), document.attributes.get("channel", "").lower())


def _is_timed(document: Document) -> bool:
    return any(part.times is not None or part.span is not None for part in _parts(document)) and not has_untimed_words(
        document
    )


def _begin(part: Utterance) -> tuple[float, float]:
    if part.span is not None:
        return part.span
    return part.times[0] if part.times else (0.0, 0.0)


def refuse_gaps(key: Recording) -> None:
    """Refuse a key with ignored parts, which can be dropped only from a response with times."""
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
