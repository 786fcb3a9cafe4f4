"""Boards of many runs, and their pages: `python -m benchmarks.campaign_boards` prints the figures of the documentation.

A hundred teams with real runs; submissions beyond a few are put into the ledger as they would be after scoring, since
scoring one run takes as long whatever the others are. The board evaluates every one of them. Pages are asked for over
HTTP, of servers on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import SCORED
from aune.campaign.publication.board_index import write_index
from aune.campaign.runs import jobs
from benchmarks.campaign_soak import campaign_with_teams
from benchmarks.serving import joined, postgresql, serving

KINDS = 5
SENTENCES = 40
VIEWS = 20


def fill(folder: Path, teams: int, runs: int) -> Campaign:
    """A campaign in its test, in which every team has sent as many runs."""
    campaign, ids = campaign_with_teams(folder, teams)
    key = "".join(f"w{place}\t{['DET', 'NOUN', 'VERB', 'ADJ'][place % 4]}\n" + "\n" * (place % 20 == 19)
                  for place in range(SENTENCES * 20))  # fmt: skip
    (folder / "keys/final.tsv").write_text(key, "utf-8")
    for phase in ("dry adjudication", "test"):
        campaign.begin_phase(phase)
    for kind in range(KINDS):
        run = key.replace("NOUN", "ADV", 10 * kind)
        campaign.receive(ids[kind], "final", "first", "run.tsv", run.encode())
    assert jobs.score_waiting(campaign) == {SCORED: KINDS}
    scored = list(campaign.state.submissions.values())
    with campaign.writing() as writer:
        for number in range(runs - KINDS):
            model, team = scored[number % KINDS], ids[number % teams]
            name = f"s-{number:016x}"
            writer.append("submission", {
                "submission": name, "team": team, "run": f"run{number}", "dataset": "final", "upload": model.upload,
                "name": "run.tsv", "table": "", "table_name": "", "idempotency": name,
            })  # fmt: skip
            details = {"submission": name, "version": 1, "state": SCORED, "result": model.results[1], "reason": ""}
            writer.append("ended", {**details, "content": "", "scores": ""})
    return campaign


def view_pages(folder: Path, database: Sequence[str], pages: Sequence[str]) -> tuple[float, float, int]:
    """The median and the longest time of pages in seconds, and the bytes of the longest page."""
    times, sizes = [], []
    with serving(folder, "--accounts", *database) as served:
        organiser = joined(served, served.printed, "Josette")
        for number in range(VIEWS):
            began = time.monotonic()
            answer = organiser.get(pages[number % len(pages)])
            times.append(time.monotonic() - began)
            assert answer.status == 200, answer.status
            sizes.append(len(answer.body))
    return statistics.median(times), max(times), max(sizes)


PAGES = ("/campaign/results/final", "/campaign/results/final?page=2", "/campaign/submissions", "/campaign/manage")


@contextmanager
def databases() -> Iterator[dict[str, Callable[[], Sequence[str]]]]:
    """By name, what gives the options of a new database."""
    with postgresql() as fresh:
        yield {"SQLite": tuple, "PostgreSQL": lambda: ("--database", fresh())}


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("runs", nargs="*", type=int, default=[1_000, 10_000])
    with tempfile.TemporaryDirectory() as home, databases() as chosen:
        for runs in arguments.parse_args().runs:
            folder = Path(home, str(runs))
            campaign = fill(folder, 100, runs)
            began = time.monotonic()
            board = jobs.make_board(campaign, "final")
            seconds = time.monotonic() - began
            write_index(campaign, "final", board)
            load = os.getloadavg()[0]
            print(f"{runs:,} runs of 100 teams: board in {seconds:.0f} s (load {load:.0f})", flush=True)
            campaign.begin_phase("test adjudication")
            for name, make_database in chosen.items():
                median, longest, size = view_pages(folder, make_database(), PAGES)
                print(f"  {name}: pages in {median:.2f} s, {longest:.2f} s at most, {size:,} bytes at most", flush=True)


if __name__ == "__main__":
    main()
