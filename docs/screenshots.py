"""Takes the pictures of the README and the documentation from real reports of the bundled examples.

`python docs/screenshots.py` makes the reports with `aune report`, opens them in Chromium (from Debian's package, or the
one that AUNE_CHROMIUM names) and writes docs/images.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from aune.cli import run

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


class Picture(NamedTuple):
    """A view of a report, and what is clicked before it is taken."""

    name: str
    task: str
    view: str
    click: str = ""
    width: int = 1200
    height: int = 720
    scheme: str = "light"


REPORTS: dict[str, Sequence[str]] = {
    "coref": ("coref/key.conll", "coref/strings.conll", "coref/recency.conll", "coref/neural.conll"),
    "entities": ("entities/key.ne", "entities/labels.ne", "entities/structured.ne", "entities/careless.ne"),
    "tagging": ("tagging/key.conllu", "tagging/response.conllu"),
}

PICTURES = (
    Picture("report-ranking", "coref", "ranking"),
    Picture("report-text", "coref", "text?system=recency", ".sheet .m"),
    Picture("report-errors", "coref", "errors?system=recency&versus=neural"),
    Picture("report-confusions", "entities", "confusions?system=careless"),
    Picture("report-entities", "entities", "text?system=structured", height=560),
    Picture("report-tags", "tagging", "text", height=560),
    Picture("report-figures", "coref", "figures", scheme="dark"),
    Picture("report-phone", "coref", "text?system=recency", width=390, height=780, scheme="dark"),
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    result = os.environ.get("AUNE_CHROMIUM") or shutil.which("chromium")
    if not result:
        sys.exit("no browser: apt-get install chromium, or set AUNE_CHROMIUM to one")
    with TemporaryDirectory() as folder, sync_playwright() as driver, chdir(ROOT):
        pages = {task: report(task, files, Path(folder)) for task, files in REPORTS.items()}
        browser = driver.chromium.launch(executable_path=result, args=FLAGS)
        for picture in PICTURES:
            take(browser, picture, pages[picture.task])
        browser.close()


def report(task: str, files: Sequence[str], folder: Path) -> Path:
    """The report of an example."""
    page = folder / f"{task}.html"
    code = run(["report", task, *(f"examples/{name}" for name in files), "--output", str(page)])
    if code:
        sys.exit(code)
    return page


def take(browser: Any, picture: Picture, path: Path) -> None:
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme
    )
    page = context.new_page()
    page.goto(f"{path.as_uri()}#{picture.view}")
    page.wait_for_selector(f"body[data-ready={picture.view.partition('?')[0]}]")
    if picture.click:
        page.click(picture.click)
    page.screenshot(path=IMAGES / f"{picture.name}.png")
    context.close()


if __name__ == "__main__":
    main()
