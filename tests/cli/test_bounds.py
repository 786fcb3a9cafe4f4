"""Small inputs that ask for a large machine: each ends soon, in little memory, with its code and its reason."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import aune
from aune import compression
from aune.cli import run
from aune.errors import InputError, UsageError
from aune.reading.source import origins, sources
from tests.fuzz.hostile import CASES, PEAK, SOURCE, Case, try_case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.line)
def test_a_small_input_needs_little(case: Case) -> None:
    outcome = try_case(case)
    assert outcome.code in case.codes, outcome.errors
    assert case.reason in outcome.errors
    assert outcome.peak < PEAK


def test_the_ratio_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a\n" * 2_000_000))
    monkeypatch.setattr(compression, "ALWAYS_ALLOWED", 1000)
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


def words(folder: Path) -> None:
    (folder / "a.txt").write_text("a b\n")


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

    def refuse_reading(path: str) -> object:
        if str(path).endswith("linked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse_reading)
    with pytest.raises(InputError, match=r"linked: found no readable file \(Permission denied\)"):
        origins(tmp_path / "in")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words(tmp_path)
    opened = Path.open

    def refuse_reading(path: Path, *arguments: object, **options: object) -> object:
        if path.name == "a.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse_reading)
    for read in (origins, sources):
        for path in (tmp_path / "a.txt", tmp_path):
            with pytest.raises(InputError, match="Permission denied"):
                read(path)


@pytest.mark.parametrize(
    "record", ["", "[]", "{}", '{"version": 1}', "[" * 50_000, "null", '{"version": 1, "tables": 3}']
)
def test_results_that_are_none(tmp_path: Path, record: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "result.json").write_text(record)
    assert run(["score", "--from-rows", str(tmp_path)]) == 3
    assert capsys.readouterr().err.count("\n") == 2
    with pytest.raises(InputError):
        aune.load(tmp_path)


INTERRUPTER = """
import sys

class Interrupter:
    left = {left}

    def find_spec(self, name, *_):
        Interrupter.left -= 1
        if Interrupter.left == 0:
            raise KeyboardInterrupt

from aune.__main__ import main
sys.meta_path.insert(0, Interrupter())
sys.argv[1:] = ["list", "tasks"]
main()
"""


@pytest.mark.parametrize("left", [1, 2, 3, 5, 8, 20, 60, 150])
def test_an_interrupt_while_modules_load(left: int) -> None:
    """At the first module that the command itself asks for, and at later ones."""
    process = subprocess.run(
        [sys.executable, "-c", INTERRUPTER.format(left=left)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (130, "aune: interrupted, nothing is half written\n")


@pytest.mark.parametrize("delay", [0, 0.02, 0.1])
def test_an_interrupt_soon_after_the_start(tmp_path: Path, delay: float) -> None:
    """Sent while the commands load or wait for their input, before any work is done."""
    words(tmp_path)
    assert interrupt_command(tmp_path, delay) == (130, "aune: interrupted, nothing is half written\n")


def interrupt_command(folder: Path, delay: float) -> tuple[int, str]:
    """How a command ends that is interrupted some time after its commands began to load."""
    begun = "import sys, aune.cli._application as cli; load = cli.application; "
    begun += "cli.application = lambda words: print('begun', flush=True) or load(words); "
    begun += "import aune.cli; aune.cli.main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", begun, "score", "speech", "a.txt", "-"], cwd=folder, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip  # a shell's background jobs ignore interrupts, and so would what they start
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors


def test_too_little_memory_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def greedy(words: object) -> None:
        raise MemoryError

    monkeypatch.setattr("aune.cli._application.application", greedy)
    assert run(["list", "tasks"]) == 2
    assert capsys.readouterr().err == "aune: this needs more memory than there is\n"
