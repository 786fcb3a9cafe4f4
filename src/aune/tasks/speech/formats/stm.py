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

from aune.core.corpus import Source
from aune.core.pieces import RECORDINGS
from aune.core.task import Format
from aune.syntax.numbers import number
from aune.tasks.speech.formats._markup import Markup, Optional, nist_lines, nist_utterance, sample
from aune.tasks.speech.formats._writing import nist_text, one_word, refuse, seconds
from aune.tasks.speech.model import Document, Recording, Utterance, utterances

IGNORED = "IGNORE_TIME_SEGMENT_IN_SCORING"
COLUMNS = "recording, channel, speaker, begin and end"
LONGEST = 100  # characters in which two times are looked for


def read(source: Source, *, optional: Optional = True, markup: Markup = "none") -> Iterator[Recording]:
    recordings: dict[str, list[Utterance]] = {}
    for line, text in nist_lines(source):
        columns = text.split(maxsplit=5)
        if len(columns) < 5:
            found = f"found {len(columns)} columns, expected {COLUMNS}, then the text: add what is missing"
            source.problem(line, 1, found)
            continue
        name, channel, speaker, begin, end = columns[:5]
        span = _span(source, line, begin, end)
        if span is None:
            continue
        words, labels = _labelled(columns[5] if len(columns) > 5 else "")
        recording = f"{name}/{channel}".lower()
        attributes = {"document": name, "channel": channel, "speaker": speaker, "labels": labels}
        own = recordings.setdefault(recording, [])
        ignored = IGNORED in words or IGNORED.replace("_", "") in words
        one = nist_utterance(source, "", "" if ignored else words, line, optional, attributes, markup)
        own.append(one._replace(id=f"{recording}/{begin}-{end}", span=span, ignored=ignored))
    for recording, segments in recordings.items():
        segments.sort(key=lambda one: one.span or (0.0, 0.0))
        yield Recording(recording, tuple(segments), segments[0].line)


def _span(source: Source, line: int, begin: str, end: str) -> tuple[float, float] | None:
    times = number(begin), number(end)
    for text, time in zip((begin, end), times, strict=True):
        if time is None:
            source.problem(line, 1, f"found {text!r}, expected a time in seconds: check the columns ({COLUMNS})")
            return None
    start, stop = times
    assert start is not None and stop is not None
    if stop < start:
        source.problem(line, 1, f"found a segment from {begin} to {end}, expected it to end after its start: mend it")
        return None
    return start, stop


def _labelled(text: str) -> tuple[str, str]:
    """The text, and the labels before it."""
    if text.startswith("<") and ">" in text and " " not in text.partition(">")[0]:
        labels, _, words = text[1:].partition(">")
        if "," in labels or not words.strip().startswith("<"):
            return words, labels
    return text, ""


def sniff(head: str) -> bool:
    rows = [line.split(maxsplit=5) for line in sample(head)]
    return bool(rows) and all(
        len(row) >= 5 and number(row[3]) is not None and number(row[4]) is not None and number(row[2]) is None
        for row in rows
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for one in utterances([document]):
            yield f"{_columns(one)} {_text(one)}".rstrip() + "\n"


def _columns(utterance: Utterance) -> str:
    """Recording, channel, speaker, begin and end, from which the name is made again."""
    if utterance.span is None:
        refuse("stm", "utterances without a begin and an end", utterance)
    fields = [
        one_word(utterance.attributes.get(name) or default, "stm", f"the {name}", utterance)
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
        if (number(begin), number(end)) == span:
            return begin, end
    return seconds(span[0]), seconds(span[1])


def _text(utterance: Utterance) -> str:
    if utterance.ignored:
        return IGNORED
    text, labels = nist_text(utterance, "stm"), utterance.attributes.get("labels", "")
    if not labels and text.startswith("<"):
        refuse("stm", f"the first word {text.split()[0]!r}, which is read as labels", utterance)
    return f"<{labels}> {text}" if labels else text


CARRIES = frozenset({"words", "times", "alternatives", "speakers", "labels", "documents", "ignored segments"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".stm",), boundaries=RECORDINGS)
