"""Edits touch nothing but what they change, whatever the encoding and the line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.reading.source import Source
from aune.syntax.edits import Edits

TEXTS = st.text(st.sampled_from("ab\n\r 😀é\u0301\ufeff"), max_size=30)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])


@given(TEXTS, ENCODINGS)
def test_no_edit_is_no_change(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert Edits(Source("x", data)).apply() == data


@given(TEXTS, ENCODINGS, st.integers(0, 30), st.integers(0, 5), st.sampled_from(["", "X", "😀\n"]))
def test_an_edit_is_read_back(text: str, encoding: str, start: int, length: int, new: str) -> None:
    source = Source("x", text.encode(encoding))
    start = min(start, len(source.text))
    end = min(start + length, len(source.text))
    edits = Edits(source)
    edits.replace(start, end, new)
    after = Source("x", edits.apply()).text
    if source.text[start - 1 : start] != "\n" and source.text[end : end + 1] != "\n":  # a lone \r could meet a \n
        assert after == source.text[:start] + new + source.text[end:]


def test_insertions_at_one_place_go_by_rank() -> None:
    edits = Edits(Source("x", b"ab"))
    edits.insert(1, "2", (2,))
    edits.insert(1, "1", (1,))
    edits.replace(1, 2, "c")
    assert edits.apply() == b"a12c"


def test_overlapping_edits_are_a_mistake() -> None:
    edits = Edits(Source("x", b"abcd"))
    edits.replace(0, 3, "x")
    edits.replace(2, 4, "y")
    with pytest.raises(ValueError, match="overlap"):
        edits.apply()
