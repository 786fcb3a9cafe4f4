"""Chains for languages beyond English and French."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.text.languages import NUMBER_LANGUAGES
from aune.tasks.speech.text.normalisation import Normaliser
from aune.tasks.speech.text.text_rules import TEXT_STEPS


@pytest.mark.parametrize(
    ("chain", "text", "expected"),
    [
        ("any", "¿Qué tal? ¡Olé, «niño»!", "qué tal olé niño"),
        ("any", "Привет, мир!", "привет мир"),
        ("any", "क्षमा करें।", "क्षमा करें"),
        ("any,diacritics", "Łódź déjà Ёлка", "łodz deja елка"),
        ("zh", "你好，世界 GPT4", "你 好 世 界 gpt4"),
        ("ja", "テストです。ｶﾞ", "テ ス ト で す ガ"),
        ("width", "ＡＢＣ １２", "ABC 12"),
        ("nfd,characters", "é", "e \u0301"),
        ("nfc,characters", "e\u0301", "é"),
    ],
)
def test_by_hand(chain: str, text: str, expected: str) -> None:
    assert " ".join(Normaliser(chain)(text.split())[0]) == expected


def test_letters_of_thai_and_khmer_keep_their_marks() -> None:
    pytest.importorskip("regex", reason="regex is not installed")
    assert Normaliser("th")(["กี่ที่", "น้ำ"])[0] == ["กี่", "ที่", "น้ำ"]
    clusters = Normaliser("km")(["ខ្មែរ"])[0]
    assert "".join(clusters) == "ខ្មែរ" and all(unicodedata.category(cluster[0]) == "Lo" for cluster in clusters)


@pytest.mark.parametrize("language", NUMBER_LANGUAGES)
def test_numbers_are_those_of_num2words(language: str) -> None:
    spell = pytest.importorskip("num2words", reason="num2words is not installed").num2words
    words = Normaliser(f"numbers-{language}")(["x", "21", "105,"])[0]
    expected = [part for number in (21, 105) for part in spell(number, lang=language).lower().split()]
    assert "".join(words).replace("-", "") == "x" + "".join(expected).replace("-", "").replace(",", "")


def test_the_chain_is_signed() -> None:
    result = aune.score("speech", ["你好 世界"], ["你好世间"], measures=["wer"], normalise="zh")["wer"]
    assert result.wer == 0.25 and result.signature.options["normalise"] == "zh"


PARTS = [
    "B.B.C.", "b", "wi fi", "e mail", "$20", "twenty one", "(laugh)", "(you know)", "um", "p m", "colour", "l'été",
    "déjà-vu", "'s", "-", "…", "½", "น้ำ", "हिन्दी", "5 G",
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=7))
@pytest.mark.parametrize("chain", [*TEXT_STEPS, "any", "zh", "ja", "th", "km"])
def test_words_of_every_chain_know_where_they_come_from(chain: str, texts: list[str]) -> None:
    pytest.importorskip("whisper_normalizer", reason="whisper-normalizer is not installed")
    words = " ".join(texts).split()
    result, places = Normaliser(chain)(words)
    assert len(result) == len(places) and list(places) == sorted(places) and all(result)
    assert all(0 <= place < len(words) for place in places)
