"""The recipes of the documentation run as they stand: those whose packages are here. `make recipes` runs them all."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parent.parent / "docs" / "recipes"
spec = importlib.util.spec_from_file_location("recipes", HOME / "run.py")
assert spec is not None and spec.loader is not None
recipes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipes)


@pytest.mark.parametrize("page", recipes.pages(), ids=lambda page: page.stem)
def test_recipe(page: Path) -> None:
    if lacking := recipes.missing(page):
        pytest.skip(f"needs {', '.join(lacking)}: make recipes")
    done = recipes.run(page)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_recipe_is_listed() -> None:
    index = (HOME / "index.md").read_text()
    assert all(f"]({page.name})" in index for page in recipes.pages())
    for page in recipes.pages():
        has_code = recipes.programs(page)[0].strip() or recipes.programs(page)[1]
        is_run_elsewhere = "```yaml" in page.read_text("utf-8")  # by tests/test_loops.py
        assert has_code or is_run_elsewhere, f"{page.name} has no code"


def test_the_custom_measure_of_the_page_is_the_example() -> None:
    page = (HOME / "measure.md").read_text("utf-8")
    assert (HOME.parent.parent / "examples" / "own_measure.py").read_text("utf-8") in page
