"""The check of a run: all problems at once, in the participant's own names; the same offline and on receipt."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.keys.texts import text_differences
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import Viewer
from aune.campaign.runs.coverage import measure_coverage
from aune.campaign.runs.handouts import make_handout, read_handout
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.submission_checks import Check, Run, check_run
from aune.campaign.runs.uploads import zip_bytes
from aune.campaign.scaffold import TEXTS, create_campaign
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.tagging.model import documents

Registering = Callable[..., Team]


@pytest.fixture
def offline(campaign: Campaign, team: Registering, tmp_path: Path) -> Callable[..., Check]:
    """`offline(name, data, …)`: the check that a participant makes with nothing but what was handed out."""
    first_team = team(campaign, "one")
    home = tmp_path / "handout"
    for name, data in make_handout(campaign, Viewer("participant", first_team.id), "try").items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)
    protocol, dataset, texts, labels = read_handout(home)

    def check(name: str, data: bytes, table: bytes = b"") -> Check:
        run = Run(name, data, "table.tsv" if table else "", table)
        return check_run(protocol, protocol.datasets[dataset], home, texts, run, known_labels=labels)

    return check


GOOD = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"
RUNS = {
    "good": (GOOD, b""),
    "several problems": (b"A\tDET\ndog NOUN\nbarks\tFOO\n.\tPUNCT\textra\tmore\tand\n", b""),
    "strange tags": (GOOD.replace(b"NOUN", b"FOO").replace(b"VERB", b"BAR"), b""),
    "no tag": (GOOD.replace(b"NOUN", b"_"), b""),
    "another text": (GOOD.replace(b"dog", b"wolf"), b""),
    "a table": (
        GOOD.replace(b"NOUN", b"N").replace(b"VERB", b"V"),
        b"N\tNOUN|PROPN\nV\tVERB\nDET\tDET\nPUNCT\tPUNCT\nZ\tX\n",
    ),
    "a bad table": (GOOD.replace(b"NOUN", b"N"), b"N\tNOUNS\nno tab\nDET\tDET\nDET\tDET\n"),
    "tags without an entry": (GOOD, b"NOUN\tNOUN\n"),
    "not text": (b"\xff\xfe\x00\xd8", b""),
    "Latin-1": ("café\tNOUN\n".encode("latin-1"), b""),
    "empty": (b"", b""),
    "binary": (bytes(range(256)), b""),
    "a zip of one": (zip_bytes({"deep/run.tsv": GOOD}), b""),
    "a zip that leads out": (zip_bytes({"../run.tsv": GOOD}), b""),
}


@pytest.mark.parametrize("what", RUNS)
def test_the_check_is_the_same_offline_and_on_receipt(
    what: str, offline: Callable[..., Check], campaign: Campaign
) -> None:
    data, table = RUNS[what]
    name = "run.zip" if "zip" in what else "run.tsv"
    alone = offline(name, data, table)
    first_team = campaign.team("one")
    receipt = campaign.receive(
        first_team.id, "try", "run", name, data, table=table, table_name="table.tsv" if table else ""
    )
    assert sum(score_waiting(campaign).values()) == 1
    status = campaign.status(Viewer("participant", first_team.id), receipt.submission)
    assert status["state"] == ("scored" if alone.is_valid else "refused")
    assert [tuple(problem) for problem in status["problems"]] == [
        (item.place.path, item.place.line, item.place.column, item.message) for item in alone.problems
    ]
    assert status["codes"] == [item.code for item in alone.problems]
    assert status["notes"] == list(alone.notes)
    assert [tuple(place) for place in status["residue"]] == [tuple(place) for place in alone.residue]


def test_everything_wrong_at_once_with_places(offline: Callable[..., Check]) -> None:
    result = [str(problem) for problem in offline("run.tsv", *RUNS["several problems"]).problems]
    assert any(line.startswith("run.tsv:2:1: found 'dog NOUN'") for line in result)
    assert any(line.startswith("run.tsv:4:1: found 5 columns") for line in result)
    tags = [str(problem) for problem in offline("run.tsv", *RUNS["strange tags"]).problems]
    assert [tag.split(": ")[0] for tag in tags] == ["run.tsv:2:1", "run.tsv:3:1"]
    table = [str(problem) for problem in offline("run.tsv", *RUNS["a bad table"]).problems]
    assert any(line.startswith("table.tsv:2:1") for line in table)
    assert any(line.startswith("table.tsv:4:1") for line in table)
    lacking = [str(problem) for problem in offline("run.tsv", *RUNS["tags without an entry"]).problems]
    assert len(lacking) == 3 and all("no entry for the tag" in item for item in lacking)


def test_what_a_table_leaves_open_is_told(offline: Callable[..., Check]) -> None:
    report = offline("run.tsv", *RUNS["a table"])
    assert report.is_valid
    assert "entries of the table that the run never uses: Z" in report.notes
    assert "tags that stand for several of the pivot's: N (2)" in report.notes


def test_residue_is_listed(offline: Callable[..., Check]) -> None:
    check = offline("run.tsv", *RUNS["another text"])
    assert [(residue.line, residue.expected, residue.found) for residue in check.residue] == [(2, "dog", "wolf")]


INCOMPLETE = {
    "one word": (b"A\tDET\n", "7 of 8 words missing, the first at word 2 of 'try' ('dog barks .' is missing)"),
    "the last sentence is missing": (GOOD[: GOOD.index(b"\n\n") + 1], "4 of 8 words missing, the first at word 5"),
    "the first sentence is missing": (GOOD[GOOD.index(b"\n\n") + 2 :], "4 of 8 words missing, the first at word 1"),
    "another word": (GOOD.replace(b"dog", b"wolf"), "1 of 8 words different, the first at word 2"),
    "more words": (GOOD + b"\nMore\tNOUN\n", "1 of 8 words added, the first at word 9 of 'try' ('More' was added)"),
}


@pytest.mark.parametrize("what", INCOMPLETE)
def test_a_run_that_does_not_cover_the_texts_is_refused(what: str, offline: Callable[..., Check]) -> None:
    data, expected = INCOMPLETE[what]
    [problem] = offline("try.tsv", data).problems
    assert problem.code == "run.incomplete"
    assert problem.found.startswith(expected)
    assert len(problem.message) < 300, "the message is short, however much is missing"


def test_compounds_may_be_joined_otherwise() -> None:
    pairs = [(documents([("Par exemple", "_"), (",", "_")])[0], documents([("Par_exemple", "R"), (",", "P")])[0])]
    differences = text_differences("tagging", pairs)
    assert differences, "they are listed"
    assert measure_coverage("tagging", pairs, differences).different == 0


def allow_differences(campaign: Campaign, share: float) -> None:
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("different = 0.0 ", f"different = {share} "))


def test_the_protocol_states_how_much_may_differ(campaign: Campaign, team: Registering) -> None:
    allow_differences(campaign, 0.125)
    texts = read(registry.task("tagging"), str(campaign.folder / "keys/try.tsv"))
    plan = campaign.protocol
    assert plan.different == 0.125
    for what, is_valid in (("another word", True), ("more words", True), ("the last sentence is missing", False)):
        run = Run("try.tsv", INCOMPLETE[what][0])
        assert check_run(plan, plan.datasets["try"], campaign.folder, texts, run).is_valid is is_valid, what


TRUNCATED = {
    "entities": b"Ben\tB-PER\n",
    "coref": b'{"doc_key":"b","sentences":[["Ben","lost"]],"clusters":[]}\n',
    "speech": b'{"id":"u3","text":"it is cold today"}\n',
    "anaphora": b'{"document":"b","anaphors":[]}\n',
}


@pytest.mark.parametrize("task", TRUNCATED)
def test_truncated_runs_of_every_task_are_refused(tmp_path: Path, task: str) -> None:
    campaign = create_campaign(tmp_path / "campaign", "demo", task)
    plan, dataset = campaign.protocol, campaign.protocol.datasets["try"]
    texts = read(registry.task(task), str(campaign.folder / dataset.key))
    ending = Path(dataset.key).suffix
    whole = Run(f"run{ending}", (campaign.folder / dataset.key).read_bytes())
    assert check_run(plan, dataset, campaign.folder, texts, whole).problems == ()
    check = check_run(plan, dataset, campaign.folder, texts, Run(f"run{ending}", TRUNCATED[task]))
    assert {problem.code for problem in check.problems} <= {"run.incomplete", "document.missing"} and check.problems


def test_a_run_that_was_valid_stays_valid_by_a_new_key(campaign: Campaign, team: Registering) -> None:
    """A campaign may have begun before coverage was checked: what was accepted then is scored by later keys."""
    texts = read(registry.task("tagging"), str(campaign.folder / "keys/try.tsv"))
    plan = campaign.protocol
    run = Run("try.tsv", INCOMPLETE["one word"][0])
    assert check_run(plan, plan.datasets["try"], campaign.folder, texts, run, must_cover=False).is_valid


def test_no_path_of_the_server_is_told(offline: Callable[..., Check]) -> None:
    for what, (data, table) in RUNS.items():
        name = "run.zip" if "zip" in what else "run.tsv"
        for problem in offline(name, data, table).problems:
            assert "/tmp" not in str(problem) and str(problem).startswith((name, "table.tsv")), problem


def test_what_cannot_be_read_is_not_missing_too(tmp_path: Path) -> None:
    """A broken file has the problems of its lines, and none about documents that nobody could find in it."""
    campaign = create_campaign(tmp_path / "campaign", "demo", "entities")
    plan = campaign.protocol
    texts = read(registry.task("entities"), str(campaign.folder / "keys/try.conll"))
    broken = Run("bad.conll", b"Ben\tB-PER\nleft\n")
    report = check_run(plan, plan.datasets["try"], campaign.folder, texts, broken)
    assert [problem.place.line for problem in report.problems] == [2]


def test_a_bomb_is_refused_without_a_setting_of_the_server(offline: Callable[..., Check]) -> None:
    report = offline("run.tsv.gz", gzip.compress(b"0" * 20_000_000))
    assert [problem.message.rpartition(": ")[2] for problem in report.problems] == ["send it packed less, or send less"]


@pytest.mark.parametrize("task", TEXTS)
def test_nobody_is_told_of_options_of_a_command_that_is_not_theirs(tmp_path: Path, task: str) -> None:
    """Whatever is wrong with a run, whoever sent it can mend it: no option, no variable of the server's owner."""
    campaign = create_campaign(tmp_path / "campaign", "demo", task)
    dataset = campaign.protocol.datasets["try"]
    texts = read(registry.task(task), str(campaign.folder / dataset.key))
    wrong = sorted((Path(__file__).parents[2] / "tasks" / task / "formats" / "malformed").iterdir())
    runs = [Run(path.name, path.read_bytes()) for path in wrong if path.is_file()]
    runs += [Run("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(99)), Run("run.conll", b"w O\nx\n"), Run("a.x", b"")]
    for run in runs:
        report = check_run(campaign.protocol, dataset, campaign.folder, texts, run)
        assert not [problem for problem in report.problems if re.search(r"--[a-z]|AUNE_", problem.message)], run.name


def test_unknown_labels_are_reported_on_receipt(tmp_path: Path, team: Registering) -> None:
    """Those that are in no key which was handed out; what the key that scores contains is told by no note."""
    campaign = create_campaign(tmp_path / "campaign", "demo", "entities")
    key = (campaign.folder / "keys/try.conll").read_bytes()
    (campaign.folder / "keys/try.conll").write_bytes(key.replace(b"PER", b"HIDDEN"))
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    first_team = team(campaign, "one")
    viewer = Viewer("participant", first_team.id)
    notes = []
    for name, label in (("known", b"PER"), ("unknown", b"PERSON"), ("hidden", b"HIDDEN")):
        receipt = campaign.receive(first_team.id, "try", name, "a.conll", key.replace(b"PER", label))
        assert score_waiting(campaign) == {"scored": 1}
        notes.append(campaign.status(viewer, receipt.submission)["notes"])
    message = "labels that are in no key that was handed out: "
    assert notes == [[], [f"{message}'PERSON' (1)"], [f"{message}'HIDDEN' (1)"]]
    home = tmp_path / "handout"
    for name, data in make_handout(campaign, viewer, "try").items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)
    assert b"HIDDEN" not in b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    protocol, dataset, texts, labels = read_handout(home)
    run = Run("a.conll", key.replace(b"PER", b"PERSON"))
    offline = check_run(protocol, protocol.datasets[dataset], home, texts, run, known_labels=labels)
    assert list(offline.notes) == notes[1]


@pytest.mark.parametrize(
    ("name", "data", "is_valid"),
    [
        ("index.html", b"", False), ("a/picture.svg", b"", False), ("page.xhtml", b"", False), ("x.js", b"", False),
        ("paper.pdf", b"", False), ("README.md", b"", False), ("README", b" <script>", False),
        ("x.html.gz", b"", False), ("INDEX.HTM", b"", False),
        ("README", b"our first run", True), ("notes.txt", b"our first run", True), ("log.json", b"{}", True),
    ],
)  # fmt: skip
def test_a_folder_publishes_nothing_that_browsers_run(
    offline: Callable[..., Check], name: str, data: bytes, is_valid: bool
) -> None:
    """The archive is a static page, and a team could have put one of its own into it."""
    problems = offline("run.zip", zip_bytes({"try.tsv": GOOD, name: data})).problems
    assert [problem.code for problem in problems] == ([] if is_valid else ["run.foreign-file"])
