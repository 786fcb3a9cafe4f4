"""The map of the house, `docs/architecture.md`, names folders, files and functions that are there, and every folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from aune.contract import registry
from tests.house import SOURCE

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
TREE = re.findall(r"^ {4}(src/aune/\S*) +\S", PAGE, re.M)
NAMED = re.compile(r"`([\w./-]+?(?:/[\w.-]+|\.(?:py|js|html|toml|yml)))(?::([\w.]+))?`")
"""A path in backticks, and perhaps a function, a class or a method in the file."""
OF_USERS = {"aune.toml", "campaign.toml"}
"""Files that users have."""
PLACEHOLDER = re.compile(r"\b(TASK|NAME)\b")


def folders_on_disk() -> set[str]:
    """Every folder of the sources that has files, as the tree writes it."""
    with_files = {path.parent for path in SOURCE.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    every = {folder for leaf in with_files for folder in (leaf, *leaf.parents) if folder.is_relative_to(SOURCE)}
    return {f"src/aune/{folder.relative_to(SOURCE).as_posix()}/".replace("/./", "/") for folder in every}


def expand_path(path: str) -> list[str]:
    """A path of the tree with every task in the place of `TASK`."""
    return [path.replace("TASK", task) for task in registry.task_names()] if "TASK" in path else [path]


def test_the_tree_is_that_on_disk() -> None:
    on_page = [path for line in TREE for path in expand_path(line)]
    modules = {f"src/aune/{path.name}" for path in SOURCE.glob("[a-z]*.py")}
    assert len(on_page) == len(set(on_page)), "a folder stands twice in the tree"
    assert set(on_page) == folders_on_disk() | modules


def named_paths() -> Iterator[tuple[str, str]]:
    """Every path on the page, with what stands after its colon, if anything."""
    paths = NAMED.findall(PAGE.replace("src/aune/", ""))
    return ((path, name) for path, name in paths if path not in OF_USERS)


@pytest.mark.parametrize(("path", "name"), sorted(set(named_paths())))
def test_what_the_page_names_is_there(path: str, name: str) -> None:
    pattern = PLACEHOLDER.sub("*", path)
    files = [file for base in (SOURCE, ROOT) for file in base.glob(pattern)]
    assert files, f"docs/architecture.md names {path}, which is not there"
    texts = [file.read_text("utf-8") for file in files if name]
    outer, _, method = name.partition(".")
    kinds = "def|class|function|const"
    defined = [rf"^(?:export )?(?:async )?(?:{kinds}) {outer}\b|^{outer}(?:: [^=\n]+)? = "] if outer else []
    defined += [rf"^ +(?:async |static |get |def )*{method}\("] if method else []
    for pattern in defined:
        assert any(re.search(pattern, text, re.M) for text in texts), f"docs/architecture.md: {path} has no {name}"


def test_the_page_answers_many_questions() -> None:
    """Each row under "Where is …" is a question with a file."""
    rows = re.findall(r"^\| (?:Where|Who) .*\? \| (.*) \|$", PAGE, re.M)
    assert len(rows) >= 60
    assert all(NAMED.search(answer) or "`tests/rivals`" in answer for answer in rows)


COMPARISONS = (ROOT / "docs" / "comparisons.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", COMPARISONS, re.M | re.S))


@pytest.mark.parametrize("task", registry.task_names())
def test_the_page_of_comparisons_lists_what_they_offer(task: str) -> None:
    """The first table of a task is its `Comparison`, attribute for attribute."""
    comparison = import_module(f"aune.tasks.{task}.comparison").Comparison
    names = {*vars(comparison), *getattr(comparison, "__annotations__", {})}
    section = SECTIONS["Coreference" if task == "coref" else task.capitalize()].split("A table (`Contingency`)")[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.M)
    listed = {name for cell in first_cells for name in re.findall(r"`(\w+)", cell)}
    assert listed == {name for name in names if not name.startswith("_")}
