"""Praat's TextGrid, in its long and its short text form.

    File type = "ooTextFile"
    Object class = "TextGrid"

    0
    1.5
    <exists>
    1
    "IntervalTier"
    "words"
    0
    1.5
    2
    0
    0.5
    "good"
    0.5
    1.5
    "morning"

The words are read from the interval tiers that are named `word`, `words`, `utterance`, `utterances` or `transcript`,
alone or behind a speaker and a hyphen (`ann - words`, as forced aligners write), or from the only interval tier. For
others say which: `--tier ann --tier ben`, which are then the speakers. Intervals that are empty, or silences (`sil`,
`sp`, `<eps>`, `<sil>`), contain no words. Everything in a file is one text, named for the file; `group` keeps speakers
apart, or segments with their times. Points, and other tiers, are not read. Praat's binary form is refused: save the
TextGrid as a text file.

Carries words; written are documents with times, one per file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from aune.contract.format import Format
from aune.errors import Remedy, UsageError
from aune.reading.source import Source
from aune.syntax.numbers import parse_number
from aune.tasks.speech.formats._segments import (
    Group,
    SpeechSegment,
    TierField,
    group_segments,
    segment_of_words,
)
from aune.tasks.speech.formats._writing import format_seconds, refuse, require_word
from aune.tasks.speech.model import Document, Utterance, utterances

VALUE = re.compile(r'"((?:[^"]|"")*)"|(?<!\S)(<exists>|<absent>|-?\d[\d.eE+-]*)(?!\S)|![^\n]*')
WORD_TIER = re.compile(r"(?:(.+?) ?- ?)?(words?|utterances?|transcript)", re.IGNORECASE)
SILENCES = frozenset(("sil", "sp", "<eps>", "<sil>"))
MOST_NAMED = 12


class TierItem(NamedTuple):
    """An interval of a tier."""

    start: float
    end: float
    label: str
    line: int


class Tier(NamedTuple):
    """A tier with its intervals; one of points has none."""

    name: str
    is_interval: bool
    items: list[TierItem]


class _Values:
    """The values of a TextGrid in order, whatever stands between them."""

    def __init__(self, text: str) -> None:
        self._matches = VALUE.finditer(text)
        self._text = text
        self._position = 0
        self.line = 1

    def next_value(self) -> str:
        for match in self._matches:
            if match[1] is not None or match[2] is not None:
                self.line += self._text.count("\n", self._position, match.start())
                self._position = match.start()
                return match[2] if match[1] is None else match[1].replace('""', '"')
        self.line = self._text.count("\n") + 1
        raise ValueError("the end of the file")

    def next_number(self) -> float:
        value = self.next_value()
        number = parse_number(value)
        if number is None:
            raise ValueError(repr(value[:40]))
        return number


def read(source: Source, *, tier: TierField = (), group: Group = "session") -> Iterator[Document]:
    values = _Values(source.text)
    try:
        tiers = list(_tiers(values))
    except ValueError as error:
        source.add_problem(
            "textgrid.malformed", values.line, 1, found=str(error), expected="the next value of a TextGrid",
            remedies=["save it again in Praat"],
        )  # fmt: skip
        return
    chosen = choose_tiers(source, [item.name for item in tiers if item.is_interval], tier)
    segments = [
        segment_of_words([(word, item.start, item.end, None)], speaker, item.line)
        if len(item.label.split()) == 1
        else SpeechSegment(item.label.split(), item.start, item.end, speaker, line=item.line)
        for current in tiers
        if current.is_interval and (speaker := chosen.get(current.name)) is not None
        for item in current.items
        if (word := item.label.strip()) and word not in SILENCES
    ]
    if chosen:
        yield from group_segments(source.stem, segments, group)


def _tiers(values: _Values) -> Iterator[Tier]:
    opening = [values.next_value(), values.next_value()]
    if opening not in (["ooTextFile", "TextGrid"], ["ooTextFile short", "TextGrid"]):
        raise ValueError(" ".join(opening)[:40])
    values.next_number(), values.next_number()
    count = int(values.next_number()) if values.next_value() == "<exists>" else 0
    for _ in range(count):
        is_interval = values.next_value() == "IntervalTier"
        name = values.next_value()
        values.next_number(), values.next_number()
        items = []
        for _ in range(int(values.next_number())):
            start = values.next_number()
            end = values.next_number() if is_interval else start
            items.append(TierItem(start, max(start, end), values.next_value(), values.line))
        yield Tier(name.strip().strip('"'), is_interval, items if is_interval else [])


def choose_tiers(source: Source, names: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """The tiers that are read, each with its speaker; empty where a problem was reported.

    >>> choose_tiers(Source("a", b""), ["ann - words", "ann - phones", "ben - words"], ())
    {'ann - words': 'ann', 'ben - words': 'ben'}
    """
    unknown = [name for name in wanted if name not in names]
    if wanted and not unknown:
        return dict.fromkeys(wanted, "") if len(wanted) == 1 else {name: name for name in wanted}
    matches = {name: match for name in names if (match := WORD_TIER.fullmatch(name))}
    if matches and not unknown:
        return {name: match[1] or "" for name, match in matches.items()}
    if len(names) == 1 and not unknown:
        return {names[0]: ""}
    expected = f"one of {', '.join(names[:MOST_NAMED])}" if names else "a tier of annotations with their times"
    actual = f"no tier {unknown[0]!r}" if unknown else f"{len(names)} tiers"
    remedies = [Remedy("name those with the words", (("tier", names[0]),))] if names else ["add a tier with the words"]
    source.add_problem("tier.unknown", 1, 1, found=actual, expected=expected, remedies=remedies)
    return {}


def sniff(head: str) -> bool:
    start = head.lstrip("\ufeff \t\r\n")
    return re.match(r'(?:File type = )?"ooTextFile(?: short)?"\s+(?:Object class = )?"TextGrid"', start) is not None


def write(documents: Sequence[Document]) -> Iterator[str]:
    """A tier of words for each speaker of one document."""
    if len(documents) > 1:
        raise UsageError("a TextGrid is about one recording, and there are several: convert them one by one")
    tiers: dict[str, list[TierItem]] = {}
    for utterance in utterances(documents):
        speaker = utterance.attributes.get("speaker", "")
        if speaker != speaker.strip() or "\n" in speaker or '"' in speaker:
            refuse("textgrid", f"the speaker {speaker!r}", utterance)
        tiers.setdefault(f"{speaker} - words" if speaker else "words", []).extend(_items(utterance))
    end = max((item.end for items in tiers.values() for item in items), default=0.0)
    values = [0.0, end]
    yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
    yield "\n".join([*map(format_seconds, values), "<exists>", str(len(tiers) or 1)]) + "\n"
    for name, items in (tiers or {"words": []}).items():
        yield from _tier_lines(name, _fill_gaps(sorted(items, key=lambda item: item.start), end))


def _items(utterance: Utterance) -> Iterator[TierItem]:
    words = [_plain_word(word, utterance) for word in utterance.words]
    if not words:
        return
    if utterance.times is not None and len(utterance.times) == len(words):
        for word, (start, end) in zip(words, utterance.times, strict=True):
            if not start < end:
                refuse("textgrid", "a word without a duration", utterance)
            yield TierItem(start, end, word, 1)
    elif utterance.span is not None and utterance.span[0] < utterance.span[1]:
        yield TierItem(*utterance.span, " ".join(words), 1)
    else:
        refuse("textgrid", "words without times", utterance)


def _plain_word(word: str, utterance: Utterance) -> str:
    if word in SILENCES:
        refuse("textgrid", f"the word {word!r}, which is a silence there", utterance)
    return require_word(word, "textgrid", "the word", utterance)


def _fill_gaps(items: Sequence[TierItem], end: float) -> list[TierItem]:
    """Intervals from the beginning to the end, as a tier must have them."""
    filled = []
    position = 0.0
    for before, item in pairwise([None, *items]):
        assert item is not None
        if item.start < position:
            raise UsageError(
                f"textgrid cannot represent {(before or item).label!r} and {item.label!r} at the same time "
                "of one speaker: choose another format, such as manifest"
            )
        if item.start > position:
            filled.append(TierItem(position, item.start, "", 1))
        filled.append(item)
        position = item.end
    return filled + ([TierItem(position, end, "", 1)] if position < end or not filled else [])


def _tier_lines(name: str, items: Sequence[TierItem]) -> Iterator[str]:
    quoted = name.replace('"', '""')
    head = ['"IntervalTier"', f'"{quoted}"', "0", format_seconds(items[-1].end), str(len(items))]
    yield "\n".join(head) + "\n"
    for item in items:
        label = item.label.replace('"', '""')
        yield f'{format_seconds(item.start)}\n{format_seconds(item.end)}\n"{label}"\n'


FORMAT = Format(read, sniff, write, carries=frozenset({"words"}), suffixes=(".TextGrid", ".textgrid"))
