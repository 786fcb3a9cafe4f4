"""Realign responses with the key's text: spans over another version of it, and entities given as strings.

Between pairing and comparison, every span or string of a response becomes a span over the key's own positions. A span
that cannot be located is placed after the end of the key, so that it counts as wrong and invented entities cost as much
as any insertion. It is left out instead if the user selects that policy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from aune.alignment.placement_records import (
    OtherText,
    PlacedItem,
    PlacementRecord,
    Realign,
    Unplaced,
    place_responses,
    placement_record,
    project_spans,
    text_of,
)
from aune.alignment.projection import Placement, Status, TokenisedText
from aune.alignment.string_placement import (
    Occurrences,
    OffsetUnit,
    PlacePolicy,
    correct_bounds,
    correct_places,
    infer_offset_unit,
    place_everywhere,
    place_first,
    place_in_order,
    placed_spans,
)
from aune.errors import InputError, Problem
from aune.numeric.grouping import group_items
from aune.numeric.ranges import merge_ranges
from aune.tasks.entities.model import Document, Span, StringEntity, make_document, renumber_relations, spans_of

Pair: TypeAlias = tuple[Document, Document]
OFFSETS: tuple[OffsetUnit, ...] = (
    "characters",
    "utf-16",
    "bytes",
    "characters-inclusive",
    "tokens-inclusive",
    "tokens",
)


def realign_responses(
    pairs: Sequence[Pair], realign: Realign, place: PlacePolicy, unplaced: Unplaced, other_text: OtherText
) -> tuple[Sequence[Pair], list[PlacementRecord]]:
    """The pairs with every response on its key's text, and how each was aligned; no records if none needed it."""
    has_strings = any(response.listed is not None for _, response in pairs)
    if (realign == "none" and not has_strings) or (place == "interval" and has_strings):
        return pairs, []
    return place_responses(
        pairs, lambda key, response: _realign_response(key, response, realign, place, unplaced, other_text)
    )


def _realign_response(
    key: Document, response: Document, realign: Realign, place: PlacePolicy, unplaced: Unplaced, other_text: OtherText
) -> tuple[Document, PlacementRecord]:
    if response.listed is not None:
        return _place_strings(key, response, response.listed, place, unplaced)
    if realign == "none" or (key.unit == response.unit and _same_text(key, response)):
        return response, PlacementRecord(response.id, {Status.EXACT: len(response)})
    key_text, response_text = _text(key), _text(response)
    if key_text is None or response_text is None:
        return response, PlacementRecord(response.id, {Status.EXACT: len(response)})
    return _project_response(key, response, key_text, response_text, unplaced, other_text)


def _same_text(key: Document, response: Document) -> bool:
    if key.text is not None and response.text is not None:
        return key.text == response.text
    return key.tokens is not None and response.tokens is not None and list(key.tokens) == list(response.tokens)


def _text(document: Document) -> TokenisedText | None:
    return text_of(document.tokens, document.text if document.unit == "character" else None)


def _project_response(
    key: Document,
    response: Document,
    key_text: TokenisedText,
    response_text: TokenisedText,
    unplaced: Unplaced,
    other_text: OtherText,
) -> tuple[Document, PlacementRecord]:
    spans = spans_of(response)
    parts = [span.segments or ((span.start, span.end),) for span in spans]
    flat = [part for span_parts in parts for part in span_parts]
    placements, coverage = project_spans(key_text, response_text, flat, response, other_text)
    placed_spans: list[tuple[Span, Placement]] = []
    items = []
    for span, span_parts in zip(spans, parts, strict=True):
        pieces = [next(placements) for _ in span_parts]
        hull = _hull(pieces)
        joined_pieces = merge_ranges((piece.start, piece.end) for piece in pieces)
        segments = joined_pieces if len(joined_pieces) > 1 else ()
        placed_spans.append((span._replace(start=hull.start, end=hull.end, segments=segments), hull))
        items.append(PlacedItem(response.excerpt(span.start, span.end), span.label, hull, span.line, span.column))
    return _on_key(key, response, placed_spans, unplaced), placement_record(response.id, items, coverage=coverage)


def _hull(pieces: Sequence[Placement]) -> Placement:
    """The hull of a discontinuous span, with the placement quality of its worst piece."""
    if len(pieces) == 1:
        return pieces[0]
    worst = max(piece.status for piece in pieces)
    if not worst.is_placed:
        return Placement(-1, -1, worst, 0.0)
    starts, ends = (piece.start for piece in pieces), (piece.end for piece in pieces)
    return Placement(min(starts), max(ends), worst, min(piece.similarity for piece in pieces))


def _place_strings(
    key: Document, response: Document, listed: Sequence[StringEntity], place: PlacePolicy, unplaced: Unplaced
) -> tuple[Document, PlacementRecord]:
    """A response of strings, each located in the key."""
    text = _text_to_place_on(key, response)
    placed_spans, items = [], []
    for item, placement in _places(text, _settle_labels(key, text, listed), place):
        placed_spans.append(
            (Span(placement.start, placement.end, item.label, line=item.line, column=item.column), placement)
        )
        items.append(PlacedItem(item.string, item.label, placement, item.line, item.column))
    return _on_key(key, response, placed_spans, unplaced), placement_record(response.id, items, response.lost)


def _settle_labels(key: Document, text: TokenisedText, listed: Sequence[StringEntity]) -> list[StringEntity]:
    """The entities with string and label in their proper roles: the key decides if the response is ambiguous."""
    if not any(item.is_ambiguous for item in listed):
        return list(listed)
    labels, occurrences = {name.lower() for name in key.names}, Occurrences(text)

    def settle(item: StringEntity) -> StringEntity:
        if not item.is_ambiguous or item.label.lower() in labels:
            return item
        is_reversed = item.string.lower() in labels or (
            not occurrences.find(item.string)[1] and bool(occurrences.find(item.label)[1])
        )
        return item._replace(string=item.label, label=item.string) if is_reversed else item

    return [settle(item) for item in listed]


def _text_to_place_on(key: Document, response: Document) -> TokenisedText:
    text = _text(key)
    if text is None:
        raise InputError(
            [
                Problem.in_file(
                    "text.missing",
                    response.path or response.id,
                    response.line,
                    1,
                    found=f"entities as strings for document {key.id!r}",
                    expected="a key with its text",
                    remedies=["use a key that has it"],
                )
            ]
        )
    return text


def _places(
    text: TokenisedText, listed: Sequence[StringEntity], place: PlacePolicy
) -> list[tuple[StringEntity, Placement]]:
    """The positions of strings: those given with them if there are any, otherwise chosen by the policy.

    Each list follows the order of the text by itself. Several lists in order take a second pass, which uses the first.
    """
    occurrences = Occurrences(text)
    groups = group_items((item.group, item) for item in listed).values()
    placed = [pair for group in groups for pair in _place_group(occurrences, group, place, ())]
    if place != "in-order" or len(groups) == 1:
        return placed
    beside = placed_spans(placement for _, placement in placed)
    return [pair for group in groups for pair in _place_group(occurrences, group, place, beside)]


def _place_group(
    occurrences: Occurrences, listed: Sequence[StringEntity], place: PlacePolicy, beside: Sequence[tuple[int, int]]
) -> list[tuple[StringEntity, Placement]]:
    placed: list[tuple[StringEntity, Placement]] = []
    claimed_items = [item for item in listed if item.claimed is not None]
    unclaimed = [item for item in listed if item.claimed is None]
    strings, labels = [item.string for item in unclaimed], [item.label for item in unclaimed]
    taken: set[tuple[str, tuple[int, int]]] = set()
    if claimed_items:
        claimed_strings = [item.string for item in claimed_items]
        claims = [item.claimed for item in claimed_items if item.claimed is not None]
        text = occurrences.text
        tokens_first = max(end for _, end in claims) <= len(text.starts) < len(text.characters)
        _, places = infer_offset_unit(
            text, claimed_strings, claims, OFFSETS[4:] + OFFSETS[:4] if tokens_first else OFFSETS
        )
        claimed_placements = correct_places(
            occurrences, claimed_strings, [item.label for item in claimed_items], places
        )
        placed += zip(claimed_items, claimed_placements, strict=True)
        taken = {
            (item.label, (claimed.start, claimed.end))
            for item, claimed in zip(claimed_items, claimed_placements, strict=True)
        }
    if place == "all":
        for item, placements in zip(unclaimed, place_everywhere(occurrences, strings, labels), strict=True):
            placed += [(item, placement) for placement in placements]
    elif place == "first":
        placed += zip(unclaimed, place_first(occurrences, strings), strict=True)
    else:
        beside = [*beside, *placed_spans(placement for _, placement in placed)]
        placed += zip(unclaimed, place_in_order(occurrences, strings, labels, taken, beside), strict=True)
    return placed


def _on_key(key: Document, response: Document, spans: Sequence[tuple[Span, Placement]], unplaced: Unplaced) -> Document:
    """A response with the key's positions; spans that cannot be located are placed after the end, or left out."""
    placed_spans: list[Span] = []
    numbers: dict[int, int] = {}
    end = key.length
    for number, (span, placement) in enumerate(spans):
        if placement.status.is_placed or unplaced == "count":
            numbers[number] = len(placed_spans)
        if placement.status.is_placed:
            placed_spans.append(span)
        elif unplaced == "count":
            placed_spans.append(span._replace(start=end, end=end + 1, segments=()))
            end += 1
    relations = renumber_relations(response.relations, numbers)
    return replace(
        make_document(response.id, placed_spans, length=max(end, key.length), relations=relations),
        unit=key.unit, sentences=key.sentences, words=key.words, text=key.text, attributes=response.attributes,
        typology=response.typology, path=response.path, line=response.line,
    )  # fmt: skip


def count_bounds(key: Document, response: Document, unplaced: str) -> tuple[int, int, int, int]:
    """How many strings of a response can be right at least and at most, how many were given, and how many expected.

    Strings of one label take distinct places of the text, but which ones is unknown. The bounds are exact. Strings
    beyond the last place count as given too, unless strings without a place are left out.
    """
    expected = set(key.triples())
    if response.listed is None:
        triples = set(response.triples())
        return len(triples & expected), len(triples & expected), len(triples), len(expected)
    occurrences = Occurrences(_text_to_place_on(key, response))
    least = most = total = 0
    listed = _settle_labels(key, occurrences.text, response.listed)
    numbers = Counter((tuple(occurrences.find(item.string)[1]), item.label) for item in listed)
    for (places, label), number in numbers.items():
        low, high = correct_bounds(number, len(places), sum((*place, label) in expected for place in places))
        least, most = least + low, most + high
        total += min(number, len(places)) if unplaced == "ignore" else number
    return least, most, total, len(expected)
