"""Whisper's normaliser for any language, against the package, and the board's for other languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.speech.text.normalisation import Normaliser

TEXTS = [
    "Straße, Ünïcôdé — l’été (rires) déjà-vu [bruit] 12,5 %", "Привет, мир! Ёлка.", "これはテストです。", "क्षमा करें!",
    "ภาษาไทย", "Hvað er að frétta, Þór?", "ﬁne ② ½ (a b) c", "e\u0301t\u00e9 <unk> ğ İ", "한국어 ㈜",
]  # fmt: skip
LETTERS = "aéß(İ)[ <>]ｱ½é．,क्षภาは"


@pytest.fixture(scope="module")
def peer() -> Any:
    return pytest.importorskip("whisper_normalizer.basic", reason="whisper-normalizer is not installed")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("letters", [False, True])
def test_the_package_says_the_same(peer: Any, text: str, bare: bool, letters: bool) -> None:
    name = f"whisper-basic{'-no-diacritics' * bare}{'-letters' * letters}"
    expected = peer.BasicTextNormalizer(remove_diacritics=bare, split_letters=letters)(text).split()
    assert Normaliser(name)(text.split())[0] == expected


@given(st.text(LETTERS, max_size=12))
def test_the_package_says_the_same_of_random_texts(peer: Any, text: str) -> None:
    assert Normaliser("whisper-basic")(text.split())[0] == peer.BasicTextNormalizer()(text).split()
    bare = peer.BasicTextNormalizer(remove_diacritics=True)(text).split()
    assert Normaliser("whisper-basic-no-diacritics")(text.split())[0] == bare


def test_the_samples_of_the_board(data: Path) -> None:
    samples = json.loads((data / "speech" / "open-asr" / "samples-multilingual.json").read_text("utf-8"))
    names = {
        "multilingual": "open-asr-multilingual", "multilingual_keep": "open-asr-multilingual-diacritics",
        "basic": "whisper-basic", "basic_remove": "whisper-basic-no-diacritics",
    }  # fmt: skip
    for sample in samples:
        for field, name in names.items():
            assert Normaliser(name)(sample["text"].split())[0] == sample[field].split(), (name, sample["text"])


def test_words_know_where_they_come_from() -> None:
    words, places = Normaliser("whisper-basic")(["l'été", "(rires", "et", "bruits)", "déjà-vu"])
    assert list(zip(words, places, strict=True)) == [("l", 0), ("été", 0), ("déjà", 4), ("vu", 4)]
