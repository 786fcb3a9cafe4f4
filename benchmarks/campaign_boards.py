"""Campaigns of a hundred teams: `python -m benchmarks.campaign_boards` prints the figures of the documentation.

- boards: the board of many runs, and its pages on SQLite and PostgreSQL. Every team has a run of its own. Submissions
  beyond these are put into the ledger as they would be after scoring; the board evaluates every one of them.
- received: submissions that teams send to a server one by one, which are checked and scored; a backup meanwhile.
- deadline: uploads whose last byte arrives just before the deadline, and as many just after it.

Times are those of the clock; processor time does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import SCORED
from aune.campaign.publication.board_index import write_index
from aune.campaign.publication.public_face import attach_file
from aune.campaign.runs import jobs
from aune.campaign.runs.remote_submission import submit_run
from benchmarks.campaign_soak import campaign_with_teams
from benchmarks.serving import Client, Served, joined, postgresql, serving

TEAMS = 100
SENTENCES, WORDS = 40, 20
TAGS = ("DET", "NOUN", "VERB", "ADJ")
VIEWS = 20
SENDERS = 8  # teams that send at the same moment
LATE = 24  # uploads around the deadline
MEGABYTE = 1_000_000


def make_key() -> str:
    """A key of forty sentences."""
    sentence = "".join(f"w{place}\t{TAGS[place % 4]}\n" for place in range(WORDS))
    return f"{sentence}\n" * SENTENCES


def make_run(key: str, seed: int) -> str:
    """A run with errors all over the key; each team has more of them than the one before."""
    generator, share = random.Random(seed), 0.05 + 0.002 * seed
    lines = [f"{line.split()[0]}\tADV" if line and generator.random() < share else line
             for line in key.split("\n")]  # fmt: skip
    return "\n".join(lines)


def begin_test(folder: Path, teams: int, quota: int) -> tuple[Campaign, list[str]]:
    """A campaign in its test, and its teams."""
    campaign, ids = campaign_with_teams(folder, teams)
    (folder / "keys/final.tsv").write_text(make_key(), "utf-8")
    path = folder / "campaign.toml"
    path.write_text(path.read_text("utf-8").replace("valid = 3\ntotal = 10", f"valid = {quota}\ntotal = {quota}"))
    for phase in ("dry adjudication", "test"):
        campaign.begin_phase(phase)
    return campaign, ids


def fill(folder: Path, teams: int, runs: int) -> Campaign:
    """A campaign in its test, in which every team has sent as many runs."""
    campaign, ids = begin_test(folder, teams, 10)
    key = make_key()
    for number, team in enumerate(ids):
        campaign.receive(team, "final", "first", "run.tsv", make_run(key, number).encode())
    assert jobs.score_waiting(campaign) == {SCORED: teams}
    scored = list(campaign.state.submissions.values())
    with campaign.writing() as writer:
        for number in range(teams, runs):
            model, name = scored[number % teams], f"s-{number:016x}"
            writer.append("submission", {
                "submission": name, "team": model.team, "run": f"run{number}", "dataset": "final",
                "upload": model.upload, "name": "run.tsv", "table": "", "table_name": "", "idempotency": name,
            })  # fmt: skip
            details = {"submission": name, "version": 1, "state": SCORED, "result": model.results[1], "reason": ""}
            writer.append("ended", {**details, "content": "", "scores": ""})
    return campaign


def processor_seconds() -> float:
    """The processor time of this process and of all that have ended below it."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


PAGES = ("/campaign/results/final", "/campaign/results/final?page=2", "/campaign/submissions", "/campaign/manage")


def view_pages(organiser: Client) -> str:
    """What is printed about pages: the median and the longest time, and the size of the longest page."""
    times, sizes = [], []
    for number in range(VIEWS):
        began = time.monotonic()
        answer = organiser.get(PAGES[number % len(PAGES)])
        times.append(time.monotonic() - began)
        assert answer.status == 200, answer.status
        sizes.append(len(answer.body))
    return f"pages in {statistics.median(times):.2f} s, {max(times):.2f} s at most, {max(sizes):,} bytes at most"


def measure_board(home: Path, databases: Mapping[str, Callable[[], Sequence[str]]], runs: int) -> None:
    """Print the time of a board, and of its pages."""
    folder = home / str(runs)
    with mock.patch("os.fsync"):  # nobody pulls the plug while the campaign is made
        campaign = fill(folder, TEAMS, runs)
    began, used = time.monotonic(), processor_seconds()
    board = jobs.make_board(campaign, "final")
    seconds, used = time.monotonic() - began, processor_seconds() - used
    write_index(campaign, "final", board)
    pairs = len(board["ranking"]["pairs"])
    print(f"{runs:,} runs, {pairs:,} pairs tested: board in {seconds:.0f} s ({used:.0f} s of processor)", flush=True)
    campaign.begin_phase("test adjudication")
    for name, make_database in databases.items():
        with serving(folder, "--accounts", *make_database()) as served:
            print(f"  {name}: {view_pages(joined(served, served.printed, 'Josette'))}", flush=True)


class Sending(NamedTuple):
    """What came of an upload."""

    began: float
    ended: float


def measure_receipts(folder: Path, name: str, database: Sequence[str], runs: int) -> None:
    """Print how fast runs are received and scored that are sent one by one, and what a backup does to them."""
    campaign, teams = begin_test(folder, TEAMS, -(-runs // TEAMS))
    for number in range(4):
        attach_file(campaign, f"audio{number}", "audio.wav", (os.urandom(MEGABYTE) for _ in range(50)))
    key, used = make_key(), processor_seconds()
    with serving(folder, "--accounts", *database) as served:
        organiser = joined(served, served.printed, "Josette")
        tokens = make_tokens(served, teams)
        began = time.monotonic()

        def send(number: int) -> Sending:
            team, data = teams[number % TEAMS], make_run(key, number % TEAMS) + "\n" * (number // TEAMS)
            before = time.monotonic()
            submit_run(served.address, tokens[team], "final", f"run{number}", ("run.tsv", data.encode()), None,
                       wait=False)  # fmt: skip
            return Sending(before, time.monotonic())

        with ThreadPoolExecutor(SENDERS) as threads:
            sending = [threads.submit(send, number) for number in range(runs)]
            sending[runs // 3].result()
            backup = Sending(time.monotonic(), take_backup(served))
            sent = [upload.result() for upload in sending]
        received = time.monotonic() - began
        wait_for_scores(folder, runs)
        scored = time.monotonic() - began
        campaign.begin_phase("test adjudication")
        board = wait_for_board(organiser)
        pages = view_pages(organiser)
        served.stopped()
    waits = [upload.ended - upload.began for upload in sent]
    meanwhile = [upload.ended - upload.began for upload in sent
                 if upload.began < backup.ended and upload.ended > backup.began]  # fmt: skip
    print(
        f"{runs:,} runs of {TEAMS} teams sent to a server on {name}, {SENDERS} at a time: received in {received:.0f} s "
        f"({statistics.median(waits):.2f} s each, {max(waits):.2f} s at most), all scored after {scored:.0f} s, board "
        f"{board:.0f} s later, {processor_seconds() - used:.0f} s of processor\n"
        f"  a backup of 200 MB meanwhile took {backup.ended - backup.began:.1f} s; uploads then took "
        f"{statistics.median(meanwhile):.2f} s, {max(meanwhile):.2f} s at most\n  {pages}",
        flush=True,
    )


def make_tokens(served: Served, teams: Sequence[str]) -> dict[str, str]:
    """An account with a token for every team."""
    program = f"""
import json
from aune.server.accounts.models import Account, Token
from aune.server.campaign.models import Membership
tokens = {{}}
for team in {list(teams)!r}:
    account = Account.objects.create_account(f"person of {{team}}", "participant", None)
    Membership.objects.create(account=account, team=team)
    tokens[team] = Token.issue(account, "benchmark")
print(json.dumps(tokens))
"""
    tokens: dict[str, str] = served.run_inside(program)
    return tokens


def take_backup(served: Served) -> float:
    """Take a backup of the running server; when it was done."""
    command = [sys.executable, "-m", "aune", "site", "backup", served.site, served.site.with_suffix(".tar.gz")]
    subprocess.run([*command, *served.database], check=True, capture_output=True)
    return time.monotonic()


def wait_for_scores(folder: Path, runs: int) -> None:
    """Wait until as many runs are scored."""
    campaign = Campaign(folder)
    while sum(run.state == SCORED for run in campaign.state.submissions.values()) < runs:
        time.sleep(0.2)


def wait_for_board(organiser: Client) -> float:
    """How long it takes from the first request for the results until they are shown."""
    began = time.monotonic()
    while b"<table" not in organiser.get(PAGES[0]).body:
        time.sleep(0.2)
    return time.monotonic() - began


def measure_deadline(folder: Path) -> None:
    """Print what happens to uploads whose last byte arrives just before the deadline, and just after it."""
    _, teams = campaign_with_teams(folder, 2 * LATE)
    with serving(folder, "--accounts") as served:
        tokens = make_tokens(served, teams)
        deadline = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=15)
        path = folder / "campaign.toml"
        setting = f'[phases]\n"dry run" = {deadline:%Y-%m-%dT%H:%M:%SZ}\n'
        path.write_text(path.read_text("utf-8").replace("[phases]\n", setting), "utf-8")

        def send(number: int) -> tuple[int, float]:
            at = deadline.timestamp() + (-1.5 if number < LATE else 0.5)
            return upload_until(served, tokens[teams[number]], at)

        with ThreadPoolExecutor(2 * LATE) as threads:
            answers = list(threads.map(send, range(2 * LATE)))
        served.stopped()
    in_time, late = answers[:LATE], answers[LATE:]
    print(
        f"{LATE} uploads of 4 MB whose last byte is sent 1.5 s before the deadline: "
        f"{sum(status == 201 for status, _ in in_time)} receipts, the last {max(wait for _, wait in in_time):.1f} s "
        f"later; {LATE} sent half a second after it: {sum(status == 422 for status, _ in late)} refused",
        flush=True,
    )


def upload_until(served: Served, token: str, at: float) -> tuple[int, float]:
    """Send an upload whose last byte leaves at a moment; the status, and how long the answer takes from then on."""
    edge = "the-edge-of-a-part"
    parts = [f'--{edge}\r\nContent-Disposition: form-data; name="run"\r\n\r\nrun\r\n']
    parts += [f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="run.tsv"\r\n\r\n']
    body = "".join(parts).encode() + os.urandom(4 * MEGABYTE) + f"\r\n--{edge}--\r\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=240)
    connection.putrequest("POST", "/api/campaign/submit/try")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": f"multipart/form-data; boundary={edge}"}
    for name, value in {**headers, "Content-Length": str(len(body))}.items():
        connection.putheader(name, value)
    connection.endheaders(body[:-100])
    time.sleep(max(at - time.time(), 0))
    began = time.monotonic()
    connection.send(body[-100:])
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, time.monotonic() - began


@contextmanager
def databases() -> Iterator[dict[str, Callable[[], Sequence[str]]]]:
    """By name, what gives the options of a new database."""
    with postgresql() as fresh:
        yield {"SQLite": tuple, "PostgreSQL": lambda: ("--database", fresh())}


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", default=["boards", "received", "deadline"])
    arguments.add_argument("--runs", type=int, nargs="*", default=[753, 10_000], help="runs on a board")
    arguments.add_argument("--sent", type=int, default=1_000, help="runs that are sent to a server")
    arguments.add_argument("--on", nargs="*", default=["SQLite", "PostgreSQL"], help="databases")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, databases() as every:
        home, makers = Path(name), {database: every[database] for database in chosen.on}
        for runs in chosen.runs if "boards" in chosen.parts else ():
            measure_board(home, makers, runs)
        for database, make_database in makers.items() if "received" in chosen.parts else ():
            measure_receipts(home / f"received-{database}", database, make_database(), chosen.sent)
        if "deadline" in chosen.parts:
            measure_deadline(home / "deadline")
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
