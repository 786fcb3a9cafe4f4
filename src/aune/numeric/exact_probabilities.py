"""Probabilities by whole numbers: the same to the last bit, whatever versions of numpy and scipy are there."""

from __future__ import annotations

from functools import lru_cache

EVEN_SPLIT_WEIGHT = (
    1 << 1100
)  # the weight of an even split: beside it, the least number that Python has is still a whole one


@lru_cache(10_000)
def sign_test(ahead: int, behind: int) -> float:
    """The probability of a split at least so uneven, when either side is as likely; 1 without any trial.

    Weights go from the even split to the ones that are too uneven to matter: a million trials have some ten thousand.

    >>> sign_test(0, 5), sign_test(8, 2), sign_test(0, 0)
    (0.0625, 0.109375, 1.0)
    """
    trials, weight, tail, total = ahead + behind, EVEN_SPLIT_WEIGHT, 0, 0
    for fewer in range(trials // 2, -1, -1):
        split_weight = weight if 2 * fewer == trials else 2 * weight  # either side may be the one with fewer
        total += split_weight
        tail += split_weight if fewer <= min(ahead, behind) else 0
        weight = weight * fewer // (trials - fewer + 1)
        if not weight:
            break
    return tail / total
