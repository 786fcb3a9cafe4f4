"""What the README tells a new user to type works, word for word, in a fresh shell; and the wheel is all one needs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from aune.cli._application import commands
from aune.contract import registry

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("recipes", ROOT / "docs" / "recipes" / "run.py")
assert spec is not None and spec.loader is not None
recipes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipes)
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def block(heading: str) -> list[str]:
    """The lines of the first block of commands under a heading."""
    section = README.partition(f"\n## {heading}\n")[2]
    match = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert match, heading
    return match[1].splitlines()


def shell(lines: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Lines typed into a shell that knows nothing of ours."""
    fresh = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", **environment}
    return subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)], cwd=folder, env=fresh, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip


def test_the_lines_of_the_first_five_minutes_run_as_printed(tmp_path: Path) -> None:
    lines = block("Five minutes")
    assert lines[:3] == [". .venv/bin/activate", "aune demo", "aune examples"] and lines[3].startswith("aune score ")
    (tmp_path / ".venv").symlink_to(sys.prefix)  # what the lines under Install make
    done = shell(lines, tmp_path, PYTHONPATH=str(ROOT / "src"))
    assert done.returncode == 0, done.stderr
    assert "conll" in done.stdout and (tmp_path / "scores.json").exists() and (tmp_path / "report.html").exists()
    assert {path.stem for path in (tmp_path / "aune-demo").glob("*.html")} == set(registry.task_names())


def test_the_python_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    match = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert match
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for line in filter(None, match[1].splitlines()):
        message = re.search(r"  # (\d\.\d+)$", line)
        if message:
            assert f"{eval(line, names):.4f}" == message[1], line
        else:
            exec(line, names)


def test_every_extra_is_explained() -> None:
    message = re.findall(
        r"^\| `(\w+)` \|", README.partition("## Install")[2].partition("## Five minutes")[0], re.MULTILINE
    )
    assert sorted(message) == sorted(PROJECT["optional-dependencies"])


def test_the_page_on_measures_names_what_there_is() -> None:
    page = (ROOT / "docs" / "which-measure.md").read_text("utf-8")
    sections = dict(zip(("coref", "anaphora", "entities", "tagging", "speech"), page.split("\n## ")[1:6], strict=True))
    for task, text in sections.items():
        rows = re.findall(r"^\|[^|]*\|([^|]*)\|", text, re.MULTILINE)[2:]
        names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
        assert names and all(registry.measure(name, task) for name in names), task
        assert registry.task(task).ranking in [registry.measure(name, task).short for name in names], task


def test_the_page_of_commands_has_every_command() -> None:
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "pages.py")
    assert spec is not None and spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    page = pages.commands_page()
    assert all(f"### aune {' '.join(words)}\n" in page for words, _ in commands())
    assert "| `--measures` `-m` | Names or expressions" in page and "`*`" not in page


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("no hatchling: make installs it from locks/build.txt")
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("aune-*.whl")
    return made


@pytest.fixture(scope="module")
def installed_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment: aune comes from the wheel alone; the packages that it needs are those that are here."""
    new = tmp_path_factory.mktemp("environment") / "new"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(new)], check=True)
    python = str(new / "bin" / "python")
    here = next(path for path in sys.path if path.endswith("site-packages"))
    target = next((new / "lib").glob("python*/site-packages"))
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--no-warn-script-location", str(wheel)], check=True, capture_output=True)
    (target / "packages-of-others.pth").write_text(here + "\n")
    return new


def test_a_wheel_in_a_new_environment_outside_the_repository(installed_environment: Path, tmp_path: Path) -> None:
    target = next((installed_environment / "lib").glob("python*/site-packages"))
    shutil.copytree(ROOT / "examples" / "coref", tmp_path / "mine")
    lines = [
        f". {installed_environment}/bin/activate",
        "aune --version",
        'python -c "import aune; print(aune.__file__)"',
        "aune score coref mine/key.conll mine/recency.conll mine/neural.conll",
        "aune report coref mine/key.conll mine/neural.conll --output page.html",
        "aune list measures ner --json > list.json",
    ]
    done = shell(lines, tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(target) in done.stdout and str(ROOT / "src") not in done.stdout
    assert (tmp_path / "page.html").stat().st_size > 100_000, "the page has its scripts and styles"


WITHOUT_PACKAGES = ("paper", "gate", "llm", "measure", "frames", "loop")
"""Recipes whose packages the tests have."""


def test_from_the_wheel_to_a_table_a_report_and_the_recipes(installed_environment: Path, tmp_path: Path) -> None:
    """Without the checkout: the examples come out of the wheel, and everything runs beside them."""
    lines = [
        f". {installed_environment}/bin/activate",
        "aune examples",
        "aune score coref examples/coref/key.conll examples/coref/neural.conll --layout paper --ci -o table.tex",
        "aune report coref examples/coref/key.conll examples/coref/neural.conll --output page.html",
        "aune score asr examples/speech/key.jsonl examples/speech/north.jsonl -m all > all.txt",
    ]
    done = shell(lines, tmp_path)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "table.tex").read_text("utf-8")
    assert r"\begin{table}" in table and r"\caption{" in table and re.search(r"88\.48 \[[\d.]+, [\d.]+\]", table)
    assert (tmp_path / "page.html").stat().st_size > 100_000 and "all leaves out" in done.stderr
    for name in WITHOUT_PACKAGES:
        page = ROOT / "docs" / "recipes" / f"{name}.md"
        if recipes.missing(page):
            continue
        program, suites = recipes.programs(page)
        (tmp_path / "recipe.py").write_text(program, encoding="utf-8")
        commands = [f". {installed_environment}/bin/activate", "python -W ignore recipe.py"]
        for suite, text in suites.items():
            (tmp_path / suite).write_text(text, encoding="utf-8")
            commands.append(f"python -m pytest -q -p no:cacheprovider {suite}")
        done = shell(commands, tmp_path)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


@pytest.mark.skipif("AUNE_RECIPES" not in os.environ, reason="make recipes runs it: it downloads every package")
def test_the_readme_from_nothing(tmp_path: Path) -> None:
    """A copy of the checkout, installed as the README says, with what it needs from the index."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, files):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    remaining = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    for lines in (block("Install"), block("Five minutes")):
        done = shell(lines, tmp_path, **remaining)
        assert done.returncode == 0, done.stdout + done.stderr
