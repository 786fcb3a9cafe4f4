"""A campaign of every task, from the call to an archive that can be verified, with a mended key and a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive import archived
from aune.campaign.disputes import decide, dispute, impact, new_version
from aune.campaign.distribution import handout
from aune.campaign.entering import baselines, enter_baseline
from aune.campaign.jobs import work
from aune.campaign.policy import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication import differences, results
from aune.campaign.records import Team
from aune.campaign.starting import TEXTS, founded
from aune.campaign.verification import verified

EDITS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "tagging": ("final", {"word": 4, "tags": "ADJ"}),
    "entities": ("final", {"remove": [0, 1, "PER"]}),
    "coref": ("c", {"mention": [4, 5], "with": []}),
    "speech": ("u5", {"text": "the train left at nine"}),
    "anaphora": ("c", {"anaphor": "4", "antecedents": ["2"]}),
}


@pytest.mark.parametrize("task", TEXTS)
def test_from_the_call_to_the_archive(task: str, tmp_path: Path, team: Callable[..., Team]) -> None:
    campaign = founded(tmp_path / "c", "demo", task)
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("draws = 10000", "draws = 100"))
    one, two = team(campaign, "one"), team(campaign, "two")
    campaign.consent(one.id, "named")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.go_to(phase)
    [key] = (campaign.folder / "keys").glob("final.*")
    given = handout(campaign, Viewer("participant", one.id), "final")
    assert key.read_bytes() not in given.values(), "what is handed out is no key"
    for who in (one, two):
        campaign.receive(who.id, "final", "run", key.name, key.read_bytes())
    entered = [enter_baseline(campaign, name, "final") for name in baselines(campaign)[:1]]
    assert work(campaign) == {"scored": 2 + len(entered)}
    campaign.go_to("test adjudication")
    own = Viewer("participant", one.id)
    claim = dispute(campaign, own, "final", EDITS[task][0], "reference", EDITS[task][1], "it is so")
    foreseen = {effect.run: effect.after for effect in impact(campaign, THE_ORGANISER, claim.id)}
    decide(campaign, claim.id, "accepted", "Ann", "granted")
    assert new_version(campaign, "final") == 2
    work(campaign)
    [mine] = [run.id for run in campaign.state.standing("final") if run.team == one.id]
    [changed] = [row["values"] for row in differences(campaign, own, "final") if row["run"] == "one / run"]
    assert changed[1] != changed[2] == pytest.approx(foreseen[mine]), "what was foreseen has happened"
    campaign.go_to("publication")
    campaign.validate(one.id)
    campaign.go_to("archive")
    assert "one / run" in results(campaign, EVERYBODY, "final")["blocks"]["participants"]
    archived(campaign, tmp_path / "archive", pages=False)  # test_explained has pages
    assert verified(tmp_path / "archive", campaign.heads()[0]["head"]).problems == []
