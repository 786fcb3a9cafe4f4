"""Values in a text: whatever hand wrote them, and wherever the text was cut off."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.syntax.literals import Cut, complete_value, items_of, values

STRINGS = st.text(st.sampled_from("aé '\\,[]{}:#/\n😀“”"), max_size=5)
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(["text", "label", "n_1"]), STRINGS | st.integers(-9, 9) | st.none(), max_size=3),
    max_size=4,
)


def in_javascript(items: list[dict[str, Any]]) -> str:
    rows = (", ".join(f"{name}: {json.dumps(value)}" for name, value in item.items()) for item in items)
    return f"[ // items\n{','.join(f'{{{row}}} /* one */ ' for row in rows)} # end\n]"


def in_full_width(items: list[dict[str, Any]]) -> str:
    rows = ("，".join(f"＂{name}＂： {json.dumps(value)} " for name, value in item.items()) for item in items)
    return f"［{'，'.join(f'｛{row}｝' for row in rows)}］"


@pytest.mark.parametrize("written", [json.dumps, repr, in_javascript, in_full_width])
@given(items=ITEMS)
def test_every_hand_is_read(written: Any, items: list[dict[str, Any]]) -> None:
    assert [value for _, _, value in values(f"Sure: {written(items)}.")] == [items]


@pytest.mark.parametrize("written", [json.dumps, repr, in_javascript, in_full_width])
@settings(max_examples=30)
@given(items=ITEMS)
def test_a_text_cut_off_keeps_whole_items_and_makes_nothing_up(written: Any, items: list[dict[str, Any]]) -> None:
    text = written(items)
    for end in range(1, len(text)):
        [(_, _, value)] = values(text[:end])
        complete, begun = items_of(value)
        assert isinstance(value, Cut) or complete_value(value) == items
        assert complete == items[: len(complete)]
        assert len(complete) + begun <= len(items) and begun <= 1


def test_curly_quotes_end_where_they_close() -> None:
    [(_, _, value)] = values('[“a "b" c”, ‘it\'s’, 「東京」]')
    assert value == ['a "b" c', "it's", "東京"]


def test_what_is_no_literal_is_passed_over() -> None:
    assert [value for _, _, value in values("see [note: x], {y} and [f(1)] but [2]")] == [[2]]
