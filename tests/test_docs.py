"""Every command that the documentation shows prints today what the page says it prints."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from pathlib import Path

import pytest

REFRESH = Path(__file__).resolve().parent.parent / "docs" / "refresh.py"
spec = importlib.util.spec_from_file_location("refresh", REFRESH)
assert spec is not None and spec.loader is not None
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)


@pytest.mark.parametrize("page", refresh.pages(), ids=lambda page: str(page.relative_to(refresh.ROOT)))
def test_outputs_are_real(page: Path) -> None:
    text = page.read_text()
    assert refresh.refresh_page(text) == text, "run: python docs/refresh.py"


def test_commands_can_be_typed_into_a_shell(tmp_path: Path) -> None:
    """Expressions in parentheses and patterns stand in quotes."""
    script = tmp_path / "commands.sh"
    commands = [
        command
        for page in refresh.pages()
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
        for command in re.findall(r"^(?:\$ )?(aune (?:.*\\\n)*.*)$", block, re.M)
    ]
    script.write_text("\n".join(commands))
    done = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
    assert len(commands) > 100 and done.returncode == 0, done.stderr


SEARCHES = {
    "custom measure": "recipes/measure.md",
    "wer normalize": "tutorials/speech.md",
    "confidence interval": "statistics.md",
    "bootstrap": "statistics.md",
    "p-value": "statistics.md",
    "statistical significance": "statistics.md",
    "coreference resolution": "tutorials/coref.md",
    "custom metric": "recipes/measure.md",
    "exit code": "results.md",
    "json output": "results.md",
    "latex table": "recipes/paper.md",
    "macro average": "which-measure.md",
    "named entity recognition": "tutorials/entities.md",
    "precision recall": "tutorials/entities.md",
    "shared task": "campaign.md",
    "windows": "../README.md",
    "word error rate": "tutorials/speech.md",
}
"""What people type into the search of the site, and the page that must be found by its headings."""


@pytest.mark.parametrize("query", SEARCHES)
def test_the_search_finds(query: str) -> None:
    """The index has titles and headings; a word of a query is found as the beginning of a word there."""
    page = (refresh.ROOT / "docs" / SEARCHES[query]).read_text("utf-8")
    headings = [line.lower() for line in page.splitlines() if line.startswith("#")]
    assert any(all(re.search(rf"\b{word}", heading) for word in query.split()) for heading in headings), headings


def test_every_page_is_in_the_navigation_and_links_lead_somewhere() -> None:
    navigation = (refresh.ROOT / "mkdocs.yml").read_text("utf-8")
    for folder in ("tutorials", "recipes", "tasks", "guides"):
        for path in sorted((refresh.ROOT / "docs" / folder).glob("*.md")):
            assert f": {folder}/{path.name}\n" in navigation, path
    generated = {"commands.md", "formats.md", "measures/index.md", "index.md", "contributing.md", "changelog.md"}
    for name in ("overview.md", "glossary.md", *(f"tutorials/{task}.md" for task in TASKS)):
        path = refresh.ROOT / "docs" / name
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert target in generated or (path.parent / target).exists(), f"{name}: {target}"


TASKS = ("anaphora", "coref", "entities", "speech", "tagging")


@pytest.mark.parametrize("task", TASKS)
def test_the_rest_of_a_tutorial_runs(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands without an output on the page, and the lines of Python."""
    from aune.cli import run

    page = (refresh.ROOT / "docs" / "tutorials" / f"{task}.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(refresh.ROOT / "examples")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    assert blocks[0].startswith("pip install aune\naune examples")
    for line in "".join(blocks[1:]).splitlines():
        assert run(shlex.split(line)[1:]) == 0, line
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], {})
    assert (tmp_path / "table.tex").exists() and (tmp_path / "report.html").exists()
