"""No reader raises anything but our own input error, whatever the file; what it reads can be compared and written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aune import registry
from aune.corpus import Source
from aune.errors import InputError
from aune.task import Format
from aune.tasks.entities.check import check
from aune.tasks.entities.comparison import compare

FORMATS = registry.formats("entities")
SAMPLES = [path for path in sorted((Path(__file__).parent / "samples").iterdir()) if path.suffix != ".txt"]
SIGNS = st.sampled_from(
    ["\t", "\n", " ", "|", "-", "_", "{", "}", "[", "]", "<", ">", "/", '"', ":", ";", ",", "#", "\\", "*", "0", "1",
     "9" * 30, "²", "\x00", "\u2028", "\xa0", "é", "B-A", "I-A", "O", "E-", "TOKEN\t", "NE-COARSE-LIT", "\nTOKEN",
     "# document_id = d", "-DOCSTART-", "# newdoc id = x\n", "<name>", "</name>", "<pers.ind a=b>", "</pers.ind>",
     "<doc id=1>", "<ENAMEX TYPE=\"A\">", "</ENAMEX>", "<DOC>", "T1\tA 0 4", "T1\tA 4 0;0 1\tx", '{"spans": []}',
     '{"text": "ab", "spans": [[0, 1, "x"]]}', '{"entities": [{"type": "A", "mentions": []}]}', "null", "1e999",
     '"\\ud800"', "#FORMAT=WebAnno TSV 3.3\n", "#T_SP=a.B|value\n", "1-1\t0-1\ta\tA[1]\n", "1-2\t2-3\tb\tA[1]|B\n",
     "<document>", "<entity TYPE=\"A\">", "</entity>", "<entity_mention>", "<charseq START=\"0\" END=\"1\"/>", "&#0;"]
)  # fmt: skip
QUIET = settings(
    max_examples=int(os.environ.get("AUNE_FUZZ", "25")), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def survives(form: Format, data: bytes) -> None:
    """Read, check, compare with itself, and write what could be read."""
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
    check(documents)
    if documents:
        compare([(one, one) for one in documents])
    for one in documents:
        assert one.length >= one.spans.max(initial=0) and one.spans.min(initial=0) >= 0
        assert one.tokens is None or len(one.tokens) == one.length
    if form.write:
        "".join(form.write(documents)).encode(errors="replace")


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
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 5))
        text = text[:place] + data.draw(st.just("") | SIGNS) + text[place + gone :]
    survives(registry.format("entities", path.name.partition("-")[0]), text.encode(errors="replace"))
