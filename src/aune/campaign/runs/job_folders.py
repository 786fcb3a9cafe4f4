"""Folders of jobs: each is removed after its job, or later if its process was killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aune.privacy import make_private_folder


@contextmanager
def job_folder(campaign: Path) -> Iterator[Path]:
    """A folder for one job; the folders of dead processes are removed first."""
    parent = campaign / "work"
    remove_stale_folders(campaign)
    make_private_folder(parent)
    folder = parent / f"{os.getpid()}-{os.urandom(6).hex()}"
    make_private_folder(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale_folders(campaign: Path) -> None:
    """Remove the folders of dead processes."""
    with suppress(OSError):  # there may be none, or another process removes them
        for folder in (campaign / "work").iterdir():
            owner = folder.name.partition("-")[0]
            if owner.isdigit() and not _is_alive(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # another user's process
    except (ProcessLookupError, OverflowError):
        return False
    return True
