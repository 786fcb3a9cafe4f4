"""The pages of the workbench with 100,000 tokens and 20,000 mentions in Chromium: annotating, comparing, adjudicating.

The figures are in milliseconds as a person sees them: from the key to the second frame after it, the server in a
process of its own on the same machine. Work is what the page's own thread did, whatever else the machine was busy with.
Then two pages of a novel are annotated by keys that are really pressed, in English and French, and the keys counted.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import long_text
from benchmarks.retyping import Pointer, Typist, beginning, describe_keys, mentions_of
from benchmarks.serving import Client, Served, adjudication, entered, event, layers_of, serving, text_of

DATA = Path(os.environ.get("AUNE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NOVELS = {"English": "litbank/key.conll.gz", "French": "fr-litbank/test.V2.gold.conll.gz"}
WORDS = 1500  # of a novel
CHAINS = 400
WATCH = """() => {
    window.painted = [];
    addEventListener('keydown', () => {
        const pressed = performance.now();
        requestAnimationFrame(() => requestAnimationFrame(() => window.painted.push(performance.now() - pressed)));
    }, true);
}"""
WAITED = """() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/api/layer/'))
    .reduce((sum, one) => sum + one.responseEnd - one.startTime, 0)"""
CLICKED = """(label) => {
    const button = [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith(label));
    const pressed = performance.now();
    button.click();
    return new Promise((done) => requestAnimationFrame(
        () => requestAnimationFrame(() => done(performance.now() - pressed))
    ));
}"""
ANSWERED = """() => {
    window.answered = new Promise((done) => addEventListener('keydown', () => {
        const pressed = performance.now();
        const shown = new MutationObserver(() => {
            shown.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - pressed)));
        });
        shown.observe(document.querySelector('[aria-label=decisions]'), { childList: true, subtree: true });
    }, { capture: true, once: true }));
}"""
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

    from aune.tasks.coref.formats.conll2012 import write

    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "novel.conll"
        file.write_text("".join(write([long_text(CHAINS)])))
        with serving(Path(folder) / "site", file) as served:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            client = entered(served)
            context.add_cookies(
                [{"name": cookie.name, "value": cookie.value or "", "url": served.address} for cookie in client.jar]
            )
            page = context.new_page()
            (layer,) = layers_of(client, "novel").values()
            measure_scrolling(page, f"{served.address}/layer/{layer}/")
            time_comparison(page, served, client, "novel", layer)
            type_novels(page, served, client)
            browser.close()


def time_opening(page: Any, name: str, address: str, limit: str = "") -> Callable[[], float]:
    """Open a page and tell how long it took; what tells its work from then on."""
    work = worked_time(page)
    page.goto("about:blank")
    before, started = work(), time.perf_counter()
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    elapsed, busy = time.perf_counter() - started, work() - before
    waited = page.evaluate(WAITED) / 1000
    print(f"{name} opens in {elapsed:.2f} s{limit}, {waited:.2f} s of it for the server, work {busy:.0f} ms")
    return work


def measure_scrolling(page: Any, layer: str) -> None:
    work = time_opening(page, "annotation", layer, " (at most 1.5 s)")
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    for name, keys in (
        ("next mention (j)", ["j"] * 60),
        ("take a chain (1)", ["1"] * 60),
        ("select words (→)", ["ArrowRight"] * 30),
        ("mark (→ m)", ["ArrowRight", "m"] * 20),
        ("undo (u)", ["u"] * 30),
    ):
        press_keys(page, name, keys, work)
    merge_chains(page, work)
    frames = sorted(page.evaluate(SCROLL))
    print(f"scrolling: {show_values(frames)} (at most 50 ms)")


def time_comparison(page: Any, served: Served, client: Client, text: str, layer: str) -> None:
    """Comparing with another annotation, and making a key of both."""
    other = differing(client, text, layer)
    work = time_opening(page, "comparison", f"{served.address}/compare/{layer}/{other}/")
    before, times = work(), []
    for _ in range(20):
        times.append(page.evaluate(CLICKED, "next"))
    print(f"next disagreement: {show_values(sorted(times))}, work {(work() - before) / 20:.0f} ms (at most 100 ms)")
    key = adjudication(client, text, layer, other)
    work = time_opening(page, "adjudication", served.address + key)
    before, times = work(), []
    for place in range(20):
        page.evaluate(ANSWERED)
        page.keyboard.press("yn"[place % 2])
        times.append(page.evaluate("window.answered"))
    print(
        f"an answer and the next question: {show_values(sorted(times))}, work {(work() - before) / 20:.0f} ms an answer"
    )


def differing(client: Client, text: str, layer: str) -> str:
    """Another annotation: of every twenty mentions one is in another chain, one is none, one is described."""
    client.get(text_of(client, text))
    client.form(f"{text_of(client, text)}layers", name="other", start=layer, keep="all")
    other = layers_of(client, text)["other"]
    state = client.get(f"/api/layer/{other}/").json["state"]
    chains = sorted(state["chains"])
    changes: list[Any] = []
    for place, (name, mention) in enumerate(sorted(state["mentions"].items())):
        if place % 20 == 0:
            changes.append(["mentions", name, {**mention, "chain": chains[place % len(chains)]}])
        elif place % 20 == 7:
            changes.append(["mentions", name, None])
        elif place % 20 == 14:
            changes.append(["mentions", name, {**mention, "features": {"kind": "noun"}}])
    answer = client.post(f"/api/layer/{other}/events", {"base": 0, "events": [event(*changes)]})
    assert answer.status == 200, answer.text
    return other


def type_novels(page: Any, served: Served, client: Client) -> None:
    """The beginnings of novels, mention by mention: how many keys that takes on the page; and with the mouse alone."""
    for language, name in NOVELS.items():
        path = DATA / "coref" / name
        if not path.exists():
            print(f"no {path.name}: set AUNE_DATA to the folder of the real data to count keys")
            continue
        pages = beginning(path, WORDS)
        assert client.upload((f"{language}.conll", pages.encode())).status == 302
        text = pages.partition("(")[2].partition(")")[0]
        _, mentions = mentions_of(pages)[0]
        empty(page, served, client, text, "by keys")
        typist = Typist(page)
        print(f"{language}, {describe_keys(typist.marks(mentions), typist.groups(mentions))}")
        empty(page, served, client, text, "by mouse")
        Pointer(page).annotates(mentions)
        page.wait_for_selector('.status[data-state="saved"]')
        layers = layers_of(client, text)
        against = layers[f"{language}.conll"]
        for name in ("by keys", "by mouse"):
            scores = client.get(f"/api/layer/{layers[name]}/scores?against={against}").json["scores"]
            same = next(score["values"]["f1"] for score in scores if score["measure"] == "coref.b_cubed")
            print(f"{language}, {len(mentions)} mentions {name} alone: {100 * same:.2f} % B³ against the key")


def empty(page: Any, served: Served, client: Client, text: str, name: str) -> None:
    """Open a new layer of a text."""
    client.get(text_of(client, text))
    client.form(f"{text_of(client, text)}layers", name=name)
    page.goto(f"{served.address}/layer/{layers_of(client, text)[name]}/")
    page.wait_for_selector("body[data-ready]")


def press_keys(page: Any, name: str, keys: Sequence[str], work: Callable[[], float]) -> None:
    page.evaluate("window.painted = []")
    before = work()
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    page.wait_for_timeout(300)
    busy = (work() - before) / len(keys)
    print(f"{name}: {show_values(sorted(page.evaluate('window.painted')))}, work {busy:.0f} ms a key (at most 100 ms)")


def merge_chains(page: Any, work: Callable[[], float]) -> None:
    """Chains that are ticked become one: 600 mentions."""
    for chain in range(1, 13):
        page.get_by_label(f"pick chain {chain}", exact=True).check()
    before = work()
    milliseconds = page.evaluate(CLICKED, "merge")
    print(f"merging 12 chains of 50 mentions: {milliseconds:.0f} ms, work {work() - before:.0f} ms (at most 100 ms)")


def worked_time(page: Any) -> Callable[[], float]:
    """What tells the milliseconds that the page's thread has worked."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def milliseconds() -> float:
        metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"]) * 1000

    return milliseconds


def show_values(times: Sequence[float]) -> str:
    return f"median {times[len(times) // 2]:.0f} ms, 95 % {times[int(len(times) * 0.95)]:.0f} ms"


if __name__ == "__main__":
    main()
