"""What users made with aune at commit 7c98ea13 (version 0.2.0) opens, verifies and goes on with the aune of today.

`make.py` made the data. Only commands, addresses of pages and JSON are used here. Where one of these tests fails, older
data of users would be refused or read wrongly: mend the code, do not make the data again.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.compatibility import contents
from tests.server.serving import ROOT, Client, Served, enter_server, event, postgresql, serving

DATA = Path(__file__).parent / "data"
INTERVALS = ("ci", "interval", "few_units")
TAKEN_EMPTY = {"coref.exclusive_core": {"recall": 1 / 2, "precision": 2 / 3, "f1": 4 / 7}}
"""What `--convention partition`, that of the workbench, gives since a core that is taken is empty."""
PEOPLE = ("Olga", "Ann", "Ben", "Pat", "Quinn")

Fresh = Callable[[], str]


def command(*words: str | Path, code: int = 0, folder: Path = ROOT) -> str:
    """What a command prints; it must end with an exit code."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "aune", *map(str, words)], cwd=folder,
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def json_of(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)


def assert_same_numbers(found: Any, expected: Any) -> None:
    """All numbers of two pieces of JSON are the same, each at its place."""
    found, expected = contents.numbers(found), contents.numbers(expected)
    assert expected, "there must be something to compare"
    assert set(found) == set(expected)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def without_intervals(data: Any) -> Any:
    """JSON without its intervals, which are the jackknife's for fewer than 30 units since, and what a board says of it.

    Boards that were published keep theirs: `campaign verify` computes them by the intervals of their time.
    """
    if isinstance(data, list):
        return [without_intervals(value) for value in data]
    if not isinstance(data, dict):
        return data
    return {name: without_intervals(value) for name, value in data.items() if name not in INTERVALS}


# Sites.


@pytest.fixture(scope="module")
def fresh() -> Iterator[Fresh]:
    """Makes a new database of a private PostgreSQL; skips where none is installed."""
    with postgresql() as made:
        yield made


def site_as_it_was(name: str, home: Path, request: pytest.FixtureRequest) -> list[str | Path]:
    """The folder of a site, unpacked, with the options that name its database."""
    contents.unpack(DATA / "sites" / f"{name}.tar.xz", home)
    if name != "postgresql":
        return []
    import psycopg

    address = request.getfixturevalue("fresh")()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute((home / "dump.sql").read_bytes())
    return ["--database", address]


def site_of_backup(name: str, home: Path, database: list[str | Path]) -> list[str | Path]:
    """The same site out of its backup, in a folder and a database that are new."""
    contents.unpack(DATA / "sites" / f"{name}.tar.xz", home)
    shutil.rmtree(home / "site")
    command("site", "restore", DATA / "sites" / f"{name}-backup.tar.gz", home / "site", *database)
    return database


@contextmanager
def team_site(home: Path, database: list[str | Path]) -> Iterator[Served]:
    with serving(home / "site", "--accounts", *database) as served:
        yield served


@pytest.mark.parametrize("name", ["sqlite", "postgresql"])
def test_site_of_a_team(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    database = site_as_it_was(name, tmp_path, request)
    check_team_site(tmp_path, database, lasting=True)


@pytest.mark.parametrize(("name", "to"), [("sqlite", "sqlite"), ("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_backup_of_a_team(name: str, to: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    database: list[str | Path] = []
    if to == "postgresql":
        database = ["--database", request.getfixturevalue("fresh")()]
    site_of_backup(name, tmp_path, database)
    check_team_site(tmp_path, database, lasting=False)


def check_team_site(home: Path, database: list[str | Path], *, lasting: bool) -> None:
    """Everything is there, work goes on, and the campaign in the folder verifies; `lasting` if jobs are there, too."""
    expected, site = json_of(home / "expected.json"), home / "site"
    assert contents.ledger_kinds(site) == expected["ledger"]
    with team_site(home, database) as served:
        people = {name: sign_in(served, name, expected["passphrase"]) for name in PEOPLE}
        check_what_people_see(people, expected)
        check_adjudication(people["Olga"], expected)
        check_campaign_pages(served, people, expected)
        work_goes_on(people, expected)
        assert served.stopped() == 0
    invitation = command("site", "invite", site, "--role", "annotator", *database)
    assert re.search(r"/invitation/[\w-]+", invitation)
    command("campaign", "verify", site)
    board = json.loads(command("campaign", "publish", site, "try", "--as", "organiser", "--format", "json"))
    assert len(board["ranking"]["ranks"]) == 2
    kinds = contents.ledger_kinds(site)
    assert kinds["dispute"] == 1
    assert kinds["board"] == 1 or not lasting, "the job that waited in the older database was done"


def sign_in(served: Served, name: str, passphrase: str) -> Client:
    client = served.stranger()
    assert client.get("/sign-in").status == 200
    assert client.form("/sign-in", name=name, passphrase="another passphrase").status == 403
    assert client.form("/sign-in", name=name, passphrase=passphrase).status == 302
    return client


def check_what_people_see(people: dict[str, Client], expected: dict[str, Any]) -> None:
    """The texts and layers that each may see, with states and histories; all pages answer as they did."""
    for name, client in people.items():
        seen = contents.site_contents(client)
        assert contents.counts(seen) == expected["counts"][name], name
        assert seen == contents.without_exported_bytes(expected["seen"][name]), name
        pages = expected["pages"][name]
        assert {page: client.get(page).status for page in pages} == pages, name


def check_adjudication(olga: Client, expected: dict[str, Any]) -> None:
    """Questions and decisions of the key, the comparison of two layers, and the jobs of the worker."""
    assert contents.adjudication(olga, expected["key"]) == expected["adjudication"]
    assert_same_numbers(contents.comparison(olga, *expected["compared"]), expected["comparison"] | TAKEN_EMPTY)
    for layer, losses in expected["losses"].items():
        assert_same_numbers(contents.losses(olga, layer), losses)


def check_campaign_pages(served: Served, people: dict[str, Client], expected: dict[str, Any]) -> None:
    """Assignments, submissions with their scores, a drawing that was not handed in, a token."""
    for name, layers in expected["assigned"].items():
        assert contents.links(people[name].get("/campaign/annotate").text, "layer") == layers
    for name, submission in expected["submitted_by"].items():
        status, before = contents.scored_status(people[name], submission), expected["submissions"][submission]
        remaining = {name: status[name] for name in before}  # a status may gain fields
        assert {**remaining, "scores": None} == {**before, "scores": None}
        assert_same_numbers(status["scores"], before["scores"])
    assert contents.layer_contents(people["Pat"], expected["drawing"]) == expected["drawn"]
    assert people["Olga"].get("/campaign/results/try").status == 200
    own_address = f"/api/campaign/submission/{expected['submitted_by']['Pat']}"
    assert Client(served.address).get(own_address).status != 200
    assert Client(served.address, bearer=expected["token"]).get(own_address).status == 200


def work_goes_on(people: dict[str, Client], expected: dict[str, Any]) -> None:
    """An older layer is edited and the edit undone, an older drawing becomes a dispute."""
    ann, pat = people["Ann"], people["Pat"]
    edit_and_undo(ann, expected["edited"])
    drawing = f"/campaign/drawn/{expected['drawing']}"
    assert pat.get(drawing).status == 200
    assert pat.form(f"{drawing}/claim", argument="it is no mention").status == 302
    assert pat.get("/campaign/disputes").status == 200


def edit_and_undo(client: Client, layer: str) -> None:
    """A new event and its undo, then the undo of an event that the older aune wrote."""
    api = f"/api/layer/{layer}/"
    before = client.get(api).json
    version, [(name, mention), *_] = before["layer"]["version"], [*before["state"]["mentions"].items()]
    change = event(["mentions", name, {**mention, "features": {"new": "yes"}}])
    assert client.post(f"{api}events", {"base": version, "events": [change]}).status == 200
    inverse = client.get(f"{api}inverse/{version + 1}").json["changes"]
    undo = event(*inverse, undoes=version + 1)
    assert client.post(f"{api}events", {"base": version + 1, "events": [undo]}).status == 200
    after = client.get(api).json
    assert after["state"] == before["state"]
    assert after["undo"] == before["undo"]
    older = before["undo"][-1]
    undo = event(*client.get(f"{api}inverse/{older}").json["changes"], undoes=older)
    assert client.post(f"{api}events", {"base": version + 2, "events": [undo]}).status == 200


@pytest.mark.parametrize("restored", [False, True], ids=["folder", "backup"])
def test_site_of_one_person(restored: bool, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if restored:
        site_of_backup("alone", tmp_path, [])
    else:
        site_as_it_was("alone", tmp_path, request)
    expected = json_of(tmp_path / "expected.json")
    files = [ROOT / "examples" / "coref" / "key.conll"]  # is there already: it is not opened twice
    with serving(tmp_path / "site", *files) as served:
        me = enter_server(served)
        seen = contents.site_contents(me)
        assert contents.counts(seen) == expected["counts"]
        assert seen == contents.without_exported_bytes(expected["seen"])
        assert {page: me.get(page).status for page in expected["pages"]} == expected["pages"]
        edit_and_undo(me, expected["edited"])
        assert served.stopped() == 0


# Campaigns.


@pytest.fixture(scope="module")
def campaign() -> Any:
    """What the commands of that commit printed about the campaign."""
    return json_of(DATA / "campaign" / "expected.json.xz")


def campaign_folder(name: str, folder: Path) -> Path:
    return contents.unpack(DATA / "campaign" / f"{name}.tar.xz", folder / "campaign")


def board(folder: Path, data: str, viewer: str = "visitor") -> Any:
    return json.loads(command("campaign", "publish", folder, data, "--as", viewer, "--format", "json"))


def assert_same_board(found: Any, expected: Any) -> None:
    """The same runs in the same places, with the same numbers."""
    for part in ("blocks", "ranking"):
        assert found[part] == expected[part]
    assert set(found["systems"]) == set(expected["systems"])
    assert_same_numbers(found, expected)


@pytest.mark.parametrize("phase", ["test", "adjudication", "publication"])
def test_ledger_of_a_campaign_verifies(phase: str, campaign: Any, tmp_path: Path) -> None:
    folder = campaign_folder(phase, tmp_path)
    assert contents.ledger_kinds(folder) == campaign["ledgers"][phase]
    command("campaign", "verify", folder, "--head", campaign["heads"][phase])
    command("campaign", "verify", folder, "--head", "0" * 64, code=1)
    assert campaign["heads"][phase] in command("campaign", "show", folder)
    command("campaign", "participants", folder, "--as", "organiser")


def test_campaign_in_its_test(campaign: Any, tmp_path: Path) -> None:
    """The run that waited is scored, and a new one is taken."""
    folder = campaign_folder("test", tmp_path)
    assert_same_board(board(folder, "try", "organiser"), campaign["try"])
    assert json.loads(command("campaign", "status", folder, campaign["unscored"]))["state"] == "received"
    command("campaign", "score", folder)
    for run in (campaign["unscored"], *campaign["runs"].values()):
        assert json.loads(command("campaign", "status", folder, run))["state"] == "scored"
    anew = without_intervals(board(folder, "final", "organiser"))
    assert_same_board(anew, without_intervals(campaign["final before disputes"]))
    tagging = ROOT / "examples" / "tagging"
    new = ("campaign", "submit", folder, tagging / "neural.tsv", "--team", "Neural Labs", "--data", "final")
    status = json.loads(command(*new, "--table", tagging / "table.tsv", "--run", "second"))
    assert status["state"] == "scored"
    assert "scores" not in status, "in the test a team learns only that its run is valid"
    command("campaign", "verify", folder, "--head", campaign["heads"]["test"])


def test_campaign_in_its_adjudication(campaign: Any, tmp_path: Path) -> None:
    """The dispute that waited has the effects that it had; once it is accepted, results are those of later."""
    folder = campaign_folder("adjudication", tmp_path)
    waiting = json.loads(command("campaign", "disputes", folder, "--format", "json"))
    assert_same_numbers(waiting, campaign["disputes"])
    assert [dispute["edit"] for dispute in waiting] == [dispute["edit"] for dispute in campaign["disputes"]]
    decision = ("accepted", "--author", "Josette", "--reason", "seen so by the annotators")
    command("campaign", "decide", folder, campaign["dispute"], *decision)
    command("campaign", "rekey", folder, "final")
    command("campaign", "score", folder)
    command("campaign", "validate", folder, "Les Règles")
    command("campaign", "phase", folder, "publication")
    assert_same_board(without_intervals(board(folder, "final")), without_intervals(campaign["final"]))
    command("campaign", "verify", folder, "--head", campaign["heads"]["adjudication"])


@pytest.mark.parametrize("restored", [False, True], ids=["folder", "backup"])
def test_published_campaign(restored: bool, campaign: Any, tmp_path: Path) -> None:
    """Results are the same, and the archive that is written of it today verifies."""
    if restored:
        folder = tmp_path / "campaign"
        command("campaign", "restore", DATA / "campaign" / "backup.tar.gz", folder)
    else:
        folder = campaign_folder("publication", tmp_path)
    assert_same_board(board(folder, "final"), campaign["final"])
    command("campaign", "phase", folder, "archive")
    assert_same_board(board(folder, "final"), campaign["archive"])
    command("campaign", "archive", folder, tmp_path / "archive")
    command("campaign", "verify", tmp_path / "archive", "--head", campaign["heads"]["publication"])


def test_archive_verifies(campaign: Any, tmp_path: Path) -> None:
    """An archive is on the web for years: whoever has a newer aune must be able to verify it."""
    archive = contents.unpack(DATA / "campaign" / "archive.tar.xz", tmp_path)
    command("campaign", "verify", archive, "--head", campaign["heads"]["publication"])
    keys = archive / "keys"
    [changed, *_] = sorted(path for path in keys.rglob("*") if path.is_file())
    changed.write_bytes(changed.read_bytes() + b"\n")
    command("campaign", "verify", archive, code=1)


# Stored results and models.


@pytest.mark.parametrize("task", ["coref", "speech"])
@pytest.mark.parametrize("stored", ["{task}-rows", "{task}.json"])
def test_stored_scores(task: str, stored: str) -> None:
    """What was stored is scored again without its data."""
    scores = json.loads(command("score", "--from-rows", DATA / "scores" / stored.format(task=task), "--json"))
    before = json_of(DATA / "scores" / f"{task}.json")
    assert_same_scores(scores, before)
    assert (scores["schema"], before["schema"]) == (2, 1)
    assert [source["sha256"] for source in scores["inputs"]] == [source["sha256"] for source in before["inputs"]]


@pytest.mark.parametrize("task", ["coref", "speech"])
@pytest.mark.parametrize(
    ("part", "options"), [("by-document", ("--by", "document")), ("intervals", ("--ci", "--draws", "200"))]
)
def test_stored_counts_of_units(task: str, part: str, options: tuple[str, ...]) -> None:
    """Breakdowns and intervals need the counts of every unit, which rows hold."""
    of_then = ("--ci-method", "percentile") if (task, part) == ("coref", "intervals") else ()  # before the jackknife
    scores = json.loads(command("score", "--from-rows", DATA / "scores" / f"{task}-rows", "--json", *options, *of_then))
    before = json_of(DATA / "scores" / f"{task}-{part}.json.xz")
    assert_same_scores(scores, before)
    assert (scores.pop("schema"), before.pop("schema")) == (2, 1)
    documents = before.pop("documents")  # until schema 2 they were always there
    if part == "by-document":
        assert_same_numbers(scores.pop("groups"), documents)
    if task == "speech":  # has a measure without percentiles
        scores, before = without_intervals(scores), without_intervals(before)
    drop_points(scores, before)
    assert_same_numbers(scores, before)


def drop_points(scores: Any, before: Any) -> None:
    """Drop the intervals that had no width before: since 0.3.0 no interval is narrower than the evidence allows."""
    for score, old_score in zip(scores["scores"], before["scores"], strict=True):
        for value, interval in [*old_score.get("ci", {}).items()]:
            if interval is not None and interval[0] == interval[1]:
                del score["ci"][value], old_score["ci"][value]


def assert_same_scores(found: Any, expected: Any) -> None:
    """The same values for each system and measure of that time, in any order; there may be more measures today."""
    values = [
        {(score["system"], score["measure"]): score["values"] for score in result["scores"]}
        for result in (found, expected)
    ]
    assert set(values[0]) >= set(values[1])
    for name, scores in values[1].items():
        for value, number in scores.items():
            same = number is None if values[0][name][value] is None else values[0][name][value] == pytest.approx(number)
            assert same, (name, value)


SPEECH = [f"examples/speech/{name}.jsonl" for name in ("key", "north", "south")]
MODEL = ("--model", DATA / "scores" / "atene.npz", "--normalise", "en")


def test_atene_model() -> None:
    """A model that was trained then gives the scores that it gave."""
    scores = command("score", "speech", *SPEECH, *MODEL, "-m", "atene,atene_ds,atene_i", "--json")
    assert_same_scores(json.loads(scores), json_of(DATA / "scores" / "atene.json.xz"))


def test_severity_weights() -> None:
    """So do weights that were learnt from the model, and all other measures of speech."""
    weights = ("--weights", DATA / "scores" / "severity.json")
    scores = command("score", "speech", *SPEECH, *MODEL, *weights, "-m", "all", "--json")
    assert_same_scores(json.loads(scores), json_of(DATA / "scores" / "speech.json"))
