"""Align responses with the key's text: mentions over another version of the text, and mentions given as strings.

After pairing and before comparison, every mention of a response gets a position among the key's tokens. A mention that
cannot be placed is put after the end of the key, so that its chain keeps its size and precision falls, or is left out
if the user requests it. Strings in clusters have no positions: they are refused unless `--place` determines how to
place them. Strings in one list, each with the name of its chain, are placed in text order in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

import numpy as np

from aune.alignment.placement_records import (
    OtherText,
    PlacedItem,
    PlacementRecord,
    Realign,
    Unplaced,
    place_responses,
    placement_record,
    project_spans,
)
from aune.alignment.projection import Placement, Status, TokenisedText
from aune.alignment.string_placement import Occurrences, place_everywhere, place_first, place_in_order, placed_spans
from aune.contract.options import HiddenAtDefault
from aune.errors import InputError, Problem, Remedy
from aune.numeric.grouping import group_items
from aune.numeric.ranges import merge_ranges
from aune.tasks.coref.model import Document, ListedMention, Mention, make_document, mentions_of, token_spans

Pair: TypeAlias = tuple[Document, Document]
Place: TypeAlias = Annotated[
    Literal["none", "in-order", "first", "all"],
    "where strings without positions stand: none (they are refused), in the order given, at their first place, at all",
    HiddenAtDefault,
]


def realign_pairs(
    pairs: Sequence[Pair], realign: Realign, place: Place, unplaced: Unplaced, other_text: OtherText
) -> tuple[Sequence[Pair], list[PlacementRecord]]:
    """The pairs with every response aligned with its key's text, and the records of that."""
    return place_responses(
        pairs, lambda key, response: _realign_response(key, response, realign, place, unplaced, other_text)
    )


def _realign_response(
    key: Document, response: Document, realign: Realign, place: Place, unplaced: Unplaced, other_text: OtherText
) -> tuple[Document, PlacementRecord]:
    if response.listed is not None:
        return _place_strings(key, response, response.listed, place, unplaced)
    same = key.tokens == response.tokens and key.unit == response.unit
    if realign == "none" or same or key.tokens is None or response.tokens is None:
        return response, PlacementRecord(response.id, {Status.EXACT: len(response)})
    return _project_mentions(key, response, unplaced, other_text)


def _project_mentions(
    key: Document, response: Document, unplaced: Unplaced, other_text: OtherText
) -> tuple[Document, PlacementRecord]:
    assert key.tokens is not None
    assert response.tokens is not None
    response_mentions = mentions_of(response)
    parts = [
        [
            (start, end)
            for start, end in token_spans(
                response, np.asarray(response_mention.segments or response_mention[:2])
            ).tolist()
        ]
        for response_mention in response_mentions
    ]
    texts = TokenisedText.from_tokens(key.tokens), TokenisedText.from_tokens(response.tokens)
    placements, coverage = project_spans(*texts, [part for pieces in parts for part in pieces], response, other_text)
    mentions, items = [], []
    for index, pieces in enumerate(parts):
        written = " ".join(" ".join(response.tokens[start:end]) for start, end in pieces)
        mention, worst = _placed_mention(key, response_mentions[index], [next(placements) for _ in pieces])
        mentions.append((mention, worst))
        items.append(PlacedItem(written, _label(response, index), worst, mention.line))
    return _document_on_key(key, response, mentions, unplaced), placement_record(response.id, items, coverage=coverage)


def _placed_mention(key: Document, mention: Mention, pieces: Sequence[Placement]) -> tuple[Mention, Placement]:
    """A response mention among the key's tokens; its placement is that of its worst piece."""
    worst = max(pieces, key=lambda piece: (piece.status, -piece.similarity))
    bare = Mention(-1, -1, mention.chain, mention.line, features=mention.features)
    if not worst.status.is_placed:
        return bare, worst
    spans = merge_ranges(_key_positions(key, piece.start, piece.end) for piece in pieces)
    return bare._replace(start=spans[0][0], end=spans[-1][1], segments=spans if len(spans) > 1 else ()), worst


def _key_positions(key: Document, start: int, end: int) -> tuple[int, int]:
    """Tokens of the key as its positions, which may be characters or leave space for empty nodes."""
    if key.positions is None or key.tokens is None:
        return start, end
    width = len(key.tokens[end - 1]) if key.unit == "character" else 1
    return int(key.positions[start]), int(key.positions[end - 1]) + width


def _label(response: Document, index: int) -> str:
    chain = int(response.chains[index])
    return str(chain) if response.labels is None else response.labels[chain]


PLACE_REMEDY = Remedy("place them", (("place", "in-order"),))


def _place_strings(
    key: Document, response: Document, listed: Sequence[ListedMention], place: Place, unplaced: Unplaced
) -> tuple[Document, PlacementRecord]:
    """A response of strings, each with a position in the key."""
    if key.tokens is None or place == "none":
        problem = Problem.in_file(
            "mention.without-place", response.path or response.id, response.line,
            found=f"mentions as strings in document {response.id!r}", expected="ones with positions",
            remedies=[PLACE_REMEDY if place == "none" else "use a key that has its text"],
        )  # fmt: skip
        raise InputError([problem])
    occurrences = Occurrences(TokenisedText.from_tokens(key.tokens))
    mentions, items = [], []
    for item, placement in _string_placements(occurrences, listed, place):
        start, end = _key_positions(key, placement.start, placement.end) if placement.status.is_placed else (-1, -1)
        mentions.append((Mention(start, end, item.chain, item.line), placement))
        items.append(PlacedItem(item.string, item.chain, placement, item.line, item.column))
    return _document_on_key(key, response, mentions, unplaced), placement_record(response.id, items, response.lost)


def _string_placements(
    occurrences: Occurrences, listed: Sequence[ListedMention], place: Place
) -> list[tuple[ListedMention, Placement]]:
    """Strings with their positions. If clusters are given, each list is in text order by itself."""
    groups = [*group_items((item.group, item) for item in listed).values()]
    placed_strings = _place_groups(occurrences, groups, place, ())
    if place != "in-order" or len(groups) == 1:
        return placed_strings
    return _place_groups(occurrences, groups, place, placed_spans(placement for _, placement in placed_strings))


def _place_groups(
    occurrences: Occurrences, groups: Sequence[Sequence[ListedMention]], place: Place, beside: Sequence[tuple[int, int]]
) -> list[tuple[ListedMention, Placement]]:
    placed_strings: list[tuple[ListedMention, Placement]] = []
    taken: set[tuple[str, tuple[int, int]]] = set()
    for group in groups:
        strings = [item.string for item in group]
        if place == "all":
            chains = [item.chain for item in group]
            for item, everywhere in zip(group, place_everywhere(occurrences, strings, chains), strict=True):
                placed_strings += [(item, placement) for placement in everywhere]
        elif place == "first":
            placed_strings += zip(group, place_first(occurrences, strings), strict=True)
        else:
            placements = place_in_order(occurrences, strings, excluded=taken, occupied=beside)
            taken |= {("", span) for span in placed_spans(placements)}
            placed_strings += zip(group, placements, strict=True)
    return placed_strings


def _document_on_key(
    key: Document, response: Document, mentions: Sequence[tuple[Mention, Placement]], unplaced: Unplaced
) -> Document:
    """A response with the key's positions; unplaced mentions are put after the end, or left out."""
    past = int(max(key.spans.max(initial=0), 0 if key.positions is None else key.positions.max(initial=0)))
    past = max(past, 0 if key.tokens is None else _key_positions(key, 0, len(key.tokens))[1] if key.tokens else 0)
    placed_mentions = []
    for mention, placement in mentions:
        if placement.status.is_placed:
            placed_mentions.append(mention)
        elif unplaced == "count":
            placed_mentions.append(mention._replace(start=past + 1, end=past + 2))
            past += 2
    return replace(
        make_document(response.id, placed_mentions),
        tokens=key.tokens, sentences=key.sentences, positions=key.positions, unit=key.unit,
        attributes=response.attributes, path=response.path, line=response.line,
    )  # fmt: skip
