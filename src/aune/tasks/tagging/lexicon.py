"""Lexicons: the words of a corpus and the tags they occur with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aune.tasks.tagging.model import Document, alternatives, chosen_column


def words_of(path: str) -> frozenset[str]:
    """The words of a tagged corpus, or of a plain list with a word per line (`.txt`)."""
    from aune.core import registry  # noqa: PLC0415 - the registry knows this task
    from aune.core.corpus import read, single_source  # noqa: PLC0415

    if path.endswith(".txt"):
        source = single_source(path)
        return frozenset(line.strip() for _, line in source.lines() if line.strip())
    found = read(registry.task("tagging"), path).documents
    return frozenset(name for one in found for name in np.array(one.words.names, object)[np.unique(one.words.codes)])


def tag_counts(documents: Sequence[Document]) -> dict[str, int]:
    """How often each tag occurs; a word with several tags counts once for each."""
    found: Counter[str] = Counter()
    for counts in tags_by_word(documents).values():
        found.update(counts)
    return dict(found)


def tags_by_word(documents: Sequence[Document]) -> dict[str, Counter[str]]:
    """How often each word has each tag; a word with several tags counts once for each.

    >>> from aune.tasks.tagging.model import documents
    >>> tags_by_word(documents([("la", "D"), ("la", "P"), ("la", "D")]))
    {'la': Counter({'D': 2, 'P': 1})}
    """
    found: dict[str, Counter[str]] = {}
    for one in documents:
        column = chosen_column(one)
        cells = one.column(column)
        size = max(len(cells.names), 1)
        pairs, counts = np.unique(one.words.codes * size + cells.codes, return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            word, cell = divmod(pair, size)
            for tag in alternatives(cells.names[cell], column):
                found.setdefault(one.words.names[word], Counter())[tag] += count
    return found
