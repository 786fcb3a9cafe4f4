"""Around the commands: nothing foreign runs, nothing is overwritten, every exit has its code and its line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

AUNE = [str(Path(sys.executable).with_name("aune"))]
MODULE = [sys.executable, "-m", "aune"]


@pytest.fixture
def folder(tmp_path: Path, examples: Path) -> Path:
    """A folder with a key and a response to work in."""
    for name in ("key.conll", "strings.conll"):
        shutil.copy(examples / "coref" / name, tmp_path)
    return tmp_path


def ran(folder: Path, *words: str, command: list[str] = AUNE, **streams: object) -> subprocess.CompletedProcess[str]:
    given = {"capture_output": True, **streams}
    if "stdout" in streams:
        given = {"stderr": subprocess.PIPE, **streams}
    return subprocess.run([*command, *words], cwd=folder, text=True, timeout=120, check=False, **given)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("command", [AUNE, MODULE])
@pytest.mark.parametrize("stand_in", ["org", "sklearn", "cairosvg", "numpy", "pandas", "dask", "dataclasses"])
def test_no_file_of_the_working_folder_stands_in_for_a_package(folder: Path, command: list[str], stand_in: str) -> None:
    (folder / f"{stand_in}.py").write_text("print('FOREIGN')\n")
    if stand_in == "dataclasses" and command is MODULE:
        return  # `python -m` itself looks there before aune has begun; see SECURITY.md
    found = ran(folder, "score", "coref", "key.conll", "strings.conll", command=command)
    assert "FOREIGN" not in found.stdout + found.stderr
    assert found.returncode == 0


def test_a_measure_of_one_s_own_is_found_in_the_working_folder(folder: Path) -> None:
    (folder / "own.py").write_text("from aune.tasks.coref.measures.muc import MEASURE\n")
    assert ran(folder, "score", "coref", "key.conll", "strings.conll", "-m", "own:MEASURE").returncode == 0


def test_outputs_that_cannot_be(folder: Path) -> None:
    before = (folder / "key.conll").read_bytes()
    for output in ("key.conll", "strings.conll", ".", "no/where", "/dev/full", "x" * 300):
        found = ran(folder, "score", "coref", "key.conll", "strings.conll", "-o", output)
        assert found.returncode == 2, output
        assert len(found.stderr.splitlines()) == 1, found.stderr
    assert (folder / "key.conll").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["key.conll", "strings.conll"]


def test_streams_that_are_full_closed_or_left(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        found = ran(folder, "score", "coref", "key.conll", "strings.conll", stdout=full)
    assert (found.returncode, found.stderr) == (2, "aune: standard output: No space left on device\n")
    words = "score coref key.conll strings.conll"
    for line, code in ((f"{words} >&-", 0), (f"{words} 2>&-", 0), (f"{words} <&-", 0)):
        found = ran(folder, "-c", f"{AUNE[0]} {line}", command=["sh"])
        assert found.returncode == code, found.stderr
    left = ran(folder, "-c", f"{AUNE[0]} --help | head -1; exit ${{PIPESTATUS[0]}}", command=["bash"])
    assert (left.returncode, left.stderr) == (0, "")


def test_no_pickle_eval_or_import_named_by_data() -> None:
    """Only the measure that a user names on the command line is imported by name, and only workers exchange pickles."""
    source = Path(__file__).resolve().parents[2] / "src" / "aune"
    allowed = {"core/registry.py"}
    for path in source.rglob("*.py"):
        name, text = path.relative_to(source).as_posix(), path.read_text("utf-8")
        for sign in ("eval(", "exec(", "pickle.load", "allow_pickle=True", "yaml.load(", "marshal.load", "shelve."):
            found = [
                line
                for line in text.splitlines()
                if sign in line.replace("literal_eval(", "").replace("re.compile", "")
            ]
            assert not found or name in allowed or name.startswith("engines/"), f"{name}: {found}"
