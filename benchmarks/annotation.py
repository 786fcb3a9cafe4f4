"""The annotation page with 100,000 tokens and 20,000 mentions: opening, keys, scrolling, merging, in Chromium.

The figures are in milliseconds as a person sees them: from the key to the second frame after it, the server in a
process of its own on the same machine. Work is what the page's own thread did, whatever else the machine was busy with.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import long_text

TOKENS, MENTIONS, CHAINS = 100_000, 20_000, 400
WATCH = """() => {
    window.painted = [];
    addEventListener('keydown', () => {
        const pressed = performance.now();
        requestAnimationFrame(() => requestAnimationFrame(() => window.painted.push(performance.now() - pressed)));
    }, true);
}"""
WAITED = """() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/api/layer/'))
    .reduce((sum, one) => sum + one.responseEnd - one.startTime, 0)"""
SCROLL = """async () => {
    const frames = [];
    for (let step = 0; step < 80; step += 1) {
        const before = performance.now();
        scrollBy(0, 500);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        frames.push(performance.now() - before);
    }
    return frames;
}"""


def main() -> None:
    chromium = os.environ.get("AUNE_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        print("no browser: apt-get install chromium to see how fast the page is")
        return
    from playwright.sync_api import sync_playwright

    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder, served(Path(folder)) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(address)
        page.locator('a[href^="/text/"]').first.click()
        layer = page.locator('a[href^="/layer/"]').first.get_attribute("href")
        measured(page, address.partition("/enter")[0] + str(layer))
        browser.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server that has opened the text."""
    from aune.tasks.coref.formats.conll2012 import write

    file = folder / "novel.conll"
    file.write_text("".join(write([long_text(CHAINS)])))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "aune", "serve", str(file), "--no-browser", "--port", str(port), "--site"]
    server = subprocess.Popen(
        [*command, str(folder / "site")], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    try:
        yield address
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def measured(page: Any, layer: str) -> None:
    work = worked(page)
    page.goto("about:blank")
    started = time.perf_counter()
    page.goto(layer)
    page.wait_for_selector("body[data-ready]")
    elapsed, busy = time.perf_counter() - started, work()
    waited = page.evaluate(WAITED) / 1000
    print(f"opens in {elapsed:.2f} s (at most 1.5 s), {waited:.2f} s of it for the server, work {busy:.0f} ms")
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    for name, keys in (
        ("next mention (j)", ["j"] * 60),
        ("take a chain (1)", ["1"] * 60),
        ("select words (→)", ["ArrowRight"] * 30),
        ("mark (→ m)", ["ArrowRight", "m"] * 20),
        ("undo (u)", ["u"] * 30),
    ):
        pressed(page, name, keys, work)
    merged(page, work)
    frames = sorted(page.evaluate(SCROLL))
    print(f"scrolling: {shown(frames)} (at most 50 ms)")


def pressed(page: Any, name: str, keys: Sequence[str], work: Callable[[], float]) -> None:
    page.evaluate("window.painted = []")
    before = work()
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    page.wait_for_timeout(300)
    busy = (work() - before) / len(keys)
    print(f"{name}: {shown(sorted(page.evaluate('window.painted')))}, work {busy:.0f} ms a key (at most 100 ms)")


def merged(page: Any, work: Callable[[], float]) -> None:
    """Chains that are ticked become one: 600 mentions."""
    for chain in range(1, 13):
        page.get_by_label(f"pick chain {chain}", exact=True).check()
    before = work()
    milliseconds = page.evaluate(
        """() => {
            const button = [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('merge'));
            const pressed = performance.now();
            button.click();
            return new Promise((done) => requestAnimationFrame(
                () => requestAnimationFrame(() => done(performance.now() - pressed))
            ));
        }"""
    )
    print(f"merging 12 chains of 50 mentions: {milliseconds:.0f} ms, work {work() - before:.0f} ms (at most 100 ms)")


def worked(page: Any) -> Callable[[], float]:
    """What tells the milliseconds that the page's thread has worked."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def milliseconds() -> float:
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"]) * 1000

    return milliseconds


def shown(times: Sequence[float]) -> str:
    return f"median {times[len(times) // 2]:.0f} ms, 95 % {times[int(len(times) * 0.95)]:.0f} ms"


if __name__ == "__main__":
    main()
