"""What CONTRIBUTING promises: a measure, a format or a baseline is one file and its test, and nothing else breaks.

Each is added to a copy of the sources, with nothing else changed, and the laws run over it there.
"""

from __future__ import annotations

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

from aune.core.measure import Column, Measure, ratio
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

FORMAT = '''"""Chains on one line each, with a plus between the mentions: `1+2+3`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.coref.model import Document, documents


def sniff(head: str) -> bool:
    return head.startswith("plus:")


def read(source: Source) -> Iterator[Document]:
    chains = []
    for number, line in source.lines():
        if number == 1:
            continue
        try:
            chains.append({int(mention) for mention in line.split("+")})
        except ValueError:
            source.problem(number, 1, f"found {line!r}, expected numbers with + between them: mend the line")
    if not source.problems:
        [made] = documents(chains)
        yield made


def write(documents: Iterable[Document]) -> Iterator[str]:
    yield "plus:\\n"
    for document in documents:
        chains: dict[int, list[int]] = {}
        for chain, (start, _) in zip(document.chains.tolist(), document.spans.tolist(), strict=True):
            chains.setdefault(chain, []).append(start)
        yield from ("+".join(map(str, one)) + "\\n" for one in chains.values())


FORMAT = Format(read, sniff, write, suffixes=(".plus",))
'''

FORMAT_TEST = """from aune.core import registry
from aune.core.corpus import read
from pathlib import Path


def test_what_is_written_is_read_again(tmp_path):
    sample = Path(__file__).parent / "samples" / "plus-two.plus"
    home = registry.task("coref")
    first = read(home, str(sample))
    again = tmp_path / "again.plus"
    again.write_text("".join(registry.format("coref", "plus").write(first.documents)))
    assert again.read_text() == sample.read_text()
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources and the tests, apart from the large ones, in another place."""
    shutil.copytree(SOURCE, tmp_path / "src" / "aune")
    shutil.copytree(HERE, tmp_path / "tests", ignore=shutil.ignore_patterns("reports"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def passes(copy: Path, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_a_measure_and_a_format_are_one_file_and_its_test_each(copy: Path) -> None:
    (copy / "src/aune/tasks/speech/measures/exact_share.py").write_text(MEASURE)
    (copy / "tests/tasks/speech/measures/test_exact_share.py").write_text(MEASURE_TEST)
    home = copy / "tests/tasks/coref/formats"
    (copy / "src/aune/tasks/coref/formats/plus.py").write_text(FORMAT)
    (home / "test_plus.py").write_text(FORMAT_TEST)
    (home / "samples" / "plus-two.plus").write_text("plus:\n1+2+3\n4+5\n")
    (home / "malformed" / "plus-words.plus").write_text("plus:\n1+x\n")
    message = "plus-words.plus:2:1: found '1+x', expected numbers with + between them: mend the line\n"
    (home / "malformed" / "plus-words.plus.expected").write_text(message)
    of_their_own = ["tests/tasks/speech/measures/test_exact_share.py", "tests/tasks/coref/formats/test_plus.py"]
    laws = ["tests/test_laws.py", "tests/tasks/test_reading.py", "tests/test_house.py"]
    shared = "(perfect or order or add_up or envelope) and speech]"
    passes(copy, *of_their_own, *laws, "-k", f"exact_share or plus or {shared} or (house and not code)")
    listed = subprocess.run(
        [sys.executable, "-m", "aune", "list", "measures", "speech"],
        env={**os.environ, "PYTHONPATH": str(copy / "src")}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "speech.exact_share" in listed.stdout
