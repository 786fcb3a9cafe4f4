"""The report page of a run: for those who may see the run, its scores and the key; it names nobody."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import manifest, write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.phases import PHASES
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.run_report import is_ready, may_read, missing_pages, report_page
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import TEXTS, create_campaign

FROM = {
    "organiser": "dry run",
    "own team": "dry adjudication",
    "other team": "archive",
    "annotator": "archive",
    "visitor": "archive",
}
"""From which phase on each viewer may read the page of a run of the dry run; of the test, from the one after it."""


def test_a_page_is_for_those_who_may_see_the_run_its_scores_and_the_key(
    campaign: Campaign, team: Callable[..., Team]
) -> None:
    first_team, other = team(campaign, "Canary Labs"), team(campaign, "two")
    viewers = {
        "organiser": THE_ORGANISER, "own team": Viewer("participant", first_team.id), "visitor": EVERYBODY,
        "other team": Viewer("participant", other.id), "annotator": Viewer("annotator"),
    }  # fmt: skip
    runs = {}
    for phase in PHASES[PHASES.index("dry run") : PHASES.index("open")]:
        if phase != "dry run":
            campaign.begin_phase(phase)
        if dataset := {"dry run": "try", "test": "final"}.get(phase):
            answer = (campaign.folder / f"keys/{dataset}.tsv").read_bytes().replace(b"NOUN", b"PROPN")
            runs[phase] = campaign.receive(first_team.id, dataset, "canary", "canary.tsv", answer).submission
            assert not may_read(campaign, THE_ORGANISER, runs[phase])  # nothing is scored yet
            score_waiting(campaign)
        for submitted, run in runs.items():
            for role, viewer in viewers.items():
                later = PHASES.index(submitted) - PHASES.index("dry run")
                first = PHASES.index(FROM[role]) + (later if FROM[role].startswith("dry") else 0)
                allowed = PHASES.index(phase) >= first
                if submitted == "dry run" and role in ("visitor", "annotator"):
                    allowed = False  # the scores of the dry run are for those who took part
                assert may_read(campaign, viewer, run) == allowed, (phase, submitted, role)
                if not allowed:
                    with pytest.raises(NotVisibleError):
                        report_page(campaign, viewer, run)
    page = report_page(campaign, EVERYBODY, runs["test"])
    assert "anary" not in page
    entries = len(campaign.ledger.entries())
    assert report_page(campaign, viewers["own team"], runs["test"]) == page
    assert len(campaign.ledger.entries()) == entries, "it is made once"
    with pytest.raises(NotVisibleError):
        report_page(campaign, THE_ORGANISER, "s-none")


def test_a_run_that_tells_the_name_of_its_unnamed_team_has_no_public_page(
    campaign: Campaign, team: Callable[..., Team]
) -> None:
    first_team = team(campaign, "Canary Labs")
    answer = (campaign.folder / "keys/try.tsv").read_bytes() + b"# by Canary Labs\n"
    run = campaign.receive(first_team.id, "try", "run", "a.tsv", answer).submission
    score_waiting(campaign)
    for phase in PHASES[PHASES.index("dry adjudication") : PHASES.index("open")]:
        campaign.begin_phase(phase)
    assert may_read(campaign, Viewer("participant", first_team.id), run)
    assert not may_read(campaign, EVERYBODY, run)
    assert missing_pages(campaign) == []


def test_a_new_key_makes_a_new_page(campaign: Campaign, team: Callable[..., Team]) -> None:
    first_team = team(campaign, "one")
    data = (campaign.folder / "keys/try.tsv").read_bytes()
    run = campaign.receive(first_team.id, "try", "run", "a.tsv", data).submission
    score_waiting(campaign)
    campaign.begin_phase("dry adjudication")
    first = report_page(campaign, THE_ORGANISER, run)
    claim = file_dispute(campaign, THE_ORGANISER, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "x")
    decide_dispute(campaign, claim.id, "accepted", "Ann", "x")
    make_key_version(campaign, "try")
    score_waiting(campaign)
    assert not is_ready(campaign, run)
    assert report_page(campaign, THE_ORGANISER, run) != first


@pytest.mark.parametrize("task", TEXTS if os.environ.get("AUNE_FULL") else ["entities", "speech"])
def test_an_archive_holds_the_pages_of_open_runs_and_verify_makes_them_again(task: str, tmp_path: Path) -> None:
    campaign = create_campaign(tmp_path / "campaign", "demo", task)
    team = campaign.register("one")
    campaign.accept_licence(team.id)
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    ending = TEXTS[task][0]
    key = (campaign.folder / f"keys/final{ending}").read_bytes()
    run = campaign.receive(team.id, "final", "run", f"of team one{ending}", key).submission
    assert score_waiting(campaign) == {"scored": 1}
    for phase in ("test adjudication", "publication", "archive"):
        campaign.begin_phase(phase)
    folder = tmp_path / "archive"
    write_archive(campaign, folder)
    path = folder / f"pages/{run}.html"
    assert f'href="pages/{run}.html"' in (folder / "index.html").read_text("utf-8")
    report = verify_folder(folder)
    assert report.problems == [] and "1 report page, made again" in report.checked
    if task == "entities":
        path.write_bytes(path.read_bytes().replace(b"</html>", b" </html>"))
        files = {str(item.relative_to(folder)): item.read_bytes() for item in folder.rglob("*") if item.is_file()}
        files.pop("MANIFEST")
        (folder / "MANIFEST").write_bytes(manifest(files))
        assert verify_folder(folder).problems == [f"pages/{run}.html: not a page that the ledger says was made"]
