"""An unchanged document keeps its bytes, and one edit is read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.anaphora.model import Anaphor, Document, make_document

SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").iterdir())
    if registry.format("anaphora", path.name.partition("-")[0]).splice
]


def of(path: Path) -> Format:
    return registry.format("anaphora", path.name.partition("-")[0])


def read(form: Format, data: bytes) -> list[Document]:
    source = Source("x", data)
    documents = list(form.read(source))
    source.raise_problems()
    return documents


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("change", ["", "bom", "crlf"])
def test_an_unchanged_document_keeps_its_bytes(path: Path, change: str) -> None:
    data = path.read_bytes().replace(b"\r\n", b"\n")
    data = {"bom": b"\xef\xbb\xbf" + data, "crlf": data.replace(b"\n", b"\r\n"), "": data}[change]
    form = of(path)
    assert form.splice
    assert form.splice(Source("x", data), read(form, data)) == data


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_edit_is_read_back(path: Path, data: Any) -> None:
    form, original = of(path), path.read_bytes()
    documents = read(form, original)
    number = data.draw(st.integers(0, len(documents) - 1))
    before = documents[number]
    anaphors = list(before.anaphors)
    names = ["A", "B"] if form.name == "gap" else ["3-4", "7", "Ann", "Bob"]
    antecedents = tuple(sorted(data.draw(st.sets(st.sampled_from(names), max_size=2))))
    kind = data.draw(st.sampled_from(["change", "add", "remove"]))
    if kind == "add" or not anaphors:
        anaphors.append(Anaphor("99", antecedents))
    elif kind == "remove":
        del anaphors[data.draw(st.integers(0, len(anaphors) - 1))]
    else:
        place = data.draw(st.integers(0, len(anaphors) - 1))
        anaphors[place] = anaphors[place]._replace(antecedents=antecedents)
    made = make_document(before.id, anaphors)
    edited = [*documents]
    edited[number] = replace(before, anaphors=made.anaphors, chains=made.chains)
    assert form.splice
    try:
        written = form.splice(Source("x", original), edited)
    except UsageError as error:
        assert "cannot" in str(error)
        return
    again = read(form, written)
    pairs = [
        [(anaphor.mention, set(anaphor.antecedents)) for anaphor in result.anaphors]
        for result in (again[number], edited[number])
    ]
    assert pairs[0] == pairs[1]
    assert again[:number] + again[number + 1 :] == [
        replace(item, path="x") for item in documents[:number] + documents[number + 1 :]
    ] or form.name in ("pairs", "jsonlines")
