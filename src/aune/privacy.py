"""Files and folders that only their owner can read: keys, submissions, secrets, backups.

Their modes do not depend on the umask. Those of older files are corrected when a campaign or a site is opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600
OTHERS = 0o077
"""The permissions of everybody but the owner."""
PRIVATE_NAMES = (
    "campaign.toml", "ledger.jsonl", "ledger.lock", "people.json", "store", "work", "outbox", "keys", "secret", "files",
    "aune.sqlite", "aune.sqlite-wal", "aune.sqlite-shm", "aune.sqlite-journal",
)  # fmt: skip
"""The content of the folder of a campaign or of a site."""


@contextmanager
def private_umask() -> Iterator[None]:
    """Set the umask so that this process and its children create files for their owner alone."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def make_private_folder(folder: Path) -> None:
    """Make a folder for its owner alone, with its missing parents."""
    if not folder.is_dir():
        make_private_folder(folder.parent)
        with suppress(FileExistsError):  # another process made it meanwhile
            folder.mkdir(mode=FOLDER_MODE)


def open_private(path: str, flags: int) -> int:
    """An opener for `open`: a new file is readable by its owner alone."""
    return os.open(path, flags, FILE_MODE)


def tighten_folder(folder: Path) -> int:
    """Remove the permissions of others from a folder and its content; return how many files and folders changed."""
    tops = [folder, *(folder / name for name in PRIVATE_NAMES)]
    return sum(map(_tighten, tops)) + sum(_tighten(path) for top in tops[1:] for path in _contents(top))


def describe_tightening(folder: Path, count: int) -> str:
    """A note about files whose modes were corrected."""
    things = "file or folder" if count == 1 else "files and folders"
    return f"{folder}: {count:,} {things} could be read by other users: they are for their owner alone now"


def _contents(folder: Path) -> Iterator[Path]:
    if folder.is_dir() and not folder.is_symlink():
        yield from folder.rglob("*")


def _tighten(path: Path) -> bool:
    """Whether the mode was corrected; links, and files of another owner, stay as they are."""
    if not hasattr(os, "geteuid"):  # a system without these modes
        return False
    with suppress(OSError):
        status = path.lstat()
        is_ours = status.st_uid == os.geteuid() and not path.is_symlink()
        if is_ours and status.st_mode & OTHERS:
            path.chmod(status.st_mode & 0o7777 & ~OTHERS)
            return True
    return False
