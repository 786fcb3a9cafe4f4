"""Two lanes that count on a Dask cluster: runs are scored there, and wait while it is away."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from aune.campaign.runs.jobs import ENGINE_VARIABLE
from aune.campaign.scaffold import create_campaign
from tests.campaign.runs.test_jobs import CLUSTER
from tests.server.campaign.conftest import fill_campaign, send_messages
from tests.server.campaign.test_browser import FULL
from tests.server.serving import serving


@pytest.mark.skipif(not FULL, reason="takes ten seconds: AUNE_FULL=1")
def test_lanes_count_on_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    folder = tmp_path / "campaign"
    create_campaign(folder, "demo", "tagging")
    with subprocess.Popen([sys.executable, "-c", CLUSTER], stdin=-1, stdout=-1, text=True, cwd="/") as cluster:
        assert cluster.stdin and cluster.stdout
        monkeypatch.setenv(ENGINE_VARIABLE, f"dask={cluster.stdout.readline().strip()} 1")
        with serving(folder, "--accounts", "--lanes", "2") as served:
            hosted = fill_campaign(served, folder)
            for phase in ("training", "dry run"):
                hosted.phase(phase)
            run = (folder / "keys/try.tsv").read_bytes()
            scored = hosted.submit(hosted.one, "try", run)
            assert hosted.ended(hosted.one, scored)["state"] == "scored"
            hosted.phase("dry adjudication")
            assert "precision_decision" in hosted.board(hosted.one, "try").text
            cluster.stdin.close()
            cluster.wait()
            hosted.phase("test")
            hosted.one.get("/campaign/team")
            final = (folder / "keys/final.tsv").read_bytes()
            answer = send_messages(hosted.one, "/campaign/submit/final", "a.tsv", final, run="run")
            submission = answer.headers["Location"].rpartition("/")[2]
            for _ in range(600):
                state = hosted.campaign.state.submissions[submission]
                if state.waits_for:
                    break
                time.sleep(0.1)
            assert state.state == "received" and "no scheduler" in state.waits_for, "it waits, and counts for nothing"
