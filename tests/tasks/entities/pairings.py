"""Every one-to-one pairing of things that share text, one after the other: what the fast pairings are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Triple = tuple[int, int, str]
WRONG = {"correct": 0, "type": 2, "subtype": 1, "boundary": 1, "type_boundary": 3, "subtype_boundary": 2}


def kind_of(key: Triple, response: Triple) -> str:
    """What is wrong in a pair, said in words."""
    label = "" if key[2] == response[2] else "subtype" if key[2].split(".")[0] == response[2].split(".")[0] else "type"
    boundary = "" if key[:2] == response[:2] else "boundary"
    return "_".join(filter(None, [label, boundary])) or "correct"


def meet(item: Any, other: Any) -> int:
    return max(0, min(item[1], other[1]) - max(item[0], other[0]))


def all_pairings(keys: list[Any], responses: list[Any]) -> Iterator[list[tuple[int, int]]]:
    """Every set of one-to-one pairs of things that share text."""

    def grow(first: int, used: frozenset[int]) -> Iterator[list[tuple[int, int]]]:
        if first == len(keys):
            yield []
            return
        for rest in grow(first + 1, used):
            yield rest
        for index, response in enumerate(responses):
            if index not in used and meet(keys[first], response):
                for rest in grow(first + 1, used | {index}):
                    yield [(first, index), *rest]

    yield from grow(0, frozenset())


def best_pairings(
    keys: list[Triple], responses: list[Triple], gain: dict[str, float]
) -> list[list[tuple[Triple, Triple]]]:
    """The pairings of spans with the largest gain, those with the fewest wrong properties among them."""

    def quality(pairs: list[tuple[Triple, Triple]]) -> tuple[float, int]:
        kinds = [kind_of(*pair) for pair in pairs]
        alone = len(keys) + len(responses) - 2 * len(pairs)
        return -sum(gain[kind] for kind in kinds), sum(WRONG[kind] for kind in kinds) + 4 * alone

    pairings = [[(keys[a], responses[b]) for a, b in pairs] for pairs in all_pairings(keys, responses)]
    best = min(map(quality, pairings))
    return [pairs for pairs in pairings if quality(pairs) == best]
