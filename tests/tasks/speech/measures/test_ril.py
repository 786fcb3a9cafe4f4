"""RIL by confusion matrices worked out by hand, and by a slow second implementation."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

import aune


def values(key: list[str], response: list[str], *names: str) -> list[float | None]:
    result = aune.score("speech", key, response, measures=list(names))
    return [result[name].main for name in names]


def test_ril_by_hand() -> None:
    """Pairs (a,a) (a,b) (b,b) (c,∅) (∅,a): H(Y|X) and H(Y) from the matrix

          a    b    ∅
    a     1    1
    b          1
    c               1
    ∅     1
    """
    key, response = ["a", "a", "b", "c", ""], ["a", "b", "b", "", "a"]
    conditional = 2 / 5 * math.log(2)
    alone = -(2 * 2 / 5 * math.log(2 / 5) + 1 / 5 * math.log(1 / 5))
    assert values(key, response, "ril")[0] == pytest.approx(conditional / alone)


def test_ril_of_a_systematic_error_is_nothing() -> None:
    assert values(["a b a c"], ["x b x c"], "ril")[0] == pytest.approx(0.0, abs=1e-12)


def test_ril_is_undefined_without_two_kinds_of_words() -> None:
    result = aune.score("speech", ["a a"], ["a a"], measures=["ril"])["ril"]
    assert result.ril is None and result.reasons["ril"] == "the response has fewer than two kinds of words"
    assert not result.measure.bootstrap


def slow_ril(pairs: list[tuple[str, str]]) -> float:
    joint = Counter(pairs)
    keys, responses = Counter(key for key, _ in pairs), Counter(response for _, response in pairs)
    total = len(pairs)
    conditional = -sum(n / total * math.log(n / keys[key]) for (key, _), n in joint.items())
    return conditional / -sum(n / total * math.log(n / total) for n in responses.values())


def test_ril_over_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """One word each, so that the alignment is known; chunks of seven change nothing."""
    import aune.evaluation.counting

    rng = random.Random(3)
    pairs = [(rng.choice("abcd"), rng.choice("abc")) for _ in range(50)]
    whole = values([key for key, _ in pairs], [response for _, response in pairs], "ril")[0]
    assert whole == pytest.approx(slow_ril(pairs))
    monkeypatch.setattr(aune.evaluation.counting, "CHUNK_SIZE", 7)
    assert values([key for key, _ in pairs], [response for _, response in pairs], "ril")[0] == pytest.approx(whole)
