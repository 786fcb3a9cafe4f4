"""SHA-256 digests of files, computed in threads while other work goes on."""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import Future
from pathlib import Path

BLOCK_SIZE = 1 << 22  # bytes that are hashed at once: few enough to stay small, many enough to be left alone
SMALL_FILE = 1 << 20  # bytes that take less time than a thread


def start_digest(path: Path, size: int) -> str | Future[str]:
    """The digest of a file that has this size: as text where it is short, else what a thread computes."""
    if size <= SMALL_FILE:
        return _digest_file(path)
    digest: Future[str] = Future()
    threading.Thread(target=_complete_digest, args=(path, digest), daemon=True).start()
    return digest


def _complete_digest(path: Path, digest: Future[str]) -> None:
    try:
        digest.set_result(_digest_file(path))
    except BaseException as error:
        digest.set_exception(error)


def _digest_file(path: Path) -> str:
    """What `sha256sum` prints. Bytes go into one buffer, block by block, and the interpreter is free meanwhile."""
    digest, buffer = hashlib.sha256(), memoryview(bytearray(BLOCK_SIZE))
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(buffer):
            digest.update(buffer[:length])
    return digest.hexdigest()
