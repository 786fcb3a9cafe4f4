"""The command line: one module per command, found by its path, and one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from aune import STDIN, signals
from aune.errors import AuneError, InputError, UnknownNameError, UsageError, make_visible

INTERNAL_ERROR, USAGE = 70, 2
NO_MEMORY_MESSAGE = "failed to map segment"  # the system's message for a library that does not fit into memory
UNIX_MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
TOO_LARGE = "aune: this needs more memory than there is"
MIN_COLUMNS = 20  # columns of a terminal


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: nothing is read or shown, and nothing may fail
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - open for as long as we run
    _set_minimum_width()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack a letter, a file name may be no text
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def _set_minimum_width() -> None:
    """Lay help out for a terminal wide enough for words: rich never returns in fewer than three columns."""
    sizes = []
    for number in range(3):
        with suppress(OSError):
            sizes.append(os.get_terminal_size(number).columns)
    columns = os.environ.get("COLUMNS", "")
    if min([int(columns)] if columns.isdecimal() else sizes or [MIN_COLUMNS]) < MIN_COLUMNS:
        os.environ["COLUMNS"] = str(MIN_COLUMNS)


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command: 0 done, 1 a gate failed, 2 usage, 3 invalid input, 4 nothing to score,
    70 an internal error.
    """
    try:
        return _execute(arguments)
    except AuneError as error:
        return _print_error(error)
    except KeyboardInterrupt:
        signals.report_interruption()
        return signals.exit_code()
    except BrokenPipeError:
        _close_output()  # the reader has seen enough
        return 0
    except SystemExit:  # so rich leaves when the reader has seen enough
        return 0
    except OSError as error:
        _close_output()
        place = error.filename or "standard output, or a temporary file"
        print(f"aune: {make_visible(str(place))}: {error.strerror}", file=sys.stderr)
        return USAGE
    except MemoryError:
        print(TOO_LARGE, file=sys.stderr)
        return USAGE
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name in UNIX_MODULES:
            print(f"aune: this command needs Linux: Python has no module {error.name} on this system", file=sys.stderr)
            return USAGE
        if signals.was_interrupted():  # while a library loaded, which made another error of it
            signals.report_interruption()
            return signals.exit_code()
        if isinstance(error, ImportError) and NO_MEMORY_MESSAGE in str(error):
            print(TOO_LARGE, file=sys.stderr)
            return USAGE
        if os.environ.get("AUNE_DEBUG"):
            raise
        print(f"aune: internal error: {type(error).__name__}: {make_visible(str(error))}", file=sys.stderr)
        print("aune: set AUNE_DEBUG=1 to see the traceback, and please report it with the files", file=sys.stderr)
        return INTERNAL_ERROR


def _execute(arguments: Sequence[str]) -> int:
    from cyclopts import CycloptsError

    from aune.cli._application import application, flags, option_flag, refusal, unknown_option_message
    from aune.cli._output import QUIET, STANDARD_OUTPUT, check_output, tell
    from aune.files import add_filename

    QUIET.set(not {"--quiet", "-q"}.isdisjoint(arguments))
    arguments = [*arguments[1:], "--help"] if [*arguments[:1]] == ["help"] else [*arguments]
    try:
        words = _expand_words(arguments)
        command, bound, _ = application(words).parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        tell(refusal(error, arguments))
        return USAGE
    check_output(bound.arguments, bound.signature.parameters)
    try:
        outcome = command(*bound.args, **bound.kwargs)
    except UnknownNameError as error:
        if not error.what.startswith("option") or option_flag(error.name) in flags(words):
            raise
        tell(unknown_option_message(option_flag(error.name), words, map(option_flag, error.known)))
        return USAGE
    with add_filename(STANDARD_OUTPUT):
        sys.stdout.flush()
    return outcome if isinstance(outcome, int) else 0


def _expand_words(arguments: Sequence[str]) -> list[str]:
    """The words of the command line with abbreviations expanded and the options of the project added."""
    from aune.cli._application import flags, unknown_word_message
    from aune.cli._defaults import project, project_options
    from aune.cli._output import note

    words = [
        STDIN if word == "-" else word for word in arguments if word not in ("--quiet", "-q")
    ]  # a bare - would be an option
    if "--json" in words and "--format" in flags(words):
        words[words.index("--json")] = "--format=json"
    if message := unknown_word_message(words):
        raise UsageError(message)
    of_project = project(Path.cwd())
    added = project_options(of_project, words) if of_project and flags(words) else []
    if of_project and added:
        note(f"with {' '.join(added)} from {of_project.path}")
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], *added, *words[place:]]


def _close_output() -> None:
    """Discard what follows on standard output, and what is still buffered."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(error: AuneError) -> int:
    if isinstance(error, InputError):
        from aune.cli._output import SCREENFUL, problem_lines, show_all

        print("\n".join(problem_lines(error.problems, None if show_all() else SCREENFUL)), file=sys.stderr)
        count = len(error.problems)
        print(f"aune: {count:,} problem{'s' if count > 1 else ''} in the input", file=sys.stderr)
    else:
        print(f"aune: {error}", file=sys.stderr)
    return error.exit_code
