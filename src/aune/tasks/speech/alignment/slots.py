"""Align several word sequences with a growing row of slots, as ROVER does: which word of each stands in which slot.

The words of the first sequence form the slots. Every further sequence is aligned with the slots so far at the lowest
cost: a slot is passed through one of its arcs, the words of the earlier sequences there, or silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.numeric.grouping import key_positions
from aune.tasks.speech.alignment.networks import SCLITE

GAP, SUBSTITUTION, SILENT = SCLITE.gap, int(SCLITE.substitution("", ())), SCLITE.null
MOST_CELLS = 25_000_000
FEW_CELLS = 600  # cells of an alignment that plain Python fills faster than arrays

Arcs: TypeAlias = list[str | None]
"""The distinct words of a slot in the order of the sequences; None for silence."""
Steps: TypeAlias = list[tuple[int | None, int | None]]
"""Which word joins which slot, in order; None for a new slot, and for a slot that gets no word."""
Places: TypeAlias = tuple[int | None, ...]
"""For a slot, the place of the word of each sequence; None for silence."""


def slot_places(sequences: Sequence[Sequence[str]]) -> list[Places]:
    """The slots of several sequences, aligned one after the other.

    >>> slot_places([["a", "b"], ["b", "c"]])
    [(0, None), (1, 0), (None, 1)]
    """
    places: list[Places] = [(place,) for place in range(len(sequences[0]))]
    arcs: list[Arcs] = [[word] for word in sequences[0]]
    for before, words in enumerate(sequences[1:], 1):
        steps = _align_to_slots(arcs, words)
        arcs = [_next_arcs(arcs, slot, None if word is None else words[word]) for slot, word in steps]
        places = [(*((None,) * before if slot is None else places[slot]), word) for slot, word in steps]
    return places


def _next_arcs(arcs: Sequence[Arcs], slot: int | None, word: str | None) -> Arcs:
    """The arcs of a slot after a word, or silence, has joined it."""
    known: Arcs = [None] if slot is None else arcs[slot]
    return known if word in known else [*known, word]


def _align_to_slots(arcs: Sequence[Arcs], words: Sequence[str]) -> Steps:
    """The cheapest alignment; among equals, the one that the trace back from the end finds first."""
    if len(arcs) * len(words) > MOST_CELLS:
        raise UsageError(f"an utterance of {len(words):,} words is too long to align: cut it at pauses")
    first, slots, places = _agreed_ends(arcs, words)
    before: Steps = [(place, place) for place in range(first)]
    after: Steps = list(zip(range(slots, len(arcs)), range(places, len(words)), strict=True))
    steps = _align_different(arcs[first:slots], words[first:places])
    between: Steps = [
        (None if slot is None else first + slot, None if place is None else first + place) for slot, place in steps
    ]
    return [*before, *between, *after]


def _align_different(arcs: Sequence[Arcs], words: Sequence[str]) -> Steps:
    """The cheapest alignment of what does not agree at its ends."""
    if not arcs:
        return [(None, place) for place in range(len(words))]
    if not words:
        return [(slot, None) for slot in range(len(arcs))]
    if _are_substitutions(arcs, words):
        return [(place, place) for place in range(len(words))]
    costs = _small_costs(arcs, words) if len(arcs) * len(words) <= FEW_CELLS else _large_costs(arcs, words)
    return _trace_back(arcs, words, costs)


def _are_substitutions(arcs: Sequence[Arcs], words: Sequence[str]) -> bool:
    """Whether as many slots as words agree in the same places alone: then a new slot, and a slot without a word, cost
    more than they save.
    """
    if len(arcs) != len(words):
        return False
    known = [arc for slot_arcs in arcs for arc in slot_arcs]
    return None not in known and all(
        known.count(word) == (word in slot_arcs) for word, slot_arcs in zip(words, arcs, strict=True)
    )


def _agreed_ends(arcs: Sequence[Arcs], words: Sequence[str]) -> tuple[int, int, int]:
    """How many slots and words at the beginning certainly belong together, and where those at the end begin.

    At the end, nothing is cheaper or comes earlier than to join the first arc of a slot without silence. At the
    beginning, nothing is as cheap as to join the only arc of a slot by a word that is nowhere else.
    """
    slots, places = len(arcs), len(words)
    while slots and places and arcs[slots - 1][0] == words[places - 1] and None not in arcs[slots - 1]:
        slots, places = slots - 1, places - 1
    first = 0
    if slots and places and arcs[0] == [words[0]]:
        known = [arc for slot_arcs in arcs[:slots] for arc in slot_arcs]
        while (
            first < min(slots, places)
            and arcs[first] == [words[first]]
            and known.count(words[first]) == words[:places].count(words[first]) == 1
        ):
            first += 1
    return first, slots, places


def _small_costs(arcs: Sequence[Arcs], words: Sequence[str]) -> list[list[list[int]]]:
    """As `_large_costs`, in plain Python."""
    before = list(range(0, (len(words) + 1) * GAP, GAP))
    costs = [[before]]
    for slot_arcs in arcs:
        rows = [_small_row(before, arc, words) for arc in slot_arcs]
        before = rows[0]
        for row in rows[1:]:
            before = [cost if cost < other else other for cost, other in zip(before, row, strict=True)]
        costs.append(rows)
    return costs


def _small_row(before: Sequence[int], arc: str | None, words: Sequence[str]) -> list[int]:
    """The lowest cost of passing a slot through an arc, after each number of words."""
    passing, joining = _passing(arc), _joining(arc, None)
    lowest = before[0] + passing
    row = [lowest]
    for word, diagonal, above in zip(words, before, before[1:]):  # noqa: B905 - the first is one longer
        lowest += GAP
        lowest = min(lowest, above + passing)
        cost = diagonal if word == arc else diagonal + joining
        lowest = min(lowest, cost)
        row.append(lowest)
    return row


def _large_costs(arcs: Sequence[Arcs], words: Sequence[str]) -> list[Any]:
    """For every slot, after an initial one: (arcs, words + 1), the lowest cost of passing it through an arc."""
    of_word: Mapping[str | None, list[int]] = key_positions(words)
    insertions = np.arange(len(words) + 1, dtype=np.int64) * GAP
    costs = [insertions[None, :]]
    for slot_arcs in arcs:
        before = costs[-1].min(axis=0)
        rows = []
        for arc in slot_arcs:
            best = before + _passing(arc)
            pair = np.full(len(words), _joining(arc, None), np.int64)
            pair[of_word.get(arc, [])] = 0
            best[1:] = np.minimum(best[1:], before[:-1] + pair)
            rows.append(np.minimum.accumulate(best - insertions) + insertions)
        costs.append(np.stack(rows))
    return costs


def _passing(arc: str | None) -> int:
    return SILENT if arc is None else GAP


def _joining(arc: str | None, word: str | None) -> int:
    """The cost of a word joining a slot through an arc with another word, or with silence."""
    return GAP if arc is None else 0 if arc == word else SUBSTITUTION


def _trace_back(arcs: Sequence[Arcs], words: Sequence[str], costs: Sequence[Any]) -> Steps:
    """The steps of the cheapest path."""
    steps: Steps = []
    slot, word = len(arcs), len(words)
    arc = _cheapest(costs[slot], word)
    while slot or word:
        rows = costs[slot]
        cost = rows[arc][word]
        name = arcs[slot - 1][arc] if slot else None
        if slot and word and cost == _lowest(costs[slot - 1], word - 1) + _joining(name, words[word - 1]):
            slot, word = slot - 1, word - 1
            steps.append((slot, word))
        elif word and cost == rows[arc][word - 1] + GAP:
            word -= 1
            steps.append((None, word))
            continue  # stay on the same arc
        else:
            slot -= 1
            steps.append((slot, None))
        arc = _cheapest(costs[slot], word)
    return steps[::-1]


def _lowest(rows: Any, word: int) -> Any:
    return rows[0][word] if len(rows) == 1 else min(row[word] for row in rows)


def _cheapest(rows: Any, word: int) -> int:
    """The arc of the lowest cost; among equals, the one of the first sequence."""
    return 0 if len(rows) == 1 else min(range(len(rows)), key=lambda arc: rows[arc][word])
