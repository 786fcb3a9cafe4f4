"""Each sample is recognised, and says what it says; what is written is read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.errors import InputError, UsageError
from aune.reading.corpus import Corpus, read
from aune.tasks.entities.describe import holdings
from aune.tasks.entities.model import Document, Span, make_document
from tests.tasks.formats import read as read_text
from tests.tasks.formats import write_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def sample(name: str, **options: Any) -> Corpus:
    return read(TASK, str(SAMPLES / name), **options)


def statements_of(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {document.id: document.triples() for document in corpus.documents}


EXPECTED: dict[str, dict[str, list[tuple[int, int, str]]]] = {
    "conll-tabs.conll": {"conll-tabs": [(0, 2, "PER"), (4, 5, "LOC"), (5, 6, "LOC")]},
    "table-sentences.csv": {"table-sentences": [(0, 2, "pers"), (3, 4, "loc")]},
    "table-spreadsheet.csv": {"a": [(0, 2, "pers"), (2, 3, "loc")], "b": []},
    "tags_jsonl-rows.jsonl": {"d1": [(0, 2, "pers")], "2": [(0, 1, "loc")], "3": []},
    "conll-spreadsheet.conll": {"a": [(0, 2, "LOC")], "b": [(0, 1, "LOC")]},
    "hipe-spreadsheet.tsv": {"d1": [(0, 2, "loc")], "d2": [(0, 1, "loc")]},
    "conll-2003.conll": {"1": [(0, 1, "ORG"), (2, 3, "PER")], "2": [(0, 1, "LOC")]},
    "hipe-two.tsv": {"d1": [(0, 1, "pers"), (2, 3, "work")], "d2": [(0, 2, "pers")]},
    "quaero-thesis.ne": {
        "quaero-thesis": [
            (1, 3, "pers.coll"), (1, 2, "kind"), (2, 3, "demonym"), (8, 9, "loc.adm.town"), (8, 9, "name"),
            (11, 12, "org.adm"), (11, 12, "loc.adm.nat"), (11, 12, "name"),
        ]
    },
    "muc_sgml-two.sgml": {
        "wsj94_008": [(3, 5, "PERSON"), (6, 7, "ORGANIZATION"), (8, 9, "DATE"), (10, 12, "MONEY")],
        "w2": [(1, 2, "LOCATION")],
    },
    "brat-gare.ann": {"brat-gare": [(0, 13, "pers.ind"), (19, 33, "loc.fac")]},
    "jsonl-styles.jsonl": {
        "d1": [(0, 13, "func"), (0, 13, "pers.ind")], "d2": [(0, 2, "pers.ind")], "d3": [(0, 5, "x")],
    },
    "doccano-styles.jsonl": {"1": [(0, 2, "ORG"), (11, 17, "MISC")], "2": [(0, 7, "PER")], "3": []},
    "label_studio-task.json": {"1": [(0, 7, "PER")], "2": []},
    "jsonl-nervaluate.json": {"1": [(2, 4, "PER")], "2": [(1, 2, "LOC")]},
    "webanno-two.tsv": {"webanno-two": [(0, 2, "pers.ind"), (1, 2, "name_last"), (3, 4, "loc")]},
    "uima-one.xmi": {"uima-one": [(0, 3, "PER"), (22, 27, "LOC")]},
    "uima-emoji.json": {"uima-emoji": [(2, 9, "PER")]},
    "booknlp-ann.entities": {"booknlp-ann": [(0, 2, "PER"), (4, 6, "PER"), (4, 5, "PER")]},
    "tei-letter.xml": {
        "tei-letter": [(3, 8, "placeName"), (9, 16, "persName"), (21, 31, "person"), (21, 24, "rs")]
    },
    "gate-one.xml": {"gate-one": [(0, 7, "Person"), (10, 12, "Person")]},
    "gate-json.bdocjs": {"gate-json": [(2, 9, "Person")]},
    "jsonl-alternatives.jsonl": {"d1": [(1, 3, "ORG")], "d2": [(0, 1, "PER")]},
    "jsonl-prodigy.jsonl": {"1": [(0, 7, "PER")], "2": []},
    "apf-one.apf.xml": {"a": [(10, 15, "PER.Individual"), (30, 32, "PER.Individual")]},
    "llm_json-answers.jsonl": {"d1": [], "d2": [], "d3": []},
    "llm_lines-answers.jsonl": {"d1": [], "d2": []},
    "inline_text-answers.jsonl": {"d1": [(0, 13, "PER"), (8, 13, "name"), (30, 34, "LOC")], "d2": [(0, 13, "PER")]},
    "ace_jsonl-one.jsonl": {"d1": [(0, 2, "PER.Individual"), (5, 6, "PER.Individual")]},
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_is_recognised_and_read(name: str) -> None:
    corpus = sample(name)
    assert corpus.format == name.partition("-")[0]
    assert statements_of(corpus) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_is_read_back(name: str, tmp_path: Path) -> None:
    corpus = sample(name)
    form = registry.format("entities", str(corpus.format))
    if form.write is None:
        return
    file = tmp_path / name
    file.write_text("".join(form.write(corpus.documents)), encoding="utf-8")
    again = read(TASK, str(file), form.name)
    assert statements_of(again) == EXPECTED[name]


def test_key_in_characters_and_response_in_tokens() -> None:
    with pytest.raises(InputError, match="found spans over tokens in document 'd', expected characters as in the key"):
        aune.score("entities", str(SAMPLES / "brat-gare.ann"), {"d": [(0, 2, "pers.ind")]})


# Writing: whatever the tokens, labels and spans, what is written comes back, or is refused, or its loss is said.

TOKENS = st.sampled_from(
    ["a", "b", "New York", "can't", "", " ", "\t", "x\ny", "#", "# newdoc id = z", "-DOCSTART-", "<b>", "é", "O"]
)
LABELS = st.sampled_from(["PER", "loc.adm.town", "a b", "\t", "", "doc", "B-x", "é"])
PLAIN = st.sampled_from(["a", "b", "c"])


@st.composite
def single(draw: st.DrawFn) -> Document:
    words = draw(st.lists(TOKENS, max_size=4) | st.lists(PLAIN, max_size=5))
    character = draw(st.booleans())
    text = " ".join(words)
    size = len(text) if character else len(words)
    spans = []
    for _ in range(draw(st.integers(0, 3)) if size else 0):
        start = draw(st.integers(0, size - 1))
        spans.append(Span(start, draw(st.integers(start + 1, size)), draw(LABELS), draw(st.integers(0, 2))))
    starts = np.asarray(sorted({0, *draw(st.lists(st.integers(0, max(size - 1, 0)), max_size=2))}), np.int64)
    rest: dict[str, Any] = {"unit": "character", "text": text} if character else {"words": words.copy}
    name = draw(st.sampled_from(["d", "two words", "", "a\nb", '"', "é", " x"]))
    return make_document(name, dict.fromkeys(spans), length=size, sentences=starts, **rest)


def contents_of(document: Document, lost: set[str]) -> Any:
    spans = set() if "nesting" in lost else set(document.triples())
    text = document.text if document.unit == "character" else list(document.tokens or ())
    return document.id, spans, None if "text" in lost or "tokens" in lost else text or None


@pytest.mark.parametrize("name", [form.name for form in registry.formats("entities") if form.write])
@given(corpus=st.lists(single(), min_size=1, max_size=3, unique_by=lambda document: document.id))
@example(corpus=[make_document("d", [], length=1, words=["# newdoc id = z"].copy)])
def test_what_is_written_comes_back(name: str, corpus: list[Document]) -> None:
    form = registry.format("entities", name)
    lost = {what for what in holdings(corpus) if what not in form.carries}
    try:
        text = write_text("entities", name, corpus)
    except UsageError:
        return
    again = read_text("entities", name, text)
    if (
        name in ("brat", "ace_jsonl", "uima", "webanno") or "tokens" in lost
    ):  # files name them, texts stand beside, labels have two parts
        assert [len(entry) for entry in again] == [len(entry) for entry in corpus]
    else:
        assert [contents_of(entry, lost) for entry in again] == [contents_of(entry, lost) for entry in corpus]
