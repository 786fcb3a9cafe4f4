"""Backups: the whole folder of a campaign as one file, taken while it runs, and restored elsewhere."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import IO

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.compression import archive_files, open_archive
from aune.errors import InputError, Place, Problem, Remedy, UsageError
from aune.files import add_filename, check_target, fill_folder, is_disk_full, is_vacant, write_atomically
from aune.privacy import FILE_MODE, FOLDER_MODE, make_private_folder
from aune.store import PARTIAL_PREFIX

EXCLUDED = ("work", "ledger.lock", "aune.sqlite", "aune.sqlite-shm", "aune.sqlite-wal")
"""Temporary files, and a server's database, of which `aune site backup` reads a snapshot."""


def write_backup(campaign: Campaign, target: Path) -> int:
    """Write the whole folder as one file, with the content at the start; returns the number of files.

    Writers only wait while the files are listed: the files of the store never change, and lines that are added to the
    ledger later are left out.
    """
    check_target(target, [])
    real = Path(os.path.realpath(target))
    with add_filename(target), tempfile.TemporaryFile(dir=target.parent) as packed:
        with campaign.writing():
            ledger_size = campaign.ledger.path.stat().st_size
            names = [
                path for path in sorted(campaign.folder.rglob("*")) if _belongs_in_backup(campaign.folder, path, real)
            ]
        written = 0
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=3) as backup:
            for path in names:
                most = ledger_size if path == campaign.ledger.path else None
                written += _add_file(backup, campaign.folder, path, most)
        packed.seek(0)
        write_atomically(target, packed, private=True)
    return written


def _add_file(backup: tarfile.TarFile, folder: Path, path: Path, most: int | None) -> bool:
    """Add a file (at most `most` bytes of the ledger); False if it is gone, as a letter that was sent meanwhile."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return False
    with file:
        entry = backup.gettarinfo(arcname=str(path.relative_to(folder)), fileobj=file)
        entry.type, entry.linkname = tarfile.REGTYPE, ""  # a hard link is stored as a file
        entry.size = os.fstat(file.fileno()).st_size if most is None else most
        backup.addfile(entry, file)
    return True


def _belongs_in_backup(folder: Path, path: Path, target: Path) -> bool:
    is_excluded = path.relative_to(folder).parts[0] in EXCLUDED or path.name.startswith(PARTIAL_PREFIX)
    return path.is_file() and not is_excluded and path.resolve() != target


def _extract_file(path: Path, stream: IO[bytes], mode: int) -> None:
    """Write a file that must not exist yet; only its owner may change it."""
    make_private_folder(path.parent)
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file)
    path.chmod(mode & 0o700 | FILE_MODE)


def restore_backup(source: Path, folder: Path) -> Campaign:
    """Restore a campaign from a backup to a new folder; it is verified before use."""
    if not is_vacant(folder):
        raise UsageError(f"{folder}: there is something already: name a new folder")
    with fill_folder(folder) as home:
        home.chmod(FOLDER_MODE)
        try:
            with open_archive(source) as backup:
                for member, stream in archive_files(backup, str(source)):
                    _extract_file(home / member.name, stream, member.mode)
        except OSError as error:
            if is_disk_full(error):
                raise
            what, remedy = f"no backup ({error.strerror})", Remedy("check the path")
            raise InputError([Problem("backup.missing", Place(str(source)), what, "one of aune", (remedy,))]) from None
        report = verify_folder(home)
        if report.problems:
            place = Place(str(source))
            raise InputError(
                [Problem("backup.damaged", place, f"a damaged backup: {problem}") for problem in report.problems]
            )
    return Campaign(folder)
