"""Who speaks when, on both sides: the times that speakers share, and the correspondence of speakers.

Times are integers in microseconds, so that sums are exact. Speakers are paired one to one so that the time in which
both speak is longest. A collar excludes the time around the boundaries of the key's segments, on each side of them.

Source: NIST's RT evaluations (md-eval); the numbers are those of pyannote.metrics, whose collar is twice this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from aune.contract.options import Range
from aune.numeric.arrays import Ints
from aune.numeric.matching import first_matching
from aune.tasks.speech.model import Document, Recording, Utterance

SECOND = 1_000_000
BoundaryCollar = Annotated[
    float, "the seconds left out on each side of where a segment of the key begins or ends", Range(0, 3600)
]
Overlap = Annotated[bool, "whether time is scored in which several speakers of the key speak"]
Spans = dict[str, list[tuple[int, int]]]


class SpeakerTimes(NamedTuple):
    """Stretches of time without any boundary inside, and the speakers in each of them."""

    durations: Ints
    key: Any
    """(stretches, speakers): whether each speaker of the key speaks."""
    response: Any

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of corresponding speakers; among equals, the speakers of the response that say least otherwise."""
        shared = (self.key * self.durations[:, None]).T @ self.response
        rows, columns = np.nonzero(shared)
        silence = self.durations.sum() + 1 - self.durations @ self.response
        chosen = first_matching(rows, columns, shared[rows, columns], silence[columns]) if len(rows) else rows
        return list(zip(rows[chosen].tolist(), columns[chosen].tolist(), strict=True))


def speaker_times(key: Document, response: Document, collar: float = 0.0, overlap: bool = True) -> SpeakerTimes:
    """The times of the speakers of a meeting, without excluded time."""
    key_spans, response_spans = _spans(key), _spans(response)
    ignored = [_microseconds(part.span) for part in _parts(key) if part.ignored and part.span]
    width = round(collar * SECOND)
    bounds = [bound for spans in key_spans.values() for span in spans for bound in span] if width else []
    ignored += [(bound - width, bound + width) for bound in bounds]
    every = [span for spans in (*key_spans.values(), *response_spans.values(), ignored) for span in spans]
    edges = np.unique(np.array(every, np.int64))
    durations = np.diff(edges)
    sides = [
        np.array([_active(spans[name], edges) for name in sorted(spans)], np.int64)
        .reshape(len(spans), len(durations))
        .T
        for spans in (key_spans, response_spans)
    ]
    scored = ~_active(ignored, edges).astype(bool)
    if not overlap and sides[0].size:
        scored &= sides[0].sum(1) < 2
    key_active, response_active = (side[scored] if side.size else np.zeros((int(scored.sum()), 0), np.int64)
                                   for side in sides)  # fmt: skip
    return SpeakerTimes(durations[scored], key_active, response_active)


def _active(spans: Sequence[tuple[int, int]], edges: Ints) -> Ints:
    """1 for each stretch between two edges that any of the spans covers."""
    changes = np.zeros(max(len(edges), 1), np.int64)
    for start, end in spans:
        changes[np.searchsorted(edges, start)] += 1
        changes[np.searchsorted(edges, end)] -= 1
    return (np.cumsum(changes)[:-1] > 0).astype(np.int64)


def _parts(document: Document) -> Sequence[Utterance]:
    return document.utterances if isinstance(document, Recording) else (document,)


def _spans(document: Document) -> Spans:
    """The times at which each speaker speaks: the segments, or from the first word to the last."""
    spans: Spans = {}
    for part in _parts(document):
        span = part.span
        if span is None and part.times:
            span = min(start for start, _ in part.times), max(end for _, end in part.times)
        if span is not None and not part.ignored and span[1] > span[0]:
            spans.setdefault(part.attributes.get("speaker", ""), []).append(_microseconds(span))
    return spans


def _microseconds(span: tuple[float, float]) -> tuple[int, int]:
    return round(span[0] * SECOND), round(span[1] * SECOND)
