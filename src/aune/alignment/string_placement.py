"""Positions for strings that come without positions, or with wrong ones.

A string occurs wherever the key's text contains it between word boundaries: as written, or otherwise as folded.
`place_in_order` gives strings that are listed in the order of the text increasing positions, for as many as possible,
outside of longer strings if there are enough positions there, and as early as possible. A string listed out of order
gets a free position near its neighbours in the list. Nothing is guessed: a string that the text does not contain is
absent, and one that is listed more often than it occurs is repeated.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from aune.alignment.folding import FoldedText, fold_text
from aune.alignment.projection import Placement, Status, TokenisedText
from aune.numeric.arrays import Ints

Place: TypeAlias = tuple[int, int]
PlacePolicy: TypeAlias = Literal["in-order", "first", "all", "interval"]
UNPLACED = (-1, -1)


class Occurrences:
    """Where strings occur in a text, in its tokens."""

    def __init__(self, text: TokenisedText) -> None:
        self.text = text
        self._cache: dict[str, tuple[Status, list[Place]]] = {}
        self._folded_places: dict[str, list[Place]] = {}

    @cached_property
    def _folded_text(self) -> FoldedText:
        return fold_text(self.text.characters)

    @cached_property
    def _word_edges(self) -> Ints:
        """Where words begin or end among the characters of the text."""
        characters, origin, ends, words = self._folded_text
        if not characters:
            return np.zeros(0, np.int64)
        return np.unique(np.concatenate([origin[words[:-1]], ends[words[1:] - 1]]))

    def find(self, string: str) -> tuple[Status, list[Place]]:
        """Every position of a string from left to right, and whether it occurs there as written."""
        if string not in self._cache:
            self._cache[string] = self._find(string)
        return self._cache[string]

    def status_at(self, string: str, place: Place) -> Status | None:
        """How a string occurs at a position: as written, in another spelling, or (None) not at all."""
        status, places = self.find(string)
        if place in places:
            return status
        return Status.NORMALISED if status is Status.EXACT and place in self._find_folded(string) else None

    def _find(self, string: str) -> tuple[Status, list[Place]]:
        exact = self._places(self.text.characters, string.strip(), lambda first, last: (first, last + 1))
        if exact:
            return Status.EXACT, exact
        normalised = self._find_folded(string)
        return (Status.NORMALISED, normalised) if normalised else (Status.ABSENT, [])

    def _find_folded(self, string: str) -> list[Place]:
        """Every position of a string in any spelling."""
        if string not in self._folded_places:
            folded_text = self._folded_text
            self._folded_places[string] = self._places(
                folded_text.characters,
                fold_text(string.strip()).characters,
                lambda first, last: (int(folded_text.origin[first]), int(folded_text.ends[last])),
            )
        return self._folded_places[string]

    def _places(self, characters: str, string: str, stretch: Callable[[int, int], Place]) -> list[Place]:
        """Where a string occurs between word boundaries; if some occurrences consist of whole tokens, only those.

        `stretch` returns the characters of the text between two indices of `characters`.
        """
        places: dict[Place, bool] = {}
        position = characters.find(string) if string else -1
        while position >= 0:
            start, end = stretch(position, position + len(string) - 1)
            if self._is_edge(start) and self._is_edge(end):
                first = int(np.searchsorted(self.text.ends, start, "right"))
                last = int(np.searchsorted(self.text.starts, end, "left"))
                is_whole = int(self.text.starts[first]) == start and int(self.text.ends[last - 1]) == end
                places[first, last] = places.get((first, last), False) or is_whole
            position = characters.find(string, position + 1)
        return [place for place, is_whole in places.items() if is_whole] or list(places)

    def _is_edge(self, place: int) -> bool:
        edges = self._word_edges
        at = int(np.searchsorted(edges, place))
        return at < len(edges) and int(edges[at]) == place


def place_in_order(
    occurrences: Occurrences,
    strings: Sequence[str],
    labels: Sequence[str] | None = None,
    excluded: Collection[tuple[str, Place]] = frozenset(),
    occupied: Collection[Place] = (),
) -> list[Placement]:
    """A position for each of the strings of a list, increasing as far as possible; equal ones of a label take turns.

    Labels have the positions of `without` already, and other strings those of `beside`. A string with enough positions
    outside of longer strings is placed there: a list with `New York Times` and one `New York` does not mean a part of
    the former.

    >>> text = Occurrences(TokenisedText.from_tokens("he saw that he was late".split()))
    >>> [it[:2] for it in place_in_order(text, ["he", "he", "he"])]
    [(0, 1), (3, 4), (-1, -1)]
    """
    labels = labels or [""] * len(strings)
    items = [*zip(labels, strings, strict=True)]
    options = {
        item: (status, [place for place in places if (item[0], place) not in excluded])
        for item in set(items)
        for status, places in [occurrences.find(item[1])]
    }
    chosen = _increasing_places(items, options)
    outside = options | _options_outside(options, Counter(items), [*occupied, *filter(None, chosen)])
    if outside != options:
        increasing = _increasing_places(items, outside)
        chosen, options = (increasing, outside) if increasing.count(None) <= chosen.count(None) else (chosen, options)
    taken = {(label, place) for label, place in zip(labels, chosen, strict=True) if place}
    for index in (index for index, place in enumerate(chosen) if place is None):
        label, (_, places) = labels[index], options[items[index]]
        free = [place for place in places if (label, place) not in taken]
        if free:
            chosen[index] = place = _nearest(free, *_neighbours(chosen, index))
            taken.add((label, place))
    statuses = (options[item][0] for item in items)
    return [
        Placement(
            *(place or UNPLACED), status if place or not status.is_placed else Status.REPEATED, float(bool(place))
        )
        for place, status in zip(chosen, statuses, strict=True)
    ]


PlaceOptions: TypeAlias = dict[tuple[str, str], tuple[Status, list[Place]]]


def _increasing_places(items: Sequence[tuple[str, str]], options: PlaceOptions) -> list[Place | None]:
    return _longest_increase([options[item][1] for item in items])


def _options_outside(
    options: PlaceOptions, counts: Mapping[tuple[str, str], int], others: Sequence[Place]
) -> PlaceOptions:
    """The options of items that have enough positions outside of the others, without those inside of them."""
    ordered = sorted(others)
    starts = [start for start, _ in ordered]
    ends = [*accumulate((end for _, end in ordered), max)]
    longest = dict(ordered)

    def is_inside(place: Place) -> bool:
        start, end = place
        before = bisect_left(starts, start)
        return (before > 0 and ends[before - 1] >= end) or longest.get(start, end) > end

    reduced: PlaceOptions = {}
    for item, (status, places) in options.items():
        free = [place for place in places if not is_inside(place)]
        if counts[item] <= len(free) < len(places):
            reduced[item] = (status, free)
    return reduced


def _longest_increase(options: Sequence[Sequence[Place]]) -> list[Place | None]:
    """One position for as many items as possible, so that positions increase; among such choices the earliest.

    A longer stretch comes before a shorter one that begins with it, as when nested items are listed outside in. This
    is a longest common subsequence of the items and the positions, counted for all suffixes with a bit for each
    position (Hyyrö 2004): the zeros in the lowest bits of a row of `rows` are the later items that can be placed.
    """
    ordered = sorted({(start, -end) for places in options for start, end in places})
    rank = {key: number for number, key in enumerate(ordered)}
    ranks = {id(places): sorted(rank[start, -end] for start, end in places) for places in options}
    masks = {name: sum(1 << (len(ordered) - 1 - number) for number in item_ranks) for name, item_ranks in ranks.items()}
    rows = [(1 << len(ordered)) - 1]
    for places in reversed(options):
        matches = rows[-1] & masks[id(places)]
        rows.append(((rows[-1] + matches) | (rows[-1] - matches)) & rows[0])
    rows.reverse()

    def most(item: int, first: int) -> int:
        """How many of the items from this one on can be placed from this position on."""
        size = len(ordered) - first
        return size - (rows[item] & ((1 << size) - 1)).bit_count()

    chosen: list[Place | None] = [None] * len(options)
    remaining, next_rank = most(0, 0), 0
    for item, places in enumerate(options):
        item_ranks = ranks[id(places)]
        number = item_ranks[at] if (at := bisect_left(item_ranks, next_rank)) < len(item_ranks) else None
        if remaining and number is not None and 1 + most(item + 1, number + 1) == remaining:
            start, end = ordered[number]
            chosen[item] = (start, -end)
            remaining, next_rank = remaining - 1, number + 1
    return chosen


def _neighbours(chosen: Sequence[Place | None], index: int) -> tuple[int, int | None]:
    """The beginnings of the items placed before and after this one in the list."""
    before = next((place[0] for place in reversed(chosen[:index]) if place), 0)
    after = next((place[0] for place in chosen[index + 1 :] if place), None)
    return before, after


def _nearest(free: Sequence[Place], before: int, after: int | None) -> Place:
    """The first free position between two others, otherwise the first free one."""
    between = [place for place in free if place[0] >= before and (after is None or place[0] <= after)]
    return (between or list(free))[0]


def placed_spans(placements: Iterable[Placement]) -> list[Place]:
    """The positions of items, without those that have none."""
    return [(placement.start, placement.end) for placement in placements if placement.status.is_placed]


def place_first(occurrences: Occurrences, strings: Sequence[str]) -> list[Placement]:
    """The first position of every string, as many scripts use it."""
    return [_placement_at(occurrences.find(string), 0) for string in strings]


def _placement_at(option: tuple[Status, Sequence[Place]], index: int) -> Placement:
    status, places = option
    return Placement(*places[index], status) if places else Placement(*UNPLACED, status, 0.0)


def place_everywhere(
    occurrences: Occurrences, strings: Sequence[str], labels: Sequence[str] | None = None
) -> list[list[Placement]]:
    """All positions of every string; a string that is placed and listed again with its label adds nothing."""
    placements = []
    seen: set[tuple[str, str]] = set()
    for string, label in zip(strings, labels or [""] * len(strings), strict=True):
        option = occurrences.find(string)
        is_repeat = (string, label) in seen and option[0].is_placed
        placements.append(
            [] if is_repeat else [_placement_at(option, index) for index in range(max(1, len(option[1])))]
        )
        seen.add((string, label))
    return placements


class Bounds(NamedTuple):
    """The smallest and largest number of strings in a list that can be right, whatever positions they get."""

    least: int
    most: int


def correct_bounds(listed: int, places: int, right: int) -> Bounds:
    """How many of `listed` equal strings can be right, when `right` of the text's `places` are.

    The strings have distinct positions; those beyond the last position are wrong.

    >>> correct_bounds(listed=2, places=3, right=1)
    Bounds(least=0, most=1)
    """
    used = min(listed, places)
    return Bounds(max(0, used - (places - right)), min(used, right))


def correct_places(
    occurrences: Occurrences, strings: Sequence[str], labels: Sequence[str], claimed: Sequence[Place]
) -> list[Placement]:
    """Strings with the positions given in the response, if the string occurs there, otherwise the nearest position.

    `claimed` are in the text's tokens (see `infer_offset_unit`). Equal strings of a label have distinct positions, and
    those that must be moved choose in the order of their claims, whatever their order in the list.
    """
    results = [Placement(*UNPLACED, Status.ABSENT, 0.0)] * len(strings)
    items = [*zip(strings, labels, strict=True)]
    taken: set[tuple[tuple[str, str], Place]] = set()
    moved: list[int] = []
    for index, (item, place) in enumerate(zip(items, claimed, strict=True)):
        status = occurrences.status_at(item[0], place)
        if status is not None and (item, place) not in taken:
            results[index] = Placement(*place, status)
            taken.add((item, place))
        elif occurrences.find(item[0])[1]:
            moved.append(index)
    for index in sorted(moved, key=claimed.__getitem__):
        item, start = items[index], claimed[index][0]
        free = [place for place in occurrences.find(item[0])[1] if (item, place) not in taken]
        nearest = min(free, key=lambda place, start=start: (abs(place[0] - start), place), default=None)  # type: ignore[misc]
        results[index] = Placement(*nearest, Status.MOVED) if nearest else Placement(*UNPLACED, Status.REPEATED, 0.0)
        taken |= {(item, nearest)} if nearest else set()
    return results


OffsetUnit: TypeAlias = Literal["tokens", "tokens-inclusive", "characters", "characters-inclusive", "bytes", "utf-16"]


def infer_offset_unit(
    text: TokenisedText, strings: Sequence[str], numbers: Sequence[Place], allowed: Sequence[OffsetUnit]
) -> tuple[OffsetUnit, list[Place]]:
    """The unit of the numbers of a document's items: the one under which most of them point to their string.

    Ties go to the first of `allowed`. Returns the positions in the text's tokens; numbers outside the text are invalid.
    """
    occurrences = Occurrences(text)
    best: tuple[int, OffsetUnit, list[Place]] | None = None
    for unit in allowed:
        ends = _unit_ends(text.characters, UNIT_WIDTHS[unit]) if unit in UNIT_WIDTHS else None
        readings = [[_in_tokens(text, place, unit, ends) for place in numbers]]
        if unit.startswith("tokens") and len(text.starts) == len(text.characters):  # a text without tokens
            readings += [_in_characters(words, numbers, unit) for words in _words_of(text.characters)]
        for places in readings:
            fitting = sum(
                occurrences.status_at(string, place) is not None for string, place in zip(strings, places, strict=True)
            )
            if best is None or fitting > best[0]:
                best = (fitting, unit, places)
        if best is not None and best[0] == len(strings):
            break
    assert best is not None, "allowed holds at least one reading"
    return best[1], best[2]


def _words_of(characters: str) -> list[list[Place]]:
    """Where the words of a text are: between blanks, with punctuation as separate words."""
    return [[match.span() for match in re.finditer(pattern, characters)] for pattern in (r"\S+", r"\w+|[^\w\s]")]


def _in_characters(words: Sequence[Place], numbers: Sequence[Place], unit: OffsetUnit) -> list[Place]:
    """The characters of the words that numbers count; numbers after the last word point nowhere."""
    last = unit == "tokens-inclusive"
    return [
        (words[start][0], words[end + last - 1][1]) if start < end + last <= len(words) else UNPLACED
        for start, end in numbers
    ]


def _in_tokens(text: TokenisedText, place: Place, unit: OffsetUnit, ends: Sequence[int] | None) -> Place:
    """The tokens that numbers point to; `ends` are those of the characters, if they are counted in other units."""
    start, end = place
    if unit.startswith("tokens"):
        return start, end + (unit == "tokens-inclusive")
    end += unit == "characters-inclusive"
    if ends is not None:
        start, end = bisect_right(ends, start), bisect_left(ends, end) + 1
    first = int(np.searchsorted(text.ends, start, "right"))
    return first, max(int(np.searchsorted(text.starts, end, "left")), first)


UNIT_WIDTHS: Mapping[str, tuple[str, int]] = {"bytes": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}


def _unit_ends(characters: str, width: tuple[str, int]) -> list[int]:
    """Where each character ends when characters are counted in bytes or in pairs of them."""
    encoding, size = width
    lengths = {character: len(character.encode(encoding, "surrogatepass")) // size for character in set(characters)}
    return np.cumsum([lengths[character] for character in characters]).tolist()  # type: ignore[no-any-return]
