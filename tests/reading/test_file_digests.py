"""Digests of files, in this thread or in another one."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from pathlib import Path

import pytest

from aune.reading import pieces
from aune.reading.pieces import start_digest


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 30_000])
@pytest.mark.parametrize("in_thread", [False, True])
def test_it_is_what_sha256sum_prints(
    size: int, in_thread: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "HASHED_AT_ONCE", 4096)
    monkeypatch.setattr(pieces, "SMALL_FILE", -1 if in_thread else 1 << 20)
    path = tmp_path / "file"
    path.write_bytes(bytes(range(251)) * 200)
    path.write_bytes(path.read_bytes()[:size])
    digest = start_digest(path, size)
    assert isinstance(digest, Future) == in_thread
    text = digest if isinstance(digest, str) else digest.result()
    assert text == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_that_is_gone_is_reported_to_who_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "SMALL_FILE", -1)
    digest = start_digest(tmp_path / "nothing", 1)
    assert isinstance(digest, Future)
    with pytest.raises(FileNotFoundError):
        digest.result()
