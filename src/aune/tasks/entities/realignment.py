"""Responses on the key's text: spans over another version of it, and entities given as strings.

Every span or string of a response becomes a span over the key's own positions, between pairing and comparing. What has
no place stands past the end of the key, so that it counts as wrong and inventing entities costs what it should; or it
is left out where the user asks for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from aune.alignment.placing import (
    Occurrences,
    Offsets,
    Policy,
    bounds,
    corrected,
    placed_everywhere,
    placed_first,
    placed_in_order,
    places_of,
    reading_of_offsets,
)
from aune.alignment.projection import Placement, Status, Text
from aune.alignment.records import Item, OtherText, Realign, Record, Unplaced, each_laid, record, spans_laid, text_of
from aune.core.errors import InputError, Problem
from aune.core.groups import grouped
from aune.core.parts import joined
from aune.tasks.entities.model import Document, Listed, Span, document, spans_of

Pair: TypeAlias = tuple[Document, Document]
OFFSETS: tuple[Offsets, ...] = ("characters", "utf-16", "bytes", "characters-inclusive", "tokens-inclusive", "tokens")


def realigned(
    pairs: Sequence[Pair], realign: Realign, place: Policy, unplaced: Unplaced, other_text: OtherText
) -> tuple[Sequence[Pair], list[Record]]:
    """The pairs with every response on its key's text, and how each was laid there; none where nothing was to do."""
    has_strings = any(response.listed is not None for _, response in pairs)
    if (realign == "none" and not has_strings) or (place == "interval" and has_strings):
        return pairs, []
    return each_laid(pairs, lambda key, response: _realigned(key, response, realign, place, unplaced, other_text))


def _realigned(
    key: Document, response: Document, realign: Realign, place: Policy, unplaced: Unplaced, other_text: OtherText
) -> tuple[Document, Record]:
    if response.listed is not None:
        return _placed(key, response, response.listed, place, unplaced)
    if realign == "none" or (key.unit == response.unit and _same_text(key, response)):
        return response, Record(response.id, {Status.EXACT: len(response)})
    key_text, response_text = _text(key), _text(response)
    if key_text is None or response_text is None:
        return response, Record(response.id, {Status.EXACT: len(response)})
    return _projected(key, response, key_text, response_text, unplaced, other_text)


def _same_text(key: Document, response: Document) -> bool:
    if key.text is not None and response.text is not None:
        return key.text == response.text
    return key.tokens is not None and response.tokens is not None and list(key.tokens) == list(response.tokens)


def _text(it: Document) -> Text | None:
    return text_of(it.tokens, it.text if it.unit == "character" else None)


def _projected(
    key: Document, response: Document, key_text: Text, response_text: Text, unplaced: Unplaced, other_text: OtherText
) -> tuple[Document, Record]:
    spans = spans_of(response)
    parts = [span.segments or ((span.start, span.end),) for span in spans]
    flat = [part for those in parts for part in those]
    placements, coverage = spans_laid(key_text, response_text, flat, response, other_text)
    new: list[tuple[Span, Placement]] = []
    items = []
    for span, those in zip(spans, parts, strict=True):
        pieces = [next(placements) for _ in those]
        whole = _hull(pieces)
        spread = joined((piece.start, piece.end) for piece in pieces)
        segments = spread if len(spread) > 1 else ()
        new.append((span._replace(start=whole.start, end=whole.end, segments=segments), whole))
        items.append(Item(response.quoted(span.start, span.end), span.label, whole, span.line, span.column))
    return _on_key(key, response, new, unplaced), record(response.id, items, coverage=coverage)


def _hull(pieces: Sequence[Placement]) -> Placement:
    """Where a span in several pieces lies; as badly placed as its worst piece."""
    if len(pieces) == 1:
        return pieces[0]
    worst = max(piece.status for piece in pieces)
    if not worst.placed:
        return Placement(-1, -1, worst, 0.0)
    starts, ends = (piece.start for piece in pieces), (piece.end for piece in pieces)
    return Placement(min(starts), max(ends), worst, min(piece.similarity for piece in pieces))


def _placed(
    key: Document, response: Document, listed: Sequence[Listed], place: Policy, unplaced: Unplaced
) -> tuple[Document, Record]:
    """A response of strings, each at a place in the key."""
    text = _text_to_place_on(key, response)
    new, items = [], []
    for item, placement in _places(text, listed, place):
        new.append((Span(placement.start, placement.end, item.label, line=item.line, column=item.column), placement))
        items.append(Item(item.string, item.label, placement, item.line, item.column))
    return _on_key(key, response, new, unplaced), record(response.id, items, response.lost)


def _text_to_place_on(key: Document, response: Document) -> Text:
    text = _text(key)
    if text is None:
        what = f"found entities as strings for document {key.id!r}, expected a key with its text: use a key that has it"
        raise InputError([Problem(response.path or response.id, response.line, 1, what)])
    return text


def _places(text: Text, listed: Sequence[Listed], place: Policy) -> list[tuple[Listed, Placement]]:
    """Where strings stand: at the places given with them where there are some, else by the policy.

    Each list is in the order of the text by itself; the strings of the others stand beside its own.
    """
    occurrences = Occurrences(text)
    groups = grouped((item.group, item) for item in listed).values()
    found = [it for own in groups for it in _group_placed(occurrences, own, place, ())]
    if place != "in-order" or len(groups) == 1:
        return found
    beside = places_of(placement for _, placement in found)
    return [it for own in groups for it in _group_placed(occurrences, own, place, beside)]


def _group_placed(
    occurrences: Occurrences, listed: Sequence[Listed], place: Policy, beside: Sequence[tuple[int, int]]
) -> list[tuple[Listed, Placement]]:
    found: list[tuple[Listed, Placement]] = []
    with_places = [item for item in listed if item.claimed is not None]
    without = [item for item in listed if item.claimed is None]
    strings, labels = [item.string for item in without], [item.label for item in without]
    taken: set[tuple[str, tuple[int, int]]] = set()
    if with_places:
        own = [item.string for item in with_places]
        given = [item.claimed for item in with_places if item.claimed is not None]
        text = occurrences.text
        tokens_first = max(end for _, end in given) <= len(text.starts) < len(text.characters)
        _, places = reading_of_offsets(text, own, given, OFFSETS[4:] + OFFSETS[:4] if tokens_first else OFFSETS)
        kept = corrected(occurrences, own, [item.label for item in with_places], places)
        found += zip(with_places, kept, strict=True)
        taken = {(item.label, (it.start, it.end)) for item, it in zip(with_places, kept, strict=True)}
    if place == "all":
        for item, placements in zip(without, placed_everywhere(occurrences, strings, labels), strict=True):
            found += [(item, placement) for placement in placements]
    elif place == "first":
        found += zip(without, placed_first(occurrences, strings), strict=True)
    else:
        beside = [*beside, *places_of(placement for _, placement in found)]
        found += zip(without, placed_in_order(occurrences, strings, labels, taken, beside), strict=True)
    return found


def _on_key(key: Document, response: Document, spans: Sequence[tuple[Span, Placement]], unplaced: Unplaced) -> Document:
    """A response with the key's positions; what has no place stands past the end, or nowhere."""
    kept, past = [], key.length
    for span, placement in spans:
        if placement.status.placed:
            kept.append(span)
        elif unplaced == "count":
            kept.append(span._replace(start=past, end=past + 1, segments=()))
            past += 1
    return replace(
        document(response.id, kept, length=max(past, key.length)),
        unit=key.unit, sentences=key.sentences, words=key.words, text=key.text, attributes=response.attributes,
        typology=response.typology, path=response.path, line=response.line,
    )  # fmt: skip


def extremes(key: Document, response: Document, unplaced: str) -> tuple[int, int, int, int]:
    """How many strings of a response can be right at least and at most, how many were given, and how many expected.

    Strings of one label take distinct places of the text; which ones, nobody said. The bounds are exact. Those beyond
    the last place are given too, unless what has no place is left out.
    """
    expected = set(key.triples())
    if response.listed is None:
        found = set(response.triples())
        return len(found & expected), len(found & expected), len(found), len(expected)
    occurrences = Occurrences(_text_to_place_on(key, response))
    least = most = given = 0
    numbers = Counter((tuple(occurrences.of(item.string)[1]), item.label) for item in response.listed)
    for (places, label), number in numbers.items():
        low, high = bounds(number, len(places), sum((*place, label) in expected for place in places))
        least, most = least + low, most + high
        given += min(number, len(places)) if unplaced == "ignore" else number
    return least, most, given, len(expected)
