"""Every command on a disk that is full, and killed at any moment: processes of their own, as users have them."""

from __future__ import annotations

import atexit
import ctypes
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from aune.cli import run
from aune.compression import GZIP

if __package__:
    from tests.fuzz import commands
else:  # run as a script, this folder comes first
    import commands

FULL, KILLED = "full disk", "kill -9"
SIZE = 200_000_000  # bytes of the disk
LIBRARY = ctypes.CDLL(None, use_errno=True)
REMOUNTED, DETACHED = 32, 2  # what mount(2) and umount(2) take
FREE = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
"""Pages that are left on the disk."""
FULL_DISK = re.compile(r"No space left on device|disk is full")
MISLEADING = re.compile("standard output:|found no|[Ii]nternal error|bug of ours")
"""What a full disk is not told as: what is printed goes elsewhere, and what is read is there."""
KEPT = re.compile(r"[^/]+/(store(/\w\w(/\w+)?)?|work|ledger\.(lock|jsonl)|aune\.sqlite(-shm|-wal)?)")
"""What a campaign or a site may have more of at any time: files named by what they hold, its locks and its logs."""
HEAD = 10  # bytes of gzip, with the time
SETTLED = 0.3  # seconds in which the jobs of a process that was killed see that it is dead


class Ended(NamedTuple):
    """How a process ended: below zero by a signal."""

    code: int
    output: str
    errors: str
    seconds: float


@cache
def disk() -> Path:
    """A small disk of our own, where all temporary files go from now on; an OSError where nobody may have one."""
    made = tempfile.mkdtemp()
    atexit.register(os.rmdir, made)
    _mount(made)
    atexit.register(LIBRARY.umount2, made.encode(), DETACHED)
    tempfile.tempdir = os.environ["TMPDIR"] = made
    return Path(made)


def _mount(place: str, size: int = SIZE, flags: int = 0) -> None:
    if LIBRARY.mount(b"none", place.encode(), b"tmpfs", flags, f"size={size}".encode()):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), place)


@contextmanager
def fill_disk(pages: int) -> Iterator[None]:
    """So many pages of the disk are free, and no more."""
    system = os.statvfs(disk())
    _mount(str(disk()), max((system.f_blocks - system.f_bavail + pages) * system.f_frsize, 1), REMOUNTED)
    try:
        yield
    finally:
        _mount(str(disk()), SIZE, REMOUNTED)


def process(words: tuple[str, ...], patience: float | None = None) -> Ended:
    """A line in a process of its own, killed once it has lived so many seconds."""
    with tempfile.TemporaryDirectory(dir=disk().parent) as streams:
        paths = Path(streams, "output"), Path(streams, "errors")
        for path in paths:
            path.touch()
        begun = time.monotonic()
        if not (child := os.fork()):
            _live(words, *paths)
        if patience is not None:
            time.sleep(patience)
            os.kill(child, signal.SIGKILL)
        status = _status(child)
        seconds = time.monotonic() - begun
        if patience is not None and words[0] == "campaign":
            time.sleep(SETTLED)
        message, complained = (path.read_bytes().decode(errors="replace") for path in paths)
        return Ended(os.waitstatus_to_exitcode(status), message, complained, seconds)


def _status(child: int) -> int:
    """How a process ended; who does not wait any longer does not let it go on, among the files of the next one."""
    try:
        return os.waitpid(child, 0)[1]
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _live(words: tuple[str, ...], *streams: Path) -> None:
    """The life of a copy of this process, which is there for one line."""
    code = 99
    try:
        for number, path in enumerate((Path(os.devnull), *streams)):
            os.dup2(os.open(path, os.O_RDWR), number)
        if words[0] == "site":  # a process has one database
            os.execv(sys.executable, [sys.executable, "-m", "aune", *words])
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
        code = run([*words])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def on_a_full_disk(line: commands.Line, home: Path, before: dict[str, Any], pages: int) -> bool:
    """Whether a line was refused for want of room, once it is sure that it was told so and nothing is left of it."""
    with fill_disk(pages):
        ended = process(line.words)
    after = commands.contents(home)
    commands.restore(home, before, after)
    if ended.code == 0:
        return False
    known = {name: before.get(name) for name in after if KEPT.fullmatch(name) and name in before}
    message = re.sub(r".*the disk is full: waiting for room.*\n", "", ended.errors)  # a line for whoever waits
    remaining = {name: data for name, data in after.items() if not KEPT.fullmatch(name)} | known
    complaint = commands.wrong(line._replace(codes=(2,)), before, remaining, ended.code, ended.output, message)
    if not complaint and (MISLEADING.search(message) or not FULL_DISK.search(message)):
        complaint = f"told as {ended.errors}"
    assert not complaint, f"{pages} pages free: {complaint}"
    return True


class Whole(NamedTuple):
    """What a line does that nobody kills: what is there then, its time, how it ends the second time."""

    contents: dict[str, Any]
    same: set[str]
    seconds: float
    again: int


def whole(line: commands.Line, home: Path, before: dict[str, Any]) -> Whole:
    first = process(line.words)
    after = commands.contents(home)
    again = process(line.words)
    commands.restore(home, before, commands.contents(home))
    second = process(line.words)
    other = commands.contents(home)
    commands.restore(home, before, other)
    assert (first.code, second.code) == (0, 0), first.errors + second.errors
    return Whole(after, {name for name in after if other.get(name) == after[name]}, second.seconds, again.code)


def is_killed(
    line: commands.Line, home: Path, before: dict[str, Any], usual: Callable[[commands.Line], Whole], share: float
) -> bool:
    """Whether a line was killed before its end, once it is sure that nothing is torn, and that the next clears up."""
    good = usual(line)
    ended = process(line.words, share * good.seconds)
    between = commands.contents(home)
    again = process(line.words)
    after = commands.contents(home)
    commands.restore(home, before, after)
    torn = [
        name
        for name in good.same & between.keys()
        if between[name] not in (before.get(name), good.contents[name])
        and not KEPT.fullmatch(name)
        and not _is_later(between[name], good.contents[name])
    ]
    left = [name for name in after.keys() - good.contents.keys() - before.keys() if not KEPT.fullmatch(name)]
    missing = [name for name in good.contents.keys() - between.keys() if not KEPT.fullmatch(name)]
    assert not torn and not left, f"killed at {share:.2f}: torn {torn}, left {left}"
    assert again.code == 0 or (again.code == good.again and not missing), f"killed at {share:.2f}: {again}, {missing}"
    return ended.code < 0


def _is_later(packed: bytes, other: bytes) -> bool:
    """Whether two archives differ by the time that stands in their first bytes."""
    return packed.startswith(GZIP) and packed[HEAD:] == other[HEAD:]


def subjects() -> list[str]:
    return [FULL, KILLED]


def trials(seed: int, number: int, subject: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """So many misfortunes of commands, the same for the same seed, each with how to find out what became of it.

    There are none where no disk can be had.
    """
    try:
        disk()
    except OSError:
        return
    drawn = random.Random(f"{seed} {subject}")
    lines = [line for words, app in commands.commands() for line in commands.full_lines(words, app)]
    chosen = sorted(drawn.choices(lines, k=number), key=lambda line: (*commands.place(line), line.words))
    for (task, room), group in groupby(chosen, key=commands.place):
        with commands.folder(task, room) as home:
            before = commands.contents(home)
            usual = cache(partial(whole, home=home, before=before))
            for line in group:
                if subject == FULL:
                    fate = partial(on_a_full_disk, line, home, before, drawn.choice(FREE))
                else:
                    fate = partial(is_killed, line, home, before, usual, drawn.uniform(0.1, 1.1))
                yield repr(line.words).encode(), fate
