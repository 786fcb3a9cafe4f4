"""NIST's stm: the key of recordings, as segments with times.

    file1 A speaker1 0.06 3.47 <o,f0> i've { um / uh } been
    file1 A speaker1 3.47 11.04 IGNORE_TIME_SEGMENT_IN_SCORING

Columns: recording, channel, speaker, begin, end, perhaps labels in angle brackets, text. Lines that begin with `;;` are
comments. The text is as in trn. A segment whose text has `IGNORE_TIME_SEGMENT_IN_SCORING` is left out of the score,
with what the response has in its time. Each channel of each recording is one document; a ctm answers it, whose words
are shared out among the segments by their times. Carries words, alternatives, times and speakers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aune.contract.format import RECORDINGS, Format
from aune.reading.source import Source
from aune.syntax.numbers import parse_number
from aune.tasks.speech.formats._foreign import refuse_foreign
from aune.tasks.speech.formats._markup import Markup, OptionalWords, nist_lines, nist_utterance, sample_lines
from aune.tasks.speech.formats._writing import format_seconds, nist_text, refuse, require_word
from aune.tasks.speech.model import Document, Recording, Utterance, utterances

IGNORED = "IGNORE_TIME_SEGMENT_IN_SCORING"
COLUMNS = "recording, channel, speaker, begin and end"
LONGEST = 100  # characters in which two times are looked for


def read(source: Source, *, optional: OptionalWords = True, markup: Markup = "none") -> Iterator[Recording]:
    if refuse_foreign(source):
        return
    recordings: dict[str, list[Utterance]] = {}
    for line, text in nist_lines(source):
        columns = text.split(maxsplit=5)
        if len(columns) < 5:
            actual, expected = f"{len(columns)} columns", f"{COLUMNS}, then the text"
            remedies = ["add what is missing"]
            source.add_problem("columns.missing", line, 1, found=actual, expected=expected, remedies=remedies)
            continue
        name, channel, speaker, begin, end = columns[:5]
        span = _span(source, line, begin, end)
        if span is None:
            continue
        words, labels = _split_labels(columns[5] if len(columns) > 5 else "")
        recording = f"{name}/{channel}".lower()
        attributes = {"document": name, "channel": channel, "speaker": speaker, "labels": labels}
        parts = recordings.setdefault(recording, [])
        ignored = IGNORED in words or IGNORED.replace("_", "") in words
        utterance = nist_utterance(source, "", "" if ignored else words, line, optional, attributes, markup)
        parts.append(utterance._replace(id=f"{recording}/{begin}-{end}", span=span, ignored=ignored))
    for recording, segments in recordings.items():
        segments.sort(key=lambda utterance: utterance.span or (0.0, 0.0))
        yield Recording(recording, tuple(segments), segments[0].line)


def _span(source: Source, line: int, begin: str, end: str) -> tuple[float, float] | None:
    times = parse_number(begin), parse_number(end)
    for text, time in zip((begin, end), times, strict=True):
        if time is None:
            remedies = [f"check the columns ({COLUMNS})"]
            source.add_problem(
                "time.malformed", line, 1, found=f"{text!r}", expected="a time in seconds", remedies=remedies
            )
            return None
    start, stop = times
    assert start is not None and stop is not None
    if stop < start:
        actual = f"a segment from {begin} to {end}"
        source.add_problem(
            "time.reversed", line, 1, found=actual, expected="it to end after its start", remedies=["mend it"]
        )
        return None
    return start, stop


def _split_labels(text: str) -> tuple[str, str]:
    """The text, and the labels before it."""
    if text.startswith("<") and ">" in text and " " not in text.partition(">")[0]:
        labels, _, words = text[1:].partition(">")
        if "," in labels or not words.strip().startswith("<"):
            return words, labels
    return text, ""


def sniff(head: str) -> bool:
    rows = [line.split(maxsplit=5) for line in sample_lines(head)]
    return bool(rows) and all(
        len(row) >= 5
        and parse_number(row[3]) is not None
        and parse_number(row[4]) is not None
        and parse_number(row[2]) is None
        for row in rows
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for utterance in utterances([document]):
            yield f"{_columns(utterance)} {_text(utterance)}".rstrip() + "\n"


def _columns(utterance: Utterance) -> str:
    """Recording, channel, speaker, begin and end, from which the name is made again."""
    if utterance.span is None:
        refuse("stm", "utterances without a begin and an end", utterance)
    fields = [
        require_word(utterance.attributes.get(name) or default, "stm", f"the {name}", utterance)
        for name, default in (("document", utterance.id), ("channel", "1"), ("speaker", "unknown"))
    ]
    if fields[0].startswith(";;"):
        refuse("stm", f"the name {fields[0]!r}, which would begin a comment", utterance)
    named = utterance.id.removeprefix(f"{fields[0]}/{fields[1]}/".lower())
    return " ".join([*fields, *_times(named, utterance.span)])


def _times(named: str, span: tuple[float, float]) -> tuple[str, str]:
    """A begin and an end as the file had them, where the name tells."""
    for hyphen in re.finditer("-", named[:LONGEST]):
        begin, end = named[: hyphen.start()], named[hyphen.end() :]
        if (parse_number(begin), parse_number(end)) == span:
            return begin, end
    return format_seconds(span[0]), format_seconds(span[1])


def _text(utterance: Utterance) -> str:
    if utterance.ignored:
        return IGNORED
    text, labels = nist_text(utterance, "stm"), utterance.attributes.get("labels", "")
    if not labels and text.startswith("<"):
        refuse("stm", f"the first word {text.split()[0]!r}, which is read as labels", utterance)
    return f"<{labels}> {text}" if labels else text


CARRIES = frozenset({"words", "times", "alternatives", "speakers", "labels", "documents", "ignored segments"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".stm",), boundaries=RECORDINGS)
