"""Places for strings that come without positions, or with wrong ones.

A string stands wherever the key's text has it between word boundaries: as written, or else as folded. `placed_in_order`
gives strings that were listed in the order of the text an increasing place each, as many as possible, outside of
longer ones where they have places enough there, and as early as possible; what is listed out of order gets a free place
near its neighbours in the list. Nothing is guessed: a string that the text does not have is absent, and one that is
listed more often than the text has it is repeated.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from aune.alignment.folding import Folded, folded
from aune.alignment.projection import Placement, Status, Text
from aune.core.arrays import Ints

Place: TypeAlias = tuple[int, int]
Policy: TypeAlias = Literal["in-order", "first", "all", "interval"]
UNPLACED = (-1, -1)


class Occurrences:
    """Where strings stand in a text, in its tokens."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._known: dict[str, tuple[Status, list[Place]]] = {}

    @cached_property
    def _folded(self) -> Folded:
        return folded(self.text.characters)

    @cached_property
    def _word_edges(self) -> Ints:
        """Where words begin or end among the characters of the text."""
        characters, origin, ends, words = self._folded
        if not characters:
            return np.zeros(0, np.int64)
        return np.unique(np.concatenate([origin[words[:-1]], ends[words[1:] - 1]]))

    def of(self, string: str) -> tuple[Status, list[Place]]:
        """Every place of a string from left to right, and whether it stands there as written."""
        if string not in self._known:
            self._known[string] = self._found(string)
        return self._known[string]

    def _found(self, string: str) -> tuple[Status, list[Place]]:
        written = string.strip()
        exact = self._places(self.text.characters, written, lambda first, last: (first, last + 1))
        if exact:
            return Status.EXACT, exact
        it = self._folded
        normalised = self._places(
            it.characters, folded(written).characters, lambda first, last: (int(it.origin[first]), int(it.ends[last]))
        )
        return (Status.NORMALISED, normalised) if normalised else (Status.ABSENT, [])

    def _places(self, characters: str, wanted: str, stretch: Callable[[int, int], Place]) -> list[Place]:
        """Where a string stands between word boundaries; those made of whole tokens only, where there are some.

        `stretch` says which characters of the text lie from one of `characters` to another.
        """
        found: dict[Place, bool] = {}
        at = characters.find(wanted) if wanted else -1
        while at >= 0:
            start, end = stretch(at, at + len(wanted) - 1)
            if self._is_edge(start) and self._is_edge(end):
                first = int(np.searchsorted(self.text.ends, start, "right"))
                last = int(np.searchsorted(self.text.starts, end, "left"))
                whole = int(self.text.starts[first]) == start and int(self.text.ends[last - 1]) == end
                found[first, last] = found.get((first, last), False) or whole
            at = characters.find(wanted, at + 1)
        return [place for place, whole in found.items() if whole] or list(found)

    def _is_edge(self, place: int) -> bool:
        edges = self._word_edges
        at = int(np.searchsorted(edges, place))
        return at < len(edges) and int(edges[at]) == place


def placed_in_order(
    occurrences: Occurrences,
    strings: Sequence[str],
    labels: Sequence[str] | None = None,
    without: Collection[tuple[str, Place]] = frozenset(),
    beside: Collection[Place] = (),
) -> list[Placement]:
    """A place for each of the strings of a list, increasing as far as possible; equal ones of a label take turns.

    Labels have the places of `without` already, and other strings those of `beside`. A string that has places enough
    outside of what longer strings are placed on stands there: who lists `New York Times` and one `New York` means no
    part of the former.

    >>> text = Occurrences(Text.of_tokens("he saw that he was late".split()))
    >>> [it[:2] for it in placed_in_order(text, ["he", "he", "he"])]
    [(0, 1), (3, 4), (-1, -1)]
    """
    labels = labels or [""] * len(strings)
    items = [*zip(labels, strings, strict=True)]
    left = {
        item: (status, [place for place in places if (item[0], place) not in without])
        for item in set(items)
        for status, places in [occurrences.of(item[1])]
    }
    chosen = _increasing_places(items, left)
    outside = left | _outside(left, Counter(items), [*beside, *filter(None, chosen)])
    if outside != left:
        again = _increasing_places(items, outside)
        chosen, left = (again, outside) if again.count(None) <= chosen.count(None) else (chosen, left)
    taken = {(label, place) for label, place in zip(labels, chosen, strict=True) if place}
    for index in (index for index, place in enumerate(chosen) if place is None):
        label, (_, places) = labels[index], left[items[index]]
        free = [place for place in places if (label, place) not in taken]
        if free:
            chosen[index] = place = _nearest(free, *_neighbours(chosen, index))
            taken.add((label, place))
    statuses = (left[item][0] for item in items)
    return [
        Placement(*(place or UNPLACED), status if place or not status.placed else Status.REPEATED, float(bool(place)))
        for place, status in zip(chosen, statuses, strict=True)
    ]


Options: TypeAlias = dict[tuple[str, str], tuple[Status, list[Place]]]


def _increasing_places(items: Sequence[tuple[str, str]], options: Options) -> list[Place | None]:
    return _longest_increase([options[item][1] for item in items])


def _outside(options: Options, listed: Mapping[tuple[str, str], int], others: Sequence[Place]) -> Options:
    """The options of items that have places enough outside of the others, without those inside of them."""
    ordered = sorted(others)
    starts = [start for start, _ in ordered]
    ends = [*accumulate((end for _, end in ordered), max)]
    longest = dict(ordered)

    def is_inside(place: Place) -> bool:
        start, end = place
        before = bisect_left(starts, start)
        return (before > 0 and ends[before - 1] >= end) or longest.get(start, end) > end

    found: Options = {}
    for item, (status, places) in options.items():
        kept = [place for place in places if not is_inside(place)]
        if listed[item] <= len(kept) < len(places):
            found[item] = (status, kept)
    return found


def _longest_increase(options: Sequence[Sequence[Place]]) -> list[Place | None]:
    """One place for as many items as possible, so that places increase; among such choices the earliest.

    A longer stretch comes before a shorter one that begins with it, as when nested things are listed outside in. That
    is a longest common subsequence of the items and the places, counted for all suffixes with a bit for each place
    (Hyyrö 2004): among the lowest bits of a row of `rows`, zeros are the items from there on that still find a place.
    """
    ordered = sorted({(start, -end) for places in options for start, end in places})
    rank = {key: number for number, key in enumerate(ordered)}
    ranks = {id(places): sorted(rank[start, -end] for start, end in places) for places in options}
    masks = {name: sum(1 << (len(ordered) - 1 - number) for number in own) for name, own in ranks.items()}
    rows = [(1 << len(ordered)) - 1]
    for places in reversed(options):
        kept = rows[-1] & masks[id(places)]
        rows.append(((rows[-1] + kept) | (rows[-1] - kept)) & rows[0])
    rows.reverse()

    def most(item: int, first: int) -> int:
        """How many of the items from this one on find a place from this one on."""
        size = len(ordered) - first
        return size - (rows[item] & ((1 << size) - 1)).bit_count()

    chosen: list[Place | None] = [None] * len(options)
    wanted, done = most(0, 0), 0
    for item, places in enumerate(options):
        own = ranks[id(places)]
        number = own[at] if (at := bisect_left(own, done)) < len(own) else None
        if wanted and number is not None and 1 + most(item + 1, number + 1) == wanted:
            start, end = ordered[number]
            chosen[item] = (start, -end)
            wanted, done = wanted - 1, number + 1
    return chosen


def _neighbours(chosen: Sequence[Place | None], index: int) -> tuple[int, int | None]:
    """Where the items placed before and after this one in the list begin."""
    before = next((place[0] for place in reversed(chosen[:index]) if place), 0)
    after = next((place[0] for place in chosen[index + 1 :] if place), None)
    return before, after


def _nearest(free: Sequence[Place], before: int, after: int | None) -> Place:
    """The first free place between two others, else the first one."""
    between = [place for place in free if place[0] >= before and (after is None or place[0] <= after)]
    return (between or list(free))[0]


def places_of(placements: Iterable[Placement]) -> list[Place]:
    """Where things stand, those that have a place."""
    return [(it.start, it.end) for it in placements if it.status.placed]


def placed_first(occurrences: Occurrences, strings: Sequence[str]) -> list[Placement]:
    """The first place of every string, as many scripts have it."""
    return [_at(occurrences.of(string), 0) for string in strings]


def _at(option: tuple[Status, Sequence[Place]], index: int) -> Placement:
    status, places = option
    return Placement(*places[index], status) if places else Placement(*UNPLACED, status, 0.0)


def placed_everywhere(
    occurrences: Occurrences, strings: Sequence[str], labels: Sequence[str] | None = None
) -> list[list[Placement]]:
    """All places of every string; a string that has a place and is listed again with its label adds nothing."""
    found = []
    seen: set[tuple[str, str]] = set()
    for string, label in zip(strings, labels or [""] * len(strings), strict=True):
        option = occurrences.of(string)
        again = (string, label) in seen and option[0].placed
        found.append([] if again else [_at(option, index) for index in range(max(1, len(option[1])))])
        seen.add((string, label))
    return found


class Bounds(NamedTuple):
    """The fewest and the most of some listed strings that can be right, whatever places they are given."""

    least: int
    most: int


def bounds(listed: int, places: int, right: int) -> Bounds:
    """How many of `listed` equal strings can be right, when `right` of the text's `places` are.

    The strings take distinct places; those beyond the last place are wrong.

    >>> bounds(listed=2, places=3, right=1)
    Bounds(least=0, most=1)
    """
    used = min(listed, places)
    return Bounds(max(0, used - (places - right)), min(used, right))


def corrected(
    occurrences: Occurrences, strings: Sequence[str], labels: Sequence[str], claimed: Sequence[Place]
) -> list[Placement]:
    """Strings with the places that their author gave: kept where the string stands there, else its nearest place.

    `claimed` are in the text's tokens (see `reading_of_offsets`). Equal strings of a label have distinct places, and
    those to be moved choose in the order of their claims, whatever their order in the list.
    """
    results = [Placement(*UNPLACED, Status.ABSENT, 0.0)] * len(strings)
    items = [*zip(strings, labels, strict=True)]
    taken: set[tuple[tuple[str, str], Place]] = set()
    moved: list[int] = []
    for index, (item, place) in enumerate(zip(items, claimed, strict=True)):
        status, places = occurrences.of(item[0])
        if place in places and (item, place) not in taken:
            results[index] = Placement(*place, status)
            taken.add((item, place))
        elif places:
            moved.append(index)
    for index in sorted(moved, key=claimed.__getitem__):
        item, start = items[index], claimed[index][0]
        free = [place for place in occurrences.of(item[0])[1] if (item, place) not in taken]
        near = min(free, key=lambda place, start=start: (abs(place[0] - start), place), default=None)  # type: ignore[misc]
        results[index] = Placement(*near, Status.MOVED) if near else Placement(*UNPLACED, Status.REPEATED, 0.0)
        taken |= {(item, near)} if near else set()
    return results


Offsets: TypeAlias = Literal["tokens", "tokens-inclusive", "characters", "characters-inclusive", "bytes", "utf-16"]


def reading_of_offsets(
    text: Text, strings: Sequence[str], numbers: Sequence[Place], allowed: Sequence[Offsets]
) -> tuple[Offsets, list[Place]]:
    """What the numbers of a document's items count: the reading under which most of them point to their own string.

    Ties go to the first of `allowed`. Returns the places in the text's tokens; numbers outside the text point nowhere.
    """
    occurrences = Occurrences(text)
    best: tuple[int, Offsets, list[Place]] | None = None
    for reading in allowed:
        ends = _unit_ends(text.characters, WIDTHS[reading]) if reading in WIDTHS else None
        places = [_in_tokens(text, place, reading, ends) for place in numbers]
        fitting = sum(place in occurrences.of(string)[1] for string, place in zip(strings, places, strict=True))
        if best is None or fitting > best[0]:
            best = (fitting, reading, places)
        if fitting == len(strings):
            break
    assert best is not None, "allowed holds at least one reading"
    return best[1], best[2]


def _in_tokens(text: Text, place: Place, reading: Offsets, ends: Sequence[int] | None) -> Place:
    """The tokens that numbers point to; `ends` are those of the characters, where they are counted in other units."""
    start, end = place
    if reading.startswith("tokens"):
        return start, end + (reading == "tokens-inclusive")
    end += reading == "characters-inclusive"
    if ends is not None:
        start, end = bisect_right(ends, start), bisect_left(ends, end) + 1
    first = int(np.searchsorted(text.ends, start, "right"))
    return first, max(int(np.searchsorted(text.starts, end, "left")), first)


WIDTHS: Mapping[str, tuple[str, int]] = {"bytes": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}


def _unit_ends(characters: str, width: tuple[str, int]) -> list[int]:
    """Where each character ends when characters are counted in bytes or in pairs of them."""
    encoding, size = width
    lengths = {it: len(it.encode(encoding, "surrogatepass")) // size for it in set(characters)}
    return np.cumsum([lengths[it] for it in characters]).tolist()  # type: ignore[no-any-return]
