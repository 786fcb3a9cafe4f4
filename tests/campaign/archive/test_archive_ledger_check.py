"""What the ledger vouches for: an archive that says otherwise is contradicted, each time in words."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import DATA, LEDGER, LazyFiles, archive_files, rendered_files
from aune.campaign.archive.archive_ledger_check import contradictions, unexpected_files
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.ledger_file import read_chain
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.protocol_file import parse_protocol
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication import static_pages
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.uploads import write_zip
from aune.campaign.scaffold import create_campaign


@pytest.fixture
def files(tmp_path: Path, team: Callable[..., Team]) -> dict[str, bytes]:
    """The files of the archive of a campaign that left a dispute undecided, with a reason."""
    campaign = create_campaign(tmp_path / "c", "demo", "tagging")
    first_team = team(campaign, "one")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    campaign.receive(first_team.id, "final", "run", "a.tsv", (campaign.folder / "keys/final.tsv").read_bytes())
    score_waiting(campaign)
    campaign.begin_phase("test adjudication")
    claims = [file_dispute(campaign, THE_ORGANISER, "final", "final", "reference", {"word": word, "tags": "X"}, "x")
              for word in (3, 4)]  # fmt: skip
    decide_dispute(campaign, claims[0].id, "accepted", "Ann", "so it is")
    make_key_version(campaign, "final")
    score_waiting(campaign)
    campaign.begin_phase("publication", "nobody was there to decide", "Ann")
    campaign.begin_phase("archive")
    return archive_files(Campaign(campaign.folder))


def messages_of(files: dict[str, bytes], tmp_path: Path, **changed: Any) -> list[str]:
    data = {**json.loads(files[DATA]), **changed}
    entries = list(read_chain(iter(files[LEDGER].splitlines(keepends=True))))
    plan = parse_protocol(files["campaign.toml"].decode(), tmp_path / "c", complete=False)
    protocols = {path for path in files if path.startswith("protocols/")} | {"campaign.toml", *plan.files}
    return [*contradictions(files, data, entries, plan), *unexpected_files(files, data, protocols, rendered_files)]


def test_what_is_contradicted(files: dict[str, bytes], tmp_path: Path) -> None:
    assert messages_of(files, tmp_path) == []
    data = json.loads(files[DATA])
    assert "publication began with 1 dispute not settled" in [row["what"] for row in data["changelog"]]
    changes = "archive.json: its changes are not those of the ledger"
    assert changes in messages_of(files, tmp_path, changelog=data["changelog"][1:])
    assert any("its runs are not those" in item for item in messages_of(files, tmp_path, runs=[]))
    assert any(
        "other.txt: no file of an archive" in item for item in messages_of({**files, "other.txt": b""}, tmp_path)
    )
    [name] = [path for path in files if path.startswith("runs/")]
    assert any(
        "not the files that were scored" in item for item in messages_of({**files, name: files[name] + b"\n"}, tmp_path)
    )
    hidden = b"".join(
        (entry.without_details() if entry.kind == "decision" else entry).line
        for entry in read_chain(iter(files[LEDGER].splitlines(keepends=True)))
    )
    with pytest.raises(KeyError):  # `verified` says of it that no aune wrote it
        messages_of({**files, LEDGER: hidden}, tmp_path)


def test_an_archive_is_never_whole_in_memory(files: LazyFiles, tmp_path: Path) -> None:
    """What people sent and what was made of it is read when it is packed; one file after the other."""
    contents = {path for path, file in files.sources.items() if isinstance(file, bytes)}
    assert not {
        path for path in contents if path.startswith(("runs/", "keys/", "texts/", "tables/", "protocols/", "pages/"))
    }
    large = LazyFiles({str(number): partial(bytes, 4_000_000) for number in range(20)})
    with (tmp_path / "a.zip").open("wb") as made:
        tracemalloc.start()
        write_zip(large, made)
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
        tracemalloc.stop()


def page_problems(files: dict[str, bytes]) -> list[str]:
    data = json.loads(files[DATA])
    return [
        problem for problem in unexpected_files(files, data, set(files), rendered_files) if "no file of" not in problem
    ]


def test_pages_are_compared_by_the_version_that_wrote_them(
    files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archives outlive their pages: another layout is no forgery. The data is compared whatever the version."""
    assert page_problems(files) == []
    changed = {**files, "index.html": files["index.html"] + b" "}
    assert page_problems(changed) == ["index.html: not what the data says"]
    data = json.loads(files[DATA])
    assert data["page_version"] == static_pages.PAGE_VERSION
    older = {**changed, DATA: json.dumps({name: data[name] for name in data if name != "page_version"}).encode()}
    assert page_problems(older) == []
    monkeypatch.setattr(static_pages, "PAGE_VERSION", 1)
    assert page_problems(older) == ["index.html: not what the data says"], "archives without a version have the first"
    monkeypatch.setattr(static_pages, "PAGE_VERSION", 2)
    table = next(name for name in older if name.endswith(".csv"))
    assert page_problems({**older, table: b"rank\n"}) == [f"{table}: not what the data says"]
    del older["index.html"]
    assert page_problems(older) == ["index.html: not what the data says"]


def test_pages_of_a_newer_version_are_refused(files: dict[str, bytes]) -> None:
    data = json.loads(files[DATA]) | {"page_version": static_pages.PAGE_VERSION + 1}
    [first, *_] = page_problems({**files, DATA: json.dumps(data).encode()})
    assert "which this aune does not know" in first
