"""A campaign of every task, from the call to an archive that can be verified, with a mended key and a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.disputes.resolution import decide_dispute, dispute_impact, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import score_differences, visible_board
from aune.campaign.runs.baseline_runs import baseline_names, enter_baseline
from aune.campaign.runs.handouts import make_handout
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import TEXTS, create_campaign

EDITS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "tagging": ("final", {"word": 4, "tags": "ADJ"}),
    "entities": ("final", {"remove": [0, 1, "PER"]}),
    "coref": ("c", {"mention": [4, 5], "with": []}),
    "speech": ("u5", {"text": "the train left at nine"}),
    "anaphora": ("c", {"anaphor": "4", "antecedents": ["2"]}),
}


@pytest.mark.parametrize("task", TEXTS)
def test_from_the_call_to_the_archive(task: str, tmp_path: Path, team: Callable[..., Team]) -> None:
    campaign = create_campaign(tmp_path / "c", "demo", task)
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("draws = 10000", "draws = 100"))
    first_team, two = team(campaign, "one"), team(campaign, "two")
    campaign.consent(first_team.id, "named")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    [key] = (campaign.folder / "keys").glob("final.*")
    handout = make_handout(campaign, Viewer("participant", first_team.id), "final")
    assert key.read_bytes() not in handout.values(), "what is handed out is no key"
    for who in (first_team, two):
        campaign.receive(who.id, "final", "run", key.name, key.read_bytes())
    entered = [enter_baseline(campaign, name, "final") for name in baseline_names(campaign)[:1]]
    assert score_waiting(campaign) == {"scored": 2 + len(entered)}
    campaign.begin_phase("test adjudication")
    viewer = Viewer("participant", first_team.id)
    claim = file_dispute(campaign, viewer, "final", EDITS[task][0], "reference", EDITS[task][1], "it is so")
    foreseen = {effect.run: effect.after for effect in dispute_impact(campaign, THE_ORGANISER, claim.id)}
    decide_dispute(campaign, claim.id, "accepted", "Ann", "granted")
    assert make_key_version(campaign, "final") == 2
    score_waiting(campaign)
    [own_run] = [run.id for run in campaign.state.standing_submissions("final") if run.team == first_team.id]
    [changed] = [row["values"] for row in score_differences(campaign, viewer, "final") if row["run"] == "one / run"]
    assert changed[1] != changed[2] == pytest.approx(foreseen[own_run]), "what was foreseen has happened"
    campaign.begin_phase("publication")
    campaign.validate(first_team.id)
    campaign.begin_phase("archive")
    assert "one / run" in visible_board(campaign, EVERYBODY, "final")["blocks"]["participants"]
    write_archive(campaign, tmp_path / "archive", pages=False)  # test_explained has pages
    assert verify_folder(tmp_path / "archive", campaign.heads()[0]["head"]).problems == []
