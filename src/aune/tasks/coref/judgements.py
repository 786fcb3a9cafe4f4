"""What annotators of chains said, mention by mention: the chain that each put the mention in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aune.tasks.coref.model import Document


def judgements(documents: Sequence[Document | None]) -> list[list[frozenset[Any] | None]]:
    """A row per mention that anyone has; its value is the whole chain, as a set of mentions.

    An annotator who lacks a mention is taken to leave it alone in its chain (as DÉF. 17 of Popescu-Belis 1999 does).
    """
    chains = [None if document is None else _chain_of(document) for document in documents]
    mentions = sorted({mention for chain in chains if chain is not None for mention in chain})
    return [
        [None if chain is None else chain.get(mention, frozenset([mention])) for chain in chains]
        for mention in mentions
    ]


def _chain_of(document: Document) -> dict[Any, frozenset[Any]]:
    """The chain of each mention; a mention is its span and, if it is in pieces, its segments."""
    names = [
        (*span, *document.segments.get(place, ())) for place, span in enumerate(map(tuple, document.spans.tolist()))
    ]
    chains = [frozenset(names[mention] for mention in members) for members in document.members()]
    return {name: chains[chain] for name, chain in zip(names, document.chains.tolist(), strict=True)}
