"""A campaign under load and under −9: `make soak` prints the figures, `make test` runs each scenario small.

`python -m benchmarks.campaign_soak 0.5` runs all at half the size.

- uploads: many teams send a run at once, from processes of their own; none is lost;
- kills: processes that submit are killed while they do; every receipt that somebody was given is in the ledger;
- served: the same uploads over HTTP, with tokens, to a server that is killed now and then;
- rescoring: a key is mended and every run scored again; the process that does it is killed half-way, another goes on.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.runs import jobs
from aune.campaign.runs.remote_submission import submit_run
from aune.campaign.scaffold import create_campaign
from aune.errors import UsageError
from aune.files import sha256_hex

FORK = multiprocessing.get_context("fork")


class Load(NamedTuple):
    """What came of many uploads at once."""

    receipts: int
    seconds: float
    median: float
    slowest: float


def campaign_with_teams(folder: Path, teams: int) -> tuple[Campaign, list[str]]:
    """A campaign in its dry run, and its teams."""
    campaign = create_campaign(folder, "soak", "tagging")
    (folder / "licence.txt").write_text("For the soak only.\n", "utf-8")
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    with campaign.writing() as writer:
        ids = [f"t-{number:016x}" for number in range(teams)]
        for number, team in enumerate(ids):
            record = {"team": team, "name": f"team {number}", "country": "", "kind": "participant"}
            writer.append("team", {**record, "pseudonym": f"bird {number}", "members": []})
            writer.append("licence", {"team": team, "licence": ""})
    return campaign, ids


def uploads(folder: Path, number: int, size: int, processes: int = 16) -> Load:
    """`number` teams send `size` bytes each at the same moment; how many get a receipt, and how long that takes."""
    campaign, teams = campaign_with_teams(folder, number)
    start, outcomes = FORK.Event(), FORK.Queue()
    shares = [teams[first::processes] for first in range(processes)]

    def send(own_value: Sequence[str]) -> None:
        campaign_copy = Campaign(folder)
        data = {team: team.encode() + os.urandom(size - len(team)) for team in own_value}
        start.wait()
        for team in own_value:
            before = time.monotonic()
            receipt = campaign_copy.receive(team, "try", "run", "run.tsv", data[team])
            outcomes.put((receipt, sha256_hex(data[team]), time.monotonic() - before))

    running = [FORK.Process(target=send, args=(share,)) for share in shares if share]
    for process in running:
        process.start()
    time.sleep(0.5)
    began = time.monotonic()
    start.set()
    answers = [outcomes.get(timeout=120) for _ in range(number)]
    seconds = time.monotonic() - began
    for process in running:
        process.join()
        assert process.exitcode == 0
    state = Campaign(folder).state
    for receipt, digest, _ in answers:
        submission = state.submissions[receipt.submission]
        assert submission.upload == digest == receipt.sha256 and submission.head == receipt.head
        assert digest in campaign.store
    assert len({receipt.position for receipt, _, _ in answers}) == number == len(state.submissions)
    times = [took for _, _, took in answers]
    return Load(len(answers), seconds, statistics.median(times), max(times))


def kills(folder: Path, number: int, seed: int = 1) -> tuple[int, int]:
    """Kill submitting processes with −9 at random moments; how many were killed, how many receipts had been given."""
    _, teams = campaign_with_teams(folder, 50)
    generator = random.Random(seed)
    receipts: list[tuple[str, str, str]] = []

    def send(pipe: Any, seed: int) -> None:
        campaign_copy, draw = Campaign(folder), random.Random(seed)
        while True:
            data = draw.randbytes(draw.randrange(10, 20_000))
            team = draw.choice(teams)
            receipt = campaign_copy.receive(team, "try", f"run{draw.randrange(10**9)}", "run.tsv", data)
            pipe.send((receipt.submission, receipt.sha256, receipt.head))

    path = folder / "campaign.toml"
    path.write_text(path.read_text().replace("valid = 20\ntotal = 60", "valid = 100000\ntotal = 100000"))
    killed = 0
    while killed < number:
        together = []
        for _ in range(4):
            reader, writer = FORK.Pipe(duplex=False)
            process = FORK.Process(target=send, args=(writer, generator.randrange(10**9)))
            process.start()
            writer.close()
            together.append((process, reader))
        for process, reader in together:
            time.sleep(generator.uniform(0.02, 0.25))
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
            try:
                while True:
                    receipts.append(reader.recv())
            except EOFError:
                process.join()
    campaign = Campaign(folder)
    state = campaign.state
    for submission, digest, head in receipts:
        entry = state.submissions[submission]
        assert (entry.upload, entry.head) == (digest, head)
        campaign.store.get(digest)
    assert not verify_folder(folder).problems
    return killed, len(receipts)


def rescoring(folder: Path, number: int, words: int) -> tuple[float, int]:
    """A key is mended and every run scored again, with a kill half-way; the seconds, and how many were left then."""
    campaign, teams = campaign_with_teams(folder, number)
    tags = ["DET", "NOUN", "VERB", "ADJ"]
    key = "".join(f"w{place}\t{tags[place % 4]}\n" + "\n" * (place % 20 == 19) for place in range(words))
    (folder / "keys/final.tsv").write_text(key)
    campaign.begin_phase("dry adjudication")
    campaign.begin_phase("test")
    for place, team in enumerate(teams):
        answer = key.replace(f"w{place}\t{tags[place % 4]}\n", f"w{place}\tADV\n")
        campaign.receive(team, "final", "run", "run.tsv", answer.encode())
    jobs.score_waiting(campaign)
    claim = file_dispute(campaign, THE_ORGANISER, "final", "final", "reference", {"word": 0, "tags": "ADV"}, "soak")
    decide_dispute(campaign, claim.id, "accepted", "soak", "soak")
    make_key_version(campaign, "final")
    began = time.monotonic()
    process = FORK.Process(target=jobs.score_waiting, args=(Campaign(folder),))
    process.start()
    while len(jobs.waiting_submissions(campaign.state)) > number // 2:
        time.sleep(0.02)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    left = len(jobs.waiting_submissions(campaign.state))
    done = jobs.score_waiting(campaign)
    for job in jobs.waiting_submissions(campaign.state):  # the one that the dead process had leased
        submission, version = job
        lease = {"submission": submission.id, "version": version, "attempt": 1, "until": submission.time}
        campaign.append("leased", lease)
    done["scored"] += jobs.score_waiting(campaign).get("scored", 0)
    seconds = time.monotonic() - began
    assert done["scored"] == left and not jobs.waiting_submissions(campaign.state)
    results = [results_of_run.results for results_of_run in campaign.state.submissions.values()]
    assert all(set(results_of_run) == {1, 2} for results_of_run in results), "old results are kept"
    return seconds, left


def tokens(folder: Path, teams: Sequence[str]) -> dict[str, str]:
    """An account with a token for every team, in the database of a site."""
    from aune.server.site import Site
    from aune.server.startup import site_database

    with site_database(Site(folder=str(folder), accounts=True)):
        from django.db import transaction

        from aune.server.accounts.models import Account, Token
        from aune.server.campaign.models import Membership

        secrets = {}
        with transaction.atomic():
            for team in teams:
                account = Account.objects.create_account(f"person of {team}", "participant", None)
                Membership.objects.create(account=account, team=team)
                secrets[team] = Token.issue(account, "soak")
    return secrets


def load_server(folder: Path, number: int, size: int, kills: int = 0) -> Load:
    """`number` teams post `size` bytes each at once; with `kills`, to a server that is killed, and started again."""
    _, teams = campaign_with_teams(folder, number)
    from benchmarks import serving as helpers

    command = [sys.executable, "-m", "benchmarks.campaign_soak", str(folder), *teams]
    finished = subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).resolve().parent.parent)
    secrets = json.loads(finished.stdout)  # made in a process of its own, where Django is set up once
    port = helpers.free_port()
    server = helpers.start(folder, "--accounts", port=port)
    address = f"http://127.0.0.1:{port}"

    def send(team: str) -> tuple[str, dict[str, Any], float]:
        data = (f"run.tsv-{team}", team.encode() + os.urandom(size - len(team)))
        before = time.monotonic()
        while True:
            try:
                status = submit_run(address, secrets[team], "try", "run", data, None, team, wait=False)
                return sha256_hex(data[1]), status, time.monotonic() - before
            except UsageError as error:
                if not kills or "does not answer" not in str(error):
                    raise
                time.sleep(0.1)

    began = time.monotonic()
    try:
        with ThreadPoolExecutor(number) as threads:
            waiting = [threads.submit(send, team) for team in teams]
            for _ in range(kills):
                time.sleep(0.5)
                _stop_server(server)
                server = helpers.start(folder, "--accounts", port=port)
            answers = [submission.result() for submission in waiting]
        seconds = time.monotonic() - began
    finally:
        _stop_server(server)
    campaign = Campaign(folder)
    for digest, status, _ in answers:
        submission = campaign.state.submissions[status["submission"]]
        assert submission.upload == digest == status["sha256"] and submission.head == status["head"]
        campaign.store.get(digest)
    assert len({status["submission"] for _, status, _ in answers}) == number
    times = [took for _, _, took in answers]
    return Load(len(answers), seconds, statistics.median(times), max(times))


def _stop_server(server: Any) -> None:
    server.killed()
    for stream in (server.process.stdout, server.process.stderr):
        stream.close()


def main(size: float = 1.0) -> None:
    """Print the figures; `size` is the share of the usual numbers of uploads, kills and runs."""
    many, kill_count, short = (max(2, round(size * usual)) for usual in (200, 100, 5))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:  # a killed server's worker may still end
        load = uploads(Path(room, "uploads"), many, 1_000_000)
        print(f"{many} uploads of 1 MB at once: {load.receipts} receipts in {load.seconds:.2f} s, "
              f"median {load.median:.3f} s, slowest {load.slowest:.3f} s, none lost", flush=True)  # fmt: skip
        load = load_server(Path(room, "served"), many, 1_000_000)
        print(f"the same over HTTP: {load.receipts} receipts in {load.seconds:.2f} s, median {load.median:.3f} s, "
              f"slowest {load.slowest:.3f} s, no error", flush=True)  # fmt: skip
        load = load_server(Path(room, "killed"), many, 200_000, kills=short)
        print(f"the same with the server killed {short} times: {load.receipts} receipts in {load.seconds:.2f} s, "
              "all kept", flush=True)  # fmt: skip
        killed, receipts = kills(Path(room, "kills"), kill_count)
        print(f"{killed} kills with −9: {receipts} receipts given, every one in the ledger, every digest right",
              flush=True)  # fmt: skip
        seconds, left = rescoring(Path(room, "rescoring"), many, 2000)
        print(f"a mended key and {many} runs: scored again in {seconds:.1f} s, killed half-way, "
              f"{left} done by the next one")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(tokens(Path(sys.argv[1]), sys.argv[2:])))
    else:
        main(*map(float, sys.argv[1:]))
