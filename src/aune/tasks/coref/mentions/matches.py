"""Which key mention is which response mention.

`exact`: the same tokens. `partial`: the response mention lies inside the key's and holds its head or minimal span
(MUC's MIN); what the response says of its own heads does not matter. `head`: the same head; a response that names no
heads is taken to have the key's head when it holds it. A mention is matched at most once: first those with the same
tokens (for `head`, also the same head), then the pairing of the others in which the shares |K∩R| / |K| add up to most,
document by document; among equal sums, mentions that start earlier are matched first.

These are the rules of the CorefUD scorer of the CRAC shared tasks (its `exact`, `partial-corefud` and `head`), which
works on sets of words, too, so that discontinuous mentions need no rule of their own. Two differences: empty nodes are
matched by their place (its default, `linear`), never by their dependents; and responses without heads, which it does
not accept, are scored.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import numpy as np

from aune.core.matching import best_matching
from aune.tasks.coref.mentions.preparation import Pairs, Side
from aune.tasks.coref.model import Document, Ints, place_codes

Match: TypeAlias = Annotated[
    Literal["exact", "partial", "head"],
    "when mentions are the same: same tokens, response inside the key's and holding its head or MIN, or same head",
]

Matches: TypeAlias = tuple[Ints, Ints]


def matched_mentions(pairs: Pairs, key: Side, response: Side, match: str) -> Matches:
    """Pairs of a key mention and a response mention that are the same, as two columns of mention numbers."""
    exact = _exact(pairs, key, response)
    if match == "exact":
        return exact
    if match == "head":
        exact = _of_one_head(pairs, key, response, exact)
    return _loose(pairs, key, response, exact, match)


def _of_one_head(pairs: Pairs, key: Side, response: Side, exact: Matches) -> Matches:
    """The matches whose heads agree, as far as both are known."""
    heads = [
        _heads(pairs, side, which)[found]
        for which, (side, found) in enumerate(zip((key, response), exact, strict=True))
    ]
    agree = (heads[0] == heads[1]) | (heads[0] < 0) | (heads[1] < 0)
    return exact[0][agree], exact[1][agree]


def _heads(pairs: Pairs, side: Side, which: int) -> Ints:
    """The head of each mention, -1 where it is not known."""
    columns = [_known_heads(both[which]) for both in pairs]
    starts = np.cumsum([0, *map(len, columns)])[:-1]
    return np.concatenate([np.zeros(0, np.int64), *columns])[starts[side.owner] + side.mention]


def _known_heads(found: Document) -> Ints:
    return np.full(len(found), -1) if found.heads is None else found.heads


def _exact(pairs: Pairs, key: Side, response: Side) -> Matches:
    key_codes, response_codes = _codes(pairs, key, response)
    order = np.argsort(response_codes, kind="stable")
    ordered = response_codes[order]
    first, last = np.searchsorted(ordered, key_codes, "left"), np.searchsorted(ordered, key_codes, "right")
    times = last - first  # more than one only where duplicates were left in place
    keys = np.repeat(np.arange(len(key_codes)), times)
    step = np.arange(len(keys)) - np.repeat(np.cumsum(times) - times, times)
    return keys, order[np.repeat(first, times) + step]


def _codes(pairs: Pairs, key: Side, response: Side) -> Matches:
    """A number for each mention, the same for mentions of one document with the same extent."""
    base = int(max(key.spans.max(initial=0), response.spans.max(initial=0))) + 1
    codes = place_codes(key.owner, key.spans, base), place_codes(response.owner, response.spans, base)
    split = any(one.segments for both in pairs for one in both)
    if not split and codes[0] is not None and codes[1] is not None:
        return codes[0], codes[1]
    columns = [
        np.column_stack([side.owner, side.spans, _part_codes(pairs, side, which)])
        for which, side in enumerate((key, response))
    ]
    both = np.unique(np.concatenate(columns), axis=0, return_inverse=True)[1].ravel()
    return both[: len(key.owner)], both[len(key.owner) :]


def _part_codes(pairs: Pairs, side: Side, which: int) -> Ints:
    """0 for a mention in one piece, else a number for its parts; the same on both sides."""
    known = sorted({parts for both in pairs for one in both for parts in one.segments.values()})
    numbers = {parts: number for number, parts in enumerate(known, 1)}
    codes = np.zeros(len(side.owner), np.int64)
    for index, (owner, mention) in enumerate(zip(side.owner.tolist(), side.mention.tolist(), strict=True)):
        parts = pairs[owner][which].segments.get(mention)
        if parts:
            codes[index] = numbers[parts]
    return codes


def _loose(pairs: Pairs, key: Side, response: Side, exact: Matches, match: str) -> Matches:
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
    key_document: Document, response_document: Document, key: Side, response: Side,
    mine: list[int], theirs: list[int], match: str,
) -> list[tuple[int, int, float]]:  # fmt: skip
    """Pairs of mentions that a loose rule lets match, with the share of the key's tokens that they have in common."""
    by_token: dict[int, list[int]] = {}
    for index in theirs:
        for token in mention_tokens(response_document, int(response.mention[index])):
            by_token.setdefault(token, []).append(index)
    edges = []
    for index in mine:
        mention = int(key.mention[index])
        extent = mention_tokens(key_document, mention)
        needed = _needed(key_document, mention)
        for other in sorted({one for token in needed for one in by_token.get(token, ())}):
            given = mention_tokens(response_document, int(response.mention[other]))
            if match == "head":
                fits = needed == _needed(response_document, int(response.mention[other])) or (
                    _headless(response_document) and needed <= given
                )
            else:
                fits = needed <= given <= extent
            if fits:
                edges.append((index, other, len(given & extent) / len(extent)))
    return edges


def mention_tokens(found: Document, mention: int) -> frozenset[int]:
    """The places that a mention covers; those of its tokens when places and tokens are not the same."""
    parts = found.segments.get(mention) or (tuple(found.spans[mention].tolist()),)
    return frozenset(place for start, end in parts for place in _places(found, start, end))


def _places(found: Document, start: int, end: int) -> list[int]:
    if found.positions is None:
        return list(range(start, end))
    first, last = np.searchsorted(found.positions, [start, end])
    places: list[int] = found.positions[first:last].tolist()
    return places


def _headless(found: Document) -> bool:
    return found.heads is None and found.minima is None


def _needed(found: Document, mention: int) -> frozenset[int]:
    """The tokens without which a mention is not recognised: its minimal span, else its head, else all of it."""
    if found.minima is not None:
        return frozenset(_places(found, *found.minima[mention].tolist()))
    if found.heads is not None and found.heads[mention] >= 0:
        return frozenset([int(found.heads[mention])])
    return mention_tokens(found, mention)
