"""Words in the characters that people see, in any script."""

from __future__ import annotations

import pytest

from aune.workbench.layout import WORD, layout_from_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("qu'elle a 1,200.5 F", "qu ' elle a 1,200.5 F"),
        ("cafe\u0301s", "cafe\u0301s"),
        ("हिन्दी में", "हिन्दी में"),
        ("مَرْحَبًا بك", "مَرْحَبًا بك"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("我们在GitHub上看3.5个。", "我 们 在 GitHub 上 看 3.5 个 。"),
        ("ที่นี่มี", "ที่ นี่ มี"),
        ("日本のテスト", "日 本 の テ ス ト"),
        ("한국어 책", "한국어 책"),
    ],
)
def test_words_of_a_plain_text(text: str, words: str) -> None:
    """Accents and vowel signs stay with their letter; where nobody writes blanks, each letter is a word."""
    assert WORD.findall(text) == words.split(" ")


@pytest.mark.parametrize(
    "text", ["他们来了。", "我 去 。 （ 你 呢 ？ ）", "The ( old ) man 's hat , isn't it ?", "d' Ann"]
)
def test_words_stand_where_the_layout_says(text: str) -> None:
    """Whatever is joined, every word is found at its place."""
    words = text.split(" ")
    layout = layout_from_words(words, [0], range(len(words)), [False] * len(words))
    assert [layout.characters[a:b] for a, b in zip(layout.starts, layout.ends, strict=True)] == words
    assert (
        layout.characters
        == {"我": "我去。（你呢？）", "他": text, "T": "The (old) man's hat, isn't it?", "d": "d'Ann"}[text[0]]
    )
