"""Folders of jobs: each lasts as long as its job, or until somebody sees that its process is dead."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def a_room(campaign: Path) -> Iterator[Path]:
    """A folder for one job; what dead processes left is cleared away first."""
    rooms = campaign / "work"
    clear(campaign)
    rooms.mkdir(exist_ok=True)
    room = rooms / f"{os.getpid()}-{os.urandom(6).hex()}"
    room.mkdir()
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


def clear(campaign: Path) -> None:
    """Remove the folders of dead processes."""
    with suppress(OSError):  # there may be none, or another clears them
        for room in (campaign / "work").iterdir():
            owner = room.name.partition("-")[0]
            if owner.isdigit() and not _lives(int(owner)):
                shutil.rmtree(room, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # somebody else's
    except (ProcessLookupError, OverflowError):
        return False
    return True
