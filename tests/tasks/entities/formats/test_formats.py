"""Each sample is recognised, and says what it says; what is written is read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aune
from aune.core import registry
from aune.core.corpus import Corpus, read
from aune.core.errors import InputError, UsageError

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def sample(name: str, **options: Any) -> Corpus:
    return read(TASK, str(SAMPLES / name), **options)


def said(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {one.id: one.triples() for one in corpus.documents}


EXPECTED: dict[str, dict[str, list[tuple[int, int, str]]]] = {
    "conll-tabs.conll": {"conll-tabs": [(0, 2, "PER"), (4, 5, "LOC"), (5, 6, "LOC")]},
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
    "jsonl-nervaluate.json": {"1": [(2, 4, "PER")], "2": [(1, 2, "LOC")]},
    "webanno-two.tsv": {"webanno-two": [(0, 2, "pers.ind"), (1, 2, "name_last"), (3, 4, "loc")]},
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
    assert said(corpus) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_is_read_back(name: str, tmp_path: Path) -> None:
    corpus = sample(name)
    form = registry.format("entities", str(corpus.format))
    if form.write is None:
        pytest.skip("a format that is only read")
    file = tmp_path / name
    file.write_text("".join(form.write(corpus.documents)), encoding="utf-8")
    again = read(TASK, str(file), form.name)
    assert said(again) == EXPECTED[name]


def test_every_format_has_a_sample() -> None:
    assert {name.partition("-")[0] for name in EXPECTED} == {form.name for form in registry.formats("entities")}


def test_pieces_and_text_of_brat() -> None:
    [found] = sample("brat-gare.ann").documents
    assert found.segments == {1: ((19, 23), (27, 33))}
    assert found.quoted(0, 13) == "Laurent Blanc" and found.unit == "character"


def test_quotes_that_differ_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tpers 0 4\tPaul\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Jean", encoding="utf-8")
    assert (
        read(TASK, str(tmp_path / "a.ann"))
        .warnings[0]
        .endswith("1 annotations quote another text than the one at their offsets")
    )


def test_inclusive_ends() -> None:
    assert said(sample("jsonl-nervaluate.json", ends="inclusive")) == {"1": [(2, 5, "PER")], "2": [(1, 3, "LOC")]}


def test_columns_by_number_and_name(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    file.write_text("word gold system\nParis B-LOC O\nrit O B-PER\n", encoding="utf-8")
    assert said(read(TASK, str(file), "conll", column="gold")) == {"a": [(0, 1, "LOC")]}
    assert said(read(TASK, str(file), "conll", column="system")) == {"a": [(1, 2, "PER")]}
    file.write_text("Paris B-LOC O\nrit O B-PER\n", encoding="utf-8")
    assert said(read(TASK, str(file), column="2")) == {"a": [(0, 1, "LOC")]}
    assert said(read(TASK, str(file), column="-1")) == {"a": [(1, 2, "PER")]}
    with pytest.raises(
        UsageError, match=r"--column nothing: expected a number, or a name in the first line \(Paris, B-LOC, O\)"
    ):
        read(TASK, str(file), column="nothing")


def test_odd_lines_of_columns(tmp_path: Path) -> None:
    """CRLF, blanks at the end of a line, several blanks between columns, blanks in tokens, a token that is a hash."""
    file = tmp_path / "a.conll"
    file.write_bytes(b"New  B-LOC \r\nYork   I-LOC\r\n\r\n# O\r\n")
    assert said(read(TASK, str(file))) == {"a": [(0, 2, "LOC")]}
    file.write_bytes(b"New York\tB-LOC\n#\tO\n# a comment\n")
    [found] = read(TASK, str(file), "conll").documents
    assert found.tokens == ["New York", "#"]


def test_long_cells_are_read_the_slow_way(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    label = "x" * 100
    file.write_text(f"a\tB-{label}\nb\tI-{label}\n", encoding="utf-8")
    assert said(read(TASK, str(file))) == {"a": [(0, 2, label)]}


@pytest.mark.parametrize("repair", ["conlleval", "discard", "error"])
def test_repairs_have_names(tmp_path: Path, repair: str) -> None:
    file = tmp_path / "a.conll"
    file.write_text("a\tB-X\nb\tO\nc\tI-X\n", encoding="utf-8")
    if repair == "error":
        with pytest.raises(InputError) as caught:
            read(TASK, str(file), repair=repair)
        assert str(caught.value).endswith(
            "a.conll:3:1: found an entity that starts at 'I-X' with tags that IOB2 does not allow, "
            "expected legal tags: "
            "mend them, or choose --repair conlleval or discard"
        )
        return
    corpus = read(TASK, str(file), repair=repair)
    assert len(corpus.documents[0]) == {"conlleval": 2, "discard": 1}[repair]
    done = {"conlleval": "read as conlleval does", "discard": "left out"}[repair]
    assert corpus.warnings == (f"{file}: 1 entity with tags that IOB2 does not allow, {done} (first at line 3: I-X)",)
    scored = aune.score("entities", str(file), str(file), repair=repair, measures=["f_measure"])
    assert f"|repair:{repair}|" in str(scored["f_measure"].signature)


def test_another_scheme_is_told() -> None:
    assert sample("conll-2003.conll").warnings[0].endswith("the tags are in IOB1")


def test_key_in_characters_and_response_in_tokens() -> None:
    with pytest.raises(InputError, match="found spans over tokens in document 'd', expected characters as in the key"):
        aune.score("entities", str(SAMPLES / "brat-gare.ann"), {"d": [(0, 2, "pers.ind")]})


def test_same_text_spaced_differently(tmp_path: Path) -> None:
    """Tags may stand with or without blanks around them."""
    file = tmp_path / "b.ne"
    file.write_text("La <org.adm><loc.adm.nat><name>France</name></loc.adm.nat></org.adm> a signé .", encoding="utf-8")
    other = tmp_path / "c.ne"
    other.write_text(
        "La <org.adm> <loc.adm.nat> <name> France </name> </loc.adm.nat> </org.adm> a signé.", encoding="utf-8"
    )
    assert aune.score("entities", str(file), str(other), measures=["eter"])["eter"].eter == 0.0
