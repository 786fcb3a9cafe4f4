"""Small inputs that ask for a large machine: each ends soon, in little memory, with its code and its reason."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import aune
from aune.cli import run
from aune.core import unpacking
from aune.core.corpus import origins, sources
from aune.core.errors import InputError, UsageError

SOURCE = Path(__file__).resolve().parents[2] / "src"
ADDRESSES = 3_000_000  # kB of address space: numpy and scipy alone map a third of it
PEAK = 500  # MB that no hostile input may need
SECONDS = 60  # of processor time, on a busy machine: most need two
LIMITED = f'ulimit -v {ADDRESSES}; ulimit -t {SECONDS}; exec "$@"'
DEPTH = 20_000


class Ended(NamedTuple):
    code: int
    errors: str
    peak: float


def ended(folder: Path, *words: str, stdin: str = os.devnull) -> Ended:
    """A command with a limit of memory and time, and the memory that it needed in MB."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with (folder / "errors").open("w+") as errors, Path(stdin).open("rb") as given:
        process = subprocess.Popen(
            ["sh", "-c", LIMITED, "sh", sys.executable, "-m", "aune", *words], cwd=folder, env=environment, stdin=given,
            stdout=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return Ended(process.returncode, errors.read(), usage.ru_maxrss / 1024)


def newlines(folder: Path) -> None:
    with gzip.open(folder / "a.txt.gz", "wb") as packed:
        for _ in range(100):
            packed.write(b"\n" * 1_000_000)


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


def words(folder: Path) -> None:
    (folder / "a.txt").write_text("a b\n")


CASES: list[tuple[Callable[[Path], None], str, tuple[int, ...], str]] = [
    (newlines, "score speech a.txt.gz a.txt.gz", (3,), "AUNE_RATIO"),
    (words, "score speech a.txt /dev/zero", (3,), "a device"),
    (words, "convert speech /dev/zero b.stm", (3,), "a device"),
    (words, "score speech a.txt a.txt --ci --draws 2000000000", (2,), "1,000,000"),
    (nested_entities, "score entities a.jsonl a.jsonl -m ace_value", (2,), "400,000,000 pairs"),
    (nested_entities, "score entities a.jsonl a.jsonl -m err,detection_cost", (2,), "400,000,000 pairs"),
    (nested_tags, "score coref a.sgm a.sgm", (0, 3), ""),
    (far_span, "score entities a.jsonl a.jsonl", (3,), "900000000"),
    (far_mention, "score coref a.ann a.ann", (0, 3), ""),
    (far_mention, "convert coref a.ann b.jsonl --to jsonlines", (0, 2, 3), ""),
]


@pytest.mark.parametrize(("made", "line", "codes", "reason"), CASES, ids=[line for _, line, *_ in CASES])
def test_a_small_input_needs_little(
    tmp_path: Path, made: Callable[[Path], None], line: str, codes: tuple[int, ...], reason: str
) -> None:
    made(tmp_path)
    found = ended(tmp_path, *line.split())
    assert found.code in codes, found.errors
    assert reason in found.errors
    assert found.peak < PEAK


def test_standard_input_that_never_ends(tmp_path: Path) -> None:
    words(tmp_path)
    found = ended(tmp_path, "score", "speech", "-", "a.txt", stdin="/dev/zero")
    assert found.code == 3
    assert "a device" in found.errors
    assert found.peak < PEAK


def test_the_ratio_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a\n" * 2_000_000))
    monkeypatch.setattr(unpacking, "FREE", 1000)
    for read in (lambda: origins(path), lambda: sources(path)[0].text):
        monkeypatch.delenv("AUNE_RATIO", raising=False)
        with pytest.raises(InputError, match="more than 100 times"):
            read()
        monkeypatch.setenv("AUNE_RATIO", "5000")
        assert read()
    for wrong in ("many", "0", "inf", "nan"):
        monkeypatch.setenv("AUNE_RATIO", wrong)
        with pytest.raises(UsageError, match="AUNE_RATIO"):
            origins(path)


def test_what_is_honest_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a b\n" * 1_000_000))  # 4 MB, a thousandth when packed
    assert origins(tmp_path / "a.txt.gz")[0].size == 4_000_000


def test_nothing_of_a_folder_is_left_out_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a b\n")
    (tmp_path / "in" / "back").symlink_to(tmp_path / "in")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.txt").write_text("a b\n")
    (tmp_path / "in" / "linked").symlink_to(tmp_path / "other")
    assert [Path(origin.name).name for origin in origins(tmp_path / "in")] == ["a.txt", "b.txt"]
    (tmp_path / "in" / "gone.txt").symlink_to(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"gone\.txt:1:1: found a link to nothing"):
        origins(tmp_path / "in")
    (tmp_path / "in" / "gone.txt").unlink()
    scandir = os.scandir

    def locked(path: str) -> object:
        if str(path).endswith("linked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", locked)
    with pytest.raises(InputError, match=r"linked:1:1: found no readable file \(Permission denied\)"):
        origins(tmp_path / "in")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words(tmp_path)
    opened = Path.open

    def locked(path: Path, *given: object, **options: object) -> object:
        if path.name == "a.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", locked)
    for read in (origins, sources):
        for given in (tmp_path / "a.txt", tmp_path):
            with pytest.raises(InputError, match="Permission denied"):
                read(given)


@pytest.mark.parametrize(
    "record", ["", "[]", "{}", '{"version": 1}', "[" * 50_000, "null", '{"version": 1, "tables": 3}']
)
def test_results_that_are_none(tmp_path: Path, record: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "result.json").write_text(record)
    assert run(["score", "--from-rows", str(tmp_path)]) == 3
    assert capsys.readouterr().err.count("\n") == 2
    with pytest.raises(InputError):
        aune.load(tmp_path)


class Interrupted:
    """A finder of modules that is interrupted while it looks for one."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "cyclopts":
            raise KeyboardInterrupt


def test_an_interrupt_while_modules_load(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "cyclopts")
    assert run(["list", "tasks"]) == 130
    assert capsys.readouterr().err == "aune: interrupted, nothing was written\n"


def test_an_interrupt_soon_after_the_start(tmp_path: Path) -> None:
    """Sent while the commands load, before any work is done."""
    words(tmp_path)
    begun = "import sys, aune.cli._application as cli; load = cli.application; "
    begun += (
        "cli.application = lambda: print('begun', flush=True) or load(); import aune.cli; aune.cli.main(sys.argv[1:])"
    )
    for delay in (0, 0.02, 0.1):
        process = subprocess.Popen(
            [sys.executable, "-c", begun, "score", "speech", "a.txt", "a.txt"], cwd=tmp_path, text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (130, "aune: interrupted, nothing was written\n")


def test_too_little_memory_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def greedy() -> None:
        raise MemoryError

    monkeypatch.setattr("aune.cli._application.application", greedy)
    assert run(["list", "tasks"]) == 2
    assert capsys.readouterr().err == "aune: this needs more memory than there is\n"
