"""Plain Python as documents, and what describe and check say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aune import score
from aune.errors import UsageError
from aune.tasks.tagging.model import (
    CodedColumn,
    check,
    concatenate,
    content_counts,
    default_measures,
    describe,
    documents,
    empty,
)


@pytest.mark.parametrize(
    "plain",
    [
        [("le", "D"), ("chat", ["N", "V"])],
        {"document": [("le", "D"), ("chat", ("N", "V"))]},
        {"words": ["le", "chat"], "tags": ["D", "N|V"]},
        [{"form": "le", "tag": "D"}, {"form": "chat", "tag": ["N", "V"]}],
    ],
)
def test_plain_python(plain: Any) -> None:
    [document] = documents(plain)
    assert document.words.values() == ["le", "chat"] and document.columns["tag"].values() == ["D", "N|V"]
    assert documents(document) == [document] and documents([document]) == [document]


@pytest.mark.parametrize("plain", [["le chat"], [("a", "b", "c")], {"words": ["a"], "tags": []}, [3], [("", "N")]])
def test_something_else(plain: Any) -> None:
    with pytest.raises(UsageError, match=r"^(document 'document': )?found .*, expected "):
        documents(plain)


def test_describe() -> None:
    result = describe(documents({"words": ["la", "x", "y"], "tags": ["D|P", "_", "D"], "compounds": [[0, 2, "N"]]}))
    assert result["tags"] == 2 and result["most frequent tags"] == "D 2, P 1"
    assert result["words with several tags"] == 1 and result["words without a tag"] == 1
    assert result["compounds"] == 1 and result["words"] == 3
    assert content_counts(documents({"words": ["a"], "tags": ["N"], "lemma": ["a"]})) == {"lemma": 1}
    assert content_counts(documents([("a", "N|V"), ("b", "N")])) == {"alternatives": 1}


def test_the_usual_measures_are_those_of_the_columns() -> None:
    assert default_measures(documents([("a", "N")])) == {"precision_decision", "accuracy", "ud_words"}
    assert default_measures(documents([{"form": "a", "upos": "X", "xpos": "_"}])) >= {"upos"}
    assert [item.name for item in score("tagging", [("a", "N")], [("a", "N")])] == [
        "tagging.precision_decision",
        "tagging.accuracy",
        "tagging.ud_words",
    ]


def test_check() -> None:
    [problem] = check(documents([("a", "N"), ("b", "_")]))
    assert str(problem) == "document:1:1: found the word 'b' without a tag, expected one: add its tag"


def test_empty() -> None:
    [document] = documents([("a", "N")])
    assert len(empty(document)) == 0 and list(empty(document).columns) == ["tag"]


def test_joined_shares_names() -> None:
    result = concatenate([CodedColumn(np.array([1, 0]), ("x", "y")), CodedColumn(np.array([0]), ("y",))])
    assert result.values() == ["y", "x", "y"]
