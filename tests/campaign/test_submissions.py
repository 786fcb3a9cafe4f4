"""The check of a run: all problems at once, in the participant's own names; the same offline and on receipt."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archives import packed
from aune.campaign.campaign import Campaign
from aune.campaign.distribution import handed, handout
from aune.campaign.jobs import work
from aune.campaign.policy import Viewer
from aune.campaign.records import Team
from aune.campaign.starting import TEXTS, founded
from aune.campaign.submissions import Check, Run, checked
from aune.core import registry
from aune.core.corpus import read

Registering = Callable[..., Team]


@pytest.fixture
def offline(campaign: Campaign, team: Registering, tmp_path: Path) -> Callable[..., Check]:
    """`offline(name, data, …)`: the check that a participant makes with nothing but what was handed out."""
    one = team(campaign, "one")
    home = tmp_path / "handout"
    for name, data in handout(campaign, Viewer("participant", one.id), "try").items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)
    protocol, dataset, texts = handed(home)

    def check(name: str, data: bytes, table: bytes = b"") -> Check:
        run = Run(name, data, "table.tsv" if table else "", table)
        return checked(protocol, protocol.datasets[dataset], home, texts, run)

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
    "a zip of one": (packed({"deep/run.tsv": GOOD}), b""),
    "a zip that leads out": (packed({"../run.tsv": GOOD}), b""),
}


@pytest.mark.parametrize("what", RUNS)
def test_the_check_is_the_same_offline_and_on_receipt(
    what: str, offline: Callable[..., Check], campaign: Campaign
) -> None:
    data, table = RUNS[what]
    name = "run.zip" if "zip" in what else "run.tsv"
    alone = offline(name, data, table)
    one = campaign.team("one")
    receipt = campaign.receive(one.id, "try", "run", name, data, table=table, table_name="table.tsv" if table else "")
    assert sum(work(campaign).values()) == 1
    status = campaign.status(Viewer("participant", one.id), receipt.submission)
    assert status["state"] == ("scored" if alone.valid else "refused")
    assert [tuple(problem) for problem in status["problems"]] == [
        (one.path, one.line, one.column, one.message) for one in alone.problems
    ]
    assert status["notes"] == list(alone.notes)
    assert [tuple(place) for place in status["residue"]] == [tuple(place) for place in alone.residue]


def test_everything_wrong_at_once_with_places(offline: Callable[..., Check]) -> None:
    found = [str(one) for one in offline("run.tsv", *RUNS["several problems"]).problems]
    assert any(one.startswith("run.tsv:2:1: found 'dog NOUN'") for one in found)
    assert any(one.startswith("run.tsv:4:1: found 5 columns") for one in found)
    tags = [str(one) for one in offline("run.tsv", *RUNS["strange tags"]).problems]
    assert [one.split(": ")[0] for one in tags] == ["run.tsv:2:1", "run.tsv:3:1"]
    table = [str(one) for one in offline("run.tsv", *RUNS["a bad table"]).problems]
    assert any(one.startswith("table.tsv:2:1") for one in table)
    assert any(one.startswith("table.tsv:4:1") for one in table)
    lacking = [str(one) for one in offline("run.tsv", *RUNS["tags without an entry"]).problems]
    assert len(lacking) == 3 and all("no entry for the tag" in one for one in lacking)


def test_what_a_table_leaves_open_is_told(offline: Callable[..., Check]) -> None:
    found = offline("run.tsv", *RUNS["a table"])
    assert found.valid
    assert "entries of the table that the run never uses: Z" in found.notes
    assert "tags that stand for several of the pivot's: N (2)" in found.notes


def test_residue_is_listed_and_does_not_refuse(offline: Callable[..., Check]) -> None:
    found = offline("run.tsv", *RUNS["another text"])
    assert found.valid
    assert [(one.line, one.expected, one.found) for one in found.residue] == [(2, "dog", "wolf")]


def test_no_path_of_the_server_is_told(offline: Callable[..., Check]) -> None:
    for what, (data, table) in RUNS.items():
        name = "run.zip" if "zip" in what else "run.tsv"
        for one in offline(name, data, table).problems:
            assert "/tmp" not in str(one) and str(one).startswith((name, "table.tsv")), one


def test_what_cannot_be_read_is_not_missing_too(tmp_path: Path) -> None:
    """A broken file has the problems of its lines, and none about documents that nobody could find in it."""
    campaign = founded(tmp_path / "campaign", "demo", "entities")
    plan = campaign.protocol
    texts = read(registry.task("entities"), str(campaign.folder / "keys/try.conll"))
    broken = Run("bad.conll", b"Ben\tB-PER\nleft\n")
    found = checked(plan, plan.datasets["try"], campaign.folder, texts, broken)
    assert [one.line for one in found.problems] == [2]


def test_a_bomb_is_refused_without_a_setting_of_the_server(offline: Callable[..., Check]) -> None:
    found = offline("run.tsv.gz", gzip.compress(b"0" * 20_000_000))
    assert [problem.message.rpartition(": ")[2] for problem in found.problems] == ["send it packed less"]


@pytest.mark.parametrize("task", TEXTS)
def test_nobody_is_told_of_options_of_a_command_that_is_not_theirs(tmp_path: Path, task: str) -> None:
    """Whatever is wrong with a run, whoever sent it can mend it: no option, no variable of the server's owner."""
    campaign = founded(tmp_path / "campaign", "demo", task)
    dataset = campaign.protocol.datasets["try"]
    texts = read(registry.task(task), str(campaign.folder / dataset.key))
    wrong = sorted((Path(__file__).parents[1] / "tasks" / task / "formats" / "malformed").iterdir())
    runs = [Run(path.name, path.read_bytes()) for path in wrong if path.is_file()]
    runs += [Run("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(99)), Run("run.conll", b"w O\nx\n"), Run("a.x", b"")]
    for run in runs:
        found = checked(campaign.protocol, dataset, campaign.folder, texts, run)
        assert not [one for one in found.problems if re.search(r"--[a-z]|AUNE_", one.message)], run.name
