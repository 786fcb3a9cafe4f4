from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.core.registry import measure

ACCURACY = measure("entities.token_accuracy")
TAGS = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])


def test_nested_labels_must_all_be_right() -> None:
    key = {"tokens": list("abcd"), "spans": [(0, 3, "A"), (1, 2, "B")]}
    found = ACCURACY({"d": key}, {"d": {"tokens": list("abcd"), "spans": [(0, 3, "A")]}})
    assert (found.accuracy, found.entity_accuracy) == (3 / 4, 2 / 3)


def test_documents_do_not_touch() -> None:
    found = ACCURACY({"a": ["B-A"], "b": ["B-A", "O"]}, {"a": ["B-A"], "b": ["B-B", "O"]})
    assert found.counts == {"right": 2, "tokens": 3, "entity_right": 1, "entity_tokens": 2}


@given(st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=6), min_size=1, max_size=4))
def test_is_the_share_of_equal_tags(sentences: list[list[tuple[str, str]]]) -> None:
    """After the repair of orphan I- tags, equal tags and right tokens are the same thing."""

    def repaired(tags: list[str]) -> list[str]:
        fixed: list[str] = []
        for tag in tags:
            before = fixed[-1] if fixed else "O"
            fixed.append(f"B-{tag[2:]}" if tag[0] == "I" and before[2:] != tag[2:] else tag)
        return fixed

    key = [[one for one, _ in sentence] for sentence in sentences]
    response = [[other for _, other in sentence] for sentence in sentences]
    equal = sum(
        a == b for k, r in zip(key, response, strict=True) for a, b in zip(repaired(k), repaired(r), strict=True)
    )
    assert ACCURACY(key, response).counts["right"] == equal
