"""Take from aune what only Unix has, in this process and all that it starts: Python imports this file when it starts.

Python's library and other packages keep everything: on Windows they have their own ways. Only modules whose names begin
with `aune` miss the modules, functions and constants, fork nothing, move no open file, and wait for sockets alone.
"""

from __future__ import annotations

import builtins
import multiprocessing
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = {"fcntl", "grp", "pwd", "resource", "syslog", "termios", "pty", "tty"}
ATTRIBUTES = {
    os: "O_CLOEXEC O_NONBLOCK O_NOFOLLOW O_DIRECTORY O_NOCTTY fork forkpty chown fchown lchown fchmod geteuid getuid "
        "getegid getgid setsid killpg getpgid statvfs sysconf mkfifo mknod sched_getaffinity getloadavg nice wait4 "
        "WNOHANG WIFSIGNALED WTERMSIG",
    signal: "SIGHUP SIGKILL SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGXCPU SIGCHLD SIGSTOP SIGCONT SIG_BLOCK alarm "
            "setitimer pthread_sigmask sigwait pause",
    socket: "send_fds recv_fds",
}  # fmt: skip
Function = Callable[..., Any]


def is_aune(depth: int) -> bool:
    """Whether the code that called, so many frames above, is a module of aune."""
    return str(sys._getframe(depth + 1).f_globals.get("__name__", "")).partition(".")[0] == "aune"


def hide(module: ModuleType, names: str) -> None:
    """Take attributes from a module, for aune alone."""
    hidden = {name: module.__dict__.pop(name) for name in names.split() if name in module.__dict__}

    def find_attribute(name: str) -> Any:
        if name in hidden and not is_aune(1):
            return hidden[name]
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__getattr__ = find_attribute  # type: ignore[method-assign]


def without_modules(load: Function) -> Function:
    def load_known(name: str, context: Any = None, *others: Any, **options: Any) -> Any:
        if name in MODULES and str((context or {}).get("__name__", "")).partition(".")[0] == "aune":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return load(name, context, *others, **options)

    return load_known


def for_closed_files(move: Function) -> Function:
    def move_closed(source: Any, target: Any, **options: Any) -> Any:
        for handle in Path("/proc/self/fd").iterdir():
            if handle.exists() and handle.resolve() == Path(source).resolve():
                raise PermissionError(13, "the file is open", os.fspath(source))
        return move(source, target, **options)

    return move_closed


def for_files(open_file: Function) -> Function:
    def open_no_folder(path: Any, *others: Any, **options: Any) -> Any:
        if is_aune(1) and isinstance(path, str | os.PathLike) and Path(path).is_dir():
            raise PermissionError(13, "a folder", os.fspath(path))
        return open_file(path, *others, **options)

    return open_no_folder


def for_sockets(wait: Function) -> Function:
    def wait_for_sockets(*groups: Any) -> Any:
        if is_aune(1) and any(not isinstance(part, socket.socket) for group in groups[:3] for part in group):
            raise OSError(10038, "not a socket")
        return wait(*groups)

    return wait_for_sockets


def for_spawning(make: Function) -> Function:
    def spawn_only(method: str | None = None) -> Any:
        if method in ("fork", "forkserver"):
            raise ValueError(f"cannot find context for {method!r}")
        return make("spawn")

    return spawn_only


for system_module, attributes in ATTRIBUTES.items():
    hide(system_module, attributes)
builtins.__import__ = without_modules(builtins.__import__)
os.replace, os.rename = for_closed_files(os.replace), for_closed_files(os.rename)
os.open = for_files(os.open)
select.select = for_sockets(select.select)
multiprocessing.set_start_method("spawn")
multiprocessing.get_context = for_spawning(multiprocessing.get_context)
