"""NIST's RTTM: who speaks when, and perhaps the words.

    SPEAKER meeting1 1 0.50 1.25 <NA> <NA> ann <NA> <NA>
    LEXEME meeting1 1 0.50 0.40 good lex ann 0.98 <NA>

Columns: type, recording, channel, begin, duration, word, subtype, speaker, confidence, and one to come. `SPEAKER` gives
the segments, `LEXEME` the words in them; other types are counted and not read. Lines that begin with `;;` are comments.
A recording is one document, whose segments keep their speakers and times. Carries words, times and speakers; words
without times of their own are written spread over their segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.numbers import parse_number
from aune.tasks.speech.alignment.recordings import middle
from aune.tasks.speech.formats._foreign import RTTM_TYPES
from aune.tasks.speech.formats._segments import SpeechSegment, group_segments, segment_of_words
from aune.tasks.speech.formats._writing import format_seconds, refuse, require_word
from aune.tasks.speech.model import Document, Recording, Utterance, utterances

NOTHING = "<NA>"


class RttmWord(NamedTuple):
    """A word with its time and speaker."""

    text: str
    start: float
    end: float
    speaker: str
    confidence: float | None
    line: int


class RttmRecording(NamedTuple):
    """The segments and words of a recording."""

    segments: list[SpeechSegment]
    words: list[RttmWord]


def read(source: Source) -> Iterator[Document]:
    recordings: dict[str, RttmRecording] = {}
    others: Counter[str] = Counter()
    for line, text in source.lines():
        columns = text.split()
        if not columns or text.startswith(";;"):
            continue
        if columns[0] not in RTTM_TYPES or len(columns) < 8:
            expected = "a type such as SPEAKER, and 8 columns or more"
            source.add_problem(
                "columns.missing", line, 1, found=f"{text.strip()[:40]!r}", expected=expected, remedies=["correct it"]
            )
        elif columns[0] in ("SPEAKER", "LEXEME"):
            _add_row(source, line, columns, recordings)
        else:
            others[columns[0]] += 1
    if others:
        source.add_note("rows of other types", _other_rows, dict(others))
    for name, recording in recordings.items():
        yield from group_segments(name, list(_segments(recording)), "meeting")


def _add_row(source: Source, line: int, columns: Sequence[str], recordings: dict[str, RttmRecording]) -> None:
    start, duration = parse_number(columns[3]), parse_number(columns[4])
    if start is None or duration is None or duration < 0:
        actual, expected = f"the times {columns[3]!r} and {columns[4]!r}", "a begin and a duration in seconds"
        source.add_problem("time.malformed", line, 1, found=actual, expected=expected, remedies=["mend them"])
        return
    recording = recordings.setdefault(columns[1], RttmRecording([], []))
    speaker = "" if columns[7] == NOTHING else columns[7]
    if columns[0] == "SPEAKER":
        recording.segments.append(SpeechSegment([], start, round(start + duration, 6), speaker, line=line))
    elif columns[5] != NOTHING:
        sure = parse_number(columns[8]) if len(columns) > 8 else None
        recording.words.append(RttmWord(columns[5], start, round(start + duration, 6), speaker, sure, line))


def _segments(recording: RttmRecording) -> Iterator[SpeechSegment]:
    """The segments with the words whose middles lie in them; a word outside makes one by itself."""
    shares: list[list[RttmWord]] = [[] for _ in recording.segments]
    outside: list[RttmWord] = []
    for word in sorted(recording.words, key=lambda word: (word.start, word.line)):
        place = next((place for place, segment in enumerate(recording.segments) if _contains(segment, word)), None)
        (outside if place is None else shares[place]).append(word)
    for segment, words in zip(recording.segments, shares, strict=True):
        timed = segment_of_words([(word.text, word.start, word.end, word.confidence) for word in words])
        yield segment._replace(words=timed.words, times=timed.times, confidences=timed.confidences)
    for word in outside:
        yield segment_of_words([(word.text, word.start, word.end, word.confidence)], word.speaker, word.line)


def _contains(segment: SpeechSegment, word: RttmWord) -> bool:
    start, end = segment.span or (0.0, 0.0)
    return segment.speaker == word.speaker and start <= middle(word.start, word.end) <= end


def _other_rows(counts: Mapping[str, int], line: int) -> str:
    return "not read: " + ", ".join(f"{count} rows {name}" for name, count in sorted(counts.items()))


def sniff(head: str) -> bool:
    rows = [line.split() for line in head.split("\n")[:50] if line.strip() and not line.startswith(";;")]
    return bool(rows) and all(
        len(row) >= 8 and row[0] in RTTM_TYPES and (parse_number(row[3]) is not None or row[3] == NOTHING)
        for row in rows
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for utterance in utterances([document]):
            name = document.id if isinstance(document, Recording) else utterance.attributes.get("document", document.id)
            yield from _rows(require_word(name, "rttm", "the name", utterance), utterance)


def _rows(name: str, utterance: Utterance) -> Iterator[str]:
    speaker = utterance.attributes.get("speaker", "")
    if speaker:
        require_word(speaker, "rttm", "the speaker", utterance)
    span = utterance.span
    if span is None and utterance.times:
        span = min(start for start, _ in utterance.times), max(end for _, end in utterance.times)
    if span is None:
        refuse("rttm", "an utterance without times", utterance)
    yield _row("SPEAKER", name, *span, NOTHING, NOTHING, speaker, NOTHING)
    has_times = utterance.times is not None and len(utterance.times) == len(utterance.words)
    times = utterance.times if has_times else _spread_times(*span, len(utterance.words))
    for number, (word, (start, end)) in enumerate(zip(utterance.words, times or (), strict=True)):
        plain = require_word(word, "rttm", "the word", utterance)
        if plain == NOTHING:
            refuse("rttm", f"the word {word!r}, which means nothing there", utterance)
        sure = NOTHING if utterance.confidences is None else format_seconds(utterance.confidences[number])
        yield _row("LEXEME", name, start, end, plain, "lex", speaker, sure)


def _spread_times(start: float, end: float, count: int) -> list[tuple[float, float]]:
    step = (end - start) / max(count, 1)
    return [(start + step * number, start + step * (number + 1)) for number in range(count)]


def _row(kind: str, name: str, start: float, end: float, word: str, subtype: str, speaker: str, sure: str) -> str:
    times = f"{format_seconds(start)} {format_seconds(end - start)}"
    return f"{kind} {name} 1 {times} {word} {subtype} {speaker or NOTHING} {sure} {NOTHING}\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words", "times", "speakers"}), suffixes=(".rttm",))
