"""Reading anaphora files: what they hold, what is wrong with them, and that nothing but InputError comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract import registry
from aune.reading.recognition import recognise_format
from aune.reading.source import Source
from aune.tasks.anaphora.model import Anaphor, Document, make_document

TASK = registry.task("anaphora")
FORMATS = {form.name: form for form in registry.formats("anaphora")}

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
GOOD = {path.name.partition("-")[0]: path.read_text(encoding="utf-8") for path in SAMPLES}


def read(name: str, text: str) -> list[Document]:
    source = Source(f"x.{name}", text.encode())
    documents = list(FORMATS[name].read(source))
    source.raise_problems()
    return documents


@pytest.mark.parametrize("name", GOOD)
def test_each_format_is_recognised(name: str) -> None:
    form = recognise_format(TASK, Source("x", GOOD[name].encode()))
    assert form is not None
    assert form.name == name


def test_gap_answers_are_no_pairs_and_coref_files_are_no_pairs(data: Path) -> None:
    for path, name in (
        ("anaphora/gap/responses/own/gap-test.first.tsv", "gap"),
        ("coref/litbank/key.conll.gz", "coref"),
        ("coref/fr-litbank/test.V2.gold.conll.gz", "coref"),
    ):
        form = recognise_format(TASK, Source(path, (data / path).read_bytes()))
        assert form is not None
        assert form.name == name


@pytest.mark.parametrize("name", ["pairs", "jsonlines"])
@given(
    st.dictionaries(
        st.sampled_from(["3", "4-5", "he", "it"]),
        st.lists(st.sampled_from(["0", "1-2", "Ann"]), max_size=2),
        min_size=1,
    )
)
def test_round_trip(name: str, anaphors: dict[str, list[str]]) -> None:
    made = [Anaphor(item, tuple(others), attributes={"gender": "m"}) for item, others in anaphors.items()]
    before: Any = make_document("d 1", made, kinds={"he": "pronoun"}, texts={"Ann": "Ann Lee"})
    write = FORMATS[name].write
    assert write is not None
    [after] = read(name, "".join(write([before])))
    assert [(anaphor.mention, anaphor.antecedents, anaphor.attributes) for anaphor in after.anaphors] == [
        (anaphor.mention, anaphor.antecedents, anaphor.attributes) for anaphor in before.anaphors
    ]
    assert after.id == before.id
    assert after.chains == before.chains


def test_line_ends_and_marks_change_nothing() -> None:
    for name, text in GOOD.items():
        plain = read(name, text)
        source = Source("x", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        assert [item.anaphors for item in FORMATS[name].read(source)] == [item.anaphors for item in plain]
