"""Takes the pictures of the workbench's guide from a real server with the bundled example.

`python -m docs.workbench_pictures` starts `aune serve` in a folder that goes away, works through the guide's own keys
in Chromium, and writes docs/images.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.serving import serving

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "examples/coref/key.conll"
IMAGES = ROOT / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
NAMES = {"←": "ArrowLeft", "→": "ArrowRight", "Esc": "Escape"}


def main() -> None:
    result = os.environ.get("AUNE_CHROMIUM") or shutil.which("chromium")
    if not result:
        sys.exit("no browser: apt-get install chromium, or set AUNE_CHROMIUM to one")
    with TemporaryDirectory() as folder, serving(Path(folder) / "site", EXAMPLE) as served, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=result, args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 720})
        page.goto(served.printed)
        begin_layer(page, "mine")
        press_keys(page, keys()[:-16])
        take_picture(page, "workbench-annotate")
        press_keys(page, keys()[-16:])
        own_url = page.url
        page.goto(own_url.replace("/layer/", "/resolve/"))
        page.wait_for_selector("body[data-ready]")
        page.locator(".sheet").focus()
        press_keys(page, ["ArrowRight"] * 14)
        page.locator("#stepping").scroll_into_view_if_needed()
        take_picture(page, "workbench-resolve")
        page.get_by_role("button", name="Run, and compare").click()
        page.wait_for_url("**/compare/**")
        page.wait_for_selector(".classes .class")
        page.locator(".classes .class").first.click()
        page.locator(".sheet").scroll_into_view_if_needed()
        take_picture(page, "workbench-compare")
        page.goto(own_url)
        page.wait_for_selector("body[data-ready]")
        page.locator(".bench-bar a", has_text="text and layers").click()
        adjudicate_texts(page)
        take_picture(page, "workbench-adjudicate")
        browser.close()


def keys() -> list[str]:
    """The keys of the guide."""
    guide = (ROOT / "docs" / "guides" / "annotate.md").read_text("utf-8")
    blocks = re.findall(r"```keys\n(.*?)\n```", guide, re.DOTALL)
    return ["+".join(NAMES.get(part, part) for part in key.split("+")) for block in blocks for key in block.split()]


def begin_layer(page: Any, name: str) -> None:
    """A new layer of the first text."""
    page.get_by_role("link", name="museum").click()
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("body[data-ready=workbench]")


def adjudicate_texts(page: Any) -> None:
    """A key from the layers of the text."""
    boxes = page.locator('form[action$="adjudicate"] input[type=checkbox]')
    for place in (1, 2):
        boxes.nth(place).check()
    page.locator('form[action$="adjudicate"] button').last.click()
    page.wait_for_selector("body[data-ready=adjudicate]")


def press_keys(page: Any, names: list[str]) -> None:
    for name in names:
        page.keyboard.press(name)
        page.wait_for_timeout(60)


def take_picture(page: Any, name: str) -> None:
    page.wait_for_timeout(400)
    page.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
