"""What holds for every format of tagged texts: what is written comes back, or is refused, or its loss is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.options import options_of
from aune.errors import UsageError
from aune.tasks.tagging.model import Compound, Document, alternatives, choose_column, content_counts, make_document
from tests.tasks.formats import read, write_text

FORMATS = [form.name for form in registry.formats("tagging") if form.write]
OPTIONS: dict[str, dict[str, str]] = {
    form.name: {"documents": "newdoc"} if "documents" in options_of(form.read) else {}
    for form in registry.formats("tagging")
}
WORDS = st.sampled_from(
    ["a", "500 000", "x  y", "1/2", "\\", "a\\", "#", "# newdoc id = z", "a\tb", "c\nd", " e", "_", "é", "1", "{"]
)
TAGS = st.sampled_from(["N", "N|V", "_", "", "A/B", "a b", " x", "t\tu", "\\_", "é"])


@st.composite
def texts(draw: st.DrawFn, column: str) -> Document:
    words = draw(st.lists(WORDS, max_size=4) | st.lists(st.sampled_from(["le", "chat", "dort"]), max_size=5))
    tags = draw(st.lists(TAGS | st.just("N"), min_size=len(words), max_size=len(words)))
    starts = draw(st.lists(st.integers(0, max(len(words) - 1, 0)), max_size=2))
    compounds = (
        (Compound(0, 2, draw(st.sampled_from(["R", "_", "R|S"]))),) if len(words) > 1 and draw(st.booleans()) else ()
    )
    name = draw(st.sampled_from(["a", "two words", "é", "", "x\ny", "b "]))
    return make_document(name, words, {column: tags}, sentences=starts, compounds=compounds)


CORPORA = st.sampled_from(["tag", "upos", "xpos"]).flatmap(
    lambda column: st.lists(texts(column), min_size=1, max_size=3, unique_by=lambda document: document.id)
)


def contents_of(document: Document, lost: set[str]) -> Any:
    column = choose_column(document)
    tags = [alternatives(cell, "tag") for cell in document.column(column).values()]
    sentences = document.sentences.tolist() if len(document) else [0]
    return document.id, document.words.values(), tags, sentences, () if "compounds" in lost else document.compounds


@pytest.mark.parametrize("name", FORMATS)
@given(corpus=CORPORA)
def test_what_is_written_comes_back(name: str, corpus: list[Document]) -> None:
    lost = {what for what in content_counts(corpus) if what not in registry.format("tagging", name).carries}
    try:
        text = write_text("tagging", name, corpus)
    except UsageError:
        return
    again = read("tagging", name, text, **OPTIONS[name])
    if name in ("tsv", "slash") and len(corpus) == 1:  # named after its file
        again = [replace(item, id=corpus[0].id) for item in again]
    if any(len(item) for item in corpus):
        assert [contents_of(item, lost) for item in again] == [contents_of(item, lost) for item in corpus]


@pytest.mark.parametrize("name", FORMATS)
def test_documents_without_words_stay_documents(name: str) -> None:
    corpus = [
        make_document("a", [], {"tag": []}),
        make_document("b", ["x"], {"tag": ["N"]}),
        make_document("c", [], {"tag": []}),
    ]
    again = read("tagging", name, write_text("tagging", name, corpus), **OPTIONS[name])
    assert [(document.id, len(document)) for document in again] == [("a", 0), ("b", 1), ("c", 0)]


def test_the_column_that_says_something_is_written() -> None:
    document = make_document("a", ["x"], {"lemma": ["y"], "upos": ["_"], "xpos": ["NN"]})
    assert write_text("tagging", "tsv", [document]) == "x\tNN\n\n"
    assert write_text("tagging", "slash", [document]) == "x/NN\n"
