"""Segments of speech with times and speakers, and the documents that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.tasks.speech.model import Document, Recording, Times, Utterance

Group = Annotated[
    Literal["session", "speaker", "meeting"],
    "what is compared as one text: a session, or each speaker of it; or the segments of a meeting as they are",
]
TierField: TypeAlias = Annotated[tuple[str, ...], "the tiers that contain the transcript, if aune cannot know"]


class SpeechSegment(NamedTuple):
    """Words that somebody said without another between them."""

    words: Sequence[str]
    start: float | None = None
    end: float | None = None
    speaker: str = ""
    times: Times | None = None
    """When each word begins and ends."""
    confidences: Sequence[float] | None = None
    line: int = 1

    @property
    def span(self) -> tuple[float, float] | None:
        if self.start is None or self.end is None:
            return None
        return self.start, max(self.start, self.end)


def segment_of_words(
    words: Sequence[tuple[str, float | None, float | None, float | None]], speaker: str = "", line: int = 1
) -> SpeechSegment:
    """A segment of single words, each with its start, end and confidence as far as they are known.

    >>> segment_of_words([("a", 0.5, 1.0, 0.9), ("b", 1.0, 1.5, None)])[:3]
    (['a', 'b'], 0.5, 1.5)
    """
    parts = [(part, start, end, sure) for text, start, end, sure in words for part in text.split()]
    times = [(start, max(start, end)) for _, start, end, _ in parts if start is not None and end is not None]
    confidences = [sure for *_, sure in parts if sure is not None]
    is_timed = len(times) == len(parts) and len(parts) > 0
    return SpeechSegment(
        [part for part, *_ in parts],
        min(start for start, _ in times) if times else None,
        max(end for _, end in times) if times else None,
        speaker,
        times if is_timed else None,
        confidences if len(confidences) == len(parts) and is_timed else None,
        line,
    )


def group_segments(
    name: str, segments: Sequence[SpeechSegment], group: str, in_order: bool = False
) -> Iterator[Document]:
    """The documents of a recording: one text, one for each speaker, or the segments with speakers and times.

    Segments are put in the order of their starts, unless they are in order already or some have no time.
    """
    ordered = sorted(segments, key=lambda segment: (segment.start is None, segment.start or 0.0))
    if in_order or any(segment.start is None for segment in segments):
        ordered = list(segments)
    if group == "meeting":
        names = [f"{name}/{number}" for number in range(1, len(ordered) + 1)] if len(ordered) > 1 else [name]
        parts = [
            Utterance(
                part_name, list(segment.words), _attributes(name, segment.speaker), times=segment.times,
                span=segment.span, confidences=segment.confidences, line=segment.line,
            )
            for part_name, segment in zip(names, ordered, strict=False)
        ]  # fmt: skip
        yield Recording(name, tuple(parts))
        return
    speakers = list(dict.fromkeys(segment.speaker for segment in ordered)) if group == "speaker" else [""]
    for speaker in speakers:
        chosen = [segment for segment in ordered if group != "speaker" or segment.speaker == speaker]
        yield _one_text(f"{name}/{speaker}" if speaker else name, _attributes(name, speaker), chosen)


def _one_text(name: str, attributes: dict[str, str], segments: Sequence[SpeechSegment]) -> Utterance:
    filled = [segment for segment in segments if segment.words]
    times = [time for segment in filled for time in segment.times or ()]
    confidences = [sure for segment in filled for sure in segment.confidences or ()]
    words = [word for segment in filled for word in segment.words]
    is_timed = len(times) == len(words) > 0 and all(first <= second for (first, _), (second, _) in pairwise(times))
    return Utterance(
        name, words, attributes, times=times if is_timed else None,
        confidences=confidences if is_timed and len(confidences) == len(words) else None,
        line=segments[0].line if segments else 1,
    )  # fmt: skip


def _attributes(name: str, speaker: str) -> dict[str, str]:
    return {"document": name} | ({"speaker": speaker} if speaker else {})
