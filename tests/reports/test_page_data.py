"""What is inside a page, without a browser."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aune.explain.analysis import study
from aune.reports.page import write
from aune.reports.page.packing import packed, scripted

KEY = {"a": [[(0, 1), (2, 3)], [(4, 5)]], "b": [[(0, 1), (3, 4)]]}
RESPONSE = {"a": [[(0, 1)], [(2, 3), (4, 5)]], "b": [[(0, 1), (3, 4)]]}


def page(**options: Any) -> str:
    return write(study("coref", KEY, {"A": RESPONSE, "B": KEY}), **options)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_data_reads_back_and_holds_no_markup(data: Any) -> None:
    text = scripted(data)
    assert json.loads(text) == data
    assert not set(text) & set("<>&\u2028\u2029")


def test_the_same_page_from_run_to_run() -> None:
    assert page() == page()
    assert packed("x" * 100) == packed("x" * 100)


def test_nothing_is_fetched() -> None:
    text = re.sub(r'xmlns="[^"]*"|"http://www.w3.org/2000/svg"', "", page())
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|url\(|@import|https?://""", text)
    assert "default-src 'none'" in text


def test_the_scores_are_there_without_a_script() -> None:
    text = page().partition("<noscript>")[2].partition("</noscript>")[0]
    assert "100.00" in text and "conll f1" in text


def test_summary() -> None:
    text = re.search(r'id="summary">(.*?)</script>', page())
    assert text is not None
    data = json.loads(text[1])
    assert data["systems"] == ["A", "B"] and data["documents"] == ["a", "b"]
    assert data["scores"]["coref.conll"]["B"] == {"f1": 1.0}
    assert data["byDocument"]["coref.muc"]["A"] == [0.0, 1.0]
    assert data["cases"] == [2, 0]
    assert sum(one["in_turn"] for one in data["kinds"][0]) == 1 - data["scores"]["coref.conll"]["A"]["f1"]


def test_errors_beyond_the_limit_are_counted() -> None:
    text = page(most_errors=1)
    data = json.loads(re.search(r'id="summary">(.*?)</script>', text)[1])  # type: ignore[index]
    cases = json.loads(re.search(r'id="cases-0">(.*?)</script>', text)[1])  # type: ignore[index]
    assert data["cases"][0] == 2 and len(cases["document"]) == 1
