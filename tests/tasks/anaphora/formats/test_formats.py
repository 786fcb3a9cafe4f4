"""Reading anaphora files: what they hold, what is wrong with them, and that nothing but InputError comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.core import registry
from aune.core.corpus import Source
from aune.core.errors import InputError
from aune.core.recognition import recognised
from aune.tasks.anaphora.model import Anaphor, Document, document

TASK = registry.task("anaphora")
FORMATS = {form.name: form for form in registry.formats("anaphora")}

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
GOOD = {path.name.partition("-")[0]: path.read_text(encoding="utf-8") for path in SAMPLES}


def read(name: str, text: str) -> list[Document]:
    source = Source(f"x.{name}", text.encode())
    found = list(FORMATS[name].read(source))
    source.finish()
    return found


@pytest.mark.parametrize("name", GOOD)
def test_each_format_is_recognised(name: str) -> None:
    form = recognised(TASK, Source("x", GOOD[name].encode()))
    assert form is not None
    assert form.name == name


def test_gap_answers_are_no_pairs_and_coref_files_are_no_pairs(data: Path) -> None:
    for path, name in (
        ("anaphora/gap/responses/own/gap-test.first.tsv", "gap"),
        ("coref/litbank/key.conll.gz", "coref"),
        ("coref/fr-litbank/test.V2.gold.conll.gz", "coref"),
    ):
        form = recognised(TASK, Source(path, (data / path).read_bytes()))
        assert form is not None
        assert form.name == name


def test_pairs() -> None:
    [found] = read("pairs", GOOD["pairs"] + "d\the\tBob\tfeminine\nd\the\tBob\tfeminine\n")
    assert [(one.mention, one.antecedents) for one in found.anaphors] == [("he", ("Ann", "Bob")), ("it", ())]
    assert found.anaphors[0].attributes == {"gender": "feminine"}
    source = Source("x", (GOOD["pairs"] + "d\the\tAnn\t\n").encode())
    list(FORMATS["pairs"].read(source))
    assert source.warnings == ["x: 1 pair written twice, counted once"]


def test_gap() -> None:
    [found] = read("gap", GOOD["gap"])
    [anaphor] = found.anaphors
    assert anaphor.antecedents == ("A",)
    assert [candidate.text for candidate in anaphor.candidates] == ["Ann", "Bo"]
    assert anaphor.attributes == {"pronoun": "she", "gender": "feminine", "distance": "0–99"}
    assert found.attributes["title"] == "Ann Lee"
    [odds] = read("gap", "ID\tA\tB\tNEITHER\nt-1\t0.2\t0.7\t0.1\n")
    assert odds.anaphors[0].antecedents == ("B",)
    [none] = read("gap", "ID\tA\tB\tNEITHER\nt-1\t0.2\t0.3\t0.5\n")
    assert none.anaphors[0].antecedents == ()


CHAINS = (
    '{"doc_key": "d", "sentences": [["Ann", "met", "Bo", "."], ["She", "liked", "him", "."],'
    ' ["He", "left", "it", "."]], "clusters": [[[0, 0], [4, 4]], [[2, 2], [6, 6], [8, 8]], [[10, 10]]]}\n'
)


def test_anaphors_from_chains() -> None:
    [found] = read("coref", CHAINS)
    assert {one.mention: one.antecedents for one in found.anaphors} == {
        "4": ("0",), "6": ("2",), "8": ("6",), "10": (),
    }  # fmt: skip
    last = found.by_mention["8"]
    assert last.attributes == {"pronoun": "he", "gender": "masculine", "number": "singular", "distance": "1"}
    assert [(one.mention, one.agrees) for one in last.candidates] == [
        ("0", True),
        ("2", True),
        ("4", False),
        ("6", True),
    ]
    source = Source("x.jsonl", CHAINS.encode())
    [every] = FORMATS["coref"].read(source, antecedents="all")
    assert every.by_mention["8"].antecedents == ("2", "6")
    [near] = FORMATS["coref"].read(source, window=0)
    assert near.by_mention["8"].candidates == ()


MALFORMED = [
    ("pairs", "one column\n", "1:1: found 1 column, expected two or three"),
    ("pairs", "d\ta\tb\nd\ta\tb\tc\n", "2:1: found 4 columns, expected 3"),
    ("pairs", "anaphor\tantecedent\n\tAnn\n", "2:1: found no anaphor"),
    ("jsonlines", '{"anaphors": [', "1:1: found a line that is no anaphora document"),
    ("jsonlines", '{"anaphors": [{"anaphor": ["a"]}]}\n', "1:1: found something else than mentions in `anaphors[0]`"),
    ("jsonlines", '{"anaphors": [{"antecedent": "a"}]}\n', "1:1: found something else than mentions in `anaphors[0]`"),
    ("jsonlines", "[]\n", "1:1: found a line that is no anaphora document"),
    ("gap", "ID\tX\n", "1:1: found the columns ID, X"),
    ("gap", "t\tTRUE\tperhaps\n", "1:1: found 'perhaps' for B, expected TRUE or FALSE"),
    ("gap", "t\tTRUE\n", "1:1: found 2 columns, expected 3"),
    ("gap", "ID\tA\tB\tNEITHER\nt\t1\tnan\t0\n", "2:1: found a line without three probabilities"),
    ("coref", '{"doc_key": "d", "clusters": [[[2, 0]]]}\n', "1:1: found the mention [2,0]"),
]


@pytest.mark.parametrize(("name", "text", "message"), MALFORMED)
def test_malformed(name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(name, text)
    assert f"x.{name}:{message}" in str(error.value)
    assert ": " in message


@pytest.mark.parametrize("name", ["pairs", "jsonlines"])
@given(
    st.dictionaries(
        st.sampled_from(["3", "4-5", "he", "it"]),
        st.lists(st.sampled_from(["0", "1-2", "Ann"]), max_size=2),
        min_size=1,
    )
)
def test_round_trip(name: str, anaphors: dict[str, list[str]]) -> None:
    made = [Anaphor(one, tuple(others), attributes={"gender": "m"}) for one, others in anaphors.items()]
    before: Any = document("d 1", made, kinds={"he": "pronoun"}, texts={"Ann": "Ann Lee"})
    write = FORMATS[name].write
    assert write is not None
    [after] = read(name, "".join(write([before])))
    assert [(one.mention, one.antecedents, one.attributes) for one in after.anaphors] == [
        (one.mention, one.antecedents, one.attributes) for one in before.anaphors
    ]
    assert after.id == before.id
    assert after.chains == before.chains


def test_line_ends_and_marks_change_nothing() -> None:
    for name, text in GOOD.items():
        plain = read(name, text)
        source = Source("x", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        assert [one.anaphors for one in FORMATS[name].read(source)] == [one.anaphors for one in plain]
