from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from tests.tasks.entities.conlleval import begins, chunks, figures

ACCURACY = measure("entities.token_accuracy")
TAGS = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])


def test_nested_labels_must_all_be_right() -> None:
    key = {"tokens": list("abcd"), "spans": [(0, 3, "A"), (1, 2, "B")]}
    score = ACCURACY({"d": key}, {"d": {"tokens": list("abcd"), "spans": [(0, 3, "A")]}})
    assert (score.accuracy, score.entity_accuracy) == (3 / 4, 2 / 3)


def test_documents_do_not_touch() -> None:
    score = ACCURACY({"a": ["B-A"], "b": ["B-A", "O"]}, {"a": ["B-A"], "b": ["B-B", "O"]})
    assert score.counts == {"right": 2, "tokens": 3, "entity_right": 1, "entity_tokens": 2}


Sentences = list[list[tuple[str, str]]]


@given(st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=6), min_size=1, max_size=4))
def test_conlleval_legal_or_not(sentences: Sentences) -> None:
    """Tags as they are written: an I-A that opens an entity is not B-A."""
    key = [[item for item, _ in sentence] for sentence in sentences]
    response = [[other for _, other in sentence] for sentence in sentences]
    expected = figures(key, response)
    assert ACCURACY(key, response).counts == {
        "right": expected.correct_tags, "tokens": expected.tokens,
        "entity_right": expected.correct_tags_in_chunks, "entity_tokens": expected.tokens_in_chunks,
    }  # fmt: skip


def test_an_illegal_tag_is_another_tag() -> None:
    assert ACCURACY(["B-A", "I-A"], ["I-A", "I-A"]).accuracy == 0.5
    assert ACCURACY([(0, 2, "A")], [(0, 2, "A")]).accuracy == 1.0


def test_only_the_labels_that_count() -> None:
    score = ACCURACY(["B-A", "B-B", "O"], ["B-A", "O", "B-C"], labels=("A",))
    assert score.counts == {"right": 3, "tokens": 3, "entity_right": 1, "entity_tokens": 1}
    assert ACCURACY(["B-loc.x"], ["B-LOC.y"], case="fold", depth=1).accuracy == 1.0


@given(st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=6), min_size=1, max_size=4))
def test_spans_and_legal_tags_agree(sentences: Sentences) -> None:
    """Without tags in the file, tokens are compared as if they had IOB2 tags."""

    def spans(which: int) -> dict[str, object]:
        tags = [[pair[which] for pair in sentence] for sentence in sentences]
        result, base = [], 0
        for sentence in tags:
            result += [(base + start - 1, base + end, kind) for start, end, kind in chunks(sentence)]
            base += len(sentence)
        return {"tokens": ["x"] * base, "spans": result}

    def legal(tags: list[str]) -> list[str]:
        return [f"B-{tag[2:]}" if begins(before, tag) else tag for before, tag in zip(["O", *tags], tags, strict=False)]

    key, response = ([legal([pair[which] for pair in sentence]) for sentence in sentences] for which in (0, 1))
    expected = figures(key, response)
    found = ACCURACY({"d": spans(0)}, {"d": spans(1)}).counts
    assert (found["right"], found["entity_right"]) == (expected.correct_tags, expected.correct_tags_in_chunks)
