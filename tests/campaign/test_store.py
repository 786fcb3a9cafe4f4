from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aune.campaign.store import DamagedError, Store
from aune.core.errors import InputError


def test_what_is_put_is_got(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    digest = store.put(b"one")
    assert store.put(b"one") == digest
    assert digest in store
    assert store.get(digest) == b"one"
    assert store.digests() == [digest]
    assert not list(tmp_path.rglob(".partial-*"))


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    digest = store.put(b"one")
    store.path(digest).chmod(0o644)
    store.path(digest).write_bytes(b"two")
    with pytest.raises(DamagedError):
        store.get(digest)


def test_a_stream_that_does_not_end_is_refused_while_it_comes(tmp_path: Path) -> None:
    """Memory holds one piece at a time, and nothing stays on the disk."""
    given = 0

    def endless() -> Iterator[bytes]:
        nonlocal given
        while True:
            given += 1
            yield b"x" * 1000

    with pytest.raises(InputError, match="more than 5,000 bytes"), Store(tmp_path).arriving(endless(), 5000, "a"):
        raise AssertionError("too many")
    assert given == 6
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "zz", "A" * 64])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(KeyError):
        Store(tmp_path).path(name)
