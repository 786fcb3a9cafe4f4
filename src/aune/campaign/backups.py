"""Backups: the whole folder of a campaign as one file, taken while it runs, and put back elsewhere."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

from aune.campaign.campaign import Campaign
from aune.campaign.verification import verified
from aune.core.errors import InputError, Problem, UsageError

LEFT_OUT = ("work", "ledger.lock", "aune.sqlite", "aune.sqlite-shm", "aune.sqlite-wal")
"""What lasts no longer than a process, and a server's database, which `aune site backup` reads at one moment."""


def backed_up(campaign: Campaign, target: Path) -> int:
    """Write everything as one file, at one moment; how many files it holds."""
    partial = target.with_name(f".{target.name}.partial")
    with campaign.writing(), tarfile.open(partial, "w:gz", compresslevel=3) as archive:
        names = [
            path
            for path in sorted(campaign.folder.rglob("*"))
            if path.is_file()
            and path.relative_to(campaign.folder).parts[0] not in LEFT_OUT
            and path not in (target, partial)
        ]
        for path in names:
            if not path.name.startswith(".partial-"):
                archive.add(path, str(path.relative_to(campaign.folder)), recursive=False)
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(target)
    return len(names)


def restored(source: Path, folder: Path) -> Campaign:
    """A campaign as a backup has it, in a new folder; checked before anybody uses it."""
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: there is something already: name a new folder")
    try:
        with tarfile.open(fileobj=io.BytesIO(source.read_bytes()), mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
    except (OSError, tarfile.TarError, EOFError) as error:
        raise InputError([Problem(str(source), 1, 1, f"found no backup ({error}), expected one of aune")]) from None
    report = verified(folder)
    if report.problems:
        raise InputError([Problem(str(source), 1, 1, f"found a damaged backup: {one}") for one in report.problems])
    return Campaign(folder)
