"""What stands in the place of files beside the inputs; damaged ones are tried with the formats."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.core.errors import AuneError
from tests.fuzz.auxiliary import READERS, rows


@pytest.mark.parametrize("name", sorted(READERS.keys() - {"result", "rows"}))  # which are read in a folder of rows
def test_no_file_a_folder_or_a_device_in_its_place(tmp_path: Path, name: str) -> None:
    suffix, _, read = READERS[name]
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / f"folder{suffix}" / "a").write_text("x")
    (tmp_path / f"folder{suffix}" / "b").write_text("x")
    (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    for path in (f"nothing{suffix}", f"folder{suffix}", f"zero{suffix}"):
        with pytest.raises(AuneError):
            read(str(tmp_path / path))


@pytest.mark.parametrize("name", ["result.json", "table-0.parquet"])
def test_a_folder_of_rows_without_its_files(tmp_path: Path, name: str) -> None:
    for number, put in enumerate((lambda path: None, Path.mkdir, lambda path: path.symlink_to("/dev/zero"))):
        folder = tmp_path / str(number)
        rows(folder)
        (folder / name).unlink()
        put(folder / name)
        with pytest.raises(AuneError):
            list(aune.load(folder).records())
