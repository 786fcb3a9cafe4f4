"""Trees over words that both sides have: heads in terms of the key's words."""

from __future__ import annotations

from aune.tasks.tagging.comparison import compare
from aune.tasks.tagging.model import documents
from aune.tasks.tagging.trees import UNKNOWN, trees_of


def test_heads_of_the_response_are_words_of_the_key() -> None:
    key = documents([{"form": "ab", "head": 2, "deprel": "det"}, {"form": "c", "head": 0, "deprel": "root"}])
    response = documents([
        {"form": "a", "head": 3, "deprel": "x"}, {"form": "b", "head": 1, "deprel": "x"},
        {"form": "c", "head": 0, "deprel": "root"},
    ])  # fmt: skip
    trees = trees_of(compare([(key[0], response[0])]))
    assert trees.heads[0].tolist() == [1, -1]
    assert trees.heads[1].tolist() == [1, UNKNOWN, -1]
    assert trees.head_right.tolist() == [True] and trees.relation_right.tolist() == [True]
    assert trees_of(trees.comparison) is trees, "made once"


def test_documents_keep_their_heads_apart() -> None:
    rows = [{"form": "a", "head": 0, "deprel": "root"}, {"form": "b", "head": 1, "deprel": "obj"}]
    both = documents({"x": rows, "y": rows})
    trees = trees_of(compare(list(zip(both, both, strict=True))))
    assert trees.heads[0].tolist() == [-1, 0, -1, 2] and trees.head_right.all()
