"""The modules of the pages, served as they are and tested one by one in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import lacking

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOST = "http://pages.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
CASES = [
    (path.name, name)
    for path in sorted(HERE.glob("*.test.js"))
    for name in re.findall(r"^export function (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
]


def serve_file(route: Any) -> None:
    """A file of the repository, as a server would give it."""
    path = route.request.url.removeprefix(HOST).partition("?")[0]
    if path == "/":
        route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")
        return
    file = ROOT / path.lstrip("/")
    route.fulfill(body=file.read_text("utf-8"), content_type=TYPES[file.suffix])


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    opened = context.new_page()
    opened.route(f"{HOST}/**", serve_file)
    opened.goto(f"{HOST}/")
    yield opened
    context.close()


@pytest.mark.parametrize(("file", "name"), CASES)
def test_module(page: Any, file: str, name: str) -> None:
    page.evaluate(f"import('/tests/web/{file}').then((tests) => tests.{name}())")


def test_types() -> None:
    compiler = ROOT / "node_modules" / ".bin" / "tsc"
    if not compiler.exists() or not shutil.which("node"):
        lacking("TypeScript")
    done = subprocess.run([compiler, "--project", ROOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
