"""What a job tells of a run: whether it is valid depends on what was handed out, and on nothing that is hidden."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.runs import scoring_process
from aune.campaign.runs.jobs import score_job, write_job_files
from aune.campaign.scaffold import TEXTS, create_campaign

TOLD = ("state", "problems", "notes", "residue", "residue_count", "documents")


def damage_text(key: bytes, seed: int) -> Iterator[bytes]:
    """Runs that are right, wrong, and no runs at all: labels exchanged, lines repeated, left out, emptied."""
    yield key
    generator = random.Random(seed)
    lines = key.splitlines(keepends=True)
    words = sorted(set(re.findall(rb"[A-Z]{2,}", key)))
    for _ in range(4):
        other = list(lines)
        place = generator.randrange(len(other))
        if generator.random() < 0.5 and words:
            first, second = generator.choice(words), generator.choice([*words, b"NEW", b""])
            other[place] = other[place].replace(first, second)
        elif generator.random() < 0.5:
            other.insert(place, other[generator.randrange(len(other))])
        else:
            del other[place]
        yield b"".join(other)


def messages_of(folder: Path, campaign: Campaign, run: bytes, ending: str, number: int) -> dict[str, Any]:
    """What is told of a run in the test, by a process of this one."""
    [team] = list(campaign.state.teams)[:1]
    receipt = campaign.receive(team, "final", f"run{number}", f"a{ending}", run)
    job = score_job(campaign, campaign.state.submissions[receipt.submission], 1)
    room = folder / receipt.submission
    room.mkdir()
    write_job_files(campaign, job, room)
    result = scoring_process.score_run(room, {**job, "engine": {}})
    return {name: str(result[name]).replace(receipt.submission, "") for name in TOLD}


@pytest.mark.parametrize("task", TEXTS)
def test_whether_a_run_is_valid_tells_nothing_of_the_key(task: str, tmp_path: Path) -> None:
    """The same run, with one key and with another of the same texts: the same answer, word for word."""
    ending = TEXTS[task][0]
    homes = []
    for name in ("one", "other"):
        campaign = create_campaign(tmp_path / name, "demo", task)
        path = campaign.folder / f"keys/final{ending}"
        if name == "other":
            path.write_bytes(relabel_key(task, path.read_bytes()))
        toml = campaign.folder / "campaign.toml"
        toml.write_text(re.sub(r"total = \d+", "total = 999", re.sub(r"valid = \d+", "valid = 999", toml.read_text())))
        team = campaign.register("team")
        campaign.accept_licence(team.id)
        for phase in ("training", "dry run", "dry adjudication", "test"):
            campaign.begin_phase(phase)
        homes.append(campaign)
    first, second = (home.folder / f"keys/final{ending}" for home in homes)
    assert first.read_bytes() != second.read_bytes()
    assert homes[0].state.texts["final"].digest == homes[1].state.texts["final"].digest, "the same texts"
    runs = [*damage_text(first.read_bytes(), 1), *damage_text(second.read_bytes(), 2)]
    for number, run in enumerate(runs):
        answers = [messages_of(tmp_path, home, run, ending, number) for home in homes]
        assert answers[0] == answers[1], run


OTHER = {
    "tagging": [(b"old\tADJ", b"old\tNOUN"), (b"it\tPRON", b"it\tNOUN")],
    "entities": [(b"Dan\tB-PER", b"Dan\tO"), (b"Acme\tB-ORG\nhired\tO", b"Acme\tB-LOC\nhired\tI-LOC")],
    "coref": [(b"[[0,0],[4,4]],[[2,2],[6,6]]", b"[[0,0],[6,6]],[[2,3],[4,4]]")],
    "speech": [(b"nine", b"five"), (b"an hour", b"one whole hour")],
    "anaphora": [(b'"antecedents":["2"]', b'"antecedents":["0"]')],
}


def relabel_key(task: str, key: bytes) -> bytes:
    """Another key of the same texts."""
    for first, second in OTHER[task]:
        assert first in key
        key = key.replace(first, second)
    return key
