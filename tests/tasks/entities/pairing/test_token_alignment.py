"""A response that lost or gained tokens is laid on the key's; other texts are refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract.registry import measure
from aune.errors import InputError
from aune.tasks.entities.pairing.token_alignment import align_tokens

F = measure("entities.f_measure")
WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=4, max_size=12)


def write_text(sentences: list[list[tuple[str, str]]]) -> str:
    return "\n".join("".join(f"{word}\t{tag}\n" for word, tag in sentence) for sentence in sentences)


def score_sides(tmp_path: Path, key: Any, response: Any, **options: Any) -> aune.Result:
    for name, sentences in (("key", key), ("response", response)):
        (tmp_path / f"{name}.conll").write_text(write_text(sentences), encoding="utf-8")
    files = str(tmp_path / "key.conll"), str(tmp_path / "response.conll")
    return aune.score("entities", *files, measures=["f_measure", "token_accuracy"], **options)


TEXT = [
    [("John", "B-PER"), ("Smith", "I-PER"), ("sleeps", "O"), ("in", "O"), ("Paris", "B-LOC"), (".", "O")],
    [("Mary", "B-PER"), ("does", "O"), ("not", "O"), ("at", "O"), ("IBM", "B-ORG"), (".", "O")],
]


def test_one_token_missing_moves_nothing(tmp_path: Path) -> None:
    response = [[word for word in TEXT[0] if word[0] != "sleeps"], TEXT[1]]
    result = score_sides(tmp_path, TEXT, response)
    assert result["f_measure"].f1 == 1.0
    assert result["token_accuracy"].accuracy == 11 / 12, "the token that is not there has no tag"
    assert any("matched where their tokens stand in the key" in warning for warning in result.warnings)


def test_an_entity_over_added_tokens_is_an_insertion(tmp_path: Path) -> None:
    response = [[*TEXT[0], ("Rome", "B-LOC")], TEXT[1]]
    assert score_sides(tmp_path, TEXT, response)["f_measure"].counts == {
        "key_correct": 4, "key": 4, "response_correct": 4, "response": 5,
    }  # fmt: skip


def test_an_entity_cut_otherwise_keeps_its_place(tmp_path: Path) -> None:
    response = [[*TEXT[0][:4], ("Pa", "B-LOC"), ("ris", "I-LOC"), TEXT[0][5]], TEXT[1]]
    assert score_sides(tmp_path, TEXT, response)["f_measure"].f1 == 1.0


def test_another_text_is_refused(tmp_path: Path) -> None:
    response = [[(word, "O") for word in ("quite", "another", "text", "that", "nobody", "knows", "yet")]]
    with pytest.raises(InputError, match="expected the key's"):
        score_sides(tmp_path, TEXT, response)


def test_the_same_shape_with_other_words_is_said(tmp_path: Path) -> None:
    response = [[(word.upper(), tag) for word, tag in sentence] for sentence in TEXT]
    result = score_sides(tmp_path, TEXT, response)
    assert result["f_measure"].f1 == 1.0
    assert any("tokens differ from the key's" in warning for warning in result.warnings)


def longest_common(key: list[str], response: list[str]) -> int:
    """How long a longest common subsequence is, by the book."""
    table = np.zeros((len(key) + 1, len(response) + 1), int)
    for i, item in enumerate(key, 1):
        for j, other in enumerate(response, 1):
            table[i, j] = max(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1] + (item == other))
    return int(table[-1, -1])


@given(WORDS, WORDS)
def test_places_keep_the_order_and_all_that_both_have(key: list[str], response: list[str]) -> None:
    common = longest_common(key, response)
    places = align_tokens(key, response)
    if 2 * common < min(len(key), len(response)):
        assert places is None
        return
    assert places is not None
    is_present = places.first >= 0
    assert (np.diff(places.first[is_present]) >= 0).all() and (places.last >= places.first).all()
    assert (places.first[is_present][1:] >= places.last[is_present][:-1]).all()
    same = [key[place] == word for place, word in zip(places.first, response, strict=True) if place >= 0]
    assert sum(same) >= common


def test_wnut_with_one_token_missing(data: Path, tmp_path: Path) -> None:
    """F 39.98 of arcada fell to 0.11 when one token was missing."""
    folder = data / "entities" / "wnut17"
    lines = (folder / "arcada.conll").read_text(encoding="utf-8").split("\n")
    plain = [number for number, line in enumerate(lines) if line.split()[-1:] == ["O"]]
    for seed in range(3):
        gone = random.Random(seed).choice(plain[: len(plain) // 10])
        (tmp_path / "short.conll").write_text("\n".join(lines[:gone] + lines[gone + 1 :]), encoding="utf-8")
        result = aune.score(
            "entities", str(folder / "gold.conll"), str(tmp_path / "short.conll"), measures=["f_measure"]
        )
        assert f"{100 * result['f_measure'].f1:.2f}" == "39.98"
