"""Silence: no word at all. Every word of the key is deleted, so that the error rate is 100: who has more adds words."""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.tasks.speech.model import Document, Recording, Utterance


def respond(documents: Sequence[Document]) -> list[Document]:
    """Every utterance without words.

    >>> respond([Utterance("u1", "good morning")])[0].words
    []
    """
    return [
        document._replace(utterances=tuple(map(silent, document.utterances)))
        if isinstance(document, Recording)
        else silent(document)
        for document in documents
    ]


def silent(utterance: Utterance) -> Utterance:
    """An utterance without its words and their properties."""
    return utterance._replace(text="", entities=(), times=None, tree=None, confidences=None)


BASELINE = Baseline(respond)
