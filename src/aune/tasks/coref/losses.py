"""The content of documents beyond their chains, so that a conversion can report what the other format cannot carry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from aune.tasks.coref.model import STEP, Document, token_spans


def content_counts(documents: Sequence[Document]) -> dict[str, int]:
    """The counts of each content type that a format may carry (`Format.carries`), without those that are 0.

    >>> from aune.tasks.coref.model import Mention, make_document
    >>> content_counts([make_document("d", [Mention(0, 2, "a", head=1)], tokens=["my", "dog", "barks"])])
    {'tokens': 3, 'heads': 1, 'singletons': 1, 'spans': 1}
    """
    total: Counter[str] = Counter()
    for document in documents:
        total.update(_count_content(document))
    return {name: total[name] for name in CONTENT_NAMES if total[name]}


CONTENT_NAMES = (
    "tokens", "sentences", "kinds", "features", "heads", "minima", "discontinuous", "relations", "singletons", "spans",
    "attributes", "empty nodes", "optional mentions", "other chains", "other keys",
)  # fmt: skip
ALTERNATIVES = frozenset(("optional mentions", "other chains", "other keys"))
"""The content of keys with several correct answers, which few formats can express."""


def lost_content(before: Document, after: Document) -> dict[str, int]:
    """The content of a document that is missing from another version of it, written and read back: counts by kind.

    >>> from aune.tasks.coref.model import Mention, make_document
    >>> old = make_document("d", [Mention(0, 2, "a", head=1), Mention(2, 3, "a")], tokens=["my", "dog", "barks"])
    >>> lost_content(old, make_document("d", [Mention(0, 2, "x"), Mention(2, 3, "y")], tokens=["my", "dog", "barks"]))
    {'chains': 1, 'chain names': 1, 'heads': 1}
    """
    by_token = not before.tokens or not after.tokens or len(before.tokens) == len(after.tokens)
    numbers: dict[ChainSpans, int] = {}
    before_facts, after_facts = _document_facts(before, by_token, numbers), _document_facts(after, by_token, numbers)
    losses = {name: (items - after_facts[name]).total() for name, items in before_facts.items()}
    if before.unit == "character" and after.unit == "token":
        losses["extents inside words"] = _inside_words(before)
    return {name: count for name, count in losses.items() if count}


ChainSpans: TypeAlias = tuple[tuple[int, int], ...]


def _document_facts(document: Document, by_token: bool, numbers: dict[ChainSpans, int]) -> dict[str, Counter[Hashable]]:
    """The content of a document, by kind. Positions are tokens, or characters other than white space.

    Facts about a mention refer to its chain by a number that both versions share, because chains can be very long.
    """
    starts, ends = _places(document, by_token)
    spans = [_hull(span, starts, ends) for span in token_spans(document).tolist()]
    chains = [tuple(sorted(spans[mention] for mention in members)) for members in document.members()]
    numbered = [numbers.setdefault(chain, len(numbers)) for chain in chains]
    chain_numbers = [numbered[number] for number in document.chains.tolist()]

    def each(values: Iterable[Any], absent: Any) -> Counter[Hashable]:
        rows = zip(spans, chain_numbers, values, strict=True)
        return Counter((span, chain, value) for span, chain, value in rows if value != absent)

    features: Counter[Hashable] = Counter()
    for name in document.features.keys() - {"kind", "name"}:
        features.update((name, *item) for item in each(document.features[name], "").elements())  # type: ignore[misc]
    labels = [label for label in document.labels or () if not re.fullmatch(r"\D{0,2}\d+(?:-Pseudo)?", label)]
    heads = [-1] * len(document) if document.heads is None else document.heads.tolist()
    minima = document.spans if document.minima is None else document.minima
    least = [_hull(span, starts, ends) for span in token_spans(document, minima).tolist()]
    parts = {
        index: tuple(_hull(span, starts, ends) for span in token_spans(document, np.asarray(segments)).tolist())
        for index, segments in document.segments.items()
    }
    return {
        "tokens": Counter(zip(starts, document.tokens or (), strict=False)),
        "sentences": Counter(starts[start] for start in document.sentences or () if start and start < len(starts)),
        "mentions": Counter(spans),
        "chains": Counter(chains),
        "chain names": Counter(labels),
        "kinds": each(document.features.get("kind", [""] * len(document)), ""),
        "features": features,
        "heads": each(
            [-1 if head < 0 else starts[_token_at(document, head)] for head in heads] if starts else heads, -1
        ),
        "minima": each(
            [None if least_span == span else least_span for least_span, span in zip(least, spans, strict=True)], None
        ),
        "discontinuous": each([parts.get(index) for index in range(len(document))], None),
        "relations": Counter(
            (kind, spans[source], chain_numbers[target]) for kind, source, target in document.relations
        ),
        "attributes": Counter(
            {item: 1 for item in document.attributes.items() if item[0] != "genre" or not _names_its_genre(document)}
        ),
        "empty nodes": Counter({"empty nodes": _empty_nodes(document)}),
        **_alternative_facts(document, spans, chains),
    }


def _alternative_facts(
    document: Document, spans: Sequence[tuple[int, int]], chains: Sequence[ChainSpans]
) -> dict[str, Counter[Hashable]]:
    """The alternative answers of a document."""
    homes = [(mention, other) for mention, others in document.other_chains.items() for other in others]
    keys = [(tuple(map(tuple, other.spans.tolist())), tuple(other.chains.tolist())) for other in document.other_keys]
    return {
        "optional mentions": Counter(spans[mention] for mention in document.optional),
        "other chains": Counter(
            (spans[mention], chains[other] if other < len(chains) else ()) for mention, other in homes
        ),
        "other keys": Counter(keys),
    }


def _places(document: Document, by_token: bool) -> tuple[Sequence[int], Sequence[int]]:
    """The start and end of each token: token numbers, or counts of characters other than white space."""
    tokens = document.tokens or ()
    if by_token:
        return range(len(tokens)), range(1, len(tokens) + 1)
    ends = list(accumulate(len("".join(token.split())) for token in tokens))
    return [0, *ends[:-1]], ends


def _hull(span: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> tuple[int, int]:
    start, end = span
    return (starts[start], ends[end - 1]) if starts and end <= len(ends) else (start, end)


def _token_at(document: Document, position: int) -> int:
    return int(token_spans(document, np.asarray([[position, position + 1]]))[0, 0])


def _inside_words(document: Document) -> int:
    """The number of mentions that begin or end inside a token."""
    if document.positions is None or document.tokens is None:
        return 0
    starts = set(document.positions.tolist())
    ends = {start + len(token) for start, token in zip(document.positions.tolist(), document.tokens, strict=True)}
    return sum(start not in starts or end not in ends for start, end in document.spans.tolist())


def _count_content(document: Document) -> dict[str, int]:
    return {
        "tokens": len(document.tokens or ()),
        "sentences": len(document.sentences or ()),
        "kinds": _filled_cells(document, {"kind"}),
        "features": _filled_cells(document, set(document.features) - {"kind", "name"}),
        "heads": 0 if document.heads is None else int((document.heads >= 0).sum()),
        "minima": 0 if document.minima is None else int((document.minima != document.spans).any(axis=1).sum()),
        "discontinuous": len(document.segments),
        "relations": len(document.relations),
        "singletons": int((np.bincount(document.chains) == 1).sum()) if len(document) else 0,
        "spans": 0 if document.unit == "name" else len(document),
        "attributes": len([name for name in document.attributes if name != "genre" or not _names_its_genre(document)]),
        "empty nodes": _empty_nodes(document),
        "optional mentions": len(document.optional),
        "other chains": sum(map(len, document.other_chains.values())),
        "other keys": len(document.other_keys),
    }


def _filled_cells(document: Document, names: set[str]) -> int:
    """The number of non-empty cells in some columns."""
    return sum(bool(value) for name in names for value in document.features.get(name, ()))


def _names_its_genre(document: Document) -> bool:
    return document.id.startswith(f"{document.attributes['genre']}/")


def _empty_nodes(document: Document) -> int:
    """The number of tokens between the positions of words, which are not words."""
    return 0 if document.positions is None or document.unit != "token" else int((document.positions % STEP != 0).sum())
