"""The way of one call through the house: which of our files it enters, and how often it changes from one to another.

    python tests/trace.py                       the call that the aim is set for
    python tests/trace.py --calls list tasks    another command; --calls prints every call, indented

A command runs in this process, in the state that a fresh `aune` finds: what commands, tasks and formats a folder holds
is looked up again. What is counted:

- a **file** is one of `src/aune` in which at least one function of its own is called. A file that is only imported does
  not count: its module and class bodies are no functions, although functions that run while it is imported are. A
  lambda, a comprehension or a generator expression belongs to the function that it stands in, and is not counted;
  neither are the methods that Python writes for dataclasses and named tuples.
- a **function** is counted once, however often it is called.
- a **change of file** is a call of a function (or a generator that goes on) whose file is another one than that of the
  function of ours that began last. A return changes nothing. Going back and forth is counted each time.

Worker processes and threads are not followed: the call of the aim has none.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import aune

SOURCE = f"{Path(aune.__file__).parent}/"
EXAMPLES = Path(__file__).parents[1] / "examples" / "coref"
SCORE = ("score", "coref", str(EXAMPLES / "key.conll"), str(EXAMPLES / "neural.conll"), "-m", "muc")
"""The command that the aim is set for."""


@dataclass
class Trace:
    """Our functions that ran, and where."""

    functions: set[CodeType] = field(default_factory=set)
    calls: list[tuple[int, CodeType]] = field(default_factory=list)
    """Every call in order, with its depth among our functions."""
    changes: int = 0

    def files(self) -> Counter[str]:
        """How many functions ran in each file, by its path under `src/aune`."""
        return Counter(code.co_filename.removeprefix(SOURCE) for code in self.functions)


def trace_command(arguments: Sequence[str]) -> Trace:
    """The trace of a command, whose output is dropped."""
    from aune.cli import run

    trace = Trace()
    depth = 0
    current = ""

    def record(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, current
        code = frame.f_code
        if event not in ("call", "return") or not is_counted(code):
            return
        depth += 1 if event == "call" else -1
        if event == "call":
            trace.changes += code.co_filename != current
            current = code.co_filename
            trace.functions.add(code)
            trace.calls.append((depth, code))

    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(io.StringIO()):
        sys.setprofile(record)
        try:
            run(arguments)
        finally:
            sys.setprofile(None)
    return trace


def is_counted(code: CodeType) -> bool:
    """Whether this is a function of ours: a function or method that somebody wrote under a name."""
    is_function = code.co_flags & 0x2 and not code.co_name.startswith("<")  # CO_NEWLOCALS; a class body has none
    return code.co_filename.startswith(SOURCE) and bool(is_function)


def figures(trace: Trace) -> tuple[int, int, int]:
    """Files, functions, changes of file."""
    return len(trace.files()), len(trace.functions), trace.changes


def main() -> None:
    """Print the figures, and the files with the number of functions in each."""
    parser = argparse.ArgumentParser(description="The way of a command through the files of aune.")
    parser.add_argument("--calls", action="store_true", help="print every call, indented by its depth")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what follows aune on the command line")
    args = parser.parse_args()
    trace = trace_command(args.command or SCORE)
    if args.calls:
        for depth, code in trace.calls:
            print(f"{'  ' * depth}{code.co_filename.removeprefix(SOURCE)}:{code.co_firstlineno} {code.co_qualname}")
    files, functions, changes = figures(trace)
    print(f"files entered {files}, functions called {functions}, changes of file {changes}")
    for path, count in sorted(trace.files().items()):
        print(f"{count:5} {path}")


if __name__ == "__main__":
    main()
