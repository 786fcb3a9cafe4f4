"""The organiser's own scorer: a program or a measure file, without network and within limits."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from aune import sandbox as sandbox_module
from aune.campaign.archive import verification
from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import (
    REFERENCE,
    decide_dispute,
    dispute_impact,
    file_dispute,
    make_key_version,
)
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.protocol_file import read_protocol
from aune.campaign.protocol.scorer import Scorer
from aune.campaign.protocol.visibility import THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import visible_board
from aune.campaign.runs import jobs
from aune.campaign.runs.codabench import bundle
from aune.campaign.runs.handouts import make_handout
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.scorer_execution import ScorerError, run_scorer
from aune.campaign.scaffold import create_campaign
from aune.errors import InputError, UsageError
from aune.sandbox import NAMESPACES, NoSandboxError, Sandbox, choose_sandbox

ROOT = Path(__file__).parents[3]
PROGRAM = (ROOT / "docs/campaign.md").read_text("utf-8").split("```python\n")[1].split("```")[0]
"""The one that the documentation shows."""
TABLE = """
[scoring.scorer]
file = "scorer/score.py"
kind = "program"
values = ["exact"]
seconds = 10
"""
MEASURE_FILE = '''\
"""Words with the right tag."""

from typing import NamedTuple

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.tagging.measures import accuracy


class Score(NamedTuple):
    exact: Column


def count(comparison) -> accuracy.Counts:
    return accuracy.count(comparison)


def score(counts: accuracy.Counts) -> Score:
    return Score(accuracy.score(counts).accuracy)


MEASURE = Measure(count, score)
'''


def needs(sandbox: str) -> pytest.MarkDecorator:
    """Tests that need something that the machine lacks are skipped."""
    return pytest.mark.skipif(bool(why := sandbox_module._obstacle(sandbox)), reason=f"no {sandbox}: {why}")


def with_scorer(folder: Path, program: str = PROGRAM, table: str = TABLE, ranking: str = "scorer") -> Campaign:
    """A tagging campaign whose runs are ranked by a scorer of the organiser, in its test."""
    campaign = create_campaign(folder, "demo", "tagging")
    (folder / "scorer").mkdir()
    (folder / "scorer/score.py").write_text(program, "utf-8")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace("draws = 10000", "draws = 100")
    text = text.replace('ranking = "precision_decision"', f'ranking = "{ranking}"')
    protocol.write_text(text.replace("\n[scoring.options]", f"{table}\n[scoring.options]"), "utf-8")
    return campaign


def go_on(campaign: Campaign, *phases: str) -> None:
    for phase in phases:
        campaign.begin_phase(phase)


UNTIL_TEST = ("training", "dry run", "dry adjudication", "test")


def send_runs(campaign: Campaign, team: Callable[..., Team]) -> list[Team]:
    """Two teams, of which the first is right."""
    teams = [team(campaign, "one"), team(campaign, "two")]
    key = (campaign.folder / "keys/final.tsv").read_text("utf-8")
    for sender, text in zip(teams, (key, key.replace("NOUN", "VERB")), strict=True):
        campaign.receive(sender.id, "final", "run", "a.tsv", text.encode())
    return teams


@needs("bubblewrap")
@pytest.mark.parametrize("kind", ["program", "measure"])
def test_a_campaign_with_a_scorer_from_the_call_to_the_archive(
    tmp_path: Path, team: Callable[..., Team], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = PROGRAM if kind == "program" else MEASURE_FILE
    campaign = with_scorer(tmp_path / "c", code, TABLE.replace('"program"', f'"{kind}"'))
    go_on(campaign, *UNTIL_TEST)
    assert "scorer/score.py" in campaign.state.protocols[-1]["files"], "committed before the test"
    first, second = send_runs(campaign, team)
    assert "scorer/score.py" not in make_handout(campaign, Viewer("participant", first.id), "final")
    outcome = score_waiting(campaign)
    assert outcome == {"scored": 2}, [run.faults for run in campaign.state.submissions.values()]
    go_on(campaign, "test adjudication")
    board = visible_board(campaign, THE_ORGANISER, "final")
    assert [row["system"] for row in board["ranking"]["ranks"]] == ["one / run", "two / run"]
    scores = board["systems"]["two / run"]
    number = scores["scorer"]["values"]["exact"]
    if kind == "measure":
        assert number["score"] == pytest.approx(scores["tagging.accuracy"]["values"]["accuracy"]["score"])
    assert number["interval"] and "code:" in scores["scorer"]["signature"]
    assert "none" not in board["derived"]["variance"]
    if kind == "program":
        settle_dispute(campaign, second)
    go_on(campaign, "publication", "archive")
    archive = tmp_path / "archive"
    write_archive(campaign, archive, pages=kind == "measure")
    assert (archive / "scorer/score.py").read_text("utf-8") == code
    report = verify_folder(archive)
    assert report.problems == [] and any("numbers, computed again" in text for text in report.checked)
    assert any("scorer/score.py, which could change" in note for note in report.notes)
    if kind == "program":
        monkeypatch.setattr(verification, "choose_sandbox", refuse_sandbox)
        report = verify_folder(archive)
        assert report.problems == [] and any("not computed again: nothing here" in note for note in report.notes)
    forge_score(archive)
    assert verify_folder(archive).problems


def settle_dispute(campaign: Campaign, team: Team) -> None:
    """A dispute about the key: what it would do, and a new version."""
    edit = {"word": 4, "tags": "VERB"}
    dispute = file_dispute(campaign, Viewer("participant", team.id), "final", "final", REFERENCE, edit, "so")
    effects = [effect.change for effect in dispute_impact(campaign, THE_ORGANISER, dispute.id)]
    assert len(effects) == 2 and all(effects), "the scorer reads the key as it would be"
    decide_dispute(campaign, dispute.id, "accepted", "Ann", "agreed")
    make_key_version(campaign, "final")
    score_waiting(campaign)


def refuse_sandbox(**rest: bool) -> Sandbox:
    raise NoSandboxError("nothing here")


def forge_score(archive: Path) -> None:
    """Another program in the archive, with the manifest to match."""
    from aune.campaign.archive.archive_builder import manifest

    (archive / "scorer/score.py").write_text("print('{}')", "utf-8")
    files = {
        str(path.relative_to(archive)): path.read_bytes()
        for path in archive.rglob("*") if path.is_file() and path.name != "MANIFEST"
    }  # fmt: skip
    (archive / "MANIFEST").write_bytes(manifest(files))


SPY = """\
import json, os, socket, sys
def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return type(error).__name__
host, port, secret = open(os.path.join(os.path.dirname(sys.argv[0]), "target")).read().split()
seen = {
    "network": attempt(lambda: socket.create_connection((host, int(port)), 2)),
    "secret": attempt(lambda: len(open(secret).read())),
    "writing": attempt(lambda: open(secret + ".new", "w")),
    "processes": attempt(lambda: [name for name in os.listdir("/proc") if name.isdigit()]),
}
sys.exit(json.dumps(seen))
"""


@pytest.mark.parametrize("name", [pytest.param("bubblewrap", marks=needs("bubblewrap")),
                                  pytest.param(NAMESPACES, marks=needs(NAMESPACES))])  # fmt: skip
def test_a_scorer_has_no_network_and_sees_no_secret(
    tmp_path: Path, team: Callable[..., Team], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TABLE.replace('kind = "program"', 'kind = "program"\nfiles = ["scorer/target"]')
    campaign = with_scorer(tmp_path / "c", SPY, table.replace("scorer/target", "licence.txt"))
    monkeypatch.setattr(jobs, "choose_sandbox", lambda: Sandbox(name))
    secret = campaign.folder / "ledger.jsonl"
    with socket.create_server(("127.0.0.1", 0)) as server:
        (campaign.folder / "scorer/target").write_text(f"127.0.0.1 {server.getsockname()[1]} {secret}", "utf-8")
        protocol = campaign.folder / "campaign.toml"
        text = protocol.read_text("utf-8").replace('files = ["licence.txt"]', 'files = ["scorer/target"]')
        protocol.write_text(text, "utf-8")
        go_on(campaign, *UNTIL_TEST)
        send_runs(campaign, team)
        assert score_waiting(campaign, 4) == {"retried": 2, "fault": 2}, "our fault, which counts for no quota"
    [reason, *_] = [reason for run in campaign.state.submissions.values() for reason in run.faults.values()]
    assert "{" in reason, reason
    seen = json.loads(reason[reason.index("{") :])
    assert seen["network"] in ("OSError", "ConnectionRefusedError"), seen
    if name == "bubblewrap":
        assert seen["secret"] == seen["processes"] == "FileNotFoundError", seen
        assert not Path(f"{secret}.new").exists(), "what it writes stays in the sandbox"


WRONG = [
    ("print('{}')", "expected 'units' or 'values'"),
    ('print(\'{"values": {"exact": 2}}\')', "is 2"),
    ('print(\'{"values": {"exact": NaN}}\')', "no JSON"),
    ('print(\'{"units": {"s": {"exact": 0.1}, "s": {"exact": 0.9}}}\')', "'s' stands twice"),
    ('print(\'{"values": {"other": 0.5}}\')', r"expected \['exact'\]"),
    ('print(\'{"values": {"exact": 0.5}, "more": 1}\')', "no JSON"),
    ("import sys; sys.exit('lost')", "ended with 1: lost"),
    ("bytearray(10**9)", "MemoryError"),
    ("print('x' * 10)", "no JSON"),
]


@pytest.mark.parametrize(("program", "why"), WRONG)
def test_what_a_program_does_wrong_is_its_own_fault(tmp_path: Path, program: str, why: str) -> None:
    (tmp_path / "score.py").write_text(program, "utf-8")
    scorer = Scorer("score.py", "program", ("exact",), seconds=10, memory=200_000_000)
    with pytest.raises(ScorerError, match=why):
        run_scorer(tmp_path, scorer, "key", "run")


@needs("bubblewrap")
@pytest.mark.parametrize(
    ("program", "ended", "why"),
    [
        ('print(\'{"problems": ["line 3: no such tag"]}\')', "refused", "line 3: no such tag"),
        ("import sys; sys.exit('lost')", "fault", "ended with 1: lost"),
        ("while True: pass", "refused", "took more than 1 seconds"),
    ],
)
def test_how_runs_end(tmp_path: Path, team: Callable[..., Team], program: str, ended: str, why: str) -> None:
    campaign = with_scorer(tmp_path / "c", program, TABLE.replace("seconds = 10", "seconds = 1"))
    go_on(campaign, *UNTIL_TEST)
    sender = team(campaign, "one")
    campaign.receive(sender.id, "final", "run", "a.tsv", (campaign.folder / "keys/final.tsv").read_bytes())
    outcome = score_waiting(campaign)
    [submission] = campaign.state.submissions.values()
    assert submission.state == ended and ended in outcome
    status = campaign.status(Viewer("participant", sender.id), submission.id)
    reasons = str([*submission.faults.values(), *status["problems"]])
    assert why in reasons, reasons
    if ended == "fault":
        assert why not in str(status), "what the organiser's program says is for the organiser"


@needs("bubblewrap")
def test_values_without_units_are_ranked_without_a_test(tmp_path: Path, team: Callable[..., Team]) -> None:
    program = "import json,sys; print(json.dumps({'values': {'exact': float('VERB' in open(sys.argv[2]).read())}}))"
    campaign = with_scorer(tmp_path / "c", program, TABLE.replace('["exact"]', '["exact"]\nbetter = "lower"'))
    go_on(campaign, *UNTIL_TEST)
    teams = [team(campaign, "one"), team(campaign, "two")]
    key = (campaign.folder / "keys/final.tsv").read_text("utf-8")
    for sender, text in zip(teams, (key, key.replace("VERB", "NOUN")), strict=True):
        campaign.receive(sender.id, "final", "run", "a.tsv", text.encode())
    score_waiting(campaign)
    go_on(campaign, "test adjudication")
    board = visible_board(campaign, THE_ORGANISER, "final")
    assert [row["system"] for row in board["ranking"]["ranks"]] == ["two / run", "one / run"], "lower is better"
    assert board["systems"]["one / run"]["scorer"]["values"]["exact"]["interval"] is None
    assert any("cannot tell any two runs apart" in warning for warning in board["warnings"])
    assert bundle(campaign), "Codabench is told what is better"


def test_nothing_begins_where_no_scorer_can_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = with_scorer(tmp_path / "c")
    monkeypatch.setattr(sandbox_module, "_obstacle", lambda name: f"{name} is not installed")
    with pytest.raises(UsageError, match=r"only without network.*bubblewrap is not installed.*apt install bubblewrap"):
        go_on(campaign, *UNTIL_TEST)
    assert campaign.phase == "call"


def test_runs_wait_for_a_sandbox(tmp_path: Path, team: Callable[..., Team], monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = with_scorer(tmp_path / "c")
    monkeypatch.setattr("aune.campaign.campaign.choose_sandbox", lambda: None)
    go_on(campaign, *UNTIL_TEST)
    send_runs(campaign, team)
    monkeypatch.setattr(jobs, "choose_sandbox", refuse_sandbox)
    assert score_waiting(campaign) == {"waits": 1}
    assert "nothing here" in {submission.waits_for for submission in campaign.state.submissions.values()}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('file = "scorer/score.py"', 'file = "../score.py"', "path inside the folder"),
        ('file = "scorer/score.py"', 'file = "other.py"', "no file 'other.py'"),
        ('kind = "program"', 'kind = "shell"', "one of measure, program"),
        ('values = ["exact"]', "values = []", "names of letters"),
        ('values = ["exact"]', 'values = ["a b"]', "names of letters"),
        ("seconds = 10", "seconds = 0", "whole number"),
        ("seconds = 10", "range = [1, 0]", "lower end first"),
        ("seconds = 10", 'range = "wide"', "lowest and the highest"),
        ("seconds = 10", 'better = "best"', "one of higher, lower, zero"),
        ("seconds = 10", "shell = true", "unknown|one of file"),
        ("[scoring.scorer]", "[other]", "scorer"),
    ],
)
def test_what_is_wrong_with_the_table_is_reported(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with_scorer(tmp_path / "c", table=TABLE.replace(old, new))
    with pytest.raises(InputError, match=problem):
        read_protocol(tmp_path / "c")


def test_other_code_is_another_protocol(tmp_path: Path) -> None:
    campaign = with_scorer(tmp_path / "c")
    before = read_protocol(campaign.folder)
    (campaign.folder / "scorer/score.py").write_text(PROGRAM + "\n", "utf-8")
    after = read_protocol(campaign.folder)
    assert before.digest != after.digest and before.scoring_digest != after.scoring_digest


def test_the_sandbox_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "_obstacle", lambda name: "" if name == NAMESPACES else "no")
    assert choose_sandbox().name == NAMESPACES
    with pytest.raises(NoSandboxError):
        choose_sandbox(for_strangers=True)


def test_neither_the_campaign_nor_where_somebody_works_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m aune` has the working folder on its path, and others may be there by PYTHONPATH."""
    work, job = tmp_path / "work", tmp_path / "home/campaign/work/1-a"
    for folder in (work, job):
        folder.mkdir(parents=True)
    monkeypatch.chdir(work)
    for folder in (work, tmp_path / "home"):
        monkeypatch.syspath_prepend(folder)
    command = Sandbox("bubblewrap").command(job, ["true"])
    assert not {str(work), str(tmp_path / "home")} & {*command} and str(job) in command
