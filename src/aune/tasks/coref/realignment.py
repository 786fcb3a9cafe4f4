"""Responses on the key's text: mentions over another version of it, and mentions given as strings.

Every mention of a response gets a place among the key's own tokens, between pairing and comparing. One that has none
stands past the end of the key, so that its chain keeps its size and precision falls; or it is left out where the user
asks for that. Strings in clusters say nothing of where they stand: they are refused unless `--place` says how to place
them. Strings in one list, each with the name of its chain, are placed in the order of the text in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

import numpy as np

from aune.alignment.placing import Occurrences, placed_everywhere, placed_first, placed_in_order, places_of
from aune.alignment.projection import Placement, Status, Text
from aune.alignment.records import Item, OtherText, Realign, Record, Unplaced, each_laid, record, spans_laid
from aune.core.errors import InputError, Problem
from aune.core.groups import grouped
from aune.core.options import Quiet
from aune.core.parts import joined
from aune.tasks.coref.model import Document, Listed, Mention, document, mentions_of, token_spans

Pair: TypeAlias = tuple[Document, Document]
Place: TypeAlias = Annotated[
    Literal["none", "in-order", "first", "all"],
    "where strings without positions stand: none (they are refused), in the order given, at their first place, at all",
    Quiet,
]


def realigned(
    pairs: Sequence[Pair], realign: Realign, place: Place, unplaced: Unplaced, other_text: OtherText
) -> tuple[Sequence[Pair], list[Record]]:
    """The pairs with every response on its key's text, and how each was laid there; none where nothing was to do."""
    if realign == "none" and all(response.listed is None for _, response in pairs):
        return pairs, []
    return each_laid(pairs, lambda key, response: _realigned(key, response, realign, place, unplaced, other_text))


def _realigned(
    key: Document, response: Document, realign: Realign, place: Place, unplaced: Unplaced, other_text: OtherText
) -> tuple[Document, Record]:
    if response.listed is not None:
        return _placed(key, response, response.listed, place, unplaced)
    same = key.tokens == response.tokens and key.unit == response.unit
    if realign == "none" or same or key.tokens is None or response.tokens is None:
        return response, Record(response.id, {Status.EXACT: len(response)})
    return _projected(key, response, unplaced, other_text)


def _projected(key: Document, response: Document, unplaced: Unplaced, other_text: OtherText) -> tuple[Document, Record]:
    assert key.tokens is not None
    assert response.tokens is not None
    given = mentions_of(response)
    parts = [
        [(start, end) for start, end in token_spans(response, np.asarray(one.segments or one[:2])).tolist()]
        for one in given
    ]
    texts = Text.of_tokens(key.tokens), Text.of_tokens(response.tokens)
    placements, coverage = spans_laid(*texts, [part for those in parts for part in those], response, other_text)
    mentions, items = [], []
    for index, those in enumerate(parts):
        written = " ".join(" ".join(response.tokens[start:end]) for start, end in those)
        mention, worst = _mention(key, given[index], [next(placements) for _ in those])
        mentions.append((mention, worst))
        items.append(Item(written, _label(response, index), worst, mention.line))
    return _on_key(key, response, mentions, unplaced), record(response.id, items, coverage=coverage)


def _mention(key: Document, mention: Mention, pieces: Sequence[Placement]) -> tuple[Mention, Placement]:
    """A mention of the response among the key's tokens; as badly placed as its worst piece."""
    worst = max(pieces, key=lambda piece: (piece.status, -piece.similarity))
    bare = Mention(-1, -1, mention.chain, mention.line, features=mention.features)
    if not worst.status.placed:
        return bare, worst
    spans = joined(_positions(key, piece.start, piece.end) for piece in pieces)
    return bare._replace(start=spans[0][0], end=spans[-1][1], segments=spans if len(spans) > 1 else ()), worst


def _positions(key: Document, start: int, end: int) -> tuple[int, int]:
    """Tokens of the key as its positions, which may be characters or leave room for empty nodes."""
    if key.positions is None or key.tokens is None:
        return start, end
    width = len(key.tokens[end - 1]) if key.unit == "character" else 1
    return int(key.positions[start]), int(key.positions[end - 1]) + width


def _label(response: Document, index: int) -> str:
    chain = int(response.chains[index])
    return str(chain) if response.labels is None else response.labels[chain]


def _placed(
    key: Document, response: Document, listed: Sequence[Listed], place: Place, unplaced: Unplaced
) -> tuple[Document, Record]:
    """A response of strings, each at a place in the key."""
    if key.tokens is None or place == "none":
        what = f"found mentions as strings in document {response.id!r}, expected ones with positions"
        remedy = "place them with --place in-order" if place == "none" else "use a key that has its text"
        raise InputError([Problem(response.path or response.id, response.line, 1, f"{what}: {remedy}")])
    occurrences = Occurrences(Text.of_tokens(key.tokens))
    mentions, items = [], []
    for item, placement in _places(occurrences, listed, place):
        start, end = _positions(key, placement.start, placement.end) if placement.status.placed else (-1, -1)
        mentions.append((Mention(start, end, item.chain, item.line), placement))
        items.append(Item(item.string, item.chain, placement, item.line, item.column))
    return _on_key(key, response, mentions, unplaced), record(response.id, items, response.lost)


def _places(occurrences: Occurrences, listed: Sequence[Listed], place: Place) -> list[tuple[Listed, Placement]]:
    """Strings with their places. The lists of clusters are in the order of the text each by itself."""
    groups = [*grouped((item.group, item) for item in listed).values()]
    found = _groups_placed(occurrences, groups, place, ())
    if place != "in-order" or len(groups) == 1:
        return found
    return _groups_placed(occurrences, groups, place, places_of(placement for _, placement in found))


def _groups_placed(
    occurrences: Occurrences, groups: Sequence[Sequence[Listed]], place: Place, beside: Sequence[tuple[int, int]]
) -> list[tuple[Listed, Placement]]:
    found: list[tuple[Listed, Placement]] = []
    taken: set[tuple[str, tuple[int, int]]] = set()
    for own in groups:
        strings = [item.string for item in own]
        if place == "all":
            chains = [item.chain for item in own]
            for item, everywhere in zip(own, placed_everywhere(occurrences, strings, chains), strict=True):
                found += [(item, placement) for placement in everywhere]
        elif place == "first":
            found += zip(own, placed_first(occurrences, strings), strict=True)
        else:
            placements = placed_in_order(occurrences, strings, without=taken, beside=beside)
            taken |= {("", it) for it in places_of(placements)}
            found += zip(own, placements, strict=True)
    return found


def _on_key(
    key: Document, response: Document, mentions: Sequence[tuple[Mention, Placement]], unplaced: Unplaced
) -> Document:
    """A response with the key's positions; what has no place stands past the end, or nowhere."""
    past = int(max(key.spans.max(initial=0), 0 if key.positions is None else key.positions.max(initial=0)))
    past = max(past, 0 if key.tokens is None else _positions(key, 0, len(key.tokens))[1] if key.tokens else 0)
    kept = []
    for mention, placement in mentions:
        if placement.status.placed:
            kept.append(mention)
        elif unplaced == "count":
            kept.append(mention._replace(start=past + 1, end=past + 2))
            past += 2
    return replace(
        document(response.id, kept),
        tokens=key.tokens, sentences=key.sentences, positions=key.positions, unit=key.unit,
        attributes=response.attributes, path=response.path, line=response.line,
    )  # fmt: skip
