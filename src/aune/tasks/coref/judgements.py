"""The judgements of annotators of chains, mention by mention: the chain to which each annotator assigned it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from aune.alignment.annotator_texts import count_text_differences
from aune.tasks.coref.mentions.preparation import is_referring
from aune.tasks.coref.model import Document

Unmarked: TypeAlias = Annotated[
    Literal["empty", "singleton"],
    "a mention that an annotator did not mark: in no chain, which differs from any chain (empty), or alone in its "
    "chain (singleton, DÉF. 17 of Popescu-Belis 1999)",
]


def judgements(
    documents: Sequence[Document | None], *, unmarked: Unmarked = "empty"
) -> list[list[frozenset[Any] | None]]:
    """A row per mention that any annotator has; its values are whole chains, as sets of mentions.

    An annotator who did not mark a mention has the empty set. With `unmarked="singleton"` the mention is a singleton,
    so that a mention that only one annotator marked, without linking it to others, counts as agreement: two annotators
    without a common mention can then agree perfectly.

    >>> from aune.tasks.coref.model import documents
    >>> judgements([*documents([{1, 2}]), *documents([{3}])])[0][1]
    frozenset()
    """
    chains = [None if document is None else _chain_of(document) for document in documents]
    mentions = sorted({mention for chain in chains if chain is not None for mention in chain})

    def unmarked_value(mention: Any) -> frozenset[Any]:
        return frozenset([mention]) if unmarked == "singleton" else frozenset()

    return [
        [None if chain is None else chain.get(mention, unmarked_value(mention)) for chain in chains]
        for mention in mentions
    ]


REPEATED = "an annotator has a mention in several chains, of which the last counts"


OTHER_LINKS = "annotators differ in links other than identity (bridging, split antecedents…), which α leaves out"
OTHER_REFERENCE = "annotators differ in which mentions refer to nothing, which α leaves out"


def count_differences(documents: Sequence[Document | None]) -> dict[str, int]:
    """Obstacles to comparing a document: other texts, mentions in several chains, and differences that α ignores."""
    annotated = [document for document in documents if document is not None]
    repeated = any(len(document) > len(_chain_of(document)) for document in annotated)
    return {
        **count_text_differences([document.tokens for document in annotated]),
        REPEATED: int(repeated),
        OTHER_LINKS: int(len(set(map(_links, annotated))) > 1),
        OTHER_REFERENCE: int(_differ_in_reference(annotated)),
    }


def _links(document: Document) -> frozenset[tuple[str, int, int, int, int]]:
    """The links other than identity, by the spans of the linked mentions."""
    spans = document.spans.tolist()
    return frozenset((link.kind, *spans[link.source], *spans[link.target]) for link in document.relations)


def _differ_in_reference(documents: Sequence[Document]) -> bool:
    """Whether a mention refers to something for some annotators but not for others."""
    seen: dict[tuple[int, ...], bool] = {}
    return any(
        seen.setdefault(tuple(span), refers) != refers
        for document in documents
        for span, refers in zip(document.spans.tolist(), is_referring(document).tolist(), strict=True)
    )


def _chain_of(document: Document) -> dict[Any, frozenset[Any]]:
    """The chain of each mention; a mention is identified by its span and, if it is discontinuous, its segments."""
    names = [
        (*span, *document.segments.get(place, ())) for place, span in enumerate(map(tuple, document.spans.tolist()))
    ]
    chains = [frozenset(names[mention] for mention in members) for members in document.members()]
    return {name: chains[chain] for name, chain in zip(names, document.chains.tolist(), strict=True)}
