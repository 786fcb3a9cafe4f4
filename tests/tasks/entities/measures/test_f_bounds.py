"""Bounds of F: a case by hand, and every way to place the strings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from aune.tasks.entities.model import Document, Span, StringEntity, make_document

BOUNDS = measure("entities.f_bounds")
WORDS = ("Paris", "Ann", "met")
LABELS = ("PER", "LOC")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
STRINGS = st.lists(st.tuples(st.sampled_from([*WORDS, "Oslo"]), st.sampled_from(LABELS)), max_size=6)


def strings(*items: tuple[str, str], lost: int = 0) -> Document:
    return replace(make_document("d", []), listed=tuple(StringEntity(*item) for item in items), lost=lost)


def text(words: str, *spans: Span) -> Document:
    return make_document("d", spans, length=len(words.split()), words=words.split)


def test_by_hand() -> None:
    """Of three places of Paris the key has one; two are listed, so none or one is right. Ann can only be right."""
    key = text("Paris and Paris or Paris says Ann", Span(2, 3, "LOC"), Span(6, 7, "PER"))
    score = BOUNDS([key], [strings(("Paris", "LOC"), ("Paris", "LOC"), ("Ann", "PER"))], place="interval")
    assert score.counts == {"least": 1, "most": 2, "given": 3, "expected": 2}
    assert (score.precision_low, score.precision_high) == (1 / 3, 2 / 3)
    assert (score.recall_low, score.recall_high) == (1 / 2, 1.0)
    assert (score.f1_low, score.f1_high) == (pytest.approx(2 / 5), pytest.approx(4 / 5))


@given(TEXTS, STRINGS, st.lists(st.tuples(st.integers(0, 5), st.sampled_from(LABELS)), max_size=6))
def test_every_choice_of_places(words: list[str], items: list[tuple[str, str]], marked: list[tuple[int, str]]) -> None:
    """The fewest and the most over all ways to put the strings of a label in distinct places."""
    right = {(place, label) for place, label in marked if place < len(words)}
    key = text(" ".join(words), *(Span(place, place + 1, label) for place, label in right))
    least = most = 0
    for (string, label), number in Counter(items).items():
        places = [place for place, word in enumerate(words) if word == string]
        ways = [sum((place, label) in right for place in way) for way in combinations(places, min(number, len(places)))]
        least, most = least + min(ways), most + max(ways)
    score = BOUNDS([key], [strings(*items)], place="interval")
    assert score.counts == {"least": least, "most": most, "given": len(items), "expected": len(right)}
    for name, low, high in (("precision", least, most), ("recall", least, most)):
        whole = len(items) if name == "precision" else len(right)
        assert score.values[f"{name}_low"] == (low / whole if whole else None)
        assert score.values[f"{name}_high"] == (high / whole if whole else None)


def test_positions_leave_nothing_open() -> None:
    key = text("Ann met Ann", Span(0, 1, "PER"), Span(2, 3, "PER"))
    score = BOUNDS([key], [text("Ann met Ann", Span(0, 1, "PER"))])
    assert score.f1_low == score.f1_high == pytest.approx(2 / 3)


def test_edges() -> None:
    """A label of its own, what was cut off (no score knows it), nothing listed, and nothing expected."""
    key = text("Ann", Span(0, 1, "PER"))
    assert BOUNDS([key], [strings(("Ann", "LOC"))], place="interval").f1_high == 0.0
    cut_off = BOUNDS([key], [strings(("Ann", "PER"), lost=1)], place="interval")
    assert (cut_off.precision_low, cut_off.precision_high) == (1.0, 1.0)
    nothing = BOUNDS([key], [strings()], place="interval")
    assert nothing.precision_high is None and nothing.recall_high == 0.0
    assert nothing.reasons["precision_high"] == "the response lists no entity"
    unexpected = BOUNDS([text("Ann")], [strings(("Ann", "PER"))], place="interval")
    assert unexpected.recall_low is None and unexpected.precision_high == 0.0
