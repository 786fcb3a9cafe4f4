"""What is inside a page, without a browser."""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import evaluate
from aune.explain.analysis import study
from aune.reports.page import write
from aune.reports.page.data import evenly
from aune.reports.page.packing import compress_text, pack_numbers, script_json
from aune.reports.page.schema import declarations
from aune.web import asset, inline_modules, ordered_modules

KEY = {"a": [[(0, 1), (2, 3)], [(4, 5)]], "b": [[(0, 1), (3, 4)]]}
RESPONSE = {"a": [[(0, 1)], [(2, 3), (4, 5)]], "b": [[(0, 1), (3, 4)]]}


def page(**options: Any) -> str:
    return write(study("coref", KEY, {"A": RESPONSE, "B": KEY}), **options)


def block(text: str, name: str) -> Any:
    outcome = re.search(rf'id="{name}">(.*?)</script>', text, re.DOTALL)
    assert outcome is not None, name
    return json.loads(outcome[1])


def column(text: str) -> list[int]:
    size, letters = text.split(":")
    return np.frombuffer(base64.b64decode(letters), f"<u{size}").tolist()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_data_reads_back_and_holds_no_markup(data: Any) -> None:
    text = script_json(data)
    assert json.loads(text) == data
    assert not set(text) & set("<>&\u2028\u2029")


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_numbers_read_back(values: list[int]) -> None:
    assert column(pack_numbers(values)) == values


@given(st.integers(0, 500), st.integers(1, 80))
def test_a_sample_is_even(total: int, most: int) -> None:
    chosen = evenly(total, most)
    assert len(chosen) == min(total, most) == len(set(chosen)) and chosen == sorted(chosen)
    gaps = [b - a for a, b in pairwise(chosen)]
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_the_same_page_from_run_to_run() -> None:
    assert page() == page()
    assert compress_text("x" * 100) == compress_text("x" * 100)


def test_nothing_is_fetched_and_nothing_else_runs() -> None:
    text = re.sub(r'xmlns="[^"]*"|"http://www.w3.org/2000/svg"', "", page())
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|url\(|@import|https?://""", text)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and "default-src 'none'" in policy[1] and "unsafe" not in policy[1]


def test_the_scores_are_there_without_a_script() -> None:
    text = page().partition("<noscript>")[2].partition("</noscript>")[0]
    assert "100.00" in text and "conll" in text


def test_summary() -> None:
    text = page()
    summary = block(text, "summary")
    assert summary["systems"] == ["A", "B"] and summary["documents"] == ["a", "b"]
    assert summary["main"] == "coref.conll f1" and summary["errors"]
    main = next(entry["block"] for entry in summary["rankings"] if entry["id"] == summary["main"])
    assert [row[1]["text"] for row in block(text, main)["table"]["rows"]] == ["B", "A"]
    muc = next(entry["block"] for entry in summary["measures"] if entry["id"] == "coref.muc f1")
    assert block(text, muc)["shown"]["A"] == ["0.00", "100.00"] and block(text, muc)["worth"]["A"] == [0.0, 1.0]


def test_all_errors_are_counted_whatever_is_shown() -> None:
    """In the columns, in the kinds and in the confusions; only contexts are left out."""
    words = [f"w{place}" for place in range(100)]
    key = {f"d{n}": {"tokens": words, "spans": [(i, i + 1, "PER") for i in range(100)]} for n in range(3)}
    by_name = {f"d{n}": {"tokens": words, "spans": [(i, i + 1, "LOC" if i % 3 else "ORG") for i in range(100)]}
             for n in range(3)}  # fmt: skip
    text = write(study("entities", key, {"s": by_name}, measures=["f_measure"]), most_errors=7, plain=True)
    errors, confusion = block(text, "errors-0"), block(text, "confusion-0")
    documents = column(errors["columns"]["document"])
    assert errors["total"] == len(documents) == 300 and [documents.count(n) for n in range(3)] == [100, 100, 100]
    assert len(errors["listed"]) == len(errors["contexts"]) == 7
    assert {n // 100 for n in errors["listed"]} == {0, 1, 2}, "drawn evenly over the documents"
    header = confusion["table"]["header"]
    row = next(row for row in confusion["table"]["rows"] if row[0]["text"] == "PER")
    assert [row[header.index(label)]["text"] for label in ("LOC", "ORG")] == ["198", "102"]
    assert errors["kinds"]["rows"][-1][1]["text"] == "300"


def test_a_facet_appears_once(examples: Path) -> None:
    """None says the same as the kind, the document or another one."""
    folder = examples / "speech"
    evaluated = study("speech", str(folder / "key.jsonl"), {"n": str(folder / "north.jsonl")})
    text = write(evaluated, plain=True)
    assert {"kind", "document", "type"}.isdisjoint(block(text, "summary")["facets"])


def test_a_breakdown_is_no_list_of_units(examples: Path) -> None:
    """Anaphors one by one say nothing that the errors do not say better."""
    folder = examples / "anaphora"
    evaluated = study("anaphora", str(folder / "key.tsv"), {"n": str(folder / "nearest.tsv")})
    groups = [entry["label"] for entry in block(write(evaluated, plain=True), "summary")["groups"]]
    assert "gender" in groups and "anaphor" not in groups


def test_an_utterance_is_not_a_document(examples: Path) -> None:
    folder = examples / "speech"
    evaluated = study("speech", str(folder / "key.jsonl"), {"n": str(folder / "north.jsonl")})
    assert "12 utterances in 3 documents" in write(evaluated)
    assert "12 utterances in 3 documents" in evaluated.result.to("table")
    recording = evaluate("speech", str(folder / "key.stm"), {"n": str(folder / "response.ctm")})
    assert "2 utterances" in recording.to("table"), "of one recording, which is one text"


def test_the_declared_shapes_are_those_of_python() -> None:
    assert asset("shared/schema.d.ts") == declarations(), (
        "run: python -m aune.reports.page.schema > src/aune/web/shared/schema.d.ts"
    )


def test_modules_are_inlined_after_what_they_need() -> None:
    order = ordered_modules("report/report.js")
    assert order[-1] == "report/report.js"
    assert order.index("shared/dom.js") < order.index("report/tables.js") < order.index("report/ranking.js")
    text = inline_modules("report/report.js")
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
    assert {name.split("/")[0] for name in order} == {"shared", "report"}


def test_names_declared_twice_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a.js": 'import { x } from "./b.js";\nconst y = x;\n', "b.js": "export const x = 1;\nconst y = 2;\n"}
    monkeypatch.setattr("aune.web.asset", texts.__getitem__)
    with pytest.raises(ValueError, match=r"a.js declares y, which b.js declares too"):
        inline_modules.__wrapped__("a.js")
    texts["b.js"] = 'import { y } from "./a.js";\nexport const x = 1;\n'
    with pytest.raises(ValueError, match="import each other"):
        ordered_modules("a.js")
