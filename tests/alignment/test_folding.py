"""Folding: what aligning looks at, and where each character comes from."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from aune.alignment.folding import fold_text

TEXTS = st.text(st.sampled_from("aÉß 'ʼ’\"«»–—-\n\t\u00a0ﬁŒ中文กัن́😀İ.`("), max_size=30)


@given(TEXTS)
def test_every_character_has_an_origin_in_order(text: str) -> None:
    it = fold_text(text)
    assert len(it.origin) == len(it.characters)
    assert (it.origin[1:] >= it.origin[:-1]).all()
    assert not any(character.isspace() for character in it.characters)


@given(TEXTS)
def test_words_are_the_characters_in_order(text: str) -> None:
    it = fold_text(text)
    assert "".join(it.forms) == it.characters
    assert all(it.forms)


@given(TEXTS)
def test_composition_and_case_change_nothing(text: str) -> None:
    plain = fold_text(text).characters
    assert fold_text(unicodedata.normalize("NFD", text)).characters == plain
    assert fold_text(unicodedata.normalize("NFC", text)).characters == plain


def test_ways_of_writing_one_thing() -> None:
    assert fold_text("``Don't -- -LRB-he said-RRB- ''").characters == fold_text("“don’t — (he said)”").characters


def test_scripts_without_spaces_have_a_word_per_character() -> None:
    assert fold_text("東京 tower").forms == ["東", "京", "tower"]


def test_a_stretch_is_found_by_its_characters_in_the_text() -> None:
    text = "« Été »"
    first, last = fold_text(text).folded_range(text.index("É"), text.index("É") + 3)
    assert fold_text(text).characters[first:last] == "ete"
