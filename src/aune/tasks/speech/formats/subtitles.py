"""Subtitles, SRT and WebVTT, as Whisper and players write them.

    1
    00:00:00,000 --> 00:00:01,200
    good morning

Key and response cut speech into cues in their own ways: all words of a file are one text, named for the file. Numbers,
times, notes and styles are no words; tags in angle brackets, such as `<v Ann>`, are left out. Carries words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from aune.contract.format import Format
from aune.reading.source import Source
from aune.tasks.speech.model import Utterance

TIME = r"(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}"
CUE = re.compile(rf"\s*{TIME}\s+-->\s+{TIME}(?:\s.*)?")
FIRST = re.compile(rf"\s*(?:WEBVTT\b|(?:[^\n]*\n)?{CUE.pattern}(?:\n|$))")
ASIDE = ("WEBVTT", "NOTE", "STYLE", "REGION")
TAG = re.compile(r"</?[^<>\s][^<>]*>|\{\\[^{}]*\}")


def read(source: Source) -> Iterator[Utterance]:
    words: list[str] = []
    block: list[tuple[int, str]] = []
    for line, text in [*source.lines(), (0, "")]:
        if text.strip():
            block.append((line, text))
        elif block:
            words += _words(source, block)
            block = []
    yield Utterance(source.stem, words)


def _words(source: Source, block: list[tuple[int, str]]) -> list[str]:
    """The words of what stands between blank lines."""
    times = next((place for place, (_, text) in enumerate(block[:2]) if CUE.fullmatch(text)), None)
    line, first = block[0]
    if times is not None:
        return html.unescape(TAG.sub("", " ".join(text for _, text in block[times + 1 :]))).split()
    if not first.startswith(ASIDE):
        actual, expected = f"{first.strip()[:40]!r}", "times, such as 00:00:01,000 --> 00:00:02,000"
        source.add_problem("cue.malformed", line, 1, found=actual, expected=expected, remedies=["mend the cue"])
    return []


def sniff(head: str) -> bool:
    return FIRST.match(head) is not None


FORMAT = Format(read, sniff, carries=frozenset({"words"}), suffixes=(".srt", ".vtt"))
