"""Match key mentions with response mentions.

`exact`: the same tokens. `partial`: the response mention lies inside the key's and contains its head; the heads of the
response do not matter. `head`: the same head; the head of a mention without one is its first token. `minimum`: the
response mention lies inside the key's and contains its minimal span (MUC's MIN, the `MIN` and `minspan` of Universal
Anaphora and CorefUD files); a mention without a minimal span must have the same tokens. Minimal spans are used for
`minimum` only, and heads are not used for it. A mention is matched at most once: first those with the same tokens (for
`head`, also the same head); the others are then paired so that the sum of the shares |K∩R| / |K| is largest in each
document.
Sums are compared as fractions. Among equal sums, the first pairing is chosen: the first key mention in the text is
matched if possible, with the first possible response mention; then the next one, and so on (mentions are sorted by
start, then by end). If more than 30 mentions on each side are connected by possible matches, only the sum is
guaranteed; a document with more than 2 million possible matches is refused.

Tokens are compared as sets: an empty node inside a mention counts. One that only one side has makes the mentions
different for `exact`, but not for `partial` (if the response lacks it) or `head`.

`zeros` determines the treatment of zeros, the mentions whose head is an empty node. `linear`: they match by position,
like words. `dependent`: first they are paired by their dependencies, so that the sum over pairs in one sentence of

    10 · F(parents with their relations) + F(parents)

is largest (F is the harmonic mean of the shares of each side's dependencies that both sides have; ties are broken as
above); the remaining zeros match by position. `drop`: they are removed from both sides.

These are the rules of the CorefUD scorer of the CRAC shared tasks (its `exact`, `partial-corefud` and `head`, and since
2024 its `dependent` zeros). It works on sets of words too, so discontinuous mentions need no special rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from typing import Annotated, Literal, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.numeric.arrays import Ints, owner_indices, ranges, run_starts
from aune.numeric.grouping import group_items
from aune.numeric.matching import first_matching
from aune.tasks.coref.mentions.preparation import MentionColumns, Pairs
from aune.tasks.coref.model import Document, check_places, is_zero, place_codes

Match: TypeAlias = Annotated[
    Literal["exact", "partial", "head", "minimum"],
    "when mentions are the same: same tokens; response inside the key's and containing its head; same head; or "
    "response inside the key's and containing its minimal span (MIN)",
]
Zeros: TypeAlias = Annotated[
    Literal["linear", "dependent", "drop"],
    "mentions whose head is an empty node: matched by place, by what they depend on, or dropped from both sides",
]

Matches: TypeAlias = tuple[Ints, Ints]
Edge: TypeAlias = tuple[int, int, Fraction]
"""A key mention and a response mention that may match, and the value of that match."""
Zero: TypeAlias = tuple[int, frozenset[tuple[int, str]]]
"""The number of a mention whose head is an empty node, and its dependencies."""
MOST_PAIRS = 2_000_000  # of mentions in one document that may match: more would need gigabytes


def matched_mentions(
    pairs: Pairs, key: MentionColumns, response: MentionColumns, match: str, zeros: str = "linear"
) -> Matches:
    """Pairs of a matching key mention and response mention, as two columns of mention numbers.

    The pairs are one to one, except that every copy of a repeated key span is included: `choose_copies` selects one.
    """
    paired = _dependency_matches(pairs, key, response) if zeros == "dependent" else (np.zeros(0, np.int64),) * 2
    exact = _add_matches(paired, _exact_matches(pairs, key, response))
    if match == "exact":
        return exact
    if match == "head":
        exact = _add_matches(paired, _head_matches(pairs, key, response, exact))
    return _loose_matches(pairs, key, response, exact, match)


def choose_copies(matched: Matches, rank: Ints) -> Matches:
    """The matches with each response mention only once: with the copy in the key chain of the highest rank."""
    keys, responses = matched
    order = np.lexsort((-rank[keys], responses))
    chosen = np.sort(order[run_starts(responses[order])])
    return keys[chosen], responses[chosen]


def _add_matches(taken: Matches, more: Matches) -> Matches:
    """Matches, plus further matches whose mentions are both still free."""
    if not len(taken[0]):
        return more
    free = ~(np.isin(more[0], taken[0]) | np.isin(more[1], taken[1]))
    return np.concatenate([taken[0], more[0][free]]), np.concatenate([taken[1], more[1][free]])


def _head_matches(pairs: Pairs, key: MentionColumns, response: MentionColumns, exact: Matches) -> Matches:
    """The matches whose heads agree."""
    agree = [
        _recognising_tokens(_document_of(pairs, key, key_mention, 0), int(key.mention[key_mention]), "head")
        == _recognising_tokens(
            _document_of(pairs, response, response_mention, 1), int(response.mention[response_mention]), "head"
        )
        for key_mention, response_mention in zip(*(column.tolist() for column in exact), strict=True)
    ]
    agreeing = np.asarray(agree, bool)
    return exact[0][agreeing], exact[1][agreeing]


def _document_of(pairs: Pairs, side: MentionColumns, index: int, which: int) -> Document:
    return pairs[int(side.owner[index])][which]


def _exact_matches(pairs: Pairs, key: MentionColumns, response: MentionColumns) -> Matches:
    key_codes, response_codes = _extent_codes(pairs, key, response)
    order = np.argsort(response_codes, kind="stable")
    ordered = response_codes[order]
    first, last = np.searchsorted(ordered, key_codes, "left"), np.searchsorted(ordered, key_codes, "right")
    times = last - first  # more than one only if duplicates were kept
    return owner_indices(times), order[ranges(first, times)]


def distinct_mentions(pairs: Pairs, side: MentionColumns, which: int) -> Ints:
    """One mention of each extent, as its number on the side."""
    return np.sort(np.unique(extent_numbers(pairs, side, which), return_index=True)[1])


def extent_numbers(pairs: Pairs, side: MentionColumns, which: int) -> Ints:
    """A number from 0 for each mention of a side, equal for mentions of one document with the same extent."""
    return np.unique(_extent_codes(pairs, side, side, (which, which))[0], return_inverse=True)[1]


def _extent_codes(
    pairs: Pairs, key: MentionColumns, response: MentionColumns, sides: tuple[int, int] = (0, 1)
) -> Matches:
    """A number for each mention, equal for mentions of one document with the same extent."""
    base = int(max(key.spans.max(initial=0), response.spans.max(initial=0))) + 1
    codes = place_codes(key.owner, key.spans, base), place_codes(response.owner, response.spans, base)
    by_tokens = [_compared_by_tokens(*pair) for pair in pairs]
    if not any(by_tokens) and codes[0] is not None and codes[1] is not None:
        return codes[0], codes[1]
    numbers: dict[Hashable, int] = {}
    for pair in (pair for pair, compared in zip(pairs, by_tokens, strict=True) if compared):
        for which in sides:
            check_places(pair[which])

    def number_extents(side: MentionColumns, which: int) -> Ints:
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

    return number_extents(key, sides[0]), number_extents(response, sides[1])


def _compared_by_tokens(key: Document, response: Document) -> bool:
    """Whether spans alone cannot distinguish mentions: some are discontinuous, or the sides have other empty nodes."""
    if key.segments or response.segments:
        return True
    if key.positions is None or response.positions is None or key.positions is response.positions:
        return False
    return not np.array_equal(key.positions, response.positions)


def _dependency_matches(pairs: Pairs, key: MentionColumns, response: MentionColumns) -> Matches:
    """Zeros of key and response that depend on the same words."""
    edges: list[Edge] = []
    for number, pair in enumerate(pairs):
        if pair[0].dependencies and pair[1].dependencies:
            key_zeros, response_zeros = (
                _zeros(side, number, document) for side, document in zip((key, response), pair, strict=True)
            )
            edges += _dependency_edges(pair[0], key_zeros, response_zeros)
    return _best_matches(edges)


def _best_matches(edges: Sequence[Edge]) -> Matches:
    """The pairing of mentions with the largest total value; the first one among equals."""
    left, right = (np.fromiter((edge[side] for edge in edges), np.int64, len(edges)) for side in (0, 1))
    chosen = first_matching(left, right, np.asarray([worth for _, _, worth in edges], object))
    return left[chosen], right[chosen]


def _dependency_edges(document: Document, key_zeros: Sequence[Zero], response_zeros: Sequence[Zero]) -> list[Edge]:
    """Zeros of key and response that depend on a common word, with the agreement of their dependencies."""
    places = group_items(
        (parent, place) for place, (_, links) in enumerate(response_zeros) for parent in _parents(links)
    )
    near = [sorted({place for parent in _parents(links) for place in places.get(parent, ())}) for _, links in key_zeros]
    _refuse_too_many(document, sum(map(len, near)))
    return [
        (index, other, 10 * _agreement(links, their_links) + _agreement(_parents(links), _parents(their_links)))
        for (index, links), several in zip(key_zeros, near, strict=True)
        for other, their_links in map(response_zeros.__getitem__, several)
    ]


def _zeros(side: MentionColumns, number: int, document: Document) -> list[Zero]:
    """The zeros of a document that have dependencies, with their numbers on the side."""
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


def _agreement(first: frozenset[Hashable], second: frozenset[Hashable]) -> Fraction:
    """The harmonic mean of the shares of two sets that they have in common."""
    return _share(2 * len(first & second), len(first) + len(second))


@lru_cache(10_000)
def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def _loose_matches(pairs: Pairs, key: MentionColumns, response: MentionColumns, exact: Matches, match: str) -> Matches:
    """Exact matches, then the best pairing of the remaining mentions, among pairs that the rule allows."""
    keys, responses = exact
    free_keys, free_responses = untaken_numbers(keys, len(key.owner)), untaken_numbers(responses, len(response.owner))
    edges: list[Edge] = []
    key_bounds = np.searchsorted(key.owner[free_keys], np.arange(len(pairs) + 1))
    response_bounds = np.searchsorted(response.owner[free_responses], np.arange(len(pairs) + 1))
    for number, (key_document, response_document) in enumerate(pairs):
        key_mentions = free_keys[key_bounds[number] : key_bounds[number + 1]]
        response_mentions = free_responses[response_bounds[number] : response_bounds[number + 1]]
        if len(key_mentions) and len(response_mentions):
            check_places(key_document)
            check_places(response_document)
            sides = (
                _Extents(key_document, key, key_mentions, match),
                _Extents(response_document, response, response_mentions, match),
            )
            edges += _loose_edges(*sides, match)
    left, right = _best_matches(edges)
    return np.concatenate([keys, left]), np.concatenate([responses, right])


def untaken_numbers(taken: Ints, count: int) -> Ints:
    """The numbers below a count that are not taken."""
    free = np.ones(count, bool)
    free[taken] = False
    return np.flatnonzero(free)


class _Extents:
    """Some mentions of a document, in order: their extents and the tokens that recognise them."""

    def __init__(self, document: Document, side: MentionColumns, numbers: Ints, match: str) -> None:
        self.document, self.numbers = document, numbers
        self.mentions = side.mention[numbers].tolist()
        self.spans = side.spans[numbers]
        self.recognising_tokens = [_recognising_tokens(document, mention, match) for mention in self.mentions]

    @cached_property
    def tokens(self) -> list[frozenset[int]]:
        return [mention_tokens(self.document, mention) for mention in self.mentions]

    @cached_property
    def bounds(self) -> Ints:
        """(mentions, 2): the first token of each mention, and the one after its last, as token numbers."""
        positions = self.document.positions
        return self.spans if positions is None else np.searchsorted(positions, self.spans)


def _loose_edges(key: _Extents, response: _Extents, match: str) -> list[Edge]:
    """Pairs of mentions that a loose rule allows, with the share of the key's tokens that they have in common."""
    by_span = not _compared_by_tokens(key.document, response.document)
    candidates = _same_head_matches if match == "head" else _inside_matches if by_span else _inside_token_matches
    key_places, response_places = candidates(key, response)
    if by_span:
        starts, ends = (
            np.stack([key.bounds[key_places, side], response.bounds[response_places, side]]) for side in (0, 1)
        )
        shared = np.maximum(ends.min(axis=0) - starts.max(axis=0), 0).tolist()
        sizes = (ends[0] - starts[0]).tolist()
    else:
        token_sets = [
            (key.tokens[first], response.tokens[second])
            for first, second in zip(key_places, response_places, strict=True)
        ]
        shared, sizes = [len(first & second) for first, second in token_sets], [len(first) for first, _ in token_sets]
    numbers = key.numbers[key_places].tolist(), response.numbers[response_places].tolist()
    return list(zip(*numbers, map(_share, shared, sizes), strict=True))


def _same_head_matches(key: _Extents, response: _Extents) -> Matches:
    """Pairs of mentions with the same head, as indices."""
    places = group_items((needed, place) for place, needed in enumerate(response.recognising_tokens) if needed)
    return _pair_candidates(key, [places.get(needed, ()) for needed in key.recognising_tokens])


def _inside_matches(key: _Extents, response: _Extents) -> Matches:
    """Response mentions inside key mentions that contain their recognising tokens, as pairs of indices."""
    first = np.asarray([min(needed, default=-1) for needed in key.recognising_tokens])
    last = np.asarray([max(needed, default=-1) for needed in key.recognising_tokens])
    start, end = response.spans.T
    begin = np.searchsorted(start, key.spans[:, 0], "left")
    times = np.maximum(np.searchsorted(start, first, "right") - begin, 0)
    _refuse_too_many(key.document, int(times.sum()))
    key_places, response_places = owner_indices(times), ranges(begin, times)
    fits = (end[response_places] > last[key_places]) & (end[response_places] <= key.spans[key_places, 1])
    return key_places[fits], response_places[fits]


def _inside_token_matches(key: _Extents, response: _Extents) -> Matches:
    """The same, for mentions compared as sets of tokens."""
    holding = group_items((token, place) for place, tokens in enumerate(response.tokens) for token in tokens)
    near = [holding.get(min(needed), ()) if needed else () for needed in key.recognising_tokens]
    key_places, response_places = _pair_candidates(key, near)
    fits = [
        key.recognising_tokens[key_place] <= response.tokens[response_place] <= key.tokens[key_place]
        for key_place, response_place in zip(key_places, response_places, strict=True)
    ]
    return key_places[np.asarray(fits, bool)], response_places[np.asarray(fits, bool)]


def _pair_candidates(key: _Extents, several: Sequence[Sequence[int]]) -> Matches:
    """Each mention of the key with its candidates in the response."""
    times = np.fromiter(map(len, several), np.int64, len(several))
    _refuse_too_many(key.document, int(times.sum()))
    return owner_indices(times), np.fromiter(chain.from_iterable(several), np.int64, int(times.sum()))


def _refuse_too_many(document: Document, pairs: int) -> None:
    """Refuse a document with so many possible matches that pairing them would exhaust the machine."""
    if pairs > MOST_PAIRS:
        raise UsageError(
            f"document {document.id!r}: {pairs:,} pairs of mentions that could match, expected at most "
            f"{MOST_PAIRS:,}: cut the document, or choose --match exact"
        )


def mention_tokens(document: Document, mention: int) -> frozenset[int]:
    """The positions that a mention covers; if positions are not token numbers, those of its tokens."""
    parts = document.segments.get(mention) or (tuple(document.spans[mention].tolist()),)
    return frozenset(place for start, end in parts for place in _places(document, start, end))


def _places(document: Document, start: int, end: int) -> list[int]:
    if document.positions is None:
        return list(range(start, end))
    first, last = np.searchsorted(document.positions, [start, end])
    places: list[int] = document.positions[first:last].tolist()
    return places


def _recognising_tokens(document: Document, mention: int, match: str) -> frozenset[int]:
    """The tokens that a match must contain: the minimal span for `minimum`, otherwise the head.

    Without one, this is the first token for `head`, and all tokens otherwise.
    """
    if match == "minimum":
        if document.minima is not None:
            return frozenset(_places(document, *document.minima[mention].tolist()))
    elif document.heads is not None and document.heads[mention] >= 0:
        return frozenset([int(document.heads[mention])])
    return frozenset([int(document.spans[mention, 0])]) if match == "head" else mention_tokens(document, mention)
