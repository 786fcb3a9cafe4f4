"""Before a key is annotated: how many texts need one; and systems with several runs on boards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import aune
from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.static_pages import board_parts
from aune.campaign.publication.visible_results import visible_board
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.key_plan import plan_key
from aune.campaign.scaffold import create_campaign
from aune.cli import run
from aune.errors import UsageError

Registering = Callable[..., Team]
HEADING = '\n[[metadata]]\nname = "system"\ntitle = "System"\n'
RUNS = ("seed1", "seed2", "small")
SENTENCES = [f"The\tDET\ncat{number}\tNOUN\nruns\tVERB\n.\tPUNCT\n" for number in range(30)]


def prepare_campaign(folder: Path) -> Campaign:
    """A tagging campaign whose dry run has thirty sentences, and whose texts of the test have no key yet."""
    campaign = create_campaign(folder, "demo", "tagging")
    (folder / "keys/try.tsv").write_text("\n".join(SENTENCES), "utf-8")
    protocol = folder / "campaign.toml"
    protocol.write_text(protocol.read_text("utf-8") + HEADING, "utf-8")
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    return campaign


def answer(step: int) -> bytes:
    """The key with every so many nouns wrong."""
    wrong = (text.replace("NOUN", "VERB") if number % step == 0 else text for number, text in enumerate(SENTENCES))
    return "\n".join(wrong).encode()


@pytest.fixture
def campaign(tmp_path: Path, team: Registering) -> Campaign:
    made = prepare_campaign(tmp_path / "campaign")
    first, second = team(made, "Aone"), team(made, "Btwo")
    for sender, name, step, system in (
        (first, "seed1", 3, "large"), (first, "seed2", 4, "large"), (first, "small", 2, "small"),
        (second, "only", 5, "large"),
    ):  # fmt: skip
        made.receive(sender.id, "try", name, f"{name}.tsv", answer(step), metadata={"system": system})
    score_waiting(made)
    return made


def test_runs_of_the_dry_run_plan_the_test(campaign: Campaign, tmp_path: Path) -> None:
    """The same as planning from the files, with the measure, the unit and the level of the protocol."""
    outcome = plan_key(campaign, "try", {}, difference="5%", format="json")
    plan = json.loads(outcome.text)
    assert plan["plan"]["unit"] == "sentence" and len(plan["requirements"]) == 6
    assert {entry["a"] for entry in plan["requirements"]} <= {f"Aone / {name}" for name in RUNS} | {"Btwo / only"}
    paths = {}
    for name, step in (("a", 3), ("b", 5)):
        paths[name] = tmp_path / f"{name}.tsv"
        paths[name].write_bytes(answer(step))
    key_plan = plan_key(campaign, "try", paths, difference="5%")
    key = campaign.folder / "keys/try.tsv"
    result = aune.evaluate("tagging", key, paths, measures=["precision_decision"], tagset="upos")
    [needed] = [
        entry.needed
        for entry in aune.plan(result, difference="5%", unit="sentence").requirements
        if entry.value == campaign.protocol.scoring.value
    ]
    assert f" {needed} " in key_plan.text


def chains(documents: int, step: int = 0) -> str:
    """Documents of three mentions in one chain; in every so many of them the last one is left out."""
    texts = []
    for number in range(documents):
        last = "-" if step and number % step == 0 else "(1)"
        cells = zip(["Ann", "saw", "her", "own", "self"], ["(1)", "-", "(1)", "-", last], strict=True)
        lines = [f"d{number} 0 {place} {word} {cell}" for place, (word, cell) in enumerate(cells)]
        texts.append("\n".join([f"#begin document (d{number}); part 000", *lines, "", "#end document", ""]))
    return "".join(texts)


def test_it_is_said_what_texts_without_a_key_could_show(tmp_path: Path) -> None:
    campaign = create_campaign(tmp_path / "campaign", "demo", "coref")
    protocol = campaign.folder / "campaign.toml"
    text = protocol.read_text("utf-8")
    [pilot, final] = [campaign.dataset(name).key for name in ("train", "final")]
    protocol.write_text(text.replace(f'key = "{final}"', f'key = "{final}"\ntexts = "texts.conll"'), "utf-8")
    (campaign.folder / final).write_text("", "utf-8")
    (campaign.folder / "texts.conll").write_text(chains(40), "utf-8")
    (campaign.folder / pilot).write_text(chains(10), "utf-8")
    responses = {}
    for name, step in (("a", 2), ("b", 3)):
        responses[name] = tmp_path / f"{name}.conll"
        responses[name].write_text(chains(10, step), "utf-8")
    opened = Campaign(campaign.folder)
    [note] = plan_key(opened, "train", responses).notes
    assert note.startswith("final: 40 documents have no key yet; with one they show differences of ")


def test_what_cannot_be_planned_is_refused(tmp_path: Path) -> None:
    campaign = prepare_campaign(tmp_path / "campaign")
    with pytest.raises(UsageError, match="try has no valid run yet: name responses of your own"):
        plan_key(campaign, "try", {})
    (campaign.folder / "keys/final.tsv").unlink()
    with pytest.raises(UsageError, match="there is no such key"):
        plan_key(campaign, "final", {"a": "a.tsv"})


def test_the_command_plans(campaign: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "plan", str(campaign.folder), "try", "--difference", "5%", "--power", "0.9"]) == 0
    shown = capsys.readouterr().out
    assert "sentences needed" in shown and "power:0.9" in shown


def test_boards_show_systems_with_several_runs(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = visible_board(campaign, THE_ORGANISER, "try")
    [system] = board["systems_with_runs"]
    scores = [board["systems"][f"Aone / {name}"][board["measure"]]["values"][board["value"]]["score"]
              for name in ("seed1", "seed2")]  # fmt: skip
    assert (system["system"], system["runs"]) == ("Aone / large", 2)
    assert system["mean"] == pytest.approx(sum(scores) / 2)
    assert system["sd"] == pytest.approx(abs(scores[0] - scores[1]) / 2**0.5)
    assert any("Systems with several runs" in part and "Aone / large" in part for part in board_parts(board))
    assert run(["campaign", "publish", str(campaign.folder), "try", "--as", "organiser"]) == 0
    assert f"{system['mean']:.4f} ± {system['sd']:.4f}" in capsys.readouterr().out
    campaign.begin_phase("dry adjudication")
    first, second = (Viewer("participant", campaign.team(name).id) for name in ("Aone", "Btwo"))
    assert visible_board(campaign, first, "try")["systems_with_runs"] == board["systems_with_runs"]
    assert "systems_with_runs" not in visible_board(campaign, second, "try"), "the other team is not to be named"


def test_archives_with_systems_of_several_runs_verify(tmp_path: Path, team: Registering) -> None:
    campaign = create_campaign(tmp_path / "campaign", "demo", "tagging")
    protocol = campaign.folder / "campaign.toml"
    protocol.write_text(protocol.read_text("utf-8") + HEADING, "utf-8")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    sender = team(campaign, "Aone")
    campaign.consent("Aone", "named")
    for wrong in (0, 1):
        key = (campaign.folder / "keys/final.tsv").read_text("utf-8").replace("\tNOUN", "\tVERB", wrong)
        campaign.receive(sender.id, "final", f"seed{wrong}", "a.tsv", key.encode(), metadata={"system": "large"})
    score_waiting(campaign)
    campaign.begin_phase("test adjudication")
    campaign.validate("Aone")
    for phase in ("publication", "archive"):
        campaign.begin_phase(phase)
    [system] = visible_board(campaign, EVERYBODY, "final")["systems_with_runs"]
    assert (system["system"], system["runs"]) == ("Aone / large", 2)
    write_archive(campaign, tmp_path / "archive", pages=False)
    assert verify_folder(tmp_path / "archive").problems == []
