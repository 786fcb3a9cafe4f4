"""A campaign over HTTP, from the call to the publication: pages, programs, the worker."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import OperationalError

from aune.cli import run
from aune.files import is_disk_full
from tests.server.campaign.conftest import WAIT, Hosted, send_messages, token_of
from tests.server.serving import accept_invitation, invite_person

RIGHT = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"


def test_from_the_call_to_the_discussion(
    hosted_campaign: Hosted, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One campaign, step by step: each step begins where the one before it ended."""
    the_dry_run(hosted_campaign)
    a_program_submits(hosted_campaign, tmp_path, capsys, monkeypatch)
    the_worker_is_killed(hosted_campaign)
    the_adjudication(hosted_campaign)
    a_team_speaks_for_itself(hosted_campaign)
    what_cannot_be_computed_is_said(hosted_campaign)
    uploads_that_are_hostile(hosted_campaign)


def the_dry_run(hosted: Hosted) -> None:
    assert "Schedule" in hosted.visitor.get("/campaign/").text
    for phase in ("training", "dry run"):
        hosted.phase(phase)
    archive = hosted.one.get("/campaign/texts/try")
    assert archive.status == 200 and archive.headers["Content-Type"] == "application/zip"
    good = hosted.submit(hosted.one, "try", RIGHT)
    assert hosted.ended(hosted.one, good)["state"] == "scored"
    page = hosted.one.get(f"/campaign/submission/{good}").text
    assert "valid" in page and "precision_decision" in page
    again = send_messages(hosted.one, "/campaign/submit/try", "run.tsv", RIGHT, run="run")
    assert again.headers["Location"].endswith(good), "the same run has the same receipt"
    bad = hosted.submit(hosted.one, "try", b"no tab\n<script>alert(1)</script>\tFOO\n", name="<b>bad</b>.tsv")
    shown = hosted.one.get(f"/campaign/submission/{bad}").text
    assert "refused" in shown and ":1:1: found" in shown
    assert "<script>alert" not in shown and "<b>bad" not in shown
    hostile = hosted.submit(hosted.one, "try", hostile_archive(), name="hostile.zip", run="hostile")
    message = "\n".join(problem[3] for problem in hosted.ended(hosted.one, hostile)["problems"])
    assert "leads out" in message and "a link or a device" in message and "unpack to" in message
    if (about := Path(f"/proc/{hosted.served.process.pid}/status")).exists():
        memory = re.search(r"VmHWM:\s+(\d+) kB", about.read_text())
        assert memory and int(memory[1]) < 500_000, "nothing that is sent is unpacked in the server"


def hostile_archive() -> bytes:
    """A zip file with a path that leads out, a link, and 60 MB in some kilobytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../out.tsv", "x")
        link = zipfile.ZipInfo("link.tsv")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        with archive.open("bomb.tsv", "w", force_zip64=True) as bomb:
            for _ in range(60):
                bomb.write(bytes(1 << 20))
    return made.getvalue()


def a_program_submits(
    hosted: Hosted, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUNE_TOKEN", token_of(hosted.two))
    (tmp_path / "wrong.tsv").write_bytes(RIGHT.replace(b"cat\tNOUN", b"cat\tVERB"))
    assert run(["campaign", "submit", hosted.served.address, str(tmp_path / "wrong.tsv"), "--data", "try"]) == 0
    receipt = json.loads(capsys.readouterr().out)
    assert receipt["state"] == "scored" and receipt["scores"]
    (tmp_path / "bad.tsv").write_bytes(b"no tab\n")
    assert run(["campaign", "submit", hosted.served.address, str(tmp_path / "bad.tsv"), "--data", "try"]) == 3
    assert "bad.tsv:1:1: found" in capsys.readouterr().err
    assert run(["campaign", "submit", hosted.served.address, str(tmp_path / "bad.tsv"), "--data", "none"]) == 2
    monkeypatch.setenv("AUNE_TOKEN", "aune_guess")
    assert run(["campaign", "submit", hosted.served.address, str(tmp_path / "bad.tsv"), "--data", "try"]) == 2
    assert "token" in capsys.readouterr().err


def the_worker_is_killed(hosted: Hosted) -> None:
    """Another takes its place, and nothing waits for ever."""
    if not Path("/proc/self/stat").exists():
        return
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_ours = f") S {hosted.served.process.pid} " in (place / "stat").read_text().replace(") R", ") S")
            if is_ours and b"aune.server.jobs" in (place / "cmdline").read_bytes():
                os.kill(int(place.name), signal.SIGKILL)
    hosted.submit(hosted.two, "try", RIGHT.replace(b"runs\tVERB", b"runs\tNOUN"), run="later")


def test_a_disk_that_is_full_is_said() -> None:
    for error in (OSError(errno.ENOSPC, "no"), OperationalError("database or disk is full")):
        assert is_disk_full(error)
    assert not is_disk_full(OSError(errno.EACCES, "no"))


def the_adjudication(hosted: Hosted) -> None:
    hosted.phase("dry adjudication")
    board = hosted.board(hosted.two, "try").text
    assert "Open Lab / run" in board and "Canary" not in board
    claim = {"dataset": "try", "document": "try", "claim": "reference", "argument": "to cat"}
    assert hosted.two.get("/campaign/disputes").status == 200
    refused = hosted.two.form("/campaign/claim", **claim, edit="{")
    assert refused.status == 422 and "no JSON" in refused.text
    assert hosted.two.form("/campaign/claim", **claim, edit='{"word": 5, "tags": "VERB"}').status == 302
    page = hosted.two.get("/campaign/key/try").text
    assert re.search(r'<th scope="row">\s*<bdi>dog</bdi>', page)
    item = {"dataset": "try", "document": "try", "claim": "reference", "place": "1", "argument": "a name"}
    assert hosted.two.form("/campaign/claim", **item, value="PROPN").status == 302
    assert hosted.two.form("/campaign/claim", **{**item, "place": "99"}, value="PROPN").status == 422
    effects = hosted.organiser.get("/campaign/disputes?effects=1").text
    assert "Open Lab / run" in effects and "→" in effects
    name, other = hosted.campaign.state.disputes
    assert hosted.campaign.state.disputes[other].edit == {"word": 1, "tags": "PROPN"}
    assert hosted.two.form(f"/campaign/disputes/{name}/decide", decision="accepted", reason="x").status == 404
    assert hosted.organiser.form(f"/campaign/disputes/{name}/decide", decision="accepted", reason="so").status == 302
    assert hosted.organiser.form("/campaign/rekey/try").status == 302
    here = hosted.campaign
    for _ in range(WAIT * 50):
        if all(2 in submission.results for submission in here.state.standing_submissions("try")):
            break
        time.sleep(0.02)
    board = hosted.board(hosted.two, "try").text
    assert "version 2" in board and "version 1" in board
    assert "so" in hosted.two.get("/campaign/changes").text
    assert hosted.visitor.get("/campaign/changes").status == 404


def a_team_speaks_for_itself(hosted: Hosted) -> None:
    hosted.one.get("/campaign/team")
    assert hosted.one.form("/campaign/team/consent", consent="anonymous").status == 302
    assert hosted.two.get("/campaign/team").status == 200
    assert hosted.two.form("/campaign/team/consent", consent="named").status == 302
    assert hosted.one.form("/campaign/team/consent", consent="loud").status == 422
    members_come_and_go(hosted)
    assert hosted.one.form("/campaign/team/nothing").status == 404
    assert hosted.one.form("/campaign/register", name="Second", country="x").status == 404
    assert hosted.organiser.form("/campaign/manage/baseline", name="most_frequent", dataset="try").status == 302
    own_options = {"name": "House Tagger", "dataset": "try", "run": "first"}
    assert send_messages(hosted.organiser, "/campaign/manage/system", "run.tsv", RIGHT, **own_options).status == 302
    assert hosted.organiser.form("/campaign/manage/system", **own_options).status == 422, "without a file"
    assert hosted.campaign.team("House Tagger").kind == "organiser"
    assert hosted.organiser.form("/campaign/manage/phase", phase="archive").status == 422
    assert hosted.organiser.form("/campaign/manage/nothing").status == 404


def members_come_and_go(hosted: Hosted) -> None:
    """Who leaves sees nothing more of the team; who lost a passphrase comes back by the organiser's hand."""
    assert hosted.one.form("/campaign/team/leave", name="Carmen").status == 422, "the last one cannot leave"
    new = accept_invitation(hosted.served, invite_person(hosted.organiser, "participant"), "Nina")
    assert hosted.organiser.get("/campaign/manage").status == 200
    team = hosted.campaign.team("Canary Labs").id
    assert hosted.organiser.form("/campaign/manage/member", team=team, name="Nobody").status == 422
    assert hosted.organiser.form("/campaign/manage/member", team=team, name="Nina").status == 302
    assert "Canary Labs" in new.get("/campaign/team").text
    assert hosted.one.form("/campaign/team/leave", name="Otto").status == 422, "of another team"
    page = hosted.one.get("/campaign/team").text
    assert hosted.one.form("/campaign/team/leave", name="Nina").status == 302
    assert new.get("/campaign/team").status == 404 and "Canary" not in new.get("/campaign/").text
    assert (hosted.campaign.team(team).members, hosted.campaign.team(team).former) == (["Carmen"], ["Nina"])
    [old] = re.findall(r"<code>([\w:-]{30,})</code>", page)
    [code] = re.findall(r"<code>([\w:-]{30,})</code>", hosted.one.get("/campaign/team").text)
    for wrong in ("", "guess", old, code + "x"):
        assert new.form("/campaign/join", code=wrong).status == 422
    assert new.form("/campaign/join", code=code).status == 302
    assert hosted.campaign.team(team).members == ["Carmen", "Nina"]
    assert new.form("/campaign/join", code=code).status == 404, "one account, one team"


def what_cannot_be_computed_is_said(hosted: Hosted) -> None:
    """A board whose runs are lost from the store is no page that waits for ever."""
    here = hosted.campaign
    run = here.state.standing_submissions("try")[0]
    path = here.store.path(run.upload)
    remaining = path.read_bytes()
    hosted.organiser.get("/campaign/manage")
    path.unlink()
    try:
        (hosted.folder / "campaign.toml").write_text((hosted.folder / "campaign.toml").read_text() + "\n# mended\n")
        assert hosted.organiser.form("/campaign/manage/freeze", reason="a remark").status == 302
        page = hosted.board(hosted.organiser, "try").text
        assert "could not be computed" in page
    finally:
        path.write_bytes(remaining)


def uploads_that_are_hostile(hosted: Hosted) -> None:
    """Too long, without a file, in the wrong phase: refused, and the server goes on."""
    hosted.one.get("/campaign/team")
    assert send_messages(hosted.one, "/campaign/submit/try", "run.tsv", RIGHT, run="x").status == 422
    assert send_messages(hosted.one, "/campaign/submit/none", "run.tsv", RIGHT, run="x").status == 404
    assert hosted.one.form("/campaign/submit/try", run="x").status == 422
    with suppress(ConnectionError):  # it is refused before all of it was sent
        assert send_messages(hosted.one, "/campaign/submit/try", "run.tsv", b"x" * 70_000_000, run="x").status == 413
    assert send_messages(hosted.visitor, "/campaign/submit/try", "run.tsv", RIGHT, run="x").status in (401, 403)
    assert hosted.visitor.get("/campaign/").status == 200
