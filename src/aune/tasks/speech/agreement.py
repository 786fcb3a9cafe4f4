"""What transcribers decide beyond the words: who speaks, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aune.tasks.speech.model import Document, Recording

MEASURES = ("cp_wer", "tcp_wer", "der")


def agreement_measures(annotators: Sequence[Sequence[Document]]) -> tuple[str, ...]:
    """The measures of speakers and times, if annotators differ in these; the usual measures compare words alone."""
    return MEASURES if len({_speakers_and_times(documents) for documents in annotators}) > 1 else ()


def _speakers_and_times(documents: Sequence[Document]) -> frozenset[Any]:
    """The utterances that name a speaker or a time, with these."""
    return frozenset(
        (document.id, part.id, speaker, part.span, tuple(map(tuple, part.times or ())))
        for document in documents
        for part in (document.utterances if isinstance(document, Recording) else (document,))
        if (speaker := part.attributes.get("speaker", "")) or part.span or part.times
    )
