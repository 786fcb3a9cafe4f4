"""Capitals: every run of words with a capital that is not at the beginning of a sentence, with one label.

The label is the most frequent one of the training texts. Whatever writes names with capitals gives it a level: German,
where all nouns have one, and texts in small letters give it none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from aune.baselines import Baseline
from aune.baselines.entities._names import Training, learn_documents, read_words, usual_label, with_spans
from aune.errors import UsageError
from aune.tasks.entities.model import Document

ENDS = frozenset(".!?…")


def respond(
    documents: Sequence[Document],
    *,
    training: Training = "",
    label: Annotated[str, "the label, else learnt"] = "",
) -> list[Document]:
    """Every run of words with a capital.

    >>> from aune.tasks.entities.model import documents as parse
    >>> text = parse([(word, "O") for word in "We met Ann Lee in Rome . He left".split()])
    >>> respond(text, label="PER")[0].triples()
    [(2, 4, 'PER'), (5, 6, 'PER')]
    """
    if not label:
        labels = Counter(name for document in learn_documents(training) for _, _, name in document.triples())
        if not labels:
            raise UsageError("found no entity to learn a label from, expected one: name it with --label")
        label = usual_label(labels)
    return [with_spans(document, _find_runs(document, label)) for document in documents]


def _find_runs(document: Document, label: str) -> Iterator[tuple[int, int, str]]:
    """The spans of runs of capitalised words inside sentences."""
    words = read_words(document)
    starts = set(document.sentences.tolist()) if document.sentences is not None else set()
    run: list[int] = []
    for place, word in enumerate(words):
        is_first = place == 0 or word.start in starts or words[place - 1].text in ENDS
        is_name = word.text[:1].isupper() and not is_first
        if run and (is_first or not is_name):
            yield words[run[0]].start, words[run[-1]].end, label
            run = []
        if is_name:
            run.append(place)
    if run:
        yield words[run[0]].start, words[run[-1]].end, label


BASELINE = Baseline(respond)
