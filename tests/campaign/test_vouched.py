"""What the ledger vouches for: an archive that says otherwise is contradicted, each time in words."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive import DATA, LEDGER, Lazy, archive_files, shown_again
from aune.campaign.archives import pack
from aune.campaign.campaign import Campaign
from aune.campaign.disputes import decide, dispute, new_version
from aune.campaign.jobs import work
from aune.campaign.ledger import chained
from aune.campaign.policy import THE_ORGANISER
from aune.campaign.protocol import protocol_of
from aune.campaign.records import Team
from aune.campaign.starting import founded
from aune.campaign.vouched import contradictions, strangers


@pytest.fixture
def files(tmp_path: Path, team: Callable[..., Team]) -> dict[str, bytes]:
    """The files of the archive of a campaign that left a dispute undecided, with a reason."""
    campaign = founded(tmp_path / "c", "demo", "tagging")
    one = team(campaign, "one")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.go_to(phase)
    campaign.receive(one.id, "final", "run", "a.tsv", (campaign.folder / "keys/final.tsv").read_bytes())
    work(campaign)
    campaign.go_to("test adjudication")
    claims = [dispute(campaign, THE_ORGANISER, "final", "final", "reference", {"word": word, "tags": "X"}, "x")
              for word in (3, 4)]  # fmt: skip
    decide(campaign, claims[0].id, "accepted", "Ann", "so it is")
    new_version(campaign, "final")
    work(campaign)
    campaign.go_to("publication", "nobody was there to decide", "Ann")
    campaign.go_to("archive")
    return archive_files(Campaign(campaign.folder))


def told(files: dict[str, bytes], tmp_path: Path, **changed: Any) -> list[str]:
    data = {**json.loads(files[DATA]), **changed}
    entries = list(chained(iter(files[LEDGER].splitlines(keepends=True))))
    plan = protocol_of(files["campaign.toml"].decode(), tmp_path / "c", complete=False)
    protocols = {path for path in files if path.startswith("protocols/")} | {"campaign.toml", *plan.files}
    return [*contradictions(files, data, entries, plan), *strangers(files, data, protocols, shown_again)]


def test_what_is_contradicted(files: dict[str, bytes], tmp_path: Path) -> None:
    assert told(files, tmp_path) == []
    data = json.loads(files[DATA])
    assert "publication began with 1 dispute not settled" in [row["what"] for row in data["changelog"]]
    changes = "archive.json: its changes are not those of the ledger"
    assert changes in told(files, tmp_path, changelog=data["changelog"][1:])
    assert any("its runs are not those" in one for one in told(files, tmp_path, runs=[]))
    assert any("other.txt: no file of an archive" in one for one in told({**files, "other.txt": b""}, tmp_path))
    [name] = [path for path in files if path.startswith("runs/")]
    assert any("not the files that were scored" in one for one in told({**files, name: files[name] + b"\n"}, tmp_path))
    hidden = b"".join(
        (entry.hidden() if entry.kind == "decision" else entry).line
        for entry in chained(iter(files[LEDGER].splitlines(keepends=True)))
    )
    with pytest.raises(KeyError):  # `verified` says of it that no aune wrote it
        told({**files, LEDGER: hidden}, tmp_path)


def test_an_archive_is_never_whole_in_memory(files: Lazy, tmp_path: Path) -> None:
    """What people sent and what was made of it is read when it is packed; one file after the other."""
    held = {path for path, file in files.made.items() if isinstance(file, bytes)}
    assert not {
        path for path in held if path.startswith(("runs/", "keys/", "texts/", "tables/", "protocols/", "pages/"))
    }
    large = Lazy({str(number): partial(bytes, 4_000_000) for number in range(20)})
    with (tmp_path / "a.zip").open("wb") as made:
        tracemalloc.start()
        pack(large, made)
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
        tracemalloc.stop()
