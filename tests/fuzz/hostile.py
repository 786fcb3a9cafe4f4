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
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2] / "src"
ADDRESSES = 3_000_000  # kB of address space: numpy and scipy alone map a third of it
PEAK = 500  # MB that no hostile input may need
SECONDS = 60  # of processor time, on a busy machine: most need two
LIMITED = f'ulimit -v {ADDRESSES}; ulimit -t {SECONDS}; exec "$@"'
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


def ended(folder: Path, *words: str, stdin: str = os.devnull) -> Ended:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with (folder / "errors").open("w+") as errors, Path(stdin).open("rb") as given:
        limited = ["sh", "-c", LIMITED, "sh", sys.executable, "-m", "aune", *words]
        subprocess.run(
            [sys.executable, "-c", MEASURED, folder / "needed", *limited], cwd=folder, env=environment, stdin=given,
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


def beside_a_device(folder: Path) -> None:
    far_mention(folder)
    (folder / "a.txt").symlink_to("/dev/zero")


def words(folder: Path) -> None:
    (folder / "a.txt").write_text("a b\n")


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
    Case(words, "score speech a.txt a.txt --ci --draws 2000000000", (2,), "1,000,000"),
    Case(words, "meta bounds --mentions 999999999 --key-chains 2", (2,), "100,000"),
    Case(nested_entities, "score entities a.jsonl a.jsonl -m ace_value", (2,), "400,000,000 pairs"),
    Case(nested_entities, "score entities a.jsonl a.jsonl -m err,detection_cost", (2,), "400,000,000 pairs"),
    Case(nested_tags, "score coref a.sgm a.sgm", (0, 3), ""),
    Case(far_span, "score entities a.jsonl a.jsonl", (3,), "900000000"),
    Case(far_mention, "score coref a.ann a.ann", (0, 3), ""),
    Case(far_mention, "convert coref a.ann b.jsonl --to jsonlines", (0, 2, 3), ""),
    Case(bomb, "campaign restore a.tar.gz b", (3,), "AUNE_RATIO"),
    Case(bomb, "site restore a.tar.gz b", (3,), "AUNE_RATIO"),
    Case(words, "campaign restore /dev/zero b", (3,), "a device"),
    Case(beside_a_device, "score coref a.ann a.ann", (3,), "a device"),
]


def tried(case: Case) -> Ended:
    with tempfile.TemporaryDirectory() as made:
        case.made(Path(made))
        return ended(Path(made), *case.line.split(), stdin=case.stdin)
