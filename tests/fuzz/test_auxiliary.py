"""What stands in the place of files beside the inputs; damaged ones are tried with the formats."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import aune
from aune.campaign.ledger.ledger_file import LEDGER_FILE as LEDGER
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.campaign.runs.handouts import INFO_FILE, read_handout
from aune.errors import AuneError
from tests.fuzz import rooms, sites
from tests.fuzz.auxiliary import READERS, rows

INSIDE = {"result", "rows"} | rooms.READERS.keys() | sites.READERS.keys()
"""What is read in a folder, or as bytes."""


@pytest.mark.parametrize("name", sorted(READERS.keys() - INSIDE))
def test_no_file_a_folder_or_a_device_in_its_place(tmp_path: Path, name: str) -> None:
    suffix, _, read = READERS[name]
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / f"folder{suffix}" / "a").write_text("x")
    (tmp_path / f"folder{suffix}" / "b").write_text("x")
    (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    for path in (f"nothing{suffix}", f"folder{suffix}", f"zero{suffix}"):
        with pytest.raises(AuneError):
            read(str(tmp_path / path))


PUT = (lambda path: None, Path.mkdir, lambda path: path.symlink_to("/dev/zero"))


@pytest.mark.parametrize("name", ["result.json", "table-0.parquet"])
def test_a_folder_of_rows_without_its_files(tmp_path: Path, name: str) -> None:
    for number, put in enumerate(PUT):
        folder = tmp_path / str(number)
        rows(folder)
        (folder / name).unlink()
        put(folder / name)
        with pytest.raises(AuneError):
            list(aune.load(folder).records())


@pytest.mark.parametrize("name", [PROTOCOL_FILE, LEDGER, INFO_FILE])
def test_the_folder_of_a_campaign_or_a_handout_without_its_files(tmp_path: Path, name: str) -> None:
    for number, put in enumerate(PUT[name == LEDGER :]):  # without a ledger, nothing has happened yet
        folder = tmp_path / str(number)
        rooms.handed_out_to(folder) if name == INFO_FILE else shutil.copytree(rooms.campaign(), folder)
        (folder / name).unlink()
        put(folder / name)
        with pytest.raises(AuneError):
            read_handout(folder) if name == INFO_FILE else rooms.looked_at(folder)
