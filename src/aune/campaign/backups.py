"""Backups: the whole folder of a campaign as one file, taken while it runs, and put back elsewhere."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import IO

from aune.campaign.campaign import Campaign
from aune.campaign.store import PARTIAL
from aune.campaign.verification import verified
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import check_target, filling, is_full, is_vacant, naming, write_whole
from aune.core.unpacking import archive, plain_files

LEFT_OUT = ("work", "ledger.lock", "aune.sqlite", "aune.sqlite-shm", "aune.sqlite-wal")
"""What lasts no longer than a process, and a server's database, which `aune site backup` reads at one moment."""


def backed_up(campaign: Campaign, target: Path) -> int:
    """Write everything as one file, at one moment; how many files it holds."""
    check_target(target, [])
    real = Path(os.path.realpath(target))
    with naming(target), tempfile.TemporaryFile(dir=target.parent) as packed:
        with (
            campaign.writing(),
            tarfile.open(fileobj=packed, mode="w:gz", compresslevel=3, dereference=True) as backup,  # no links
        ):
            names = [path for path in sorted(campaign.folder.rglob("*")) if _is_kept(campaign.folder, path, real)]
            for path in names:
                backup.add(path, str(path.relative_to(campaign.folder)), recursive=False)
        packed.seek(0)
        write_whole(target, packed)
    return len(names)


def _is_kept(folder: Path, path: Path, target: Path) -> bool:
    left_out = path.relative_to(folder).parts[0] in LEFT_OUT or path.name.startswith(PARTIAL)
    return path.is_file() and not left_out and path.resolve() != target


def _keep(path: Path, stream: IO[bytes], mode: int) -> None:
    """Put a file back where none is; its owner, and nobody else, may change it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file)
    path.chmod(mode & 0o755 | 0o600)


def restored(source: Path, folder: Path) -> Campaign:
    """A campaign as a backup has it, in a new folder; checked before anybody uses it."""
    if not is_vacant(folder):
        raise UsageError(f"{folder}: there is something already: name a new folder")
    with filling(folder) as home:
        try:
            with archive(source) as backup:
                for member, stream in plain_files(backup, str(source)):
                    _keep(home / member.name, stream, member.mode)
        except OSError as error:
            if is_full(error):
                raise
            what = f"found no backup ({error.strerror}), expected one of aune: check the path"
            raise InputError([Problem(str(source), 1, 1, what)]) from None
        report = verified(home)
        if report.problems:
            raise InputError(
                [Problem(str(source), 1, 1, f"found a damaged backup: {problem}") for problem in report.problems]
            )
    return Campaign(folder)
