"""Assign utterances to the streams of the other side so that the errors are fewest, regardless of speaker labels.

The utterances of one side stay whole and in the order of their times. Each of them is assigned to one stream (the words
of one speaker) of the other side. `exact` considers all assignments together: a table with a dimension per stream gives
the fewest errors for all beginnings of the streams. `greedy` starts from the pairing of speakers, and moves one
utterance at a time to its best stream until nothing improves; it may miss the optimum.

Source: Sklyar et al. 2022 (ORC-WER), von Neumann et al. 2023 and 2024 (meeteval: tables, time constraints, DI-cpWER).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.tasks.speech.alignment.meetings import (
    NO_SPEAKER,
    Distance,
    SpeakerWords,
    overlapping_words,
    pair_speakers,
)

Search: TypeAlias = Annotated[
    Literal["exact", "greedy"],
    "how utterances are given to speakers: by trying every way (exact), or one move at a time (greedy)",
]
MOST_CELLS = 50_000_000  # of the tables of a meeting: half a gigabyte, and a few seconds
START = 2**24  # in a cell, the weight of an error relative to the position where an utterance begins
NEVER = 2**60
ROUNDS = 50


class Part(NamedTuple):
    """An utterance with its speaker."""

    speaker: str
    words: SpeakerWords


def assign(
    parts: Sequence[Part],
    streams: dict[str, SpeakerWords],
    distance: Distance,
    *,
    collar: float | None = None,
    search: Search = "exact",
    swapped: bool = False,
) -> list[str]:
    """The stream of each utterance; `swapped` means that the utterances are those of the response."""
    if len(streams) < 2 or not parts:
        return [next(iter(streams), "")] * len(parts)
    if search == "greedy":
        return _assign_greedily(parts, streams, distance, swapped=swapped)
    cells = len(parts) * int(np.prod([len(stream.words) + 1 for stream in streams.values()], dtype=float))
    if cells > MOST_CELLS:
        raise UsageError(
            f"found {len(parts)} utterances to give to {len(streams)} speakers, which takes tables of {cells:,} cells, "
            f"expected {MOST_CELLS:,} at most: choose the search greedy"
        )
    names = list(streams)
    choices = _fill_tables(parts, list(streams.values()), collar)
    state = [len(stream.words) for stream in streams.values()]
    assigned: list[str] = []
    for choice, starts in reversed(choices):
        stream = int(choice[tuple(state)])
        state[stream] = int(starts[tuple(state)])
        assigned.append(names[stream])
    return assigned[::-1]


def _fill_tables(parts: Sequence[Part], streams: Sequence[SpeakerWords], collar: float | None) -> list[tuple[Any, Any]]:
    """For each utterance and all states: the best stream, and where in this stream the utterance begins."""
    numbers: dict[str, int] = {}
    codes = [
        np.array([numbers.setdefault(word, len(numbers)) for word in stream.words], np.int64) for stream in streams
    ]
    grids = np.ogrid[tuple(slice(0, len(stream.words) + 1) for stream in streams)]
    table: Any = sum(grids)  # before the first utterance all words are insertions
    results = []
    for part in parts:
        best = np.full(table.shape, NEVER)
        choice, starts = np.zeros(table.shape, np.int8), np.zeros(table.shape, np.int32)
        for number, stream in enumerate(streams):
            cells = _say(np.moveaxis(table, number, -1), part.words, stream, codes[number], numbers, collar)
            errors, begins = np.divmod(np.moveaxis(cells, -1, number), START)
            better = errors < best
            best[better], choice[better], starts[better] = errors[better], number, begins[better]
        table = best
        results.append((choice, starts))
    return results


def _say(
    table: Any, part: SpeakerWords, stream: SpeakerWords, codes: Any, numbers: dict[str, int], collar: float | None
) -> Any:
    """The table after an utterance is assigned to the last axis's stream; each cell stores where it began there."""
    places = np.arange(len(codes) + 1, dtype=np.int64)
    insertions = places * START
    cells = table * START + places
    for word, begin, end in zip(part.words, part.begin, part.end, strict=True):
        errors = np.where(codes == numbers.get(word, -1), 0, START)
        if collar is not None:
            errors = np.where(overlapping_words(begin, end, stream, collar), errors, NEVER)
        after = cells + START
        after[..., 1:] = np.minimum(after[..., 1:], cells[..., :-1] + errors)
        cells = np.minimum.accumulate(after - insertions, axis=-1) + insertions
    return cells


def _assign_greedily(
    parts: Sequence[Part], streams: dict[str, SpeakerWords], distance: Distance, *, swapped: bool
) -> list[str]:
    by_speaker = {speaker: join_parts([part for part in parts if part.speaker == speaker]) for speaker in
                  dict.fromkeys(part.speaker for part in parts)}  # fmt: skip
    sides = (streams, by_speaker) if swapped else (by_speaker, streams)
    paired = [(pair.response, pair.key) if swapped else (pair.key, pair.response)
              for pair in pair_speakers(*sides, distance)]  # fmt: skip
    partners = {speaker: stream for speaker, stream in paired if stream in streams}
    first = next(iter(streams))
    assigned = [partners.get(part.speaker, first) for part in parts]

    def errors(stream: str) -> int:
        words = join_parts([part for part, place in zip(parts, assigned, strict=True) if place == stream])
        pair = (streams[stream], words) if swapped else (words, streams[stream])
        return distance(*pair).errors

    totals = {stream: errors(stream) for stream in streams}
    for _ in range(ROUNDS):
        moved = False
        for number, before in enumerate(list(assigned)):
            gains = []
            for stream in streams:
                if stream == before:
                    continue
                assigned[number] = stream
                changed = {before: errors(before), stream: errors(stream)}
                gains.append((sum(totals[name] - value for name, value in changed.items()), stream, changed))
            gain, stream, changed = max(gains, key=lambda move: move[0])
            assigned[number] = stream if gain > 0 else before
            if gain > 0:
                totals |= changed
                moved = True
        if not moved:
            break
    return assigned


def join_parts(parts: Sequence[Part]) -> SpeakerWords:
    """The words of several utterances, concatenated."""
    if not parts:
        return NO_SPEAKER
    return SpeakerWords(
        [word for part in parts for word in part.words.words],
        np.concatenate([part.words.begin for part in parts]),
        np.concatenate([part.words.end for part in parts]),
    )
