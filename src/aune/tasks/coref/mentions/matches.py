"""Which key mention is which response mention.

`exact`: the same tokens. `partial`: the response mention lies inside the key's and holds its head or minimal span
(MUC's MIN); what the response says of its own heads does not matter. `head`: the same head; a mention whose head is not
known has its first token for one. A mention is matched at most once: first those with the same tokens (for `head`, also
the same head), then the pairing of the others in which the shares |K∩R| / |K| add up to most, document by document;
among equal sums, mentions that start earlier are matched first.

Tokens are compared as sets: an empty node inside a mention counts, and one that only one side has makes another mention
of it for `exact`, but not for `partial` (a response without it) or `head`.

`zeros` says what is done with zeros, the mentions whose head is an empty node. `linear`: they match by their place, as
words do. `dependent`: first they are paired by what they depend on, so that the sum over pairs of one sentence of

    10 · F(parents with their relations) + F(parents)

is largest (F is the harmonic mean of the shares of either side's dependencies that both have); those left over match by
their place. `drop`: they are left out of both sides.

These are the rules of the CorefUD scorer of the CRAC shared tasks (its `exact`, `partial-corefud` and `head`, and since
2024 its `dependent` zeros), which works on sets of words, too: discontinuous mentions need no rule of their own.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Literal, TypeAlias

import numpy as np

from aune.core.arrays import Ints, begins_run, owners, ranges
from aune.core.groups import grouped
from aune.core.matching import best_matching
from aune.tasks.coref.mentions.preparation import MentionColumns, Pairs
from aune.tasks.coref.model import Document, check_places, is_zero, place_codes

Match: TypeAlias = Annotated[
    Literal["exact", "partial", "head"],
    "when mentions are the same: same tokens, response inside the key's and holding its head or MIN, or same head",
]
Zeros: TypeAlias = Annotated[
    Literal["linear", "dependent", "drop"],
    "mentions whose head is an empty node: matched by place, by what they depend on, or dropped from both sides",
]

Matches: TypeAlias = tuple[Ints, Ints]


def matched_mentions(
    pairs: Pairs, key: MentionColumns, response: MentionColumns, match: str, zeros: str = "linear"
) -> Matches:
    """Pairs of a key mention and a response mention that are the same, as two columns of mention numbers.

    One to one, except that every copy of a span that the key repeats is there: `one_copy` chooses among them.
    """
    paired = _by_dependency(pairs, key, response) if zeros == "dependent" else (np.zeros(0, np.int64),) * 2
    exact = _added(paired, _exact(pairs, key, response))
    if match == "exact":
        return exact
    if match == "head":
        exact = _added(paired, _of_one_head(pairs, key, response, exact))
    return _loose(pairs, key, response, exact, match)


def one_copy(matched: Matches, rank: Ints) -> Matches:
    """The matches with every response mention in one of them: with the copy in the key chain of highest rank."""
    keys, responses = matched
    order = np.lexsort((-rank[keys], responses))
    kept = np.sort(order[begins_run(responses[order])])
    return keys[kept], responses[kept]


def _added(taken: Matches, more: Matches) -> Matches:
    """Matches, and those of others whose mentions are both free."""
    if not len(taken[0]):
        return more
    free = ~(np.isin(more[0], taken[0]) | np.isin(more[1], taken[1]))
    return np.concatenate([taken[0], more[0][free]]), np.concatenate([taken[1], more[1][free]])


def _of_one_head(pairs: Pairs, key: MentionColumns, response: MentionColumns, exact: Matches) -> Matches:
    """The matches whose heads agree."""
    agree = [
        _needed(_document(pairs, key, one, 0), int(key.mention[one]), "head")
        == _needed(_document(pairs, response, other, 1), int(response.mention[other]), "head")
        for one, other in zip(*(column.tolist() for column in exact), strict=True)
    ]
    kept = np.asarray(agree, bool)
    return exact[0][kept], exact[1][kept]


def _document(pairs: Pairs, side: MentionColumns, index: int, which: int) -> Document:
    return pairs[int(side.owner[index])][which]


def _exact(pairs: Pairs, key: MentionColumns, response: MentionColumns) -> Matches:
    key_codes, response_codes = _codes(pairs, key, response)
    order = np.argsort(response_codes, kind="stable")
    ordered = response_codes[order]
    first, last = np.searchsorted(ordered, key_codes, "left"), np.searchsorted(ordered, key_codes, "right")
    times = last - first  # more than one only where duplicates were left in place
    return owners(times), order[ranges(first, times)]


def distinct(pairs: Pairs, side: MentionColumns, which: int) -> Ints:
    """One mention of each extent, by its number in the side."""
    codes = _codes(pairs, side, side, (which, which))[0]
    return np.sort(np.unique(codes, return_index=True)[1])


def _codes(pairs: Pairs, key: MentionColumns, response: MentionColumns, sides: tuple[int, int] = (0, 1)) -> Matches:
    """A number for each mention, the same for mentions of one document with the same extent."""
    base = int(max(key.spans.max(initial=0), response.spans.max(initial=0))) + 1
    codes = place_codes(key.owner, key.spans, base), place_codes(response.owner, response.spans, base)
    by_tokens = [_compared_by_tokens(*both) for both in pairs]
    if not any(by_tokens) and codes[0] is not None and codes[1] is not None:
        return codes[0], codes[1]
    numbers: dict[Hashable, int] = {}
    for both in (both for both, compared in zip(pairs, by_tokens, strict=True) if compared):
        for which in sides:
            check_places(both[which])

    def numbered(side: MentionColumns, which: int) -> Ints:
        extents = zip(side.owner.tolist(), side.mention.tolist(), map(tuple, side.spans.tolist()), strict=True)
        return np.fromiter(
            (
                numbers.setdefault(
                    (owner, mention_tokens(pairs[owner][which], mention) if by_tokens[owner] else span), len(numbers)
                )
                for owner, mention, span in extents
            ),
            np.int64,
            len(side.owner),
        )

    return numbered(key, sides[0]), numbered(response, sides[1])


def _compared_by_tokens(key: Document, response: Document) -> bool:
    """Whether spans alone do not tell mentions apart: some are in pieces, or the sides have other empty nodes."""
    if key.segments or response.segments:
        return True
    if key.positions is None or response.positions is None or key.positions is response.positions:
        return False
    return not np.array_equal(key.positions, response.positions)


def _by_dependency(pairs: Pairs, key: MentionColumns, response: MentionColumns) -> Matches:
    """Zeros of key and response that depend on the same words."""
    edges: list[tuple[int, int, float]] = []
    for number, both in enumerate(pairs):
        if both[0].dependencies and both[1].dependencies:
            mine, theirs = (_zeros(side, number, one) for side, one in zip((key, response), both, strict=True))
            edges += [
                (index, other, worth)
                for index, links in mine
                for other, their_links in theirs
                if (worth := 10 * _agreement(links, their_links) + _agreement(_parents(links), _parents(their_links)))
            ]
    if not edges:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    left, right, weight = (np.asarray(column) for column in zip(*sorted(edges), strict=True))
    chosen = best_matching(left, right, weight)
    return left[chosen], right[chosen]


def _zeros(side: MentionColumns, number: int, document: Document) -> list[tuple[int, frozenset[tuple[int, str]]]]:
    """The zeros of a document, by their number in the side, with what they depend on."""
    first, last = np.searchsorted(side.owner, [number, number + 1])
    zero = is_zero(document)
    mentions = side.mention[first:last].tolist()
    return [
        (int(first) + place, document.dependencies[mention])
        for place, mention in enumerate(mentions)
        if zero[mention] and mention in document.dependencies
    ]


def _parents(links: frozenset[tuple[int, str]]) -> frozenset[int]:
    return frozenset(parent for parent, _ in links)


def _agreement(one: frozenset[Hashable], other: frozenset[Hashable]) -> float:
    """The harmonic mean of the shares of two sets that they have in common."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _loose(pairs: Pairs, key: MentionColumns, response: MentionColumns, exact: Matches, match: str) -> Matches:
    """Exact matches, then the best pairing of what is left, among pairs that the rule allows."""
    keys, responses = exact
    free_keys, free_responses = others(keys, len(key.owner)), others(responses, len(response.owner))
    edges: list[tuple[int, int, float]] = []
    key_bounds = np.searchsorted(key.owner[free_keys], np.arange(len(pairs) + 1))
    response_bounds = np.searchsorted(response.owner[free_responses], np.arange(len(pairs) + 1))
    for number, (key_document, response_document) in enumerate(pairs):
        mine = free_keys[key_bounds[number] : key_bounds[number + 1]]
        theirs = free_responses[response_bounds[number] : response_bounds[number + 1]]
        if len(mine) and len(theirs):
            check_places(key_document)
            check_places(response_document)
            edges += _allowed(key_document, response_document, key, response, mine.tolist(), theirs.tolist(), match)
    if not edges:
        return keys, responses
    left, right, weight = (np.asarray(column) for column in zip(*sorted(edges), strict=True))
    chosen = best_matching(left, right, weight)
    return np.concatenate([keys, left[chosen]]), np.concatenate([responses, right[chosen]])


def others(taken: Ints, count: int) -> Ints:
    """The numbers below a count that are not taken."""
    free = np.ones(count, bool)
    free[taken] = False
    return np.flatnonzero(free)


def _allowed(
    key_document: Document, response_document: Document, key: MentionColumns, response: MentionColumns,
    mine: list[int], theirs: list[int], match: str,
) -> list[tuple[int, int, float]]:  # fmt: skip
    """Pairs of mentions that a loose rule lets match, with the share of the key's tokens that they have in common."""
    by_token = grouped(
        (token, index) for index in theirs for token in mention_tokens(response_document, int(response.mention[index]))
    )
    edges = []
    for index in mine:
        mention = int(key.mention[index])
        extent = mention_tokens(key_document, mention)
        needed = _needed(key_document, mention, match)
        for other in sorted({one for token in needed for one in by_token.get(token, ())}):
            given = mention_tokens(response_document, int(response.mention[other]))
            if match == "head":
                fits = needed == _needed(response_document, int(response.mention[other]), match)
            else:
                fits = needed <= given <= extent
            if fits:
                edges.append((index, other, len(given & extent) / len(extent)))
    return edges


def mention_tokens(document: Document, mention: int) -> frozenset[int]:
    """The places that a mention covers; those of its tokens when places and tokens are not the same."""
    parts = document.segments.get(mention) or (tuple(document.spans[mention].tolist()),)
    return frozenset(place for start, end in parts for place in _places(document, start, end))


def _places(document: Document, start: int, end: int) -> list[int]:
    if document.positions is None:
        return list(range(start, end))
    first, last = np.searchsorted(document.positions, [start, end])
    places: list[int] = document.positions[first:last].tolist()
    return places


def knows_heads(document: Document) -> bool:
    """Whether something is said of the heads of a document's mentions."""
    return document.heads is not None or document.minima is not None


def _needed(document: Document, mention: int, match: str) -> frozenset[int]:
    """The tokens that recognise a mention: its minimal span, else its head; else its first token (head) or all."""
    if document.minima is not None:
        return frozenset(_places(document, *document.minima[mention].tolist()))
    if document.heads is not None and document.heads[mention] >= 0:
        return frozenset([int(document.heads[mention])])
    return frozenset([int(document.spans[mention, 0])]) if match == "head" else mention_tokens(document, mention)
