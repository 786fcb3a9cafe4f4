"""The command line: one module per command, found by its path, and one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from aune import STDIN
from aune.core import signals
from aune.core.errors import AuneError, InputError, UnknownNameError, UsageError, visible

BUG, USAGE = 70, 2
NO_ROOM = "failed to map segment"  # what the system says of a library that does not fit
TOO_LARGE = "aune: this needs more memory than there is"
NARROWEST = 20  # columns of a terminal


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever called: nobody listens, but nothing may break
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - open for as long as we run
    _widen()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack a letter, a file name may be no text
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def _widen() -> None:
    """Let help be laid out for a terminal that has room for words: rich never ends in less than three columns."""
    sizes = []
    for number in range(3):
        with suppress(OSError):
            sizes.append(os.get_terminal_size(number).columns)
    told = os.environ.get("COLUMNS", "")
    if min([int(told)] if told.isdecimal() else sizes or [NARROWEST]) < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command: 0 done, 1 a gate failed, 2 usage, 3 invalid input, 4 nothing to score, 70 a bug."""
    try:
        return _outcome(arguments)
    except AuneError as error:
        return _told(error)
    except KeyboardInterrupt:
        signals.tell()
        return signals.code()
    except BrokenPipeError:
        _hush()  # the reader has seen enough
        return 0
    except SystemExit:  # so rich leaves when the reader has seen enough
        return 0
    except OSError as error:
        _hush()
        place = error.filename or "standard output, or a temporary file"
        print(f"aune: {visible(str(place))}: {error.strerror}", file=sys.stderr)
        return USAGE
    except MemoryError:
        print(TOO_LARGE, file=sys.stderr)
        return USAGE
    except Exception as error:
        if signals.was_interrupted():  # while a library loaded, which made another error of it
            signals.tell()
            return signals.code()
        if isinstance(error, ImportError) and NO_ROOM in str(error):
            print(TOO_LARGE, file=sys.stderr)
            return USAGE
        if os.environ.get("AUNE_DEBUG"):
            raise
        print(f"aune: a bug of ours: {type(error).__name__}: {visible(str(error))}", file=sys.stderr)
        print("aune: set AUNE_DEBUG=1 to see where, and please report it with the files", file=sys.stderr)
        return BUG


def _outcome(arguments: Sequence[str]) -> int:
    from cyclopts import CycloptsError

    from aune.cli._application import application, flags, refusal, typed, unknown_option
    from aune.cli._output import QUIET, STANDARD_OUTPUT, check_output, tell
    from aune.core.files import naming

    QUIET.set(not {"--quiet", "-q"}.isdisjoint(arguments))
    arguments = [*arguments[1:], "--help"] if [*arguments[:1]] == ["help"] else [*arguments]
    try:
        words = _words(arguments)
        command, bound, _ = application().parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        tell(refusal(error, arguments))
        return USAGE
    check_output(bound.arguments, bound.signature.parameters)
    try:
        outcome = command(*bound.args, **bound.kwargs)
    except UnknownNameError as error:
        if not error.what.startswith("option") or typed(error.name) in flags(words):
            raise
        tell(unknown_option(typed(error.name), words, map(typed, error.known)))
        return USAGE
    with naming(STANDARD_OUTPUT):
        sys.stdout.flush()
    return outcome if isinstance(outcome, int) else 0


def _words(arguments: Sequence[str]) -> list[str]:
    """What was typed, in full: with what stands for something else replaced, and the options of the project."""
    from aune.cli._application import flags, unknown_among
    from aune.cli._defaults import given_by, project
    from aune.cli._output import note

    words = [
        STDIN if word == "-" else word for word in arguments if word not in ("--quiet", "-q")
    ]  # a bare - would be an option
    if "--json" in words and "--format" in flags(words):
        words[words.index("--json")] = "--format=json"
    if message := unknown_among(words):
        raise UsageError(message)
    of_project = project(Path.cwd())
    added = given_by(of_project, words) if of_project and flags(words) else []
    if of_project and added:
        note(f"with {' '.join(added)} from {of_project.path}")
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], *added, *words[place:]]


def _hush() -> None:
    """Nothing more goes to standard output, not even what waits to be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _told(error: AuneError) -> int:
    if isinstance(error, InputError):
        from aune.cli._output import SCREENFUL, listed, show_all

        print("\n".join(listed(error.problems, None if show_all() else SCREENFUL)), file=sys.stderr)
        count = len(error.problems)
        print(f"aune: {count:,} problem{'s' if count > 1 else ''} in the input", file=sys.stderr)
    else:
        print(f"aune: {error}", file=sys.stderr)
    return error.exit_code
