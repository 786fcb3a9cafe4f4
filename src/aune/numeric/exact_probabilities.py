"""Probabilities from whole numbers: the same to the last bit with all versions of numpy and scipy."""

from __future__ import annotations

from functools import lru_cache

EVEN_SPLIT_WEIGHT = (
    1 << 1100
)  # the weight of an even split: relative to it, the smallest float of Python is still a whole number


@lru_cache(10_000)
def sign_test(ahead: int, behind: int) -> float:
    """The probability of a split that is at least as uneven, if both sides are equally likely; 1 without trials.

    Weights are added from the even split outwards until they no longer matter: some ten thousand for a million trials.

    >>> sign_test(0, 5), sign_test(8, 2), sign_test(0, 0)
    (0.0625, 0.109375, 1.0)
    """
    trials, weight, tail, total = ahead + behind, EVEN_SPLIT_WEIGHT, 0, 0
    for fewer in range(trials // 2, -1, -1):
        split_weight = weight if 2 * fewer == trials else 2 * weight  # either side may be the smaller one
        total += split_weight
        tail += split_weight if fewer <= min(ahead, behind) else 0
        weight = weight * fewer // (trials - fewer + 1)
        if not weight:
            break
    return tail / total
