"""A project of ten people and 200 texts: the interactions that set it up, and how fast the page of its leader is.

Interactions are counted in a browser: a field that is filled, a choice or a click is one. Server time is processor time
of all processes of the server, so that it can be compared on a busy machine; the clock is what a leader waits.
"""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.serving import Client, Served, event, joined, serving

PEOPLE, TEXTS, VISITS = 10, 200, 7
SENTENCE = "Ann met Ben in town {}. She liked him.\n"
MENTIONS = ((0, 3), (-15, -12))


def main() -> None:
    chromium = os.environ.get("AUNE_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        print("no browser: apt-get install chromium to see how fast the page is")
        return
    from playwright.sync_api import sync_playwright

    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with serving(Path(folder) / "site", "--accounts") as served:
            leader = joined(served, served.printed, "Olga")
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            context.add_cookies(
                [{"name": item.name, "value": item.value, "url": served.address} for item in leader.jar]
            )
            page = context.new_page()
            home, people = set_up(page, served)
            annotate(people)
            measure_work(page, served, leader, home)
        browser.close()


def set_up(page: Any, served: Served) -> tuple[str, list[Client]]:
    """The address of a new project with texts, people and assignments, and its people."""
    count = 0

    def act(done: object) -> None:
        nonlocal count
        count += 1

    page.goto(served.address)
    act(page.get_by_label("New project").fill("Towns"))
    act(page.get_by_role("button", name="Create").click())
    page.wait_for_url("**/project/*/")
    home = page.url.removeprefix(served.address)
    files = [
        {"name": f"town-{number:03}.txt", "mimeType": "text/plain", "buffer": SENTENCE.format(number).encode()}
        for number in range(TEXTS)
    ]
    act(page.locator("input[type=file]").first.set_input_files(files))
    act(page.get_by_role("button", name="Open", exact=True).click())
    page.wait_for_selector(".matrix", timeout=300_000)
    act(page.get_by_label("Names, one to a line").fill("\n".join(f"Person {number}" for number in range(PEOPLE))))
    act(page.get_by_role("button", name="Make invitations").click())
    links = page.locator("td code").all_inner_texts()
    people = [joined(served, link, f"Person {number}") for number, link in enumerate(links)]
    page.goto(served.address + home)
    act(page.get_by_label("Due", exact=False).first.fill((date.today() + timedelta(days=30)).isoformat()))
    act(page.get_by_role("button", name="Assign, balanced").click())
    page.wait_for_selector(f".numbers dd:text-is('0 of {2 * TEXTS}')", timeout=300_000)
    print(f"{PEOPLE} people and {TEXTS} texts set up in {count} interactions (fewer than 10)")
    return home, people


def annotate(people: list[Client]) -> None:
    """Everybody annotates and finishes all that was assigned."""
    for client in people:
        client.get("/account")
        while (address := client.get("/next").headers["Location"]) != "/":
            length = len(client.get(f"/api{address}").json["text"]["characters"])
            changes: list[Any] = [["chains", "c", {"name": ""}]]
            for start, end in MENTIONS:
                extent = [start % length, end % length]
                changes.append(["mentions", f"m{extent[0]}", {"parts": [extent], "chain": "c"}])
            assert client.post(f"/api{address}events", {"base": 0, "events": [event(*changes)]}).status == 200
            assert client.post(f"/api{address}done", {"done": True}).status == 200


def measure_work(page: Any, served: Served, leader: Client, home: str) -> None:
    clocks, servers = [], []
    for _ in range(VISITS):
        page.goto("about:blank")
        with busy(served, servers):
            started = time.perf_counter()
            page.goto(served.address + home)
            page.wait_for_selector(".matrix")
            clocks.append(time.perf_counter() - started)
    print(
        f"the leader's page of {TEXTS} texts opens in {statistics.median(clocks):.2f} s on the clock (median of "
        f"{VISITS}, at most 1 s on an idle machine), {statistics.median(servers):.2f} s of processor time of the server"
    )
    for name, path in (("agreement", f"{home}agreement"), ("export of everything", f"{home}export?of=done")):
        taken: list[float] = []
        with busy(served, taken):
            started = time.perf_counter()
            assert leader.get(path).status == 200
        print(f"{name}: {time.perf_counter() - started:.2f} s on the clock, {taken[0]:.2f} s of processor time")
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


@contextmanager
def busy(served: Served, taken: list[float]) -> Iterator[None]:
    """Add the processor time that the server takes meanwhile."""
    before = processor_time(served)
    yield
    taken.append(processor_time(served) - before)


def processor_time(served: Served) -> float:
    """Seconds of processor time of all processes of the server, those that have ended included."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[2]) == served.process.pid:  # of the group of the server
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
