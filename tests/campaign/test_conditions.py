"""Several conditions in one campaign: manual transcripts and those of recognisers, every run in each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import THE_ORGANISER, Viewer
from aune.campaign.publication.static_pages import condition_parts, condition_rows
from aune.campaign.publication.visible_results import visible_board
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import create_campaign

DATA = ("final", "recognised")


@pytest.fixture
def grid(tmp_path: Path, team: Callable[..., Team]) -> Campaign:
    """Entities on a manual transcript and on what a recogniser heard, by two teams; one has two runs."""
    campaign = create_campaign(tmp_path / "c", "demo", "entities")
    key = (campaign.folder / "keys/final.conll").read_text()
    heard = key.replace("met\tO", "met\tO\nuh\tO").replace("Rome\tB-LOC", "room\tO")
    (campaign.folder / "keys/heard.conll").write_text(heard)
    path = campaign.folder / "campaign.toml"
    more = '[[data]]\nname = "recognised"\nphase = "test"\ncondition = "asr"\nkey = "keys/final.conll"\n'
    text = path.read_text().replace("[[data]]", '[[conditions]]\nname = "asr"\n\n[[data]]', 1)
    text = (
        text.replace("[scoring]", f'{more}texts = "keys/heard.conll"\n\n[scoring]')
        .replace("10000", "100")
        .replace('rank = "primary"', 'rank = "all"')
    )
    path.write_text(text)
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    first_team, two = team(campaign, "one"), team(campaign, "two")
    for dataset, answer in zip(DATA, (key, heard), strict=True):
        campaign.receive(first_team.id, dataset, "run", "a.conll", answer.encode())
        for run in ("good", "bad") if dataset == "final" else ("bad", "good"):
            message = answer.replace("B-PER", "O") if run == "bad" else answer
            campaign.receive(two.id, dataset, run, "b.conll", message.encode())
    assert score_waiting(campaign) == {"scored": 6}
    campaign.begin_phase("test adjudication")
    return campaign


def test_every_run_in_every_condition(grid: Campaign) -> None:
    """What was heard otherwise is laid on the key's words: only what was lost costs."""
    boards = [visible_board(grid, THE_ORGANISER, name) for name in DATA]
    header, rows = condition_rows(boards)
    assert header == ["run", "block", *DATA]
    values = {row[0]: [cell.partition(" ")[0] for cell in row[2:]] for row in rows}
    assert values == {
        "one / run": ["1.0000", "0.8571"], "two / bad": ["0.6667", "0.4000"], "two / good": ["1.0000", "0.8571"],
    }  # fmt: skip
    assert all("(1–" in cell for row in rows for cell in row[2:]), "places are ranges"
    assert condition_parts(boards[:1]) == [] and "recognised" in condition_parts(boards)[0]


def test_a_run_has_one_number_under_its_pseudonym(grid: Campaign) -> None:
    document = grid.team("one")
    _, rows = condition_rows([visible_board(grid, Viewer("participant", document.id), name) for name in DATA])
    bird = grid.team("two").pseudonym
    assert sorted(row[0] for row in rows) == sorted([f"{bird} / 1", f"{bird} / 2", "one / run"])
    by_value = {row[2].partition(" ")[0]: row[3].partition(" ")[0] for row in rows if row[0].startswith(bird)}
    assert by_value == {"0.6667": "0.4000", "1.0000": "0.8571"}
