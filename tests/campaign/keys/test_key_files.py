"""A key that is made from several annotators' files: fixed with them, with their agreement, and verified with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import manifest, write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.keys.key_files import annotator_files, measure_agreement
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import agreement, visible_board
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import create_campaign
from aune.errors import InputError, UsageError
from aune.explain.annotators import annotators_agreement

KEY = b"Cleo\tB-PER\nmet\tO\nDan\tB-PER\nin\tO\nRome\tB-LOC\n.\tO\n\nAcme\tB-ORG\nhired\tO\nher\tO\n.\tO\n"
ANN = KEY.replace(b"Acme\tB-ORG", b"Acme\tO")
BEN = KEY.replace(b"Rome\tB-LOC", b"Rome\tB-ORG")
DONE = {"Ben Secret": ("ben.secret.conll", BEN), "Ann Secret": ("of ann.conll", ANN)}


@pytest.fixture
def campaign_in_its_call(tmp_path: Path) -> Campaign:
    return create_campaign(tmp_path / "campaign", "demo", "entities")


def test_a_key_has_its_annotators_files_and_their_agreement(campaign_in_its_call: Campaign, tmp_path: Path) -> None:
    campaign_in_its_call.make_key("final", KEY, DONE, "Josette")
    assert (campaign_in_its_call.folder / "keys/final.conll").read_bytes() == KEY
    assert [layer["name"] for layer in campaign_in_its_call.state.made_keys["final"]["layers"]] == [
        "final.conll",
        "final.conll",
    ]
    with pytest.raises(NotVisibleError):
        agreement(campaign_in_its_call, EVERYBODY, "final")
    report = agreement(campaign_in_its_call, Viewer("annotator"), "final")
    assert report["ranking"] == {
        "annotator 1–annotator 2": pytest.approx(2 * 2 / 7)
    }  # Ann has 3, Ben 4, 2 are the same
    assert report["agreement"]
    team = campaign_in_its_call.register("one")
    campaign_in_its_call.accept_licence(team.id)
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign_in_its_call.begin_phase(phase)
    with pytest.raises(UsageError, match="committed"):
        campaign_in_its_call.make_key("final", KEY, DONE, "Josette")
    campaign_in_its_call.receive(team.id, "final", "run", "run.conll", KEY)
    score_waiting(campaign_in_its_call)
    for phase in ("test adjudication", "publication", "archive"):
        campaign_in_its_call.begin_phase(phase)
    assert visible_board(campaign_in_its_call, EVERYBODY, "final")["agreement"] == report
    folder = tmp_path / "archive"
    write_archive(campaign_in_its_call, folder)
    assert verify_folder(folder).problems == []
    assert (folder / "annotators/final/1/final.conll").read_bytes() == ANN
    whole = b"".join(str(path).encode() + path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Secret" not in whole and b"secret" not in whole


def with_agreement(folder: Path, task: str, *lines: str) -> Campaign:
    """A campaign whose protocol has some lines more."""
    campaign = create_campaign(folder, "demo", task)
    path = campaign.folder / "campaign.toml"
    path.write_text("\n".join([path.read_text(), *lines, ""]))
    return campaign


def chains(first: int, second: int) -> bytes:
    """Two words of a text of six in one chain."""
    cells = ["(1)" if word in (first, second) else "-" for word in range(6)]
    rows = "".join(f"d 0 {word} w{word} {cell}\n" for word, cell in enumerate(cells))
    return f"#begin document (d); part 000\n{rows}\n#end document\n".encode()


@pytest.mark.parametrize(
    ("lines", "convention"), [((), "empty"), (("[agreement]", 'unmarked = "singleton"'), "singleton")]
)
def test_the_protocol_says_what_an_unmarked_mention_is(tmp_path: Path, lines: tuple[str, ...], convention: str) -> None:
    """The ceiling of chains says by which convention it was computed, and an archive is verified by the same one."""
    campaign = with_agreement(tmp_path / "campaign", "coref", *lines)
    files = {"Ann": ("a.conll", chains(0, 1)), "Ben": ("b.conll", chains(2, 3))}
    result = measure_agreement(campaign.folder, campaign.protocol, annotator_files(campaign.protocol,
                               campaign.dataset("final"), files))  # fmt: skip
    paths = {name: str(tmp_path / f"{name}.conll") for name in files}
    for name, (_, data) in files.items():
        Path(paths[name]).write_bytes(data)
    expected = annotators_agreement("coref", paths, unmarked=convention)["Ann–Ben", "krippendorff(masi)"].values
    assert result["agreement"] == {"annotator 1–annotator 2: krippendorff(masi)": expected}
    assert result["options"] == {"unmarked": convention}


def test_options_of_agreement_are_those_of_the_task(tmp_path: Path) -> None:
    for task, line, message in (
        ("coref", 'unmarked = "none"', "--unmarked none"),
        ("coref", 'marked = "empty"', "expected one of unmarked"),
        ("speech", 'unmarked = "empty"', "speech has no options of agreement"),
    ):
        with pytest.raises(InputError, match=message):
            _ = with_agreement(tmp_path / f"{task}-{line[:2]}", task, "[agreement]", line).protocol


def test_agreement_reads_files_as_runs_are_read(tmp_path: Path) -> None:
    """κ was of the first column with tags, beside a ranking by the column of the protocol."""
    campaign = create_campaign(tmp_path / "campaign", "demo", "tagging")
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("[scoring.options]\n", '[scoring.options]\ncolumn = "xpos"\n'))
    row = "{number}\tw{number}\tw\tNOUN\t{tag}{number}\t_\t0\troot\t_\t_\n"
    files = {name: ("a.conllu", "".join(row.format(number=number, tag=name) for number in (1, 2, 3)).encode() + b"\n")
             for name in "AB"}  # fmt: skip
    result = measure_agreement(campaign.folder, campaign.protocol, annotator_files(campaign.protocol,
                               campaign.dataset("final"), files))  # fmt: skip
    assert result["agreement"]["annotator 1–annotator 2: cohen"]["kappa"] == 0
    assert result["options"] == {"column": "xpos"}


def _forge_file(folder: Path, path: str, data: bytes) -> list[str]:
    """What is wrong with an archive with another file in it and a fresh manifest."""
    before = (folder / path).read_bytes()
    (folder / path).write_bytes(data)
    files = {str(item.relative_to(folder)): item.read_bytes() for item in folder.rglob("*") if item.is_file()}
    files.pop("MANIFEST")
    (folder / "MANIFEST").write_bytes(manifest(files))
    problems = verify_folder(folder).problems
    (folder / path).write_bytes(before)
    return problems


def test_a_forged_annotation_or_agreement_is_noticed(campaign_in_its_call: Campaign, tmp_path: Path) -> None:
    campaign_in_its_call.make_key("final", KEY, DONE, "Josette")
    team = campaign_in_its_call.register("one")
    campaign_in_its_call.accept_licence(team.id)
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign_in_its_call.begin_phase(phase)
    campaign_in_its_call.receive(team.id, "final", "run", "run.conll", KEY)
    score_waiting(campaign_in_its_call)
    for phase in ("test adjudication", "publication", "archive"):
        campaign_in_its_call.begin_phase(phase)
    folder = tmp_path / "archive"
    write_archive(campaign_in_its_call, folder)
    assert any("annotators/final" in item for item in _forge_file(folder, "annotators/final/1/final.conll", KEY))
    data = json.loads((folder / "archive.json").read_bytes())
    [board] = [item for item in data["boards"] if item["dataset"] == "final"]
    board["agreement"]["ranking"]["annotator 1–annotator 2"] = 1.0
    forged = _forge_file(folder, "archive.json", json.dumps(data).encode())
    assert "final: the agreement of its annotators is not what comes out again" in forged
    del data["annotators"]["final"]
    assert any("annotators" in item for item in _forge_file(folder, "archive.json", json.dumps(data).encode()))


def test_a_key_that_was_changed_after_it_was_made_is_refused(campaign_in_its_call: Campaign) -> None:
    campaign_in_its_call.make_key("try", KEY, DONE, "Josette")
    (campaign_in_its_call.folder / "keys/try.conll").write_bytes(ANN)
    campaign_in_its_call.begin_phase("training")
    with pytest.raises(UsageError, match="not the key that Josette made"):
        campaign_in_its_call.begin_phase("dry run")
    assert campaign_in_its_call.phase == "training"
    campaign_in_its_call.make_key("try", ANN, DONE, "Josette")
    campaign_in_its_call.begin_phase("dry run")
    assert agreement(campaign_in_its_call, THE_ORGANISER, "try")["ranking"]


def test_what_is_no_key_is_refused_and_nothing_is_written(campaign_in_its_call: Campaign) -> None:
    before, entries = (
        (campaign_in_its_call.folder / "keys/final.conll").read_bytes(),
        len(campaign_in_its_call.ledger.entries()),
    )
    with pytest.raises(InputError) as error:
        campaign_in_its_call.make_key("final", b"Cleo\tB-PER\nmet\n", DONE, "Josette")
    assert str(error.value.problems[0]).startswith("keys/final.conll:2:")
    with pytest.raises(InputError, match=r"annotator 1, final.conll:2:1: found 'met'"):
        campaign_in_its_call.make_key("final", KEY, {**DONE, "Abe": ("abe.conll", b"Cleo\tB-PER\nmet\n")}, "Josette")
    with pytest.raises(UsageError, match="two annotators"):
        campaign_in_its_call.make_key("final", KEY, {"Ann": ("a.conll", ANN)}, "Josette")
    assert (campaign_in_its_call.folder / "keys/final.conll").read_bytes() == before
    assert len(campaign_in_its_call.ledger.entries()) == entries


def test_annotators_are_numbered_by_nothing_that_tells(campaign_in_its_call: Campaign) -> None:
    plan = campaign_in_its_call.protocol
    result = annotator_files(plan, plan.datasets["final"], DONE)
    assert [item.name for item in result] == ["final.conll", "final.conll"]
    assert [item.data for item in result] == [ANN, BEN]
