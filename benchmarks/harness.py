"""How a benchmark is timed: each contestant in a process of its own, best of a few runs, with its memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple


class Run(NamedTuple):
    name: str
    seconds: float
    megabytes: float
    answer: str


def best_time(name: str, work: Callable[[], object], repeats: int = 3) -> Run:
    """The best of a few runs of a function, in this process."""
    best, answer = float("inf"), ""
    for _ in range(repeats):
        started = time.perf_counter()
        answer = str(work())
        best = min(best, time.perf_counter() - started)
    return Run(name, best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, answer)


def in_process(name: str, module: str, function: str, arguments: Sequence[str], repeats: int = 2) -> Run | None:
    """`module.function(*arguments)` in a process of its own, imports not counted; None when it cannot be imported."""
    code = (
        "import sys, time, resource, importlib\n"
        f"work = getattr(importlib.import_module({module!r}), {function!r})\n"
        "best = float('inf')\n"
        f"for _ in range({repeats}):\n"
        "    start = time.perf_counter(); answer = work(*sys.argv[1:]); best = min(best, time.perf_counter() - start)\n"
        "print(best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, answer, sep='\\t')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: did not run ({done.stderr.strip().splitlines()[-1] if done.stderr else 'no message'})")
        return None
    seconds, megabytes, answer = done.stdout.rstrip("\n").split("\n")[-1].split("\t", 2)
    return Run(name, float(seconds), float(megabytes), answer)


PEERS = ("jiwer", "kaldialign", "meeteval", "seqeval", "nervaluate", "udtools", "scorch", "metametric", "scipy")
"""Packages that benchmarks compare with; ratios in the documentation name the version."""


def peer_versions() -> str:
    """The versions of the peers that are installed, for the heading of the figures."""
    installed = {}
    for name in PEERS:
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return ", ".join(f"{name} {number}" for name, number in installed.items()) or "no peers are installed"


def of_tests(path: str) -> ModuleType:
    """A module of the tests, by its file, for installed packages are called `tests` too."""
    spec = spec_from_file_location(Path(path).stem, Path(__file__).resolve().parent.parent / "tests" / path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(runs: Sequence[Run | None]) -> None:
    """The runs, with the time of each as a multiple of the first one's."""
    finished = [run for run in runs if run is not None]
    width = max(len(run.name) for run in finished)
    for run in finished:
        ratio = run.seconds / finished[0].seconds
        print(f"{run.name:{width}}  {run.seconds:9.3f} s  {ratio:7.1f} ×  {run.megabytes:6.0f} MB  {run.answer}")
