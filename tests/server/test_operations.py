"""Health and metrics of a server, and the files that run one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from aune.campaign.scaffold import create_campaign
from aune.cli.campaign import app
from tests.server.campaign.conftest import token_of
from tests.server.serving import ROOT, Client, Served, accept_invitation, serving

DEPLOY = ROOT / "deploy"


@pytest.fixture(scope="module")
def served_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("operations") / "campaign"
    create_campaign(folder, "demo", "tagging")
    with serving(folder, "--accounts") as made:
        yield made


@pytest.fixture(scope="module")
def organiser(served_site: Served) -> Client:
    return accept_invitation(served_site, served_site.printed, "Olga")


def test_health_is_for_everybody(served_site: Served, organiser: Client) -> None:
    answer = served_site.stranger().get("/health")
    assert answer.status == 200
    assert answer.json == {"status": "ok", "database": "ok", "disk": "ok", "queue": "ok"}


def test_metrics_are_numbers_for_organisers(served_site: Served, organiser: Client) -> None:
    assert served_site.stranger().get("/metrics").status == 302, "to the door"
    text = organiser.get("/metrics").text
    assert 'aune_accounts{role="organiser"} 1' in text and "aune_ledger_entries 1" in text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) .+|aune_\w+(\{(\w+=\"[\w.]+\",?)+\})? [\d.e+]+", line), line
    assert "Olga" not in text
    program = Client(served_site.address, bearer=token_of(organiser))
    assert program.get("/metrics").text.startswith("# HELP")


def test_a_queue_that_stands_still_is_no_health(served_site: Served, organiser: Client) -> None:
    """A job that nobody knows how to begin, and one that has waited for long."""
    program = (
        "from datetime import timedelta\n"
        "from django.test import RequestFactory\n"
        "from django.utils import timezone\n"
        "from aune.server import operations\n"
        "from aune.server.jobs.models import Job\n"
        "import json\n"
        "request = RequestFactory().get('/health')\n"
        "job = Job.objects.create(kind='never', made=timezone.now() - timedelta(hours=1), state='queued')\n"
        "slow = operations.health(request)\n"
        "job.delete()\n"
        "operations.LEAST_FREE = 1 << 60\n"
        "full = operations.health(request)\n"
        "print(json.dumps([slow.status_code, json.loads(slow.content), full.status_code, json.loads(full.content)]))\n"
    )
    status, slow, other, full = served_site.run_inside(program)
    assert (status, other) == (503, 503)
    assert slow["status"] == "failing" and full["disk"] == "failing"


def options_of(command: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+", command))


def test_the_files_that_run_a_server_use_options_that_there_are() -> None:
    parameters = {f"--{name}" for name in app["serve"].default_command.__annotations__} | {"--no-browser"}
    unit = (DEPLOY / "aune-campaign@.service").read_text("utf-8")
    container = (DEPLOY / "Containerfile").read_text("utf-8")
    [start] = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    [entry] = re.findall(r"^ENTRYPOINT (.*)$", container, re.M)
    assert options_of(start) | options_of(entry) | options_of(unit.partition("AUNE_OPTIONS=")[2]) <= parameters
    assert "aune campaign serve" in start and "/health" in container


def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    unit = (DEPLOY / "aune-campaign@.service").read_text("utf-8").replace("/opt/aune/bin/aune", "/bin/true")
    path = tmp_path / "aune-campaign@demo.service"
    path.write_text(unit, "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
    answers = [line for line in done.stderr.splitlines() if "aune-campaign" in line and "Failed to prepare" not in line]
    assert not answers, answers
