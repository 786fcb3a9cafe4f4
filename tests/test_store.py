from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aune.errors import InputError
from aune.store import DamagedError, Store, digest_of


def test_what_is_put_is_got(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    digest = store.add(b"one")
    assert store.add(b"one") == digest
    assert digest in store
    assert store.get(digest) == b"one"
    assert store.digests() == [digest]
    assert not list(tmp_path.rglob(".partial-*"))


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    digest = store.add(b"one")
    store.path(digest).chmod(0o644)
    store.path(digest).write_bytes(b"two")
    with pytest.raises(DamagedError):
        store.get(digest)
    store.path(digest).unlink()
    with pytest.raises(DamagedError, match="found no such file of the store"):
        store.get(digest)


def test_a_stream_that_does_not_end_is_refused_while_it_comes(tmp_path: Path) -> None:
    """Memory holds one piece at a time, and nothing stays on the disk."""
    count = 0

    def endless() -> Iterator[bytes]:
        nonlocal count
        while True:
            count += 1
            yield b"x" * 1000

    with pytest.raises(InputError, match="more than 5,000 bytes"), Store(tmp_path).receive(endless(), 5000, "a"):
        raise AssertionError("too many")
    assert count == 6
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "zz", "A" * 64])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(KeyError):
        Store(tmp_path).path(name)


WRITING = """
import sys, time
from pathlib import Path
from aune.store import Store
def slow():
    yield b"half of it"
    print("begun", flush=True)
    sys.stdin.read()
    yield b" and the rest"
with Store(Path(sys.argv[1])).receive(slow(), 1000, "a") as sent:
    print(sent.keep())
"""


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    """What somebody is still writing stays, whoever sweeps."""
    folder = tmp_path / "s"
    command = [sys.executable, "-c", WRITING, str(folder)]
    writers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "begun\n"
    killed, living = writers
    killed.kill()
    killed.communicate()
    assert len(list(folder.glob(".partial-*"))) == 2
    assert Store(folder).remove_partials() == 1
    assert Store(folder).remove_partials() == 0
    output, _ = living.communicate("")
    assert Store(folder).get(output.strip()) == b"half of it and the rest"
    assert not list(folder.glob(".partial-*"))


SWEEPING = """
import sys
import tempfile
from pathlib import Path
from aune.store import Store
while True:
    Store(Path(sys.argv[1])).remove_partials()
"""


def test_whoever_writes_while_somebody_sweeps_loses_nothing(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SWEEPING, str(tmp_path)]) as sweeper:
        until, number = time.monotonic() + 1.5, 0
        while time.monotonic() < until:
            assert Store(tmp_path).add(b"%d" % number) in Store(tmp_path)
            number += 1
        sweeper.kill()
    assert number


def test_a_store_with_whole_names_has_the_same_files_under_longer_names(tmp_path: Path) -> None:
    """As sites of the workbench have had them; what is removed may be stored again."""
    store = Store(tmp_path, whole_names=True)
    with tempfile.TemporaryFile() as file:
        file.write(b"one")
        digest = store.add_file(file)
        assert digest == digest_of(file) == Store(tmp_path / "other").add(b"one")
    assert store.path(digest) == tmp_path / digest[:2] / digest and store.get(digest) == b"one"
    assert store.digests() == [digest]
    store.remove(digest)
    store.remove(digest)
    assert digest not in store and store.digests() == []
    assert store.add(b"one") == digest
