"""The command line, Python and reports where the system lacks what only Unix has, as far as it can be shown on Linux.

A process is started in which modules, functions and constants that Windows lacks are gone, where an open file can be
neither renamed nor replaced, and where no process is forked. What it does is done again without, and compared.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from aune.reading import system_names as names
from aune.reports import format_of

ROOT = Path(__file__).resolve().parent.parent
BARE = r'''
import os, signal, sys
import asyncio, concurrent.futures, multiprocessing, shutil, socket, subprocess, tarfile, tempfile  # Python's own parts

for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "pty", "tty"):
    sys.modules[name] = None
GONE = {
    os: "O_CLOEXEC O_NONBLOCK O_NOFOLLOW O_DIRECTORY O_NOCTTY fork forkpty chown fchown lchown fchmod geteuid getuid "
        "getegid getgid setsid killpg getpgid statvfs sysconf mkfifo mknod sched_getaffinity getloadavg nice wait4",
    signal: "SIGHUP SIGKILL SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGXCPU SIGCHLD SIGSTOP SIGCONT alarm "
            "setitimer pthread_sigmask sigwait pause",
}
for module, attributes in GONE.items():
    for attribute in attributes.split():
        if hasattr(module, attribute):
            delattr(module, attribute)


def on_closed_files_alone(function):
    """Windows moves no file that is open."""
    def moved(source, target, **options):
        handles = [os.path.join("/proc/self/fd", number) for number in os.listdir("/proc/self/fd")]
        for handle in handles:
            if os.path.exists(handle) and os.path.realpath(handle) == os.path.realpath(source):
                raise PermissionError(13, "the file is open", os.fspath(source))
        return function(source, target, **options)
    return moved


os.replace, os.rename = on_closed_files_alone(os.replace), on_closed_files_alone(os.rename)
context = multiprocessing.get_context


def spawn_alone(method=None):
    if method in ("fork", "forkserver"):
        raise ValueError(f"cannot find context for {method!r}")
    return context(method or "spawn")


multiprocessing.get_context = spawn_alone
'''


def run_bare(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BARE + program], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


def run_commands(commands: list[list[str]], folder: Path) -> list[dict[str, object]]:
    """What commands print and return, one after another in one such process."""
    program = f"""
import contextlib, io, json
from aune.cli import run
outcomes = []
for words in {commands!r}:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    outcomes.append({{"code": code, "out": out.getvalue(), "err": err.getvalue()}})
print(json.dumps(outcomes))
"""
    done = run_bare(program, folder)
    assert done.returncode == 0, done.stderr
    outcomes: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return outcomes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bare")
    (home / "examples").symlink_to(ROOT / "examples")
    return home


KEY, RESPONSE = "examples/coref/key.conll", "examples/coref/neural.conll"


def test_commands_work_and_write_files(folder: Path) -> None:
    commands = [
        ["--help"],
        ["score", "coref", KEY, RESPONSE, "-m", "conll,lea", "--ci"],
        ["score", "coref", KEY, RESPONSE, "-o", "scores.json"],
        ["score", "coref", KEY, RESPONSE, "-o", "scores.json"],
        ["score", "coref", KEY, RESPONSE, "-m", "muc", "--workers", "2"],
        ["compare", "asr", "examples/speech/key.jsonl", "examples/speech/north.jsonl", "examples/speech/south.jsonl"],
        ["convert", "coref", KEY, "new.jsonl"],
        ["report", "coref", KEY, RESPONSE, "-o", "report.html"],
        ["examples", "mine"],
        ["validate", "coref", "nowhere.conll"],
    ]
    outcomes = run_commands(commands, folder)
    assert [outcome["code"] for outcome in outcomes] == [0] * 9 + [3], [outcome["err"] for outcome in outcomes]
    usual = subprocess.run(
        [sys.executable, "-m", "aune", *commands[1]], cwd=folder, capture_output=True, text=True, check=True
    )
    assert usual.stdout == outcomes[1]["out"]
    assert json.loads((folder / "scores.json").read_text())["task"] == "coref"
    assert (folder / "report.html").stat().st_size > 100_000 and (folder / "new.jsonl").exists()
    assert (folder / "mine" / "coref" / "key.conll").exists() and not list(folder.glob(".aune-*"))


def test_python_works(folder: Path) -> None:
    program = f"""
import aune
result = aune.score("coref", {KEY!r}, {RESPONSE!r}, ci=True)
aune.save(result, "run.json")
assert aune.load("run.json")["conll"].f1 == result["conll"].f1
aune.report("coref", {KEY!r}, [{RESPONSE!r}], "python.html")
aune.compare({{"A": "run.json", "B": "run.json"}})
"""
    done = run_bare(program, folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "run.json").exists() and (folder / "python.html").exists()


@pytest.mark.parametrize("words", [["serve"], ["campaign", "status", "x"], ["site", "backup", "x", "y"]], ids=" ".join)
def test_servers_and_campaigns_say_what_they_need(words: list[str], folder: Path) -> None:
    [outcome] = run_commands([words], folder)
    assert outcome["code"] == 2 and "needs Linux" in str(outcome["err"]), outcome


def test_paths_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of systems and formats from paths with backslashes, a drive and capital letters."""
    monkeypatch.setattr(names, "Path", PureWindowsPath)
    monkeypatch.setattr(PureWindowsPath, "exists", lambda self: False, raising=False)
    assert names.system_names([r"C:\runs\A.CONLL", r"out\b.conll.gz", r"best=D:\x\c.conll"]) == {
        "A": r"C:\runs\A.CONLL", "b": r"out\b.conll.gz", "best": r"D:\x\c.conll",
    }  # fmt: skip
    assert names.system_names([r"runs\a=b\c.conll"]) == {"c": r"runs\a=b\c.conll"}
    assert format_of(Path("TABLE.TEX")) == "latex"
