"""Splicers: an unchanged document gives the same bytes, and one edit changes one cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aune.contract import registry
from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.tagging.model import Compound, Document, Vocabulary

SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").iterdir())
    if registry.format("tagging", path.name.partition("-")[0]).splice
]
CONLLU = b"""# newdoc id = a
# text = Au chat
1-2\tAu\t_\t_\t_\t_\t_\t_\t_\tTyped=No
1\tA\ta\tADP\tP\t_\t3\tcase\t3:case\tX=y
2\tle\tle\tDET\tD\tA=b\t3\tdet\t_\t_
3\tchat\tchat\tNOUN\tN\t_\t0\troot\t_\tSpaceAfter=No
3.1\t_\t_\t_\t_\t_\t_\t_\t3:x\t_
"""


def read(form: str, data: bytes, **options: Any) -> list[Document]:
    source = Source("x", data)
    documents = list(registry.format("tagging", form).read(source, **options))
    source.raise_problems()
    return documents


def splice_documents(form: str, data: bytes, after: list[Document], /, **options: Any) -> bytes:
    splice = registry.format("tagging", form).splice
    assert splice is not None
    return splice(Source("x", data), after, **options)


def change_value(document: Document, column: str, word: int, value: str) -> Document:
    values = document.column(column).values()
    values[word] = value
    return replace(document, columns={**document.columns, column: Vocabulary().encode(values)})


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_an_unchanged_document_is_the_same_file(path: Path) -> None:
    form = path.name.partition("-")[0]
    for data in (path.read_bytes(), b"\xef\xbb\xbf" + path.read_bytes(), path.read_bytes().replace(b"\n", b"\r\n")):
        assert splice_documents(form, data, read(form, data)) == data


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_one_tag_changes_one_cell(path: Path) -> None:
    form, data = path.name.partition("-")[0], path.read_bytes()
    (document,) = read(form, data)
    column = "upos" if form == "conllu" else "tag"
    for word, before in enumerate(document.column(column).values()):
        new = splice_documents(form, data, [change_value(document, column, word, "NEW")])
        (again,) = read(form, new)
        values = again.column(column).values()
        assert values[word] == "NEW" and values[:word] == document.column(column).values()[:word]
        assert new.count(b"NEW") == 1
        remaining = new.replace(b'"NEW"', b"NEW") if form == "jsonl" else new
        assert abs(len(remaining) - len(data)) <= len("NEW") + len(before) + 4


def test_trees_and_what_is_not_read_stay() -> None:
    (document,) = read("conllu", CONLLU, documents="newdoc")
    assert splice_documents("conllu", CONLLU, [document], documents="newdoc") == CONLLU
    for column, word, value, old, new in (
        ("lemma", 0, "à", b"\ta\tADP", "\tà\tADP".encode()),
        ("feats", 1, "_", b"A=b", b"_"),
        ("deprel", 2, "dep", b"root", b"dep"),
    ):
        assert splice_documents(
            "conllu", CONLLU, [change_value(document, column, word, value)], documents="newdoc"
        ) == CONLLU.replace(old, new)
    assert document.heads is not None
    heads = document.heads.copy()
    heads[0] = 1
    assert splice_documents("conllu", CONLLU, [replace(document, heads=heads)], documents="newdoc") == CONLLU.replace(
        b"\t3\tcase", b"\t2\tcase"
    )


def test_compounds() -> None:
    data = b"par\tSp\nexemple\tNcms\n"
    (document,) = read("tsv", data)
    new = splice_documents("tsv", data, [replace(document, compounds=(Compound(0, 2, "R"),))])
    assert new == b"par\tSp\tB-R\nexemple\tNcms\tI-R\n"
    (again,) = read("tsv", new)
    assert splice_documents("tsv", new, [replace(again, compounds=())]) == b"par\tSp\t_\nexemple\tNcms\t_\n"
    data = b'{"words": ["a", "b"], "tags": ["N", "V"] }\n'
    (document,) = read("jsonl", data)
    new = splice_documents("jsonl", data, [replace(document, compounds=(Compound(0, 2, "R"),))])
    assert new == b'{"words": ["a", "b"], "tags": ["N", "V"] , "compounds": [[0, 2, "R"]]}\n'


def test_signs_are_escaped_and_bad_cells_refused() -> None:
    (document,) = read("slash", b"a/N b/V\n")
    assert splice_documents("slash", b"a/N b/V\n", [change_value(document, "tag", 0, "N/V")]) == b"a/N\\/V b/V\n"
    (document,) = read("tsv", b"a\tN\n")
    with pytest.raises(UsageError, match="tsv cannot represent the cell"):
        splice_documents("tsv", b"a\tN\n", [change_value(document, "tag", 0, "N\tV")])
    with pytest.raises(UsageError, match="has no column 'lemma' in x"):
        data = b'{"words": ["a"], "tags": ["N"]}'
        splice_documents("jsonl", data, [change_value(read("jsonl", data)[0], "lemma", 0, "b")])


def test_other_texts_are_refused() -> None:
    (document,), (other,) = read("tsv", b"a\tN\n"), read("tsv", b"b\tN\n")
    assert document.id == other.id
    with pytest.raises(UsageError, match="has another text than in x"):
        splice_documents("tsv", b"a\tN\n", [other])
