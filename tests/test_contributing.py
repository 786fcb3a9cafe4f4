"""What CONTRIBUTING promises: a measure, a format or a baseline is one file and its test, and nothing else breaks.

Each is added to a copy of the sources, with nothing else changed, and the laws run over it there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import SOURCE

HERE = Path(__file__).parent
ROOT = HERE.parent

MEASURE = '''"""Exact share: the utterances that are right to the letter.

    exact = utterances without an error / utterances

Source: CONTRIBUTING, 2026.
Edges: undefined without utterances.

>>> MEASURE(["a b", "c"], ["a b", "d"]).exact
0.5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.speech.comparison import Comparison


class Counts(NamedTuple):
    """Utterances, and those that are right."""

    exact: Column
    utterances: Column


class Score(NamedTuple):
    """The share."""

    exact: Column


def count(comparison: Comparison) -> Counts:
    right = [list(key.words) == list(response.words) for key, response in comparison.pairs]
    rows = comparison.base
    return Counts(np.bincount(rows, right, comparison.rows), np.bincount(rows, minlength=comparison.rows))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.exact, counts.utterances))


MEASURE = Measure(count, score)
'''

MEASURE_TEST = """from aune import score


def test_by_hand():
    assert score("speech", ["a b", "c"], ["a b", "d"], measures=["exact_share"])["exact_share"].exact == 0.5
"""

FORMAT = '''"""Plus: chains on one line each, with a plus between the mentions.

    plus: first document
    1+2-3+4
    5+6

A line `plus: NAME` begins a document, every other line is a chain. A mention is the number of a token, or the first and
the last joined by a hyphen. Blank lines mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count

from aune.contract.format import Boundaries, Format
from aune.reading.source import Source
from aune.syntax.writing import one_line, refuse
from aune.tasks.coref.formats._tokenization import word_spans
from aune.tasks.coref.model import Document, Mention, make_document

TITLE = "plus:"
MENTION = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def sniff(head: str) -> bool:
    return head.startswith(TITLE)


def read(source: Source) -> Iterator[Document]:
    name, begun = "", 0
    mentions: list[Mention] = []
    chains = count()
    for number, line in source.lines():
        if line.startswith(TITLE):
            if begun:
                yield make_document(name, mentions, path=source.name, line=begun)
            name, begun, mentions = line.removeprefix(TITLE).strip() or "document", number, []
        elif line.strip() and not begun:
            source.add_problem(
                "document.headless", number, 1, found=repr(line[:40]), expected=f"a line '{TITLE} NAME' before it",
                remedies=["add one"],
            )
            return
        elif line.strip():
            mentions += _mentions(source, number, line, next(chains))
    if begun:
        yield make_document(name, mentions, path=source.name, line=begun)


def _mentions(source: Source, number: int, line: str, chain: int) -> Iterator[Mention]:
    column = 1
    for text in line.rstrip().split("+"):
        place = MENTION.fullmatch(text)
        if place and int(place[1]) <= int(place[2] or place[1]):
            yield Mention(int(place[1]), int(place[2] or place[1]) + 1, chain, number)
        else:
            source.add_problem(
                "mention.malformed", number, column, found=repr(text[:40]), expected="NUMBER or FIRST-LAST",
                remedies=["correct the mention"],
            )
        column += len(text) + 1


def write(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        owner = f"document {document.id!r}"
        if document.unit == "name":
            refuse("plus", "mentions without a place", owner, instead="jsonlines")
        yield f"{TITLE} {one_line(document.id, 'plus', 'name', owner, instead='jsonlines')}\\n"
        spans = [f"{start}-{end - 1}" if end - start > 1 else f"{start}" for start, end in word_spans(document)]
        for members in document.members():
            yield "+".join(spans[mention] for mention in members) + "\\n"


FORMAT = Format(
    read, sniff, write, carries=frozenset({"singletons", "spans"}), suffixes=(".plus",),
    boundaries=Boundaries((TITLE.encode(),)),
)
'''

FORMAT_TEST = """from pathlib import Path

from tests.tasks.formats import messages, read, write_text

SAMPLE = Path(__file__).parent / "samples" / "plus-two.plus"


def test_what_is_written_is_the_file_that_was_read() -> None:
    assert write_text("coref", "plus", read("coref", "plus", SAMPLE.read_bytes())) == SAMPLE.read_text()


def test_a_mention_ends_behind_its_start() -> None:
    assert messages("coref", "plus", "plus: a\\n1+3-2\\n") == [
        "2:3: found '3-2', expected NUMBER or FIRST-LAST: correct the mention"
    ]
"""

SHAPES = """# A usual file, and a dense one: `make fuzz` measures the memory that their bytes take.

[[shape]]
piece = "plus: nw/document-$n\\n1001+1004-1006+1032\\n1002+1017-1018\\n"

[[shape]]
head = "plus: a\\n0"
piece = "+$next"
"""

FILES = {
    "src/aune/tasks/coref/formats/plus.py": FORMAT,
    "tests/tasks/coref/formats/test_plus.py": FORMAT_TEST,
    "tests/tasks/coref/formats/samples/plus-two.plus": "plus: a/b\n1-3+5\n7+8+9\nplus: c\n1+2\n",
    "tests/tasks/coref/formats/malformed/plus-words.plus": "plus: a\n1+x\n",
    "tests/tasks/coref/formats/malformed/plus-words.plus.expected":
        "plus-words.plus:2:3: found 'x', expected NUMBER or FIRST-LAST: correct the mention\n",
    "tests/tasks/coref/formats/shapes/plus.toml": SHAPES,
}  # fmt: skip
"""A format, and all that is added with it."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources and the tests, apart from the large ones, in another place."""
    shutil.copytree(SOURCE, tmp_path / "src" / "aune")
    shutil.copytree(HERE, tmp_path / "tests", ignore=shutil.ignore_patterns("reports"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def passes(copy: Path, *arguments: str) -> str:
    """What a command says that must succeed in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")


def test_a_measure_is_one_file_and_its_test(copy: Path) -> None:
    (copy / "src/aune/tasks/speech/measures/exact_share.py").write_text(MEASURE)
    (copy / "tests/tasks/speech/measures/test_exact_share.py").write_text(MEASURE_TEST)
    shared = "(perfect or order or add_up or envelope) and speech]"
    where = ["tests/tasks/speech/measures/test_exact_share.py", "tests/test_laws.py", "tests/test_house.py"]
    passes(copy, *PYTEST, *where, "-k", f"exact_share or {shared} or (house and not code)")
    assert "speech.exact_share" in passes(copy, "-m", "aune", "list", "measures", "speech")


MET = (
    "tests/tasks/test_reading.py", "tests/tasks/test_writing.py", "tests/tasks/coref/formats", "tests/evaluation",
    "tests/fuzz/test_multiples.py", "tests/workbench/test_files.py", "tests/cli/test_convert.py", "tests/test_house.py",
)  # fmt: skip
"""The tests that run over every format, and those that count formats."""


def test_a_format_is_one_file_and_its_tests(copy: Path) -> None:
    """Everything that a new format meets: all laws of readers and writers, pieces, the workbench, damaged files."""
    for path, text in FILES.items():
        (copy / path).parent.mkdir(exist_ok=True)
        (copy / path).write_text(text)
    passes(copy, *PYTEST, *MET, "-k", "plus or every_format or (house and not code)")
    [damaged] = map(json.loads, passes(copy, "tests/fuzz/worker.py", "1", "20", "format coref.plus").splitlines())
    assert damaged["tried"] >= 20 and not damaged["failures"], damaged
