"""The simple systems for entities: what they write is read and scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import score
from aune.baselines import baseline
from aune.errors import UsageError
from aune.tasks.entities.model import documents, make_document

KNOWN = documents(
    [("New", "B-LOC"), ("York", "I-LOC"), (".", "O"), ("Ann", "B-PER"), ("Ann", "B-PER"), ("Ann", "B-LOC")]
)
TEXT = [
    ("Then", "O"),
    ("Ann", "B-PER"),
    ("saw", "O"),
    ("New", "B-LOC"),
    ("York", "I-LOC"),
    ("and", "O"),
    ("Bo", "B-PER"),
]


def test_known_names_are_those_of_the_training() -> None:
    [response] = baseline("entities", "known_names")(documents(TEXT), training=KNOWN)
    assert response.triples() == [(1, 2, "PER"), (3, 5, "LOC")]
    assert score("entities", TEXT, [response])["f_measure"].recall == pytest.approx(2 / 3)


def test_the_longest_name_is_taken() -> None:
    known = documents([("New", "B-ORG"), (".", "O"), ("New", "B-LOC"), ("York", "I-LOC")])
    [response] = baseline("entities", "known_names")(
        documents([("New", "O"), ("York", "O"), ("New", "O")]), training=known
    )
    assert response.triples() == [(0, 2, "LOC"), (2, 3, "ORG")]


def test_texts_of_characters_have_words_too() -> None:
    text = make_document("d", [], unit="character", text="We saw Ann. New York, too.")
    [response] = baseline("entities", "known_names")([text], training=KNOWN)
    assert [text.excerpt(start, end) for start, end, _ in response.triples()] == ["Ann", "New York"]
    [response] = baseline("entities", "capitals")([text], label="X")
    assert [text.excerpt(start, end) for start, end, _ in response.triples()] == ["Ann", "York"]


def test_capitals_have_the_usual_label() -> None:
    [response] = baseline("entities", "capitals")(documents(TEXT), training=KNOWN)
    assert response.triples() == [(1, 2, "LOC"), (3, 5, "LOC"), (6, 7, "LOC")]


@pytest.mark.parametrize("name", ["known_names", "capitals"])
def test_without_training_it_says_what_it_needs(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--training"):
        baseline("entities", name)(documents(TEXT))
    bare = make_document("d", [], length=4)
    with pytest.raises(UsageError, match="positions only"):
        baseline("entities", name)([bare], training=KNOWN)
    path = tmp_path / "known.conll"
    path.write_text("Ann\tB-PER\n", "utf-8")
    assert baseline("entities", name)(documents(TEXT), training=str(path))[0].triples()[0] == (1, 2, "PER")
