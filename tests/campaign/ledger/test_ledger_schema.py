"""A ledger that a forger wrote, with every hash right: its names lead nowhere, and its damage is told."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger import ledger_file
from aune.campaign.ledger.ledger_file import LEDGER_FILE, BrokenLedgerError, Ledger
from aune.campaign.ledger.ledger_schema import FIELDS, SCHEMAS, Digest, FileName, Name, RelativePath
from aune.campaign.ledger.state import APPLIERS
from aune.cli import run

OUT = ["../x", "/x", "a/../../x", "..", "a\\b", "a\0b", "x\ny", 5, None, [], {}]
"""No names, or names of files that are elsewhere."""


def forge_file(folder: Path, kind: str, details: Mapping[str, Any]) -> Campaign:
    """A campaign with one more entry, which nobody checked."""
    with pytest.MonkeyPatch.context() as patched, Ledger(folder / LEDGER_FILE).writing() as writer:
        patched.setattr(ledger_file, "check_details", lambda *_: None)
        writer.append(kind, details)
    return Campaign(folder)


@pytest.mark.parametrize("kind", APPLIERS)
def test_every_field_that_is_read_is_checked_before(kind: str) -> None:
    read = {*re.findall(r'said\["(\w+)"\]', inspect.getsource(APPLIERS[kind]))}
    assert read <= {field.name for field in msgspec.structs.fields(SCHEMAS[kind])}
    assert SCHEMAS.keys() == APPLIERS.keys()


def test_what_could_not_be_read_again_is_not_written(campaign: Campaign) -> None:
    before = (campaign.folder / LEDGER_FILE).read_bytes()
    with pytest.raises(ValueError, match="team"):
        campaign.append("licence", {"team": "../x"})
    assert (campaign.folder / LEDGER_FILE).read_bytes() == before


NAMED = [
    (kind, field)
    for kind, fields in FIELDS.items()
    for field, type_ in fields.items()
    if type_ in (Name, FileName, Digest, dict[RelativePath, Digest])
]


@pytest.mark.parametrize(("kind", "field"), NAMED)
def test_no_name_of_an_entry_leads_anywhere(campaign: Campaign, kind: str, field: str) -> None:
    """Each would become the name of a file, in a room of a job, an outbox, a handout or the store."""
    state = campaign.state
    good = next((entry.details for entry in campaign.ledger.entries() if entry.kind == kind), {})
    for out in OUT:
        wrong = {out: "0" * 64} if field == "files" and isinstance(out, str) else out
        before = (campaign.folder / LEDGER_FILE).read_bytes()
        bad = forge_file(campaign.folder, kind, {**(good or {}), field: wrong})
        with pytest.raises(BrokenLedgerError, match=r"ledger\.jsonl:\d+:1: found what no entry of aune says"):
            assert bad.state.phase
        assert any("no entry of aune" in problem for problem in verify_folder(campaign.folder).problems)
        (campaign.folder / LEDGER_FILE).write_bytes(before)
    assert Campaign(campaign.folder).state == state


def test_damage_of_a_folder_is_told_by_every_command(campaign: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    path = campaign.folder / LEDGER_FILE
    path.write_bytes(path.read_bytes().replace(b'"phase"', b'"phose"', 1))
    for line in (["show"], ["participants"], ["disputes"], ["notices"], ["score"]):
        assert run(["campaign", line[0], str(campaign.folder), *line[1:]]) == 3, line
        output = capsys.readouterr().err
        assert output.startswith(f"{path}:1:1: found ") and "restore it from a backup" in output


def test_damage_of_the_store_is_told(campaign: Campaign, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = campaign.store.path(campaign.state.texts["try"].digest)
    path.chmod(0o644)
    path.write_bytes(b"something else")
    assert run(["campaign", "handout", str(campaign.folder), "try", str(tmp_path / "handout")]) == 3
    assert f"{path}:1:1: found a file of the store that contains something else" in capsys.readouterr().err
    assert not (tmp_path / "handout").exists()
