"""The losses of a conversion of anaphors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from aune.tasks.anaphora.model import Document


def conversion_losses(before: Document, after: Document) -> dict[str, int]:
    """The content of a document that is missing from another version of it, written and read back: counts by kind.

    >>> from aune.tasks.anaphora.model import documents
    >>> conversion_losses(documents({"he": "Ann", "it": None})[0], documents({"he": "Bob"})[0])
    {'anaphors': 1, 'antecedents': 1, 'chains': 1}
    """
    before_contents, after_contents = _contents(before), _contents(after)
    missing = {name: (items - after_contents[name]).total() for name, items in before_contents.items()}
    return {name: count for name, count in missing.items() if count}


def _contents(document: Document) -> dict[str, Counter[Hashable]]:
    """The content of a document, by kind."""
    anaphors = document.anaphors
    return {
        "anaphors": Counter(anaphor.mention for anaphor in anaphors),
        "antecedents": Counter((anaphor.mention, name) for anaphor in anaphors for name in anaphor.antecedents),
        "candidates": Counter((anaphor.mention, candidate) for anaphor in anaphors for candidate in anaphor.candidates),
        "attributes": Counter((anaphor.mention, *item) for anaphor in anaphors for item in anaphor.attributes.items())
        + Counter(document.attributes.items()),
        "chains": Counter(tuple(sorted(chain)) for chain in document.members.values()),
        "kinds": Counter(document.kinds.items()),
        "texts": Counter(document.texts.items()),
    }
