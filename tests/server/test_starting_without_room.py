"""A server, a site or a campaign that a full disk refuses: nothing of it is left, and what was there is as it was."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aune.errors import UsageError
from aune.server.site import Site, rollback_if_refused
from tests.disks import fill_disk, small_disk
from tests.server.serving import enter_server, free_port, layers_of, serving
from tests.server.test_startup import TEXT, run

ROOM = range(0, 800, 20) if os.environ.get("AUNE_FULL") else (0, 12, 500)
"""Kilobytes that are left: for no secret, for no database, for no text in it."""


@pytest.fixture
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """For each test one: processes of a server that was killed free their room a moment later."""
    with small_disk(tmp_path_factory.mktemp("disk")) as place:
        yield place


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("texts") / "kept.sgm"
    file.write_bytes(TEXT)
    return file


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def start_without_room(disk: Path, room: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """How a command ended for which there is too little room."""
    filler = fill_disk(disk, room)
    ended = run(*words)
    filler.unlink()
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1), ended.stderr
    assert "No space left on device" in ended.stderr or "disk is full" in ended.stderr
    return ended


def serve(site: Path, *files: Path) -> tuple[str | Path, ...]:
    return "serve", "--no-browser", "--port", str(free_port()), "--site", site, *files


def test_a_new_site(disk: Path, text: Path) -> None:
    for room in ROOM:
        start_without_room(disk, room, *serve(disk / "new" / "site", text))
        assert not (disk / "new").exists()
    with serving(disk / "new" / "site", text) as served:
        assert layers_of(enter_server(served), "kept")


def test_the_folder_of_a_campaign(disk: Path) -> None:
    home = disk / "campaign"
    for room in ROOM[:2]:
        start_without_room(disk, room, "campaign", "new", "demo", "--task", "tagging", "--folder", home)
        assert not home.exists()
    assert run("campaign", "new", "demo", "--task", "tagging", "--folder", home).returncode == 0
    before = files_in(home)
    for room in ROOM:
        start_without_room(disk, room, "campaign", "serve", home, "--no-browser", "--port", str(free_port()))
        assert files_in(home) == before
        assert not (home / "files").exists()


def test_a_site_that_is_there(disk: Path, text: Path, tmp_path: Path) -> None:
    """All of the files that it is started with are opened, or none; and what is in it is in it still."""
    site, long = disk / "old", tmp_path / "long.txt"
    long.write_bytes(b"Ann met Ben. " * 40_000)
    with serving(site, text) as served:
        layers = layers_of(enter_server(served), "kept")
    stored = {name for name in files_in(site) if name.startswith("files/")}
    (tmp_path / "other.sgm").write_bytes(TEXT.replace(b"kept", b"other"))
    for room in ROOM:
        start_without_room(disk, room, *serve(site, tmp_path / "other.sgm", long))
        assert {name for name in files_in(site) if name.startswith("files/")} == stored
    with serving(site) as served:
        me = enter_server(served)
        assert layers_of(me, "kept") == layers
        assert "other.sgm" not in me.get("/").text


def test_nobody_removes_what_another_serves(tmp_path: Path) -> None:
    """Of two who start a site at once the second waits, and finds it there, or makes it anew."""
    site, entering, done = Site(folder=str(tmp_path / "a" / "site")), threading.Event(), list[bool]()

    def second() -> None:
        entering.set()
        with pytest.raises(UsageError), rollback_if_refused(site):
            done.append((tmp_path / "a" / "site" / "secret").exists())
            raise UsageError("refused")

    for is_refused in (True, False):
        other = threading.Thread(target=second)
        try:
            with rollback_if_refused(site):
                (tmp_path / "a" / "site" / "secret").touch()
                other.start()
                entering.wait()
                other.join(0.2)
                if is_refused:
                    raise UsageError("refused")
        except UsageError:
            pass
        other.join()
    assert done == [False, True]
    assert (tmp_path / "a" / "site" / "secret").exists()
