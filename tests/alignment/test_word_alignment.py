"""Where characters of a response lie in the key."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.alignment.folding import fold_text
from aune.alignment.word_alignment import correspondence

TEXTS = st.lists(
    st.sampled_from(["the", "dog", "Dogs", "sleeps", "can", "not", "cannot", "x", ",", "東京"]), max_size=15
).map(" ".join)


@given(TEXTS, TEXTS)
def test_places_increase_and_lie_in_the_key(key: str, response: str) -> None:
    left, right = fold_text(key), fold_text(response)
    result = correspondence(left, right)
    is_present = result.starts >= 0
    assert (result.ends[is_present] > result.starts[is_present]).all()
    assert (result.ends[is_present] <= len(left.characters)).all()
    assert (result.starts[is_present][1:] >= result.starts[is_present][:-1]).all()
    assert ((result.support >= 0) & (result.support <= 1)).all()
    assert 0 <= result.key_coverage <= 1
    assert 0 <= result.response_coverage <= 1


def test_common_words_of_an_unrelated_passage_are_not_believed() -> None:
    key = fold_text("it was the best of times it was the worst of times it was the age of wisdom")
    response = fold_text("call me ishmael the years ago never mind how long of precisely having little money")
    assert correspondence(key, response).support.max() < 0.5
