"""The command line: one module per command, found by its path, and one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import groupby

from aune import STDIN
from aune.core.errors import AuneError, InputError, Problem, UnknownNameError

BUG, INTERRUPTED, USAGE = 70, 130, 2
SCREENFUL = 20  # problems of one file that are shown


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever called: nobody listens, but nothing may break
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - open for as long as we run
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack a letter, a file name may be no text
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command: 0 done, 1 a gate failed, 2 usage, 3 invalid input, 4 nothing to score, 70 a bug."""
    try:
        return _outcome(arguments)
    except AuneError as error:
        return _told(error)
    except KeyboardInterrupt:
        print("aune: interrupted, nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _hush()  # the reader has seen enough
        return 0
    except SystemExit:  # so rich leaves when the reader has seen enough
        return 0
    except OSError as error:
        _hush()
        print(f"aune: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        return USAGE
    except MemoryError:
        print("aune: this needs more memory than there is", file=sys.stderr)
        return USAGE
    except Exception as error:
        if os.environ.get("AUNE_DEBUG"):
            raise
        print(f"aune: a bug of ours: {type(error).__name__}: {error}", file=sys.stderr)
        print("aune: set AUNE_DEBUG=1 to see where, and please report it with the files", file=sys.stderr)
        return BUG


def _outcome(arguments: Sequence[str]) -> int:
    from cyclopts import CycloptsError

    from aune.cli._application import application, flags, refusal, typed, unknown_among, unknown_option
    from aune.cli._output import check_output, tell

    words = [STDIN if word == "-" else word for word in arguments]  # cyclopts takes a bare - for an option
    if message := unknown_among(words):
        tell(message)
        return USAGE
    try:
        command, bound, _ = application().parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        tell(refusal(error, words))
        return USAGE
    check_output(bound.arguments)
    try:
        outcome = command(*bound.args, **bound.kwargs)
    except UnknownNameError as error:
        if not error.what.startswith("option") or typed(error.name) in flags(words):
            raise
        tell(unknown_option(typed(error.name), words, map(typed, error.known)))
        return USAGE
    sys.stdout.flush()
    return outcome if isinstance(outcome, int) else 0


def _hush() -> None:
    """Nothing more goes to standard output, not even what waits to be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def listed(problems: Sequence[Problem], most: int | None) -> Iterator[str]:
    """The problems of each file, at most so many of them, and then how many more there are and how to see them."""
    for path, of_file in groupby(problems, key=lambda problem: problem.path):
        every = [*of_file]
        yield from map(str, every[:most])
        if most is not None and len(every) > most:
            yield f"{path}: … and {len(every) - most:,} more: set AUNE_ALL=1 to see all"


def _told(error: AuneError) -> int:
    if isinstance(error, InputError):
        everything = bool(os.environ.get("AUNE_ALL"))
        print("\n".join(listed(error.problems, None if everything else SCREENFUL)), file=sys.stderr)
        count = len(error.problems)
        print(f"aune: {count} problem{'s' if count > 1 else ''} in the input", file=sys.stderr)
    else:
        print(f"aune: {error}", file=sys.stderr)
    return error.exit_code
