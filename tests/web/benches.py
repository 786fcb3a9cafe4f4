"""Visits to a real workbench: `aune serve` in a process of its own, pages in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browsing import Visit
from tests.server.serving import Client, Served, layers_of, text_of

ROOT = Path(__file__).resolve().parents[2]
README = "examples/coref/key.conll"


@dataclass
class Bench(Visit):
    """The page of a layer that is open."""

    served: Served | None = None

    def press(self, *keys: str) -> None:
        """Keys, one after the other; the page has drawn what they did."""
        for key in keys:
            self.page.keyboard.press(key)
            self.drawn()

    def drawn(self) -> None:
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def saved(self) -> None:
        self.page.wait_for_selector('.status[data-state="saved"]')

    def becomes(self, selector: str, count: int) -> None:
        """Wait until so many elements are there; the page's policy allows no code to be made of strings."""
        from playwright.sync_api import expect

        expect(self.page.locator(selector)).to_have_count(count)

    def marks(self) -> list[tuple[str, str]]:
        """The marks of the text: their words and what stands under them."""
        result = self.page.evaluate(
            "[...document.querySelectorAll('.sheet .m[data-below]')].map((m) => [m.textContent, m.dataset.below])"
        )
        return [(words, below) for words, below in result]

    def selected(self) -> str:
        return str(self.page.evaluate("getSelection().toString()"))

    def choices(self) -> list[str]:
        """The likely chains, as the panel lists them."""
        result: list[str] = self.page.locator(".choices .choice .number-chip").all_inner_texts()
        return result

    def clean(self) -> None:
        """Nothing went wrong, and nothing was asked of another host."""
        assert self.complaints == []
        assert self.served is not None
        here = (self.served.address, "data:", "blob:")
        assert [request for request in self.requests if not request.startswith(here)] == []
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the screen"


@contextmanager
def visit_page(
    browser: Any,
    served: Served,
    client: Client,
    path: str,
    width: int = 1400,
    scheme: str = "light",
    ready: str = "body[data-ready]",
    touch: bool = False,
) -> Iterator[Bench]:
    """A page of the server in a window of its own, with the client's cookies; with `touch` on a phone."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, has_touch=touch, is_mobile=touch
    )
    context.add_cookies([{"name": item.name, "value": item.value or "", "url": served.address} for item in client.jar])
    with open_window(context, served, path, ready) as bench:
        yield bench
    context.close()


@contextmanager
def open_window(context: Any, served: Served, path: str, ready: str = "body[data-ready]") -> Iterator[Bench]:
    """One more window of somebody."""
    page = context.new_page()
    bench = Bench(page, served=served)
    page.on(
        "console",
        lambda message: bench.complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: bench.complaints.append(str(error)))
    page.on("request", lambda request: bench.requests.append(request.url))
    page.goto(served.address + path)
    page.wait_for_selector(ready)
    yield bench
    page.close()


def upload_file(client: Client, name: str, data: bytes) -> None:
    answer = client.upload((name, data))
    assert answer.status == 302, answer.text


def layer_of(client: Client, text: str, name: str = "") -> str:
    """A layer of a text; a name that is new begins an empty one."""
    known = layers_of(client, text)
    if not name:
        return f"/layer/{next(iter(known.values()))}/"
    if name not in known:
        assert client.form(f"{text_of(client, text)}layers", name=name).status == 302
        known = layers_of(client, text)
    return f"/layer/{known[name]}/"


def export_layer(client: Client, layer: str, format: str = "") -> bytes:
    """What the export of a layer gives."""
    answer = client.get(f"{layer}export" + (f"?format={format}" if format else ""))
    assert answer.status == 200, answer.text
    return answer.body
