"""Runs the code of a recipe as its reader would: its blocks of Python from top to bottom, as one program.

`python docs/recipes/run.py` runs every page, in a folder of its own with the examples beside it, and prints which were
run and which lack a package; with `--all`, a missing package is an error. `make recipes` does that in an environment
that has them all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
NEEDS = re.compile(r"<!-- needs: (.*?) -->")
PROGRAM = "recipe.py"  # no name of a package
SUITE = "# test_"  # how a block begins that is a test file


def pages() -> list[Path]:
    return [path for path in sorted(HERE.glob("*.md")) if path.stem != "index"]


def needs(page: Path) -> list[str]:
    """The packages that a recipe takes, beyond aune's own."""
    match = NEEDS.search(page.read_text("utf-8"))
    return match[1].split() if match else []


def missing(page: Path) -> list[str]:
    return [package for package in needs(page) if find_spec(package) is None]


def programs(page: Path) -> tuple[str, dict[str, str]]:
    """The blocks that follow each other as one program, and test files by name; lines are numbered as in the page."""
    text = page.read_text("utf-8")
    lines, suites = [""] * text.count("\n"), {}
    for block in BLOCK.finditer(text):
        if block[1].startswith(SUITE):
            suites[block[1].partition("\n")[0][2:]] = block[1]
        else:
            first = text[: block.start(1)].count("\n")
            lines[first : first + block[1].count("\n")] = block[1].splitlines()
    return "\n".join(lines) + "\n", suites


def run(page: Path) -> subprocess.CompletedProcess[str]:
    """The outcome of a recipe, in a folder with the examples."""
    program, suites = programs(page)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "examples").symlink_to(ROOT / "examples")
        (home / PROGRAM).write_text(program)
        commands = [[sys.executable, "-W", "ignore", PROGRAM]]
        for name, text in suites.items():
            (home / name).write_text(text)
            commands.append([sys.executable, "-m", "pytest", "-q", *_plugin(), "-p", "no:cacheprovider", name])
        return _run_commands(commands, home)


def _plugin() -> list[str]:
    """How pytest gets aune's plugin where aune is not installed but on the path."""
    from importlib.metadata import entry_points  # noqa: PLC0415

    installed = any(point.value == "aune.pytest_plugin" for point in entry_points(group="pytest11"))
    return [] if installed else ["-p", "aune.pytest_plugin"]


def _run_commands(commands: Iterable[list[str]], home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HOME": str(home / "cache"),
                   "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}  # fmt: skip
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    for command in commands:
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            break
    return done


def main() -> int:
    failed = 0
    for page in pages():
        lacking = missing(page)
        if lacking:
            print(f"{page.stem}: needs {', '.join(lacking)}")
            failed += "--all" in sys.argv
            continue
        done = run(page)
        print(f"{page.stem}: {'done' if not done.returncode else 'FAILED'}", flush=True)
        if done.returncode:
            print(done.stdout[-3000:], done.stderr[-6000:], sep="\n")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
