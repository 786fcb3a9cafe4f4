"""conlleval once more, token by token and with nothing clever: the rules of its manual for B, I and O.

A chunk begins at a B, at an I after O, and at an I of another type than the tag before; it ends before the next
beginning and before O. A sentence end counts as O. Accuracy compares tags as they are written.
"""

from __future__ import annotations

from typing import NamedTuple


class Figures(NamedTuple):
    """What conlleval counts."""

    correct_chunks: int
    key_chunks: int
    response_chunks: int
    correct_tags: int
    tokens: int
    correct_tags_in_chunks: int
    tokens_in_chunks: int


def split(tag: str) -> tuple[str, str]:
    prefix, _, kind = tag.partition("-")
    return prefix, kind


def begins(before: str, tag: str) -> bool:
    (was, kind_before), (now, kind) = split(before), split(tag)
    if now == "O":
        return False
    return now == "B" or was == "O" or kind != kind_before


def ends(tag: str, after: str) -> bool:
    return tag != "O" and (split(after)[0] == "O" or begins(tag, after))


def chunks(tags: list[str]) -> set[tuple[int, int, str]]:
    padded = ["O", *tags, "O"]
    result, start = set(), 0
    for place in range(1, len(padded) - 1):
        if begins(padded[place - 1], padded[place]):
            start = place
        if ends(padded[place], padded[place + 1]):
            result.add((start, place, split(padded[place])[1]))
    return result


def figures(key: list[list[str]], response: list[list[str]]) -> Figures:
    totals = [0] * 7
    for expected, actual in zip(key, response, strict=True):
        left, right = chunks(expected), chunks(actual)
        same = [first == other for first, other in zip(expected, actual, strict=True)]
        inside = [tag != "O" for tag in expected]
        numbers = (
            len(left & right), len(left), len(right), sum(same), len(same),
            sum(a and b for a, b in zip(same, inside, strict=True)), sum(inside),
        )  # fmt: skip
        totals = [total + number for total, number in zip(totals, numbers, strict=True)]
    return Figures(*totals)
