"""Subtitles, SRT, WebVTT and SBV, as Whisper, players and video sites write them.

    1
    00:00:00,000 --> 00:00:01,200
    good morning

Key and response cut speech into cues in their own ways: all words of a file are one text, named for the file; `group`
keeps speakers (`<v Ann>`) apart, or cues with their times. Numbers, times, notes and styles are no words; tags in angle
brackets are left out. Carries words; what is written is WebVTT, one document with times per file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.speech.formats._segments import Group, SpeechSegment, group_segments
from aune.tasks.speech.formats._writing import refuse, require_word
from aune.tasks.speech.model import Document, Utterance, utterances

TIME = r"(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}"
CUE = re.compile(rf"\s*({TIME})(?:\s+-->\s+|,)({TIME})(?:\s.*)?")
FIRST = re.compile(
    rf"\s*(?:WEBVTT\b|(?:[^\n]*\n)?\s*{TIME}\s+-->\s+{TIME}(?:\s.*)?(?:\n|$)|\d+:\d\d:\d\d\.\d+,\d+:\d\d:\d\d\.\d+\s*\n)"
)
ASIDE = ("WEBVTT", "NOTE", "STYLE", "REGION")
TAG = re.compile(r"</?[^<>\s][^<>]*>|\{\\[^{}]*\}")
VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
MOST_WORDS = 12  # of a written cue, where the words have times of their own


def read(source: Source, *, group: Group = "session") -> Iterator[Document]:
    segments: list[SpeechSegment] = []
    block: list[tuple[int, str]] = []
    for line, text in [*source.lines(), (0, "")]:
        is_next_cue = CUE.fullmatch(text) is not None and any(CUE.fullmatch(before) for _, before in block)
        if block and (is_next_cue or not text.strip()):
            number = [block.pop()] if is_next_cue and _is_number_of_next(block) else []
            segments += _segments(source, block)
            block = number
        if text.strip():
            block.append((line, text))
    yield from group_segments(source.stem, segments, group, in_order=True)


def _is_number_of_next(block: list[tuple[int, str]]) -> bool:
    """Whether the last line before the times of a cue, which no blank line precedes, is the number of that cue."""
    first = block[0][1].strip()
    number = int(first) + 1 if first.isdecimal() and len(first) < 9 else None
    return len(block) > 2 and block[-1][1].strip() == str(number)


def _segments(source: Source, block: list[tuple[int, str]]) -> list[SpeechSegment]:
    """The cue between blank lines, if there is one."""
    times = next((place for place, (_, text) in enumerate(block[:2]) if CUE.fullmatch(text)), None)
    line, first = block[0]
    if times is not None:
        cue = CUE.fullmatch(block[times][1])
        assert cue is not None
        text = " ".join(text for _, text in block[times + 1 :])
        voice = VOICE.search(text)
        speaker = html.unescape(voice[1]).strip() if voice else ""
        words = html.unescape(TAG.sub("", text)).split()
        return [SpeechSegment(words, _seconds(cue[1]), _seconds(cue[2]), speaker, line=line)] if words else []
    if not first.startswith(ASIDE):
        actual, expected = f"{first.strip()[:40]!r}", "times, such as 00:00:01,000 --> 00:00:02,000"
        source.add_problem("cue.malformed", line, 1, found=actual, expected=expected, remedies=["mend the cue"])
    return []


def _seconds(time: str) -> float:
    """The time of a cue.

    >>> _seconds("01:02:03,5"), _seconds("2:03.250")
    (3723.5, 123.25)
    """
    seconds = 0.0
    for part in time.replace(",", ".").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def sniff(head: str) -> bool:
    return FIRST.match(head) is not None


def write(documents: Sequence[Document]) -> Iterator[str]:
    if len(documents) > 1:
        raise UsageError("subtitles are about one recording, and there are several: convert them one by one")
    yield "WEBVTT\n\n"
    for utterance in utterances(documents):
        words = [_plain_word(word, utterance) for word in utterance.words]
        for first, last, start, end in _cues(utterance, len(words)):
            text = " ".join(words[first:last])
            yield f"{_clock(start)} --> {_clock(end)}\n{_voice(utterance)}{html.escape(text, quote=False)}\n\n"


def _cues(utterance: Utterance, words: int) -> list[tuple[int, int, float, float]]:
    """The first word of each cue, the one behind its last, and its times."""
    if not words:
        return []
    times = utterance.times
    if times is not None and len(times) == words:
        bounds = [(start, min(start + MOST_WORDS, words)) for start in range(0, words, MOST_WORDS)]
        return [(first, last, times[first][0], times[last - 1][1]) for first, last in bounds]
    if utterance.span is None:
        refuse("subtitles", "words without times", utterance)
    return [(0, words, *utterance.span)]


def _plain_word(word: str, utterance: Utterance) -> str:
    if "-->" in word or "{\\" in word or html.unescape(html.escape(word, quote=False)) != word:
        refuse("subtitles", f"the word {word!r}, which has a meaning there", utterance)
    return require_word(word, "subtitles", "the word", utterance)


def _voice(utterance: Utterance) -> str:
    speaker = utterance.attributes.get("speaker", "")
    if not speaker:
        return ""
    if speaker != speaker.strip() or re.search(r"[\n<>]", speaker):
        refuse("subtitles", f"the speaker {speaker!r}", utterance)
    return f"<v {html.escape(speaker, quote=False)}>"


def _clock(seconds: float) -> str:
    """A time of WebVTT.

    >>> _clock(3723.5)
    '01:02:03.500'
    """
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"


FORMAT = Format(read, sniff, write, carries=frozenset({"words"}), suffixes=(".vtt", ".srt", ".sbv"))
