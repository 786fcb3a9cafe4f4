"""What is written twice is the same to the byte, wherever and whenever: PDF, PNG, SVG, pages, tables, models, JSON.

Seeds of Python's hashes, time zones, languages, the number of processes and the order in which a system lists the files
of a folder change nothing.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COREF = "coref coref/key.conll coref/strings.conll coref/neural.conll"
SPEECH = "speech speech/key.jsonl speech/north.jsonl speech/south.jsonl"
DRAWN = "--draws 20 --output"
LINES = [
    f"score {COREF} -m all --format json --workers {{}}",
    f"score {COREF} --rows rows --workers {{}}",
    f"compare {SPEECH} --draws 99 --format latex --workers {{}}",
    f"errors {COREF.rpartition(' ')[0]} --format json",
    f"report {COREF} {DRAWN} page.html",
    f"report {SPEECH} {DRAWN} speech.html",
    *(f"figure kinds {COREF} --output figure.{ending}" for ending in ("pdf", "png", "svg", "vl.json")),
    "convert coref coref/key.conll brat --to brat",
    "convert coref brat documents.jsonl --to jsonlines",
    "score coref brat brat --by document --format csv",
    "describe coref brat --format json",
    "combine tagging tagging/rules.tsv tagging/lexicon.tsv -o vote.tsv --disagreements disagreements.tsv",
    *(["speech train atene speech/train.jsonl --rounds 2 --output model.npz"] if find_spec("sklearn") else []),
]
PLACES = [
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C", "LANG": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "LC_ALL": "C.UTF-8", "LANG": "fr_FR.UTF-8", "PYTHONUTF8": "1"},
]


def test_what_is_written_elsewhere_is_the_same(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    messages = [end_command(tmp_path / str(number), number, place) for number, place in enumerate(PLACES)]
    differ = [pair for pair in zip(*messages, strict=True) if len({*pair}) > 1]
    assert not differ
    assert len(messages[0]) > len(LINES)


def test_a_pdf_has_no_date(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    from aune.cli import run

    words = [str(EXAMPLES / word) if "/" in word else word for word in COREF.split()]
    assert run(["figure", "kinds", *words, "--output", str(tmp_path / "figure.pdf")]) == 0
    data = (tmp_path / "figure.pdf").read_bytes()
    assert not [word for word in (b"CreationDate", b"ModDate", b"CreateDate", b"/ID") if word in data]


def end_command(home: Path, number: int, place: dict[str, str]) -> list[str]:
    """The digests of all that the lines print and write in a folder of that name, in a process of its own."""
    shutil.copytree(EXAMPLES, home)
    process = subprocess.run(
        [sys.executable, __file__, str(number)], cwd=home, env={**os.environ, **place}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


def digests(number: int) -> Iterator[str]:
    """What each line printed, and the files that are there in the end."""
    from aune.cli import run

    for line in LINES:
        output = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
        with redirect_stdout(output):
            assert run(line.format(number + 1).split()) == 0, line
        yield f"{line} {sha256(output.buffer.getvalue()).hexdigest()}"
    yield from (
        f"{path} {sha256(path.read_bytes()).hexdigest()}" for path in sorted(Path().rglob("*")) if path.is_file()
    )


def shuffle_items(listed: Callable[..., Any], rng: random.Random) -> Callable[..., Any]:
    """A way to list a folder that has an order of its own."""

    class Entries(list[Any]):
        def __enter__(self) -> Iterator[Any]:
            return iter(self)

        def __exit__(self, *_: object) -> None:
            """Nothing is open."""

        close = __exit__

        def __next__(self) -> Any:
            if not self:
                raise StopIteration
            return self.pop()

    def entries(*arguments: Any) -> Any:
        with_all = [*listed(*arguments)]
        return Entries(rng.sample(with_all, len(with_all)))

    return entries


if __name__ == "__main__":
    chance = random.Random(int(sys.argv[1]))
    os.listdir, os.scandir = shuffle_items(os.listdir, chance), shuffle_items(os.scandir, chance)
    print("\n".join(digests(int(sys.argv[1]))))
