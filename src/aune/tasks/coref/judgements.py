"""The judgements of annotators of chains: the chain and the links that each of them gave a mention."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from aune.alignment.annotator_texts import count_text_differences
from aune.contract.options import HiddenAtDefault
from aune.contract.task import Judgements
from aune.errors import UsageError
from aune.tasks.coref.mentions.preparation import check_units, is_referring
from aune.tasks.coref.model import Document, is_zero, spread_positions

Unmarked: TypeAlias = Annotated[
    Literal["empty", "singleton"],
    "a mention that an annotator did not mark: in no chain, which differs from any chain (empty), or alone in its "
    "chain (singleton, DÉF. 17 of Popescu-Belis 1999)",
]

Undirected: TypeAlias = Annotated[tuple[str, ...], "types of links without a direction, in any case", HiddenAtDefault]


def judgements(
    documents: Sequence[Document | None], *, unmarked: Unmarked = "empty"
) -> list[list[frozenset[Any] | None]]:
    """A row per mention that any annotator has; its values are whole chains, as sets of mentions.

    An annotator who did not mark a mention has the empty set. With `unmarked="singleton"` the mention is a singleton,
    so that a mention that only one annotator marked, without linking it to others, counts as agreement: two annotators
    without a common mention can then agree perfectly. All mentions that refer to nothing have one value, which differs
    from every chain. A zero and a word at the same place are two mentions.

    >>> from aune.tasks.coref.model import documents
    >>> judgements([*documents([{1, 2}]), *documents([{3}])])[0][1]
    frozenset()
    """
    chains = [None if document is None else _chain_of(document) for document in _on_one_scale(documents)]

    def unmarked_value(mention: Any) -> frozenset[Any]:
        return frozenset([mention]) if unmarked == "singleton" else frozenset()

    return [
        [None if chain is None else chain.get(mention, unmarked_value(mention)) for chain in chains]
        for mention in _all_mentions(chains)
    ]


def link_judgements(
    texts: Sequence[Sequence[Document | None]], *, undirected: Undirected = ()
) -> dict[str, list[Judgements]]:
    """For each type of links, a row per mention that any annotator has, with the mentions to which it is linked.

    A link counts at its source; one of an undirected type at both ends. A mention without a link has the empty set.
    """
    linked = [
        [None if document is None else _links_of(document, undirected) for document in _on_one_scale(documents)]
        for documents in texts
    ]
    mentions = [
        _all_mentions([None if document is None else _names(document) for document in _on_one_scale(documents)])
        for documents in texts
    ]
    kinds = sorted({kind for text in linked for links in text if links is not None for kind in links})
    if idle := [name for name in undirected if name.casefold() not in map(str.casefold, kinds)]:
        has = ", ".join(kinds) or "no links"
        raise UsageError(f"--undirected {', '.join(idle)}: expected types of links of the annotators ({has})")
    return {
        f"links={kind}": [
            [
                [None if links is None else frozenset(links.get(kind, {}).get(mention, ())) for links in text]
                for mention in names
            ]
            for names, text in zip(mentions, linked, strict=True)
        ]
        for kind in kinds
    }


REPEATED = "an annotator has a mention in several chains, of which the last counts"


def count_differences(documents: Sequence[Document | None]) -> dict[str, int]:
    """Obstacles to comparing a document: other texts, and mentions in several chains; other units are refused."""
    annotated = [document for document in documents if document is not None]
    check_units([(annotated[0], document) for document in annotated[1:]])
    repeated = any(len(document) > len(_chain_of(document)) for document in annotated)
    return {**count_text_differences([document.tokens for document in annotated]), REPEATED: int(repeated)}


def _on_one_scale(documents: Sequence[Document | None]) -> list[Document | None]:
    """The documents with space for empty nodes between words, if any of them has empty nodes."""
    if all(document is None or document.positions is None for document in documents):
        return list(documents)
    return [None if document is None else spread_positions(document) for document in documents]


NOTHING = frozenset(["refers to nothing"])
"""The value of the mentions that refer to nothing."""
ZERO = (-1, -1)
"""What stands in the name of a zero, where other mentions have segments."""


def _names(document: Document) -> list[Any]:
    """What identifies each mention: its span, its segments if it is discontinuous, and whether it is a zero."""
    zeros = is_zero(document).tolist()
    return [
        (*span, *document.segments.get(place, ()), *([ZERO] if zeros[place] else ()))
        for place, span in enumerate(map(tuple, document.spans.tolist()))
    ]


def _all_mentions(by_annotator: Iterable[Iterable[Any] | None]) -> list[Any]:
    """The names of the mentions that any annotator has, in text order."""
    return sorted({mention for mentions in by_annotator if mentions is not None for mention in mentions})


def _chain_of(document: Document) -> dict[Any, frozenset[Any]]:
    """The chain of each mention, without those that refer to nothing."""
    names, refers = _names(document), is_referring(document).tolist()
    chains = [frozenset(names[mention] for mention in members if refers[mention]) for members in document.members()]
    return {
        name: chains[chain] if refers[place] else NOTHING
        for place, (name, chain) in enumerate(zip(names, document.chains.tolist(), strict=True))
    }


def _links_of(document: Document, undirected: Sequence[str]) -> dict[str, dict[Any, set[Any]]]:
    """By type, the mentions to which each mention is linked."""
    names, without_direction = _names(document), set(map(str.casefold, undirected))
    links: dict[str, dict[Any, set[Any]]] = {}
    for kind, source, target in document.relations:
        targets = links.setdefault(kind, {})
        targets.setdefault(names[source], set()).add(names[target])
        if kind.casefold() in without_direction:
            targets.setdefault(names[target], set()).add(names[source])
    return links
