from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure

SENTENCES = measure("tagging.ud_sentences")
STARTS = st.lists(st.integers(1, 7), max_size=4, unique=True).map(lambda starts: [0, *sorted(starts)])


@given(STARTS, STARTS)
def test_sentences_over_the_same_words(key: list[int], response: list[int]) -> None:
    words = list("abcdefgh")

    def stretches(starts: list[int]) -> set[tuple[int, int]]:
        return set(zip(starts, [*starts[1:], len(words)], strict=True))

    left, right = stretches(key), stretches(response)
    given_key, given_response = ({"words": words, "tags": ["X"] * 8, "sentences": side} for side in (key, response))
    result = SENTENCES(given_key, given_response).counts
    assert result == {"correct": len(left & right), "key": len(left), "response": len(right)}
