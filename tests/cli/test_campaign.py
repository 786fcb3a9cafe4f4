"""`aune campaign`: a campaign run from a folder, by commands alone, from nothing to a verified archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.runs import jobs
from aune.cli import run

Command = Callable[..., str]


@pytest.fixture
def aune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`aune("new", …, code=0)`: what a command prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "run_spawned", jobs.run_forked)

    def command(*words: str, code: int = 0) -> str:
        assert run(["campaign", *words]) == code, capsys.readouterr().err
        output = capsys.readouterr()
        return output.out if code == 0 else output.out + output.err

    return command


def test_a_campaign_from_a_folder(aune: Command, tmp_path: Path) -> None:
    aune("new", "demo", "--task", "entities")
    assert "entities.f_measure" in aune("show", "demo")
    aune("team", "demo", "Ann & Co", "--country", "NO", "--member", "Ann")
    aune("team", "demo", "Ben", "--kind", "organiser")
    cleo = aune("team", "demo", "Ben").strip()
    aune("rename", "demo", cleo, "Cleo")
    for team in ("Ann & Co", "Ben", "Cleo"):
        aune("accept", "demo", team)
    aune("consent", "demo", "Ann & Co", "named")
    for phase in ("training", "dry-run"):
        aune("phase", "demo", phase)
    aune("handout", "demo", "try", "handed", "--as", "Ann & Co")
    text = (tmp_path / "handed/try.conll").read_text()
    Path("run.conll").write_text(text.replace("Ben\tO", "Ben\tB-PER"))
    assert aune("check", "run.conll", "--handout", "handed").startswith("valid")
    Path("bad.conll").write_text(text.replace("left\tO", "left"))
    refused = aune("check", "bad.conll", "--handout", "handed", code=3)
    assert "bad.conll:" in refused
    assert refused == aune("submit", "demo", "bad.conll", "--team", "Cleo", "--data", "try", code=3)
    receipt = json.loads(aune("submit", "demo", "run.conll", "--team", "Ann & Co", "--data", "try"))
    assert receipt["state"] == "scored" and receipt["scores"]
    again = json.loads(aune("submit", "demo", "run.conll", "--team", "Ann & Co", "--data", "try"))
    assert again == receipt
    assert "not to be seen" in aune("status", "demo", receipt["submission"], "--as", "Cleo", code=2)
    head = receipt["head"]
    make_key(aune, tmp_path)
    to_publication(aune, tmp_path)
    to_archive(aune, tmp_path, head)


def make_key(aune: Command, tmp_path: Path) -> None:
    """The key of the test, made from two annotators' files."""
    text = (tmp_path / "demo/keys/final.conll").read_text()
    for name, tag in (("key", "B-ORG"), ("ann", "B-ORG"), ("ben", "O")):
        Path(f"{name}.conll").write_text(text.replace("Acme\tB-ORG", f"Acme\t{tag}"))
    made = aune(
        "key", "demo", "final", "key.conll", "--annotator", "ann.conll", "--annotator", "ben.conll", "--author", "Dan"
    )
    assert made.split() == ["annotators", "f1", "annotator", "1–annotator", "2", "0.8571"]
    item = ("--annotator", "ann.conll", "--author", "Dan")
    assert "two annotators" in aune("key", "demo", "final", "key.conll", *item, code=2)


def to_publication(aune: Command, tmp_path: Path) -> None:
    for phase in ("dry-adjudication", "test"):
        aune("phase", "demo", phase)
    key = (tmp_path / "demo/keys/final.conll").read_text()
    Path("one.conll").write_text(key)
    Path("two.conll").write_text(key.replace("B-ORG", "O"))
    aune("submit", "demo", "one.conll", "--team", "Ann & Co", "--data", "final", "--later")
    aune("submit", "demo", "two.conll", "--team", "Cleo", "--data", "final", "--later")
    assert "unknown engine" in aune("score", "demo", "--engine", "abacus", code=2)
    assert aune("score", "demo") == "scored 2\n"
    assert aune("score", "demo", "--engine", "processes", "--workers", "2") == "nothing waits\n"
    assert "not to be seen" in aune("publish", "demo", "final", code=2)
    aune("phase", "demo", "test-adjudication")
    drawn = ("--edited", "two.conll", "--argument", "no name", "--team", "Cleo")
    claim = aune("dispute", "demo", "final", "final", *drawn).strip()
    assert '{"remove":[6,7,"ORG"]}' in aune("disputes", "demo")
    assert "1 → 2" in aune("disputes", "demo") or "2 → 1" in aune("disputes", "demo")
    assert json.loads(aune("disputes", "demo", "--format", "json"))[0]["dispute"] == claim
    aune("decide", "demo", claim, "accepted", "--author", "Dan", "--reason", "indeed")
    assert aune("rekey", "demo", "final") == "version 2\n"
    assert aune("score", "demo") == "scored 2\n"


def to_archive(aune: Command, tmp_path: Path, head: str) -> None:
    aune("phase", "demo", "publication")
    table = aune("publish", "demo", "final")
    assert "Ann" not in table and "participants" in table
    assert json.loads(aune("publish", "demo", "final", "-f", "json", "--as", "organiser"))["version"] == 2
    assert aune("publish", "demo", "final", "-f", "csv").startswith("run,block,rank")
    aune("validate", "demo", "Ann & Co")
    aune("withdraw", "demo", "Cleo", "--reason", "moved on")
    aune("phase", "demo", "archive")
    assert "Ann & Co" in aune("publish", "demo", "final")
    assert "withdrawn" in aune("participants", "demo")
    [run] = [
        system for system in json.loads(aune("publish", "demo", "final", "-f", "json"))["systems"] if "Ann" in system
    ]
    assert run == "Ann & Co / run"
    output = aune("notices", "demo")
    assert "Ann & Co" in output and "demo: archive has begun" in output
    assert aune("notices", "demo", "--sender", "us@example.org") == "0 wait\n"
    assert "expected --sender" in aune("notices", "demo", "--smtp", "localhost:1", code=2)
    aune("archive", "demo", "site")
    [page] = (tmp_path / "site/pages").iterdir()
    aune("page", "demo", page.stem, "run.html", "--as", "visitor")
    assert Path("run.html").read_bytes() == page.read_bytes()
    assert aune("verify", "site", "--head", head).endswith("everything holds\n")
    assert (tmp_path / "site/index.html").read_text().startswith("<!doctype html>")
    aune("codabench", "demo", "bundle.zip")
    aune("backup", "demo", "backup.tar.gz")
    aune("restore", "backup.tar.gz", "again")
    assert aune("verify", "again").endswith("everything holds\n")
    page = tmp_path / "site/index.html"
    page.write_bytes(page.read_bytes()[:-1])
    assert "index.html: changed" in aune("verify", "site", code=1)


def test_wrong_protocols_and_wrong_calls(aune: Command, tmp_path: Path) -> None:
    aune("new", "demo", "--task", "speech")
    path = tmp_path / "demo/campaign.toml"
    path.write_text(path.read_text().replace('ranking = "wer"', 'ranking = "https://example.org/x:Y"'))
    output = aune("show", "demo", code=3)
    assert "campaign.toml:" in output and "address" in output
    assert "something already" in aune("new", "demo", "--task", "speech", code=2)
    assert "campaign.toml" in aune("show", "nowhere", code=3)
    assert "no JSON" in aune("dispute", "demo", "try", "u1", "{", "--argument", "x", code=2)
    assert "wrong" in aune("verify", str(tmp_path), code=1)
