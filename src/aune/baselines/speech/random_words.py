"""Random words: as many words as the training transcripts have on average, drawn as often as they occur there.

It gives the level of chance: how many words are right for who knows the language and hears nothing.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeAlias

from aune.baselines import Baseline
from aune.baselines.speech.silence import silent
from aune.contract.options import Range
from aune.errors import UsageError
from aune.tasks.speech.model import Document, Recording, Utterance

Training: TypeAlias = Annotated[Any, "the transcripts that the words are drawn from: a file, a folder or utterances"]


def respond(
    documents: Sequence[Document], *, training: Training = "", seed: Annotated[int, "which draw", Range(0)] = 0
) -> list[Document]:
    """Every utterance with random words.

    >>> from aune.tasks.speech.model import documents as parse
    >>> [list(item.words) for item in respond([Utterance("u", "")], training=parse({"t": "no no"}))]
    [['no', 'no']]
    """
    utterances = list(_utterances(_learn_documents(training)))
    words = Counter(word for utterance in utterances for word in utterance.words)
    if not words:
        raise UsageError("found no word to learn from, expected transcripts: name them with --training")
    length = round(words.total() / len(utterances))
    vocabulary, counts = zip(*sorted(words.items()), strict=True)

    def draw(utterance: Utterance) -> Utterance:
        digest = hashlib.blake2b(f"{seed} {utterance.id}".encode(), digest_size=8).digest()
        drawn = random.Random(int.from_bytes(digest)).choices(vocabulary, counts, k=length)
        return silent(utterance)._replace(text=" ".join(drawn))

    return [
        document._replace(utterances=tuple(map(draw, document.utterances)))
        if isinstance(document, Recording)
        else draw(document)
        for document in documents
    ]


def _utterances(documents: Sequence[Document]) -> Iterator[Utterance]:
    for document in documents:
        yield from document.utterances if isinstance(document, Recording) else (document,)


def _learn_documents(training: Any) -> Sequence[Document]:
    """The training transcripts, given as a path or as utterances."""
    if not training:
        raise UsageError("expected transcripts to learn from: name them with --training")
    if isinstance(training, str):
        from aune.contract import registry  # noqa: PLC0415
        from aune.reading.corpus import read  # noqa: PLC0415

        return read(registry.task("speech"), training).documents
    documents: Sequence[Document] = training
    return documents


BASELINE = Baseline(respond)
