"""The page of the founding papers: its commands run, its figures are theirs, what it names exists."""

from __future__ import annotations

import io
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from aune.cli import run

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "seeds.md").read_text()
COMMAND = re.compile(r"`(aune [a-z][^`]*)`")
FIGURE = re.compile(r"\*\*([^*]+)\*\*")


def rows() -> list[tuple[int, list[str], list[str]]]:
    """Of every line of a table with commands: its number, the commands, and the figures in its last column."""
    lines = [(number, line) for number, line in enumerate(PAGE.splitlines(), 1) if line.startswith("|")]
    result = [(number, COMMAND.findall(line), FIGURE.findall(cells(line)[-1])) for number, line in lines]
    return [row for row in result if row[1] or row[2]]


def cells(line: str) -> list[str]:
    return line.strip("| ").split(" | ")


TRAINED: dict[str, tuple[str, bytes]] = {}
"""What commands that train a model printed and wrote: several lines train the same one."""


def printed_lines(command: str) -> str:
    """What a command prints, on either stream."""
    if " train atene " not in command:
        return run_here(command)
    target = Path(shlex.split(command)[-1])
    if command not in TRAINED:
        TRAINED[command] = run_here(command), target.read_bytes()
    text, model = TRAINED[command]
    target.write_bytes(model)
    return text


def run_here(command: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = run(shlex.split(command)[1:])
    assert code in (0, None), f"{command}\n{out.getvalue()}"
    return out.getvalue()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder that looks like the root of the repository, for commands that write files."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "examples").symlink_to(ROOT / "examples")
    return root


@pytest.mark.parametrize(("number", "commands", "figures"), rows(), ids=[f"line {row[0]}" for row in rows()])
def test_figures_are_those_of_the_commands(
    number: int, commands: list[str], figures: list[str], repository: Path, request: pytest.FixtureRequest
) -> None:
    if any("../shared/data" in command for command in commands):
        shared = repository.parent / "shared"
        shared.mkdir()
        (shared / "data").symlink_to(request.getfixturevalue("data"))
    with chdir(repository):
        output = "".join(map(printed_lines, commands))
    for figure in figures:
        assert re.search(whole(figure), output), f"line {number}: {figure} is not in\n{output}"


def whole(figure: str) -> str:
    """The pattern of a figure that is not a part of another one."""
    return rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)"


def test_a_figure_is_not_found_inside_another() -> None:
    assert not re.search(whole("1"), "17 0.1 1.5 21") and re.search(whole("1"), "a 1 b")


def test_five_papers_and_whole_rows() -> None:
    """A section for each paper, and every row has as many cells as its heading."""
    assert PAGE.count("\n## ") == 5
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        heading, _, *lines = table.splitlines()
        for line in lines:
            assert len(cells(line)) == len(cells(heading)), line


def test_what_is_named_exists() -> None:
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", PAGE):
        assert f"def {name}(" in tests, name
    for name in re.findall(r"`((?:tests|examples|src|benchmarks|docs)/[^` ]*)`", PAGE):
        assert (ROOT / name).exists(), name
