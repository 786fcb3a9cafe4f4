"""The server under load and under −9: `make soak` prints the figures.

Fifty annotators save once a second, each in a layer of their own, in a text of two thousand words. Then the server is
killed again and again while people save; every event that was acknowledged must be there afterwards.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from benchmarks.serving import Client, Served, entered, event, invited, joined, layers_of, serving, start, text_of

ANNOTATORS, SECONDS, KILLS, WRITERS = 50, 30, 20, 8
WORDS = 2000


def main(annotators: int = ANNOTATORS, seconds: float = SECONDS, kills: int = KILLS) -> None:
    """Print what the server did."""
    with tempfile.TemporaryDirectory() as folder:
        load(Path(folder, "load"), annotators, seconds)
        kill_repeatedly(Path(folder, "kills"), kills)


def text(name: str) -> bytes:
    words = " ".join(f"word{number % 97}" for number in range(WORDS))
    return f"<DOC><DOCNO>{name}</DOCNO><TEXT>{words}</TEXT></DOC>\n".encode()


class Saver:
    """Somebody who marks mentions, over one connection that stays open, as a browser's does."""

    def __init__(self, client: Client, port: int, layer: str) -> None:
        self.path = f"/api/layer/{layer}/events"
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.jar)
        self.headers = {"Content-Type": "application/json", "X-CSRFToken": client.csrf, "Cookie": cookies}
        self.connection = HTTPConnection("127.0.0.1", port, timeout=30)
        self.version = client.get(f"/api/layer/{layer}/").json["layer"]["version"]
        self.acknowledged: list[str] = []
        self.times: list[float] = []

    def save(self) -> None:
        """One event; when this returns, the server has confirmed that it is durable."""
        start = 8 * (self.version % (WORDS // 2))
        mention = {"parts": [[start, start + 4]], "order": 0, "chain": None, "features": {}, "label": ""}
        mention_event = event(["mentions", f"m{self.version}-{random.random()}", mention])
        begun = time.perf_counter()
        body = json.dumps({"base": self.version, "events": [mention_event]})
        self.connection.request("POST", self.path, body, self.headers)
        response = self.connection.getresponse()
        answer = response.read()
        self.times.append(time.perf_counter() - begun)
        if response.status != 200:
            raise AssertionError(f"{response.status}: {answer.decode()[:300]}")
        self.version = json.loads(answer)["version"]
        self.acknowledged.append(mention_event["id"])


def load(site: Path, annotators: int, seconds: float) -> None:
    """So many people save once a second."""
    with serving(site, "--accounts") as served:
        olga = joined(served, served.printed, "Olga")
        olga.upload(("load.sgm", text("load")))
        page = text_of(olga, "load")
        savers = [_annotator(served, olga, page, number) for number in range(annotators)]
        with ThreadPoolExecutor(annotators) as pool:
            list(pool.map(lambda saver: _for(saver, seconds), savers))
    times = sorted(seconds * 1000 for saver in savers for seconds in saver.times)
    print(
        f"{annotators} annotators saving once a second for {seconds:.0f} s: {len(times)} saves, "
        f"median {statistics.median(times):.0f} ms, 95 % within {times[int(len(times) * 0.95)]:.0f} ms, "
        f"slowest {times[-1]:.0f} ms",
        flush=True,
    )


def _annotator(served: Served, olga: Client, page: str, number: int) -> Saver:
    client = joined(served, invited(olga, "annotator"), f"annotator {number}")
    client.form(f"{page}layers", name="mine")
    return Saver(client, served.port, layers_of(client, "load")["mine"])


def _for(saver: Saver, seconds: float) -> None:
    end = time.monotonic() + seconds
    time.sleep(random.random())
    while time.monotonic() < end:
        begun = time.monotonic()
        saver.save()
        time.sleep(max(0.0, 1 - (time.monotonic() - begun)))


def kill_repeatedly(site: Path, kills: int) -> None:
    """So many times with −9 at a random moment while several people save as fast as they can."""
    with serving(site) as served:
        me = entered(served)
        me.upload(("kills.sgm", text("kills")))
        page = text_of(me, "kills")
        for number in range(WRITERS):
            me.form(f"{page}layers", name=f"writer {number}")
    acknowledged: dict[str, list[str]] = {}
    for _ in range(kills):
        served = start(site)
        me = entered(served)
        layers = {name: layer for name, layer in layers_of(me, "kills").items() if name.startswith("writer")}
        savers = {layer: Saver(me, served.port, layer) for layer in layers.values()}
        timer = threading.Timer(random.uniform(0.05, 1.5), served.killed)
        timer.start()
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(_until_it_ends, (saver.save for saver in savers.values())))
        timer.join()
        _close(served)
        for layer, saver in savers.items():
            acknowledged.setdefault(layer, []).extend(saver.acknowledged)
    with serving(site) as served:
        me = entered(served)
        missing = sum(len(set(ids) - set(_stored_entries(me, layer))) for layer, ids in acknowledged.items())
        wrong = sum(_differs(me, layer) for layer in acknowledged)
    total = sum(map(len, acknowledged.values()))
    print(
        f"{kills} kills with -9: {total} events acknowledged, {missing} lost, {wrong} layers not what their events say"
    )
    if missing or wrong:
        sys.exit(1)


def _until_it_ends(save: Callable[[], None]) -> None:
    try:
        while True:
            save()
    except (OSError, HTTPException):
        pass


def _close(served: Served) -> None:
    for stream in (served.process.stdout, served.process.stderr):
        if stream:
            stream.close()


def _history(me: Client, layer: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    while more := me.get(f"/api/layer/{layer}/history?since={len(events)}").json["events"]:
        events += more
    return events


def _stored_entries(me: Client, layer: str) -> list[str]:
    return [entry["id"] for entry in _history(me, layer)]


def _differs(me: Client, layer: str) -> bool:
    """Whether the state is another than the events make it."""
    state: dict[str, Any] = {}
    for entry in _history(me, layer):
        for _, name, record in entry["changes"]:
            state[name] = record
    return bool(me.get(f"/api/layer/{layer}/").json["state"]["mentions"] != state)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
