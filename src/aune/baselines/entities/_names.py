"""The names that the simple systems learn from texts with entities: strings that were entities, with their labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, TypeAlias

from aune.errors import UsageError
from aune.tasks.entities.model import Document, Span, make_document

Training: TypeAlias = Annotated[Any, "the texts with entities to learn from: a file, a folder or documents"]
WORD = re.compile(r"\w+|[^\w\s]")


class Word(NamedTuple):
    """A word of a text, and its position in the unit of the text's spans."""

    text: str
    start: int
    end: int


def read_words(document: Document) -> list[Word]:
    """The words of a text; raises an error if it has none."""
    if document.unit == "character" and document.text is not None:
        return [Word(match[0], *match.span()) for match in WORD.finditer(document.text)]
    if document.tokens is None:
        raise UsageError(f"{document.id}: found no words, expected a text: this format has positions only")
    return [Word(token, place, place + 1) for place, token in enumerate(document.tokens)]


def learn_documents(training: Any) -> Sequence[Document]:
    """The training documents, given as a path or as documents."""
    if not training:
        raise UsageError("expected texts with entities to learn from: name them with --training")
    if isinstance(training, str):
        from aune.contract import registry  # noqa: PLC0415
        from aune.reading.corpus import read  # noqa: PLC0415

        return read(registry.task("entities"), training).documents
    documents: Sequence[Document] = training
    return documents


def learn_names(documents: Iterable[Document]) -> dict[tuple[str, ...], Counter[str]]:
    """The labels of each sequence of words that was an entity."""
    names: dict[tuple[str, ...], Counter[str]] = {}
    for document in documents:
        words = read_words(document)
        first = {word.start: place for place, word in enumerate(words)}
        last = {word.end: place + 1 for place, word in enumerate(words)}
        for start, end, label in document.triples():
            if start in first and end in last:
                name = tuple(word.text for word in words[first[start] : last[end]])
                names.setdefault(name, Counter())[label] += 1
    return names


def usual_label(labels: Counter[str]) -> str:
    """The most frequent label; among equals, the first in alphabetical order.

    >>> usual_label(Counter({"PER": 1, "LOC": 1}))
    'LOC'
    """
    return min(labels, key=lambda label: (-labels[label], label))


def with_spans(document: Document, spans: Iterator[tuple[int, int, str]]) -> Document:
    """A text with other entities in place of its own."""
    bare = make_document(document.id, [Span(*span) for span in spans], length=document.length)
    return replace(
        document, spans=bare.spans, labels=bare.labels, names=bare.names, depths=None, segments={}, tags=None,
        lines=None, columns=None, referents=None, listed=None,
    )  # fmt: skip
