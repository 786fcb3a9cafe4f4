"""Disks of a few megabytes, which can be filled to their last bytes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SIZE = 24  # megabytes


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A disk of its own, in an empty folder."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "aune", place], check=False)
    if made.returncode:
        pytest.skip("no disk of its own: only root mounts one")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill_disk(disk: Path, room: int) -> Path:
    """The file that fills a disk, but for so many kilobytes."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            pass
        os.truncate(file.fileno(), max(file.tell() - (room << 10), 0))
    return filler
