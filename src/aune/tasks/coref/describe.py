"""The profile of a corpus: how much there is to resolve (Popescu-Belis 1999, table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from aune.tasks.coref.mentions.preparation import with_kinds
from aune.tasks.coref.model import Document

LISTED_SIZES = 10  # chain sizes that are listed separately


def describe(
    documents: Sequence[Document],
    *,
    kinds: Annotated[
        Literal["format", "english", "french"], "where kinds come from that a file does not say: a rule over the words"
    ] = "format",
) -> dict[str, Any]:
    """Words (without punctuation), mentions, chains, the coreference rate |E|/|P|, sizes, singletons and kinds.

    >>> from aune.tasks.coref.model import documents
    >>> profile = describe(documents([{1, 2, 3}, {4}]))
    >>> profile["mentions"], profile["chains"], profile["mentions per chain"]
    (4, 2, 2.0)
    """
    if kinds != "format":
        documents = [with_kinds(document, kinds) for document in documents]
    sizes = (
        np.concatenate([np.bincount(document.chains) for document in documents]) if documents else np.zeros(0, np.int64)
    )
    sizes = np.sort(sizes[sizes > 0])[::-1]
    lengths = (
        np.concatenate([document.spans[:, 1] - document.spans[:, 0] for document in documents]) if documents else sizes
    )
    words = [sum(map(is_word, document.tokens)) for document in documents if document.tokens is not None]
    in_tokens = all(document.unit == "token" and document.positions is None for document in documents)
    return {
        "documents": len(documents),
        "words": sum(words) if words else None,
        "mentions": int(sizes.sum()),
        "chains": len(sizes),
        "mentions per chain": float(sizes.mean()) if len(sizes) else None,
        "singletons": int((sizes == 1).sum()),
        "largest chain": int(sizes[0]) if len(sizes) else None,
        "median chain": float(np.median(sizes)) if len(sizes) else None,
        "words per mention": float(lengths.mean()) if len(lengths) and words and in_tokens else None,
        **_kind_counts(documents),
        **_size_counts(sizes.tolist()),
    }


def is_word(token: str) -> bool:
    """Whether a token is more than punctuation."""
    return any(map(str.isalnum, token))


def _kind_counts(documents: Sequence[Document]) -> dict[str, int]:
    """The number of mentions of each kind, the most frequent first, if the corpus has kinds."""
    kinds = Counter(kind or "unknown" for document in documents for kind in document.features.get("kind", ()))
    return {
        f"mentions of kind {kind}": count for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    }


def _size_counts(sizes: Sequence[int]) -> dict[str, int]:
    counts = Counter(min(size, LISTED_SIZES) for size in sizes)
    names = [f"chains of {size}" for size in range(1, LISTED_SIZES)] + [f"chains of {LISTED_SIZES} and more"]
    return {name: counts[size] for size, name in enumerate(names, 1)}
