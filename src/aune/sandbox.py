"""The sandbox: functions and programs in processes of their own, with limits, and for foreign code without network.

    run_function    a function, in a fork of this process
    run_program     a program, in a new process
    restrict        sets limits in a process that was forked otherwise
    choose_sandbox  how this machine keeps a program from the network and from its files

A child process leads a process group of its own. The group is killed when the child ends, when its time is over, and
when the process that started it is interrupted.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from aune.errors import UsageError

POLL_SECONDS = 0.2  # seconds between two looks at a child
CPU_GRACE = 5  # seconds of computing between the signal that ends a process and the one that kills it
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
FAILED = 70  # the exit code of a child whose function raised an exception
BLOCK = 1 << 16  # bytes that are read at once
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
"""Variables of the environment of a program with limited memory, which the threads of libraries would need."""


class Limits(NamedTuple):
    """The limits of a process; None is no limit."""

    seconds: int
    """Seconds of computing, and of the clock."""
    memory: int | None = None
    """Bytes of memory."""
    file_size: int | None = None
    """Bytes of the largest file that it may write."""


class Ending(NamedTuple):
    """How a child process ended."""

    code: int | None
    """The exit code, minus the number of the signal that ended it, or None if its time was over."""
    output: bytes = b""
    """What the function returned."""


def restrict(limits: Limits, process: int = 0) -> None:
    """Set the limits of this process, or of another one of this user. A lower limit stays, and no core is dumped."""
    import resource  # noqa: PLC0415 - only Unix has it

    soft_and_hard = {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_CPU: (limits.seconds, limits.seconds + CPU_GRACE),
        resource.RLIMIT_AS: (limits.memory, limits.memory),
        resource.RLIMIT_FSIZE: (limits.file_size, limits.file_size),
    }
    for kind, (soft, hard) in soft_and_hard.items():
        if soft is None or hard is None:
            continue
        present = resource.getrlimit(kind)[1]
        bounds = (soft, hard) if present == resource.RLIM_INFINITY else (min(soft, present), min(hard, present))
        if process:
            resource.prlimit(process, kind, bounds)
        else:
            resource.setrlimit(kind, bounds)


def run_function(
    function: Callable[[], bytes], limits: Limits, is_wanted: Callable[[], bool] = lambda: True, *,
    folder: Path | None = None,
) -> Ending:  # fmt: skip
    """Run a function in a fork of this process, which should have one thread, and return what it returned.

    The child ends with this process. Its `folder`, if it has one, is then removed, as nobody waits for the result.
    `is_wanted` is called several times a second, and ends the child by returning False.
    """
    reader, writer = os.pipe()
    lifeline, lifeline_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.close(lifeline_end)
        _run_and_exit(function, limits, folder, writer, lifeline)
    os.close(writer)
    os.close(lifeline)
    code = None
    try:
        with os.fdopen(reader, "rb", buffering=0) as pipe:
            output = _wait(child, pipe.fileno(), limits.seconds, is_wanted)
    finally:
        _kill_group(child)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(lifeline_end)
    return Ending(None) if output is None else Ending(code, output)


def _run_and_exit(function: Callable[[], bytes], limits: Limits, folder: Path | None, writer: int, line: int) -> None:
    """Run the function in the child process; never returns."""
    code = FAILED
    try:
        os.setsid()
        if folder:
            end_with_parent(line, folder)
        else:
            die_with_parent()
        restrict(limits)
        output = function()
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(output)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait(child: int, pipe: int, seconds: float, is_wanted: Callable[[], bool]) -> bytes | None:
    """The output of a child that ended, empty if it is not wanted; None if its time was over."""
    deadline, parts, is_open = time.monotonic() + seconds, list[bytes](), True
    while True:
        if not is_open:
            time.sleep(POLL_SECONDS / 100)
        elif select.select([pipe], [], [], POLL_SECONDS)[0]:
            parts.append(os.read(pipe, BLOCK))
            is_open = parts[-1] != b""
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):  # it stays a zombie, whose group is killed
            return b"".join([*parts, *_rest(pipe)])
        if time.monotonic() > deadline:
            return None
        if not is_wanted():
            return b""


def _rest(pipe: int) -> list[bytes]:
    """What is left in a pipe, which other processes may still have."""
    os.set_blocking(pipe, False)
    parts = []
    with suppress(BlockingIOError):
        while part := os.read(pipe, BLOCK):
            parts.append(part)
    return parts


def run_program(
    command: Sequence[str], limits: Limits, *, environment: Mapping[str, str], folder: Path | None = None,
    stdin: int = subprocess.DEVNULL, stdout: int | IO[Any] = subprocess.DEVNULL,
    stderr: int | IO[Any] = subprocess.DEVNULL,
) -> int | None:  # fmt: skip
    """Run a program and return its exit code, None if its time was over; all processes that it started are killed.

    `folder` is its working folder. With `stdin=subprocess.PIPE` it has a pipe that closes when this process dies (see
    `end_with_parent`).
    """
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    )
    try:
        with suppress(ProcessLookupError, PermissionError):  # it may have ended, or run as another user
            restrict(limits, process.pid)
        return process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _kill_group(process.pid)
        process.communicate()


def _kill_group(process: int) -> None:
    """Kill a child and its process group, which a child that has just begun does not lead yet."""
    for end in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            if process > 1:
                end(process, signal.SIGKILL)


def die_with_parent() -> None:
    """Have the system kill this process when the one that forked it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)


def end_with_parent(pipe: int, folder: Path) -> None:
    """Remove a folder and end this process and its group when the other end of a pipe closes: its parent died."""

    def watch() -> None:
        while os.read(pipe, 1):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


# Without network.

BUBBLEWRAP, NAMESPACES = "bubblewrap", "namespaces"
"""bubblewrap: a program reads the system's programs and aune, writes the folder of its job, and sees nothing else.
namespaces: `unshare` of util-linux: no network and no other processes, but all files of the user; only for the
code of one's own campaign, never for the code in a stranger's archive."""
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
PROBE_SECONDS = 20
SCRATCH = "/tmp"
PACKAGE = Path(__file__).parent


class NoSandboxError(UsageError):
    """Raised if this machine has no sandbox in which a scorer can run."""


class Sandbox(NamedTuple):
    """A way to run a command without network."""

    name: str

    def command(self, folder: Path, command: Sequence[str]) -> list[str]:
        """A command line that runs a command in the sandbox, which may write to one folder."""
        if self.name == NAMESPACES:
            return [*_UNSHARE, "--", *command]
        places = [*SYSTEM_FOLDERS, *(place for place in _python_folders() if not folder.is_relative_to(place))]
        shown = [part for place in places for part in ("--ro-bind-try", place, place)]
        return [
            "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--tmpfs", SCRATCH, *shown, "--dev", "/dev",
            "--bind", str(folder), str(folder), "--chdir", str(folder), "--", *command,
        ]  # fmt: skip


_UNSHARE = (
    "unshare", "--user", "--map-current-user", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
)  # fmt: skip


def _python_folders() -> list[str]:
    """The folders of this Python, its packages and aune; not the working folder, which `python -m` adds to the path."""
    here = str(Path.cwd())
    on_path = [place for place in sys.path if place != here]
    places = [sys.prefix, sys.base_prefix, *on_path, str(PACKAGE.parent)]
    folders = dict.fromkeys(str(Path(place).resolve()) for place in places if place and Path(place).is_dir())
    return [*folders, *dict.fromkeys(place for place in places if place and Path(place).is_symlink())]


def choose_sandbox(*, for_strangers: bool = False) -> Sandbox:
    """The sandbox in which scorers run on this machine; raises `NoSandboxError` with the reasons if there is none."""
    reasons = []
    for name in (BUBBLEWRAP,) if for_strangers else (BUBBLEWRAP, NAMESPACES):
        reason = _obstacle(name)
        if not reason:
            return Sandbox(name)
        reasons.append(reason)
    advice = "install bubblewrap (`apt install bubblewrap`), and allow user namespaces"
    raise NoSandboxError(f"a scorer runs only without network, and this machine cannot: {'; '.join(reasons)}; {advice}")


@cache
def _obstacle(name: str) -> str:
    """The reason why a sandbox does not work here; '' if it works."""
    program = "bwrap" if name == BUBBLEWRAP else "unshare"
    if shutil.which(program) is None:
        return f"{program} is not installed"
    check = [sys.executable, "-c", "import json"]
    try:
        outcome = subprocess.run(
            Sandbox(name).command(PACKAGE, check), capture_output=True, timeout=PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} does not start ({error})"
    last = outcome.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"{program} is refused ({last[:200]})" if outcome.returncode else ""
