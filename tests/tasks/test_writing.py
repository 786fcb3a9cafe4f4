"""Every writer reads its own output back: the same documents, or the loss is in the list of `convert`, or a refusal.

The documents are made from JSON, which holds everything; their texts and names hold the signs that formats trip over.
That what is not listed as lost has come back is checked in a second way: the documents that come back score as the
documents themselves do (`tests/fuzz/laws.py`, where the same is asked of what damaged files say).
"""

from __future__ import annotations

import json
import re
import time
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.format import Format
from aune.errors import InputError, UsageError
from aune.reading.conversion import convert_documents
from aune.reading.source import Source
from tests.fuzz.laws import EVERYTHING, check_kept, read

LONG, NOTICED = 4000, 1.0  # words, and seconds that are worth a doubt: what is linear takes a third of one
WRITERS = [
    pytest.param(task, form, id=f"{task}.{form.name}")
    for task in registry.task_names()
    for form in registry.formats(task)
    if form.write
]
TAME = ["Ann", "her", "a", "de", "É", "e\u0301", "😀", "Lee", "saw"]
WILD = st.sampled_from(
    ["3.5", "$", "-", "_", "O", "#x", "*", "(", ")", "{", "}", "[", "<b>", "&amp;",
     "a b", "a\tb", "a\nb", "\u00a0", "|", "/", "\\", ";", ";;", "@", "%x", '"',
     "'", "B-X", "T1", "(a_1)", "-DOCSTART-", ",", "="]
)  # fmt: skip
WORDS = st.sampled_from(TAME) | WILD
NAMES = st.sampled_from(["d", "nw/a", "a b", "a; part 2", "é", "(x)", "a\tb", "#", "1", "a.b", ""])
ANTECEDENTS = st.sampled_from(["0", "B", "A", "Ann", "a b"])
FEATURES = st.sampled_from(["note", "a b", "value", "meta", "COREF", "event", "label", "equivalence", "é"])
LABELS = st.sampled_from(["X", "pers.ind", "a-b", "a b", "x|y", "LOC"])


@st.composite
def spans(draw: st.DrawFn, size: int, most: int = 6) -> list[list[int]]:
    """Different spans of a text, first and last inclusive."""
    places = st.integers(0, max(size - 1, 0))
    value = draw(st.lists(st.tuples(places, places).map(sorted).map(tuple), max_size=most if size else 0, unique=True))
    return [list(span) for span in value]


def pieces(span: list[int]) -> list[Any]:
    """A span without what is in its middle, as two pieces; the span itself where it has no middle."""
    first, last = span
    return span if last - first < 2 else [[first, first], [last, last]]


def places(span: list[Any]) -> list[int]:
    """The places of a span, or of its pieces."""
    whole = [span] if isinstance(span[0], int) else span
    return [place for first, last in whole for place in range(first, last + 1)]


@st.composite
def coref_records(draw: st.DrawFn) -> dict[str, Any]:
    tokens = draw(st.lists(WORDS, max_size=8))
    clusters: dict[int, list[Any]] = {}
    for span in draw(spans(len(tokens))):
        clusters.setdefault(draw(st.integers(0, 2)), []).append(span)
    shape = [[draw(st.sampled_from([span, pieces(span)])) for span in row] for row in clusters.values()]
    cut = draw(st.integers(0, len(tokens)))
    record: dict[str, Any] = {"doc_key": draw(NAMES), "sentences": [tokens[:cut], tokens[cut:]], "clusters": shape}
    if draw(st.booleans()):
        record["kinds"] = [[draw(st.sampled_from(["", "name", "a b"])) for _ in row] for row in shape]
        record["heads"] = [[draw(st.sampled_from([-1, *places(span)])) for span in row] for row in shape]
        record["minima"] = [[draw(st.sampled_from([None, [places(span)[-1]] * 2])) for span in row] for row in shape]
        record["features"] = {
            draw(st.sampled_from(["note", "Note", "a b", "id"])): [[draw(WORDS) for _ in row] for row in shape]
        }
        record["attributes"] = {draw(st.sampled_from(["genre", "a b"])): draw(WORDS)}
        if sum(map(len, shape)) > 1:
            record["relations"] = [[draw(st.sampled_from(["part", "split", "a b", "IDENT"])), 0, 1]]
    return record


@st.composite
def anaphora_records(draw: st.DrawFn) -> dict[str, Any]:
    mentions = draw(
        st.lists(st.sampled_from(["1", "3-5", "7", "he", "A", "pronoun", "x y", "-", "a\tb"]), unique=True, max_size=4)
    )
    anaphors = [
        {"anaphor": mention, "antecedents": draw(st.lists(ANTECEDENTS, unique=True, max_size=2)),
         "candidates": draw(st.lists(st.sampled_from(["0", "B"]), unique=True)), "gender": draw(WORDS)}
        for mention in mentions
    ]  # fmt: skip
    return {"document": draw(NAMES), "anaphors": anaphors, "kinds": {"he": "pronoun"}, "texts": {"he": draw(WORDS)}}


@st.composite
def entities_records(draw: st.DrawFn) -> dict[str, Any]:
    tokens = draw(st.lists(WORDS, min_size=1, max_size=8))
    result = [[start, end + 1, draw(LABELS)] for start, end in draw(spans(len(tokens), 4))]
    breaks = draw(st.lists(st.integers(1, len(tokens)), unique=True, max_size=3))
    sentences = {"sentences": [0, *sorted(place for place in breaks if place < len(tokens))]} if breaks else {}
    record: dict[str, Any] = {"id": draw(NAMES), "tokens": tokens, "spans": result, **sentences}
    if result and draw(st.booleans()):
        record["spans"] = [
            {"start": start, "end": end, "label": label, "features": {draw(FEATURES): draw(WORDS)}}
            for start, end, label in result
        ]
        ends = st.integers(0, len(result) - 1)
        record["relations"] = [{"from": draw(ends), "to": draw(ends), "label": draw(LABELS), "features": draw(
            st.dictionaries(FEATURES, WORDS, max_size=2))}]  # fmt: skip
    return record


@st.composite
def speech_records(draw: st.DrawFn) -> dict[str, Any]:
    record: dict[str, Any] = {"id": draw(NAMES), "text": draw(st.lists(WORDS, max_size=6))}
    if draw(st.booleans()):
        record |= {"speaker": draw(st.sampled_from(["ann", "a b", "a_1"])), "start_time": 1.5, "end_time": 2.25}
    return record


@st.composite
def tagging_records(draw: st.DrawFn) -> dict[str, Any]:
    words = draw(st.lists(WORDS, max_size=6))
    return {"id": draw(NAMES), "words": words, "tags": [draw(LABELS) for _ in words]}


RECORDS = {
    "coref": coref_records(), "anaphora": anaphora_records(), "entities": entities_records(),
    "speech": speech_records(), "tagging": tagging_records(),
}  # fmt: skip


@st.composite
def documents(draw: st.DrawFn, task: str) -> list[Any]:
    """Documents read from JSON, some of one name; those that the reader refuses are none."""
    lines = draw(st.lists(RECORDS[task], min_size=1, max_size=3))
    source = Source("documents", "\n".join(map(json.dumps, lines)).encode())
    try:
        return read(registry.format(task, EVERYTHING[task]), source)
    except InputError:
        return []


@pytest.mark.parametrize(("task", "form"), WRITERS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_what_is_written_comes_back_or_is_said_to_be_lost(task: str, form: Format, data: Any) -> None:
    before = data.draw(documents(task))
    if before:
        check_kept(task, form, before)


CROSSED: dict[str, Any] = {
    "doc_key": "d", "sentences": [["Ann"] * 4], "clusters": [[[[0, 0], [2, 2]], [[1, 1], [3, 3]]]],
}  # fmt: skip
"""Two mentions of a chain in parts of which the second begins before the first goes on."""


def tame(record: Any) -> Any:
    """A record with words and names that no format trips over."""
    if isinstance(record, dict):
        return {re.sub(r"\W|^id$", "_", name.lower()): tame(value) for name, value in record.items()}
    if isinstance(record, list):
        return [tame(value) for value in record]
    return re.sub(r"[^\w.]", "", record) or "x" if isinstance(record, str) and record else record


@pytest.mark.parametrize("form", [form for form in registry.formats("coref") if form.write], ids=lambda form: form.name)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(record=coref_records())
@example(record=CROSSED)
@example(record=CROSSED | {"clusters": [[[[0, 0], [2, 2]], [[0, 0], [3, 3]]]], "heads": [[2, 0]]})
def test_what_a_format_carries_is_not_lost(form: Format, record: dict[str, Any]) -> None:
    """`Format.carries` is what the page on formats promises, for texts without signs that mean something there, and of
    different words: MUC names a least span by its words."""
    alone = len(record["clusters"]) > 1 and all(len(row) == 1 for row in record["clusters"])
    fields = tame(record) | {"doc_key": "d", "relations": [["part", 0, 1]] if alone else []}
    numbers = count()
    fields["sentences"] = [[f"{word}{next(numbers)}" for word in sentence] for sentence in fields["sentences"]]
    source = Source("documents", json.dumps(fields).encode())
    [before] = registry.format("coref", "jsonlines").read(source)
    try:
        conversion = convert_documents(registry.task("coref"), form, [before], f"d{form.suffixes[0]}")
    except UsageError as error:
        assert "cross" in str(error) or "cannot" in str(error)
        return
    assert not conversion.lost.keys() & form.carries
    numbered = {"document names"} if form.name == "crac_text" else set()  # a line has no place for a name
    assert not conversion.lost.keys() & ({"documents", "document names", "mentions", "chains"} - numbered)


def long_record(task: str, size: int) -> dict[str, Any]:
    """One document with so many words, all of them annotated, in one chain where there are chains."""
    words = [f"w{place}" for place in range(size)]
    places = range(size)
    return {
        "coref": {"doc_key": "d", "sentences": [words], "clusters": [[[place, place] for place in places]],
                  "kinds": [["name"] * size]},
        "anaphora": {"document": "d", "anaphors": [
            {"anaphor": str(place + 1), "antecedents": [str(place)]} for place in places]},
        "entities": {"id": "d", "tokens": words, "spans": [[place, place + 1, "X"] for place in places]},
        "speech": {"id": "d/1", "text": words, "start_time": 0.0, "end_time": 9.0, "speaker": "d"},
        "tagging": {"id": "d", "words": words, "tags": ["X"] * size},
    }[task]  # fmt: skip


@pytest.mark.parametrize(("task", "form"), WRITERS)
def test_what_is_twice_as_long_takes_twice_the_time(task: str, form: Format) -> None:
    """Written, read back and compared; looked at again where it took more, since the machine may be busy."""
    reader = registry.format(task, EVERYTHING[task])
    once, twice = (
        read(reader, Source("long", json.dumps(long_record(task, size)).encode())) for size in (LONG, 2 * LONG)
    )
    try:
        slow = all(
            (taken := _seconds(task, form, twice)) > NOTICED and taken > 3 * _seconds(task, form, once)
            for _ in range(3)
        )
    except UsageError:
        pytest.skip("the format cannot represent it")
    assert not slow, "more than three times the time"


def _seconds(task: str, form: Format, documents: list[Any]) -> float:
    begun = time.process_time()
    convert_documents(registry.task(task), form, documents, f"d{form.suffixes[0] if form.suffixes else ''}")
    return time.process_time() - begun
