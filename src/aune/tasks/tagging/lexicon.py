"""Lexicons: the words of a corpus and the tags they occur with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aune.tasks.tagging.model import Document, alternatives, choose_column


def read_words(path: str) -> frozenset[str]:
    """The words of a tagged corpus, or of a plain list with a word per line (`.txt`)."""
    from aune.contract import registry  # noqa: PLC0415 - the registry imports this task
    from aune.reading.corpus import read  # noqa: PLC0415
    from aune.reading.source import single_source  # noqa: PLC0415

    if path.lower().endswith(".txt"):
        source = single_source(path)
        return frozenset(line.strip() for _, line in source.lines() if line.strip())
    documents = read(registry.task("tagging"), path).documents
    return frozenset(
        name
        for document in documents
        for name in np.array(document.words.names, object)[np.unique(document.words.codes)]
    )


def tag_counts(documents: Sequence[Document]) -> dict[str, int]:
    """How often each tag occurs; a word with several tags counts once for each."""
    totals: Counter[str] = Counter()
    for counts in tags_by_word(documents).values():
        totals.update(counts)
    return dict(totals)


def tags_by_word(documents: Sequence[Document]) -> dict[str, Counter[str]]:
    """How often each word has each tag; a word with several tags counts once for each.

    >>> from aune.tasks.tagging.model import documents
    >>> tags_by_word(documents([("la", "D"), ("la", "P"), ("la", "D")]))
    {'la': Counter({'D': 2, 'P': 1})}
    """
    by_word: dict[str, Counter[str]] = {}
    for document in documents:
        column = choose_column(document)
        cells = document.column(column)
        size = max(len(cells.names), 1)
        pairs, counts = np.unique(document.words.codes * size + cells.codes, return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            word, cell = divmod(pair, size)
            for tag in alternatives(cells.names[cell], column):
                by_word.setdefault(document.words.names[word], Counter())[tag] += count
    return by_word
