"""Whatever the file, a reader of any task gives documents that can be scored, or says what is wrong and where.

`tasks/TASK/formats/samples` holds well-formed files, `tasks/TASK/formats/malformed` broken ones, each with exactly the
messages it gives (`NAME.expected` beside `NAME`). A file's name begins with that of its format and a hyphen.
"""

from __future__ import annotations

import gzip
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aune import evaluate
from aune.contract import registry
from aune.contract.format import Format
from aune.errors import InputError, NothingToScoreError, UsageError
from aune.reading.corpus import Corpus
from aune.reading.recognition import choose_format
from aune.reading.source import Source

HERE = Path(__file__).parent
FORMATS = [(task, form) for task in registry.task_names() for form in registry.formats(task)]
SAMPLES = [
    path
    for path in sorted(HERE.glob("*/formats/samples/*"))
    if path.suffix != ".txt" or not path.with_suffix(".ann").exists()  # the text that brat keeps apart
]
MALFORMED = [
    path
    for path in sorted(HERE.glob("*/formats/malformed/*"))
    if path.suffix != ".expected" and (path.suffix != ".txt" or not path.with_suffix(".ann").exists())
]

SIGNS = [
    "\t", "\n", " ", "(", ")", "|", "-", "_", "{", "}", "[", "]", "<", ">", "/", '"', "'", ":", ";", ",", "=", "#",
    "\\", "*", "0", "9" * 30, "1.1", "1-2", "²", "\x00", "\u2028", "\xa0", "\ud800", "é", "null", "true",
    "1e999", '"\\ud800"', "&amp;", "&#0;", "&#xD800;", "%2D", "%FF",
    "# newdoc id = x\n", "T1\tA 0 4", "T1\tA 4 0;0 1\tx", "<DOC>",
]  # fmt: skip
SIGNS_OF = {
    "coref": [
        "e1", "T1", "(e1", "e1)", "(1", "1)", "[1/2]", "<COREF ID=1", "</COREF>", "Entity=", "Bridge=a<b", "SplitAnte=",
        "# global.Entity = ", "#begin document (", "#end document", '{"clusters": [[[0, 1]]]}',
        "R1\tCoref Arg1:T1 Arg2:T2", "*\tCoref T1", "A1\tX T1",
    ],
    "entities": [
        "B-A", "I-A", "O", "E-", "TOKEN\t", "NE-COARSE-LIT", "\nTOKEN", "# document_id = d", "-DOCSTART-", "<name>",
        "</name>", "<pers.ind a=b>", "</pers.ind>", "<doc id=1>", '<ENAMEX TYPE="A">', "</ENAMEX>", '{"spans": []}',
        '{"text": "ab", "spans": [[0, 1, "x"]]}', '{"entities": [{"type": "A", "mentions": []}]}',
        "#FORMAT=WebAnno TSV 3.3\n", "#T_SP=a.B|value\n", "1-1\t0-1\ta\tA[1]\n", "1-2\t2-3\tb\tA[1]|B\n", "<document>",
        '<entity TYPE="A">', "</entity>", "<entity_mention>", '<charseq START="0" END="1"/>',
    ],
    "tagging": ["B-", "I-", "1-2\tAux", "_\t_\t_", "a/N", "\\/", '{"words": ["a"], "tags": ["N"]}'],
    "anaphora": ["TRUE", "FALSE", "\tPronoun", "0-1", "key", "document", '{"anaphors": []}'],
    "speech": ["(a_1)", "(a_1)\n", ";; ", "{ a / b }", "<o>", "%hesitation", "a 1 0.0 0.5 b\n", '{"text": "a b"}'],
}  # fmt: skip
QUIET = settings(
    max_examples=int(os.environ.get("AUNE_FUZZ", "25")), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
every_format = pytest.mark.parametrize(
    ("task", "form"), [pytest.param(task, form, id=f"{task}.{form.name}") for task, form in FORMATS]
)
every_sample = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)


def task_of(path: Path) -> str:
    return path.relative_to(HERE).parts[0]


def format_of(path: Path) -> Format:
    return registry.format(task_of(path), path.name.partition("-")[0])


def text_of(pieces: list[str]) -> bytes:
    return "".join(pieces).encode(errors="surrogatepass")


def read(form: Format, source: Source) -> list[Any]:
    form.sniff(source.head)
    documents = list(form.read(source))
    source.raise_problems()
    return documents


def survives(task: str, form: Format, data: bytes) -> None:
    """Read, and check, write and score what could be read; or be told what is wrong with it."""
    try:
        documents = read(form, Source("x", data))
        registry.task(task).reading.check(documents)
        if task == "entities":
            assert all(
                document.spans.min(initial=0) >= 0 and document.spans.max(initial=0) <= document.length
                for document in documents
            )
            assert all(document.tokens is None or len(document.tokens) == document.length for document in documents)
        with suppress(UsageError):
            "".join(form.write(documents) if form.write else ()).encode(errors="surrogatepass")
        with suppress(NothingToScoreError):
            evaluate(task, Corpus(documents), {"same": Corpus(documents)})
    except InputError as error:
        assert error.problems
        assert all(problem.place.line >= 1 and problem.place.column >= 1 for problem in error.problems)
        assert all("found" in problem.message and "expected" in problem.message for problem in error.problems)


@every_format
@QUIET
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="replace")))
def test_random_input(task: str, form: Format, data: bytes) -> None:
    survives(task, form, data)


@every_format
@QUIET
@given(data=st.data())
def test_random_syntax(task: str, form: Format, data: Any) -> None:
    survives(task, form, text_of(data.draw(st.lists(st.sampled_from([*SIGNS, *SIGNS_OF[task]]), max_size=30))))


@every_sample
@QUIET
@given(data=st.data())
def test_mutated_samples(path: Path, data: Any) -> None:
    text = path.read_text(encoding="utf-8")
    signs = st.sampled_from(["", *SIGNS, *SIGNS_OF[task_of(path)]])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 8)))
        text = text[:start] + data.draw(signs) + text[end:]
    survives(task_of(path), format_of(path), text_of([text]))


@every_sample
def test_samples_are_recognised(path: Path) -> None:
    """By their content alone, without a doubt."""
    head = Source("x", path.read_bytes()).head
    assert choose_format(registry.formats(task_of(path)), "x", head) == (format_of(path), [])


@every_sample
def test_documents_of_a_compressed_file_have_the_same_names(path: Path) -> None:
    """Documents that the file does not name are named after it: those of `a.ext.gz` pair with those of `a.ext`."""
    data, form = path.read_bytes(), format_of(path)
    plain = Source(f"folder/{path.name}", data, path)
    packed = Source(f"folder/{path.name}.gz", gzip.compress(data), path)
    assert [document.id for document in read(form, plain)] == [document.id for document in read(form, packed)]


@every_sample
def test_samples_of_other_formats(path: Path) -> None:
    for form in registry.formats(task_of(path)):
        survives(task_of(path), form, path.read_bytes())


@pytest.mark.parametrize("path", MALFORMED, ids=lambda path: path.name)
def test_messages(path: Path) -> None:
    expected = path.with_name(f"{path.name}.expected").read_text(encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        read(format_of(path), Source(path.name, path.read_bytes(), path))
    assert f"{refusal.value}\n" == expected


@pytest.mark.parametrize("task", registry.task_names())
def test_every_format_has_samples_malformed_files_and_a_test_of_its_own(task: str) -> None:
    formats = {form.name for form in registry.formats(task)}
    assert {format_of(path).name for path in SAMPLES if task_of(path) == task} == formats
    assert {format_of(path).name for path in MALFORMED if task_of(path) == task} == formats
    assert {path.stem.removeprefix("test_") for path in HERE.glob(f"{task}/formats/test_*.py")} >= formats
