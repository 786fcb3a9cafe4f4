"""Folding: what aligning looks at, and where each character comes from."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from aune.alignment.folding import folded

TEXTS = st.text(st.sampled_from("aÉß 'ʼ’\"«»–—-\n\t\u00a0ﬁŒ中文กัن́😀İ.`("), max_size=30)


@given(TEXTS)
def test_every_character_has_an_origin_in_order(text: str) -> None:
    it = folded(text)
    assert len(it.origin) == len(it.characters)
    assert (it.origin[1:] >= it.origin[:-1]).all()
    assert not any(character.isspace() for character in it.characters)


@given(TEXTS)
def test_words_are_the_characters_in_order(text: str) -> None:
    it = folded(text)
    assert "".join(it.forms) == it.characters
    assert all(it.forms)


@given(TEXTS)
def test_composition_and_case_change_nothing(text: str) -> None:
    plain = folded(text).characters
    assert folded(unicodedata.normalize("NFD", text)).characters == plain
    assert folded(unicodedata.normalize("NFC", text)).characters == plain


def test_ways_of_writing_one_thing() -> None:
    assert folded("``Don't -- -LRB-he said-RRB- ''").characters == folded("“don’t — (he said)”").characters


def test_scripts_without_spaces_have_a_word_per_character() -> None:
    assert folded("東京 tower").forms == ["東", "京", "tower"]


def test_a_stretch_is_found_by_its_characters_in_the_text() -> None:
    text = "« Été »"
    first, last = folded(text).within(text.index("É"), text.index("É") + 3)
    assert folded(text).characters[first:last] == "ete"
