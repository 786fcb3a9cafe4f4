"""Small inputs that ask for a large machine, each run as a user would, under a limit of memory and time."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from aune.baselines import names

SOURCE = Path(__file__).resolve().parents[2] / "src"
MEMORY = 2_000_000  # kB of data; address space alone costs nothing, and figures reserve more of it than there is
PEAK = 500  # MB that no hostile input may need
SECONDS = 60  # of processor time, on a busy machine: most need two
LIMITED = f'ulimit -d {MEMORY}; ulimit -t {SECONDS}; exec "$@"'
DEPTH = 20_000


MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(f"{code} {used.ru_maxrss / 1024} {used.ru_utime + used.ru_stime}")
"""
"""A small process between: the peak of a process is at least that of its parent, which is large in tests."""


class Ended(NamedTuple):
    """How a command ended, the memory in MB and the seconds of processor time that it needed."""

    code: int
    errors: str
    peak: float
    seconds: float


def end_command(folder: Path, *words: str, stdin: str = os.devnull) -> Ended:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with (folder / "errors").open("w+") as errors, Path(stdin).open("rb") as file:
        limited = ["sh", "-c", LIMITED, "sh", sys.executable, "-m", "aune", *words]
        subprocess.run(
            [sys.executable, "-c", MEASURED, folder / "needed", *limited], cwd=folder, env=environment, stdin=file,
            stdout=subprocess.DEVNULL, stderr=errors, check=True,
        )  # fmt: skip
        errors.seek(0)
        code, peak, seconds = (folder / "needed").read_text().split()
        return Ended(int(code), errors.read(), float(peak), float(seconds))


def newlines(folder: Path) -> None:
    with gzip.open(folder / "a.txt.gz", "wb") as packed:
        for _ in range(100):
            packed.write(b"\n" * 1_000_000)


def dictionary(folder: Path) -> None:
    """Four bytes of text that ask for a dictionary of 4 GB: a byte of the block's header, which has a checksum."""
    small = lzma.compress(b"a b\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096}])
    header = bytearray(small[12 : 12 + (small[12] + 1) * 4])
    header[header.index(b"\x21\x01") + 2] = 40
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    (folder / "a.txt.xz").write_bytes(small[:12] + header + small[12 + len(header) :])


def bomb(folder: Path) -> None:
    """A backup of a few kB, of 200 MB of zeros."""
    entry = tarfile.TarInfo("rows.jsonl")
    entry.size = 200_000_000
    with gzip.open(folder / "a.tar.gz", "wb") as packed:
        packed.write(entry.tobuf())
        for _ in range(200):
            packed.write(b"\0" * 1_000_000)


def nested_entities(folder: Path) -> None:
    spans = [[start, 2 * DEPTH - start, "PER"] for start in range(DEPTH)]
    (folder / "a.jsonl").write_text(json.dumps({"id": "a", "entities": spans, "text": "x" * 2 * DEPTH}))


def nested_tags(folder: Path) -> None:
    opened = "".join(f'<COREF ID="{number}">' for number in range(DEPTH))
    (folder / "a.sgm").write_text(f"{opened}a{'</COREF>' * DEPTH}")


def far_span(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"id": "a", "entities": [[0, 900000000, "PER"]]}\n')


def far_mention(folder: Path) -> None:
    (folder / "a.ann").write_text("T1\tPer 0 900000000\tx\nT2\tPer 5 900000000\tx\n*\tCoref T1 T2\n")


def far_part(folder: Path) -> None:
    """A mention of 900 million words without a text, beside one in two parts: their words are compared one by one."""
    (folder / "a.jsonl").write_text('{"doc_key": "a", "clusters": [[[[0, 0], [3, 3]], [6, 6]]]}\n')
    (folder / "b.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 900000000], [6, 6]]]}\n')


def beside_a_device(folder: Path) -> None:
    far_mention(folder)
    (folder / "a.txt").symlink_to("/dev/zero")


def dense(folder: Path) -> None:
    """Ten MB of mentions of one letter."""
    (folder / "a.txt").write_text("x\n" * 5_000_000)


def words(folder: Path) -> None:
    (folder / "a.txt").write_text("a b\n")


def wordings(folder: Path) -> None:
    """An utterance of 16 kB whose wordings are more than can be counted."""
    (folder / "a.stm").write_text(f"f1 A bob 3 4.25 {'(uh) 25 ' * 2000}\n")


def long_wordings(folder: Path) -> None:
    (folder / "a.stm").write_text(f"f1 A bob 3 4.25 {'{ a / b } (uh) 25 ' * 2000}\n")


class Case(NamedTuple):
    """What is in the folder, what is typed there, the exit codes that are an answer, and the reason that is given."""

    made: Callable[[Path], None]
    line: str
    codes: tuple[int, ...]
    reason: str
    stdin: str = os.devnull


CASES = [
    Case(newlines, "score speech a.txt.gz a.txt.gz", (3,), "AUNE_RATIO"),
    Case(dictionary, "score speech a.txt.xz a.txt.xz", (3,), "Memory usage limit"),
    Case(words, "score speech a.txt /dev/zero", (3,), "a device"),
    Case(words, "convert speech /dev/zero b.stm", (3,), "a device"),
    Case(words, "score speech - a.txt", (3,), "a device", "/dev/zero"),
    Case(wordings, "score speech a.stm a.stm -m wer", (0,), ""),
    Case(long_wordings, "score speech a.stm a.stm -m wer", (2,), "25,000,000 pairs"),
    Case(words, "score speech a.txt a.txt --ci --draws 2000000000", (2,), "1,000,000"),
    Case(words, "meta bounds --mentions 999999999 --key-chains 2", (2,), "100,000"),
    Case(nested_entities, "score entities a.jsonl a.jsonl -m ace_value", (2,), "400,000,000 pairs"),
    Case(nested_entities, "score entities a.jsonl a.jsonl -m err,detection_cost", (2,), "400,000,000 pairs"),
    Case(nested_tags, "score coref a.sgm a.sgm", (0, 3), ""),
    Case(dense, "score coref a.txt a.txt", (3,), "500,000 mentions"),
    Case(far_span, "score entities a.jsonl a.jsonl", (3,), "900000000"),
    Case(far_mention, "score coref a.ann a.ann", (0, 3), ""),
    Case(far_mention, "convert coref a.ann b.jsonl --to jsonlines", (0, 2, 3), ""),
    Case(far_part, "score coref a.jsonl b.jsonl", (2,), "900,000,002 words"),
    Case(far_part, "score coref b.jsonl a.jsonl --match partial", (2,), "900,000,002 words"),
    Case(bomb, "campaign restore a.tar.gz b", (3,), "AUNE_RATIO"),
    Case(bomb, "site restore a.tar.gz b", (3,), "AUNE_RATIO"),
    Case(words, "campaign restore /dev/zero b", (3,), "a device"),
    Case(beside_a_device, "score coref a.ann a.ann", (3,), "a device"),
]


def one_chain(count: int) -> str:
    return _coref(count, [[[place, place] for place in range(count)]])


def singletons(count: int) -> str:
    return _coref(count, [[[place, place]] for place in range(count)])


def nested_mentions(count: int) -> str:
    return _coref(count, [[[0, place] for place in range(count)]])


def _coref(count: int, chains: list[list[list[int]]]) -> str:
    return (
        json.dumps({"doc_key": "a", "sentences": [[f"w{place}" for place in range(count)]], "clusters": chains}) + "\n"
    )


def labels(count: int) -> str:
    spans = [[2 * place, 2 * place + 1, f"L{place}"] for place in range(count)]
    return json.dumps({"id": "a", "text": "x " * count, "entities": spans}) + "\n"


def sentence(count: int) -> str:
    return "".join(f"w{place}\tT{place}\n" for place in range(count)) + "\n"


def utterances(count: int) -> str:
    return "".join(f"w (a-{place})\n" for place in range(count))


SHAPES: dict[str, tuple[Callable[[int], str], ...]] = {
    "coref": (one_chain, singletons, nested_mentions), "entities": (labels,), "tagging": (sentence,),
    "speech": (utterances,),
}  # fmt: skip
"""Texts that are as large as one says, by task: each is compared with itself at a size and at twice that size."""
LINES = ("score {task} a a", "errors {task} a a", "describe {task} a", "combine {task} a c=a -o b --to {to}",
         "agreement {task} a b=a", "compare {task} a b=a c=a --draws 20", "report {task} a b=a -o b.html --draws 20",
         "figure recall-precision {task} a b=a -o b.vl.json --draws 20", "meta covariance {task} a b=a c=a --draws 20",
         "validate {task} a", "convert {task} a b --to {to}")  # fmt: skip
TO = {"coref": "jsonlines", "entities": "jsonl", "tagging": "jsonl", "speech": "manifest"}
LEARNT = {"tagging": " --training a"}
GROWN = 3  # times as long that twice as much may take, where it takes more than a second


class Growth(NamedTuple):
    """What a line needed for a text, and for one twice as large."""

    line: str
    once: Ended
    twice: Ended

    @property
    def is_wrong(self) -> bool:
        slow = self.twice.seconds > max(1, GROWN * self.once.seconds)
        return slow or self.twice.peak > PEAK or not {self.once.code, self.twice.code} <= {0, 2}


def grow_sizes(size: int = 5000) -> Iterator[Growth]:
    """Every line over every shape."""
    for task, shapes in SHAPES.items():
        systems = [f"baseline {task} {name} a b --to {TO[task]}{LEARNT.get(task, '')}" for name in names(task)]
        for shape, line in product(shapes, (*LINES, *systems)):
            typed = line.format(task=task, to=TO[task])
            once, twice = (_needed_resources(shape(count), typed) for count in (size, 2 * size))
            yield Growth(f"{typed} ({shape.__name__})", once, twice)


def _needed_resources(text: str, line: str) -> Ended:
    with tempfile.TemporaryDirectory() as made:
        Path(made, "a").write_text(text)
        return end_command(Path(made), *line.split())


def try_case(case: Case) -> Ended:
    with tempfile.TemporaryDirectory() as made:
        case.made(Path(made))
        return end_command(Path(made), *case.line.split(), stdin=case.stdin)
