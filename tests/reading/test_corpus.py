"""Inputs: how they are opened, decoded, recognised and paired."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.evaluation.pairing import pair
from aune.evaluation.pairing import pair_corpora as core_paired
from aune.reading.corpus import Corpus, read
from aune.reading.recognition import NAME_FORMAT_HINT
from aune.reading.source import Source, sources
from aune.reading.system_names import system_names
from aune.tasks.coref.model import documents
from aune.tasks.entities import model as entities
from tests.evaluation import corpora

TEXT = "1 2\n3 4 5\n"
COREF, ENTITIES = registry.task("coref"), registry.task("entities")


def zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd as module
    else:
        from backports import zstd as module
    return bytes(module.compress(data))


def error_message(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(aune.InputError) as error:
        call(*arguments, **options)
    return str(error.value)


# Opening


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", TEXT.encode()),
        ("a.txt.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("a.txt.xz", lzma.compress(TEXT.encode())),
        ("a.txt.zst", zstd(TEXT.encode())),
        ("gz-by-content", gzip.compress(TEXT.encode(), mtime=0)),
        ("bom.txt", b"\xef\xbb\xbf" + TEXT.encode()),
        ("crlf.txt", TEXT.replace("\n", "\r\n").encode()),
        ("mac.txt", TEXT.replace("\n", "\r").encode()),
        ("utf16.txt", TEXT.encode("utf-16")),
        ("no-last-line-end.txt", TEXT.rstrip().encode()),
    ],
)
def test_the_same_text_however_it_is_kept(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    [document] = read(COREF, tmp_path / name).documents
    assert document.clusters() == [[(1, 2), (2, 3)], [(3, 4), (4, 5), (5, 6)]]


def test_an_open_file_and_bytes() -> None:
    for file in (io.StringIO(TEXT), io.BytesIO(TEXT.encode()), io.BytesIO(gzip.compress(TEXT.encode(), mtime=0))):
        corpus = read(COREF, file)
        assert len(corpus.documents[0]) == 5 and corpus.path == "<file>"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    corpus = read(COREF, "-")
    assert corpus.path == "<stdin>" and len(corpus.documents[0]) == 5


def test_standard_input_is_read_once() -> None:
    with pytest.raises(aune.UsageError) as error:
        aune.evaluate("coref", "-", {"A": "-"})
    assert str(error.value) == "standard input (-) can be only one of the files"


def test_a_folder_is_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_text("# document b\n1 2\n")
    (tmp_path / "sub" / "a.txt").write_text("# document a\n1 2\n")
    (tmp_path / ".hidden").write_text("never read")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "c.txt").write_text("# document c\n1 2\n")
    (tmp_path / "README.md").write_text("Some words about the corpus, in none of the formats.\n")
    corpus = read(COREF, tmp_path)
    assert [document.id for document in corpus.documents] == ["b", "a"]
    assert corpus.path == str(tmp_path) and corpus.format == "partition"
    assert corpus.warnings == (f"{tmp_path / 'README.md'}: not read: in none of the known formats",)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    nowhere, folder = tmp_path / "nowhere.txt", tmp_path / "folder"
    folder.mkdir()
    assert error_message(read, COREF, nowhere) == (
        f"{nowhere}: found no readable file (No such file or directory), expected one: check the path"
    )
    assert error_message(read, COREF, folder) == f"{folder}:1:1: found an empty folder, expected files: check the path"


def test_a_folder_without_a_known_file(tmp_path: Path) -> None:
    for name in ("README.md", "LICENSE"):
        (tmp_path / name).write_text("Some words about the corpus, in none of the formats.\n")
    assert error_message(read, COREF, tmp_path) == (
        f"{tmp_path}:1:1: found no file in a known coref format, expected one of "
        f"{', '.join(item.name for item in registry.formats('coref'))}: {NAME_FORMAT_HINT}"
    )


@pytest.mark.parametrize(
    ("data", "line", "column", "byte"),
    [(b"1 2\n3 caf\xe9\n", 2, 6, "e9"), (b"\xe9", 1, 1, "e9"), (b"# \xc3\xa9t\xc3\xa9 \xff", 1, 7, "ff")],
)
def test_latin_1(tmp_path: Path, data: bytes, line: int, column: int, byte: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    assert error_message(read, COREF, path) == (
        f"{path}:{line}:{column}: found the byte 0x{byte}, expected UTF-8 text: save the file as UTF-8"
    )


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstd])
def test_damaged_compression(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(pack(TEXT.encode() * 50)[:-9])
    message = error_message(read, COREF, path)
    assert message.startswith(f"{path}:1:1: found damaged compressed data (")
    assert message.endswith("), expected a whole file: make it again")


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"")
    assert (
        error_message(read, COREF, path)
        == f"{path}:1:1: found an empty file, expected a text with its annotation: check what wrote it"
    )


def test_an_archive_or_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with ZipFile(path, "w") as archive:
        archive.writestr("sheet.xml", b"\xff" * 9)
    assert error_message(read, COREF, path) == (
        f"{path}:1:1: found a zip archive, or a sheet (.xlsx), expected text: unpack it, or save the sheet as CSV"
    )


def test_an_empty_response_in_a_named_format_is_scored(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(b"")
    result = aune.score("coref", {"a": [{1, 2}], "b": [{1}]}, str(path), response_format="conll2012", measures=["muc"])
    assert result["muc"].recall == 0
    missing = "2 documents (a, b) of the key missing (100 % of its 2 documents)"
    assert result.warnings == [f"{path}: the response is empty: {missing}, scored as empty"]


def test_an_unknown_format(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n  Once upon a time there was a format.\n")
    names = ", ".join(item.name for item in registry.formats("coref"))
    assert error_message(read, COREF, path) == (
        f"{path}:1:1: found 'Once upon a time there was a format.', which is no known coref format, "
        f"expected one of {names}: {NAME_FORMAT_HINT}"
    )


def test_problems_of_all_files_come_together(tmp_path: Path) -> None:
    first, other = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_bytes(b"\xe9")
    message = error_message(aune.evaluate, "coref", str(first), {"B": str(other)})
    assert [line.partition(":")[0] for line in message.split("\n")] == [str(first), str(other)]


def test_too_many_problems_stop_the_reader() -> None:
    source = Source("a", b"")
    with pytest.raises(aune.InputError) as error:
        for line in range(1, 5000):
            source.add_problem("line.malformed", line, 1, found="it", expected="it not", remedies=["look"])
    assert len(error.value.problems) == 1001
    assert "found 1000 problems, expected fewer: check that the format is the right one" in str(error.value)


def test_a_name_that_is_nearly_right(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_text("")
    assert error_message(read, COREF, tmp_path / "key.conl").endswith(f"did you mean {tmp_path / 'key.conll'}?")


def test_a_document_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("# document x\n1 2\n# document y\n1\n# document x\n1 3\n")
    assert error_message(read, COREF, path) == (
        f"{path}:5:1: found document 'x' a second time, expected every name once: rename or remove it"
    )


def test_a_file_in_a_folder_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as any other file that cannot be read. Root may go anywhere: what others are told is put in place."""
    for owner, name in ((os, "listdir"), (Path, "is_dir"), (Path, "iterdir"), (Path, "open")):
        monkeypatch.setattr(owner, name, _forbidden)
    assert "found no readable file (Permission denied)" in error_message(read, COREF, tmp_path / "key.conll")


def _forbidden(*_: object, **__: object) -> None:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def test_a_document_in_two_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("# document x\n1 2\n")
    assert error_message(read, COREF, tmp_path) == (
        f"{tmp_path / 'b.txt'}:1:1: found document 'x' a second time, expected every name once: rename or remove it, "
        "or give the files of several systems one by one"
    )


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    import hashlib

    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode(), mtime=0))
    assert read(COREF, path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [source.stem for source in sources(path)] == ["a"]


# Pairing


def corpus(*names: str, path: str | None = None) -> Corpus:
    return Corpus(documents({name: [{1, 2}] for name in names}), path)


def pair_sides(key: Corpus, response: Corpus, **policies: Any) -> tuple[list[tuple[str, str, int]], list[str]]:
    pairs, notes = pair(COREF, key, response, **policies)
    return [(first.id, other.id, len(other)) for first, other in pairs], notes


def test_documents_are_paired_by_name_in_the_key_s_order() -> None:
    assert pair_sides(corpus("a", "b"), corpus("b", "a")) == ([("a", "a", 2), ("b", "b", 2)], [])


def test_one_document_on_each_side_is_a_pair() -> None:
    message = "the response: document 'b' is paired with 'a', the only one of the key"
    assert pair_sides(corpus("a"), corpus("b")) == ([("a", "b", 2)], [message])
    assert pair_sides(corpus("a", path="a.txt"), corpus("b")) == ([("a", "b", 2)], [])  # a name that the file gave it
    assert pair_sides(corpus("a"), corpus("a")) == ([("a", "a", 2)], [])


def test_missing_documents() -> None:
    key, response = corpus("a", "b", "c"), corpus("b", path="r.txt")
    assert pair_sides(key, response) == (
        [("a", "a", 0), ("b", "b", 2), ("c", "c", 0)],
        ["r.txt: 2 documents (a, c) of the key missing (67 % of its 3 documents), scored as empty"],
    )
    assert pair_sides(key, response, missing="skip") == (
        [("b", "b", 2)],
        ["r.txt: 2 documents (a, c) of the key missing (67 % of its 3 documents), left out of the score"],
    )
    remedy = "expected one as in the key: add it, or score it as empty with --missing empty"
    assert error_message(pair, COREF, key, response, missing="error") == (
        f"r.txt:1:1: found no document 'a', {remedy}\nr.txt:1:1: found no document 'c', {remedy}"
    )


def test_extra_documents() -> None:
    key, response = corpus("b"), corpus("a", "b", path="r.txt")
    assert pair_sides(key, response) == ([("b", "b", 2)], ["r.txt: 1 document (a) not in the key, ignored"])
    assert pair_sides(key, response, extra="count") == (
        [("b", "b", 2), ("a", "a", 2)],
        ["r.txt: 1 document (a) not in the key, scored against an empty key"],
    )
    assert error_message(pair, COREF, key, response, extra="error") == (
        "r.txt:1:1: found document 'a', expected only documents of the key: "
        "remove it, or leave it out with --extra ignore"
    )
    sides = error_message(pair, COREF, corpus("b", "c"), response, missing="error", extra="error")
    assert "found no document 'c'" in sides and "found document 'a'" in sides


def test_long_lists_of_names_are_cut() -> None:
    _, [note] = pair(COREF, corpus(*"abcdefg"), corpus("a", "b", path="r.txt"))
    assert note == "r.txt: 5 documents (c, d, e, …) of the key missing (71 % of its 7 documents), scored as empty"


@pytest.mark.parametrize("task", corpora.TASKS)
def test_a_response_of_one_document_answers_its_namesake(task: str, tmp_path: Path) -> None:
    """Whatever the task: the others are missing, and that is told."""
    key, response = corpora.records(task, 4)
    (tmp_path / "key.jsonl").write_text(corpora.lines(key))
    (tmp_path / "response.jsonl").write_text(corpora.lines(response[2:3]))
    room = registry.task(task)
    sides = [read(room, tmp_path / f"{side}.jsonl", corpora.HOME[task]) for side in ("key", "response")]
    pairs, [note] = pair(room, sides[0], sides[1])
    names = [document.id for document in sides[0].documents]
    assert [(first.id, other.id) for first, other in pairs] == list(zip(names, names, strict=True))
    assert pairs[2][1] is sides[1].documents[0]
    assert f"3 {room.reading.part}s ({names[0]}, {names[1]}, {names[3]}) of the key missing (75 % of its 4 " in note


@given(st.lists(st.integers(0, 4), min_size=2, max_size=4), st.integers(0, 9), st.data())
def test_a_document_whose_name_the_key_knows_is_not_cut(lengths: list[int], length: int, data: st.DataObject) -> None:
    """Even where it is as long as all documents of the key together."""
    key = [entities.make_document(f"d{number}", [], length=size) for number, size in enumerate(lengths)]
    value = data.draw(st.integers(0, len(key) - 1))
    answer = entities.make_document(f"d{value}", [], length=data.draw(st.sampled_from([length, sum(lengths)])))
    result = core_paired(ENTITIES, Corpus(key, "key.conll"), Corpus([answer], "response.conll"))
    assert not result.was_cut and result.pairs[value][1] is answer
    assert result.missing.names == [document.id for document in key if document.id != answer.id]


def test_names_that_nobody_gave_are_no_names() -> None:
    """A number, or the name of a whole file: then lengths say whether it is the whole response."""
    cases = [  # the key's file, its names, the response's file, what it is called, whether it is cut
        ("k/test.conll", "12", "r/test.conll", "test", True),
        ("k/test.conll", "12", "r/test2.conll", "1", True),  # only the first mark was kept
        ("k/test.conll", ("test", "2"), "r/test.conll", "test", True),
        ("k", "ab", "r/a.conll", "a", False),  # a folder's documents are called by their files
        ("k/test.conll", "ab", "r/a.conll", "b", False),
    ]
    for path, names, other, name, cut in cases:
        files = [f"{path}/{name}.conll" if path == "k" else path for name in names]
        key = [entities.make_document(*item, [], length=2, path=file) for *item, file in zip(names, files, strict=True)]
        answer = entities.make_document(name, [], length=4, path=other)
        assert core_paired(ENTITIES, Corpus(key, path), Corpus([answer], other)).was_cut is cut, (path, name)


def test_no_shared_name() -> None:
    assert error_message(pair, COREF, corpus("a", "b"), corpus("x", "y", path="r.txt")) == (
        "r.txt:1:1: found documents named 'x'…, expected the key's names such as 'a': "
        "give the documents of both sides the same names"
    )


def test_nothing_to_score() -> None:
    with pytest.raises(aune.NothingToScoreError) as error:
        pair(COREF, Corpus([], "k.txt"), corpus("a"))
    assert str(error.value) == "k.txt contains no document: nothing to score"
    with pytest.raises(aune.NothingToScoreError) as error:
        aune.evaluate("coref", {"a": [{1}], "b": [{2}]}, {"S": {}}, missing="skip")
    assert str(error.value) == "S: no document left to score"


def test_pairing_policies_are_in_the_signature() -> None:
    key, response = {"a": [{1, 2}], "b": [{1, 2}]}, {"a": [{1, 2}]}
    [result] = aune.score("coref", key, response, measures=["muc"], missing="skip")
    assert result.recall == 1 and "missing:skip|extra:ignore" in str(result.signature)


# Names of systems


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["a.conll", "b.conll.gz"], ["a", "b"]),
        (["x/a.conll", "y/a.conll"], ["a", "y/a"]),
        (["a.conll", "a.json"], ["a", "a.json"]),
        (["best=x/a.conll", "x/a.conll"], ["best", "a"]),
        (["-"], ["stdin"]),
        (["in=-"], ["in"]),
        (["out/x=1.conll"], ["x=1"]),
    ],
)
def test_names_of_systems(value: list[str], names: list[str]) -> None:
    assert list(system_names(value)) == names


def test_names_that_collide() -> None:
    for paths in (["a=x", "a=y"], ["a.txt", "a=y"], ["a.txt", "a.txt", "a.txt"]):
        with pytest.raises(aune.UsageError) as error:
            system_names(paths)
        assert str(error.value) == "two systems are called 'a': name them with name=path"
    with pytest.raises(aune.UsageError) as error:
        system_names(["=a.txt"])
    assert str(error.value) == "=a.txt: expected a name before '=', or a path without it"


def test_a_path_with_an_equals_sign_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x=1.txt").write_text(TEXT)
    assert system_names(["x=1.txt"]) == {"x=1": "x=1.txt"}


def test_a_file_whose_name_is_no_text_has_a_name_that_is() -> None:
    """So that pages and figures can contain it."""
    assert list(system_names(["a/\udcff.tsv"])) == ["\\udcff"]
