"""The lexicon that the simple taggers learn from a tagged corpus, and tagging with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.tasks.tagging.lexicon import tags_by_word
from aune.tasks.tagging.model import Document, Vocabulary, choose_column
from aune.tasks.tagging.python_inputs import COLUMNS

Training: TypeAlias = Annotated[Any, "the tagged corpus that the lexicon is learnt from: a file, a folder or documents"]
ENDING_LENGTH = 3  # length of the endings by which unknown words are looked up
MAX_RARE = 3  # frequency up to which words are rare; they supply the tags of unknown words


@dataclass(frozen=True)
class Lexicon:
    """The tags of words, and the tags to expect for unknown words."""

    words: dict[str, Counter[str]]

    def tags(self, word: str) -> Counter[str]:
        """The tags of a word, as written or in lower case; of an unknown word those of its ending, or of rare words."""
        return (
            self.words.get(word)
            or self.words.get(word.lower())
            or self.endings.get(word[-ENDING_LENGTH:].lower())
            or self.rare
        )

    def knows(self, word: str) -> bool:
        return word in self.words or word.lower() in self.words

    @cached_property
    def endings(self) -> dict[str, Counter[str]]:
        by_ending: dict[str, Counter[str]] = {}
        for word, tags in self.words.items():
            if len(word) > ENDING_LENGTH:
                by_ending.setdefault(word[-ENDING_LENGTH:].lower(), Counter()).update(tags)
        return by_ending

    @cached_property
    def rare(self) -> Counter[str]:
        totals: Counter[str] = Counter()
        for tags in self.words.values():
            if tags.total() <= MAX_RARE:
                totals.update(tags)
        return totals or self.all

    @cached_property
    def all(self) -> Counter[str]:
        return sum(self.words.values(), Counter[str]())


def learn_lexicon(training: Any) -> Lexicon:
    """Learn the lexicon of a corpus, given as a path or as documents."""
    if not training:
        raise UsageError("expected a tagged corpus to learn from: name it with --training")
    documents = training
    if isinstance(training, str):
        from aune.contract import registry  # noqa: PLC0415
        from aune.reading.corpus import read  # noqa: PLC0415

        documents = read(registry.task("tagging"), training).documents
    words = tags_by_word(documents)
    if not words:
        raise UsageError(f"{training}: no tagged word to learn from")
    return Lexicon(words)


def by_frequency(tags: Counter[str]) -> list[str]:
    """Tags in order of decreasing frequency, in alphabetical order among equals.

    >>> by_frequency(Counter({"N": 1, "V": 2, "A": 1}))
    ['V', 'A', 'N']
    """
    return sorted(tags, key=lambda tag: (-tags[tag], tag))


def tag_by_word(documents: Sequence[Document], tags_of: Callable[[str], Sequence[str]]) -> list[Document]:
    """The documents with tags that depend on each word alone."""
    return [
        retag_document(document, [tags_of(name) for name in document.words.names], document.words.codes.tolist())
        for document in documents
    ]


def retag_document(document: Document, tags: Sequence[Sequence[str]], which: Sequence[int]) -> Document:
    """A document with new tags in its tag column and no other tag columns; `which` selects the tags of each word."""
    column = choose_column(document)
    cells = Vocabulary()
    numbers = [cells["|".join(word_tags) or "_"] for word_tags in tags]
    codes = np.array(numbers, np.int64)[np.asarray(which, np.int64)] if len(document) else np.zeros(0, np.int64)
    name = column if column in COLUMNS else "tag"
    return replace(document, columns={name: cells.encode([])._replace(codes=codes)}, compounds=())
