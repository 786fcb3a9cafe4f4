"""No reader raises anything but aune's own input error, whatever the file."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aune import registry
from aune.corpus import Source
from aune.errors import InputError, UsageError
from aune.task import Format

FORMATS = registry.formats("coref")
SAMPLES = [path for path in sorted((Path(__file__).parent / "samples").iterdir()) if path.name != "brat-lee.txt"]
SIGNS = st.sampled_from(
    ["\t", "\n", " ", "(", ")", "|", "-", "_", "{", "}", "[", "]", "<", ">", "/", '"', "'", ":", ";", ",", "=", "#",
     "\\", "*", "0", "9" * 30, "1.1", "1-2", "²", "\x00", "\u2028", "é", "e1", "T1", "(e1", "e1)", "(1", "1)", "[1/2]",
     "<COREF ID=1", "</COREF>", "<DOC>", "&amp;", "&#0;", "&#xD800;", "Entity=", "Bridge=a<b", "SplitAnte=",
     "# newdoc", "# global.Entity = ", "#begin document (", "#end document", '{"clusters": [[[0, 1]]]}', "null", "true",
     "1e999", '"\\ud800"', "R1\tCoref Arg1:T1 Arg2:T2", "*\tCoref T1", "A1\tX T1", "%2D", "%FF"]
)  # fmt: skip
QUIET = settings(
    max_examples=int(os.environ.get("AUNE_FUZZ", "25")), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def survives(form: Format, data: bytes) -> None:
    """Read, and write again what could be read."""
    source = Source("x", data)
    try:
        form.sniff(source.head)
        documents = list(form.read(source))
        source.finish()
    except InputError as error:
        assert error.problems
        assert all(problem.line >= 1 and problem.column >= 1 for problem in error.problems)
        assert all("found" in problem.message and "expected" in problem.message for problem in error.problems)
        return
    try:
        assert form.write
        "".join(form.write(documents)).encode()
    except UsageError:
        pass


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@QUIET
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="replace")))
def test_random_input(form: Format, data: bytes) -> None:
    survives(form, data)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@QUIET
@given(pieces=st.lists(SIGNS, max_size=30))
def test_random_syntax(form: Format, pieces: list[str]) -> None:
    survives(form, "".join(pieces).encode(errors="replace"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@QUIET
@given(data=st.data())
def test_mutated_samples(path: Path, data: Any) -> None:
    text = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 8)))
        text = text[:start] + data.draw(SIGNS | st.just("")) + text[end:]
    survives(registry.format("coref", path.name.partition("-")[0]), text.encode(errors="replace"))


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_of_other_formats(form: Format, path: Path) -> None:
    survives(form, path.read_bytes())


NASTY = [
    "(12)", "(", ")", "((a)", "{a ", "{a:b=", "}", "<!--", "<a ", "<aaaa", "<COREF ", "a=", '"', "[", "{", "a:", " ",
    "# x\n", "#end document\n", "T1\tA 0 1;", "Entity=(e1)", "\\", "é", "a\t", "# meta:: ", "&", "(e1[1/2])", "1,",
]  # fmt: skip
STARTS = ["", "#begin document (a)\na\t", "a\t0\t1\t", "R1\tCoref ", "<COREF ID=", "{a ", "1" + "\t_" * 9 + "Entity="]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_reading_is_linear(form: Format) -> None:
    """Long inputs that make careless patterns go back and forth."""
    start = time.process_time()
    for before in STARTS:
        for piece in NASTY:
            survives(form, (before + piece * (3_000 // len(piece)) + "(").encode())
    assert time.process_time() - start < 10
