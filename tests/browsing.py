"""A real browser for tests of pages: Debian's Chromium driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "build" / "screenshots"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
WIDE_LETTERS = "html { font-size: 22px } * { font-family: monospace !important; letter-spacing: 0.06em }"
"""What a reader with other fonts, or larger ones, may see: letters half as wide again."""


def chromium() -> str:
    """Where the browser is, or a skip that says what is missing."""
    pytest.importorskip("playwright", reason="no Playwright: pip install playwright")
    result = os.environ.get("AUNE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not result:
        pytest.skip("no browser: apt-get install chromium, or set AUNE_CHROMIUM to one")
    return result


def lacking(package: str) -> NoReturn:
    """A skip that says what is missing; a failure in CI, where `make` brings whatever npm can."""
    if os.environ.get("CI") and shutil.which("npm"):
        pytest.fail(f"no {package}, and npm is there: make modules")
    pytest.skip(f"no {package}: make modules")


@contextmanager
def running() -> Iterator[Any]:
    """A browser."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that is open, and everything it should not have done."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, address: str) -> None:
        """Show a view of the page."""
        view = address.split("?", maxsplit=1)[0]
        self.page.evaluate("document.body.removeAttribute('data-ready')")
        self.page.evaluate(
            "address => { location.hash = address; dispatchEvent(new HashChangeEvent('hashchange')); }", address
        )
        self.page.wait_for_selector(f"body[data-ready='{view}']")

    def settled(self, view: str) -> None:
        """Wait until a view is there after a click."""
        self.page.wait_for_function(
            "view => location.hash.startsWith('#' + view) && document.body.dataset.ready === view", arg=view
        )

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    def count(self, selector: str) -> int:
        return int(self.page.locator(selector).count())

    def keep(self, name: str) -> None:
        """Keep a screenshot for people to look at, if any want to: AUNE_SCREENSHOTS=1."""
        if os.environ.get("AUNE_SCREENSHOTS"):
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def violations(self, only: Sequence[str] = LEVELS) -> list[str]:
        """What is wrong for readers who see, hear or type otherwise (WCAG 2.2, levels A and AA), by axe."""
        if not AXE.exists():
            lacking("axe-core")
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text("utf-8"))
        result = self.page.evaluate(
            "async (only) => (await axe.run(document, {runOnly: only, resultTypes: ['violations']})).violations",
            list(only),
        )
        return [
            f"{item['id']}: {node['html'][:160]} ({node['failureSummary'].splitlines()[-1].strip()})"
            for item in result
            for node in item["nodes"][:3]
        ]

    def clean(self) -> None:
        """Nothing went wrong, and nothing was asked of the network."""
        assert self.complaints == []
        assert [request for request in self.requests if not request.startswith(("file:", "data:", "blob:"))] == []
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "the page is wider than the screen"
        )


@contextmanager
def visiting(browser: Any, path: Path, width: int = 1280, scheme: str = "light", letters: str = "") -> Iterator[Visit]:
    """A visit to a file, in a window of its own; `letters` is a style sheet of the reader's."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    visit = Visit(page)
    page.on(
        "console",
        lambda message: visit.complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    page.on("request", lambda request: visit.requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")
    page.evaluate(
        "text => { document.adoptedStyleSheets = [new CSSStyleSheet()]; "
        "document.adoptedStyleSheets[0].replaceSync(text); }",
        letters,
    )
    yield visit
    context.close()
