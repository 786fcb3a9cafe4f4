"""What commands share: where results go, and what the user hears meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import TextIOWrapper
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from aune import STDIN
from aune.errors import make_visible

if TYPE_CHECKING:
    from aune.contract.format import Format
    from aune.contract.signature import Signature
    from aune.errors import Problem
    from aune.reports.tabular import Table
    from aune.results.result import Result

OutputFormat: TypeAlias = Annotated[str | None, Parameter(name=["--format", "-f"])]
OutputFile: TypeAlias = Annotated[Path | None, Parameter(name=["--output", "-o"])]
SignatureStyle: TypeAlias = Annotated[str | None, Parameter(help=(
    "How signatures are printed: short (on one line), long (all options that can change a number) or none. By default "
    "short on the screen, and long in files and in markdown, latex and html."
))]  # fmt: skip
AsJson: TypeAlias = Annotated[bool, Parameter(name=["--json"], negative=())]
"""Of commands whose output has one other form alone."""
STANDARD_OUTPUT = Path("standard output")
"""What a stream is called that cannot be written."""
PROGRESS_DELAY = 1.0  # seconds before a progress bar appears


QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether the user wants to hear of errors alone."""
QUOTED = re.compile(r"'[^']*'")
MOST_TEXT = 1 << 22  # characters of a result that are in memory at once
SCREENFUL = 20  # warnings, or problems of the input, that are shown


def tell(message: str) -> None:
    """A line for the user, apart from the result."""
    print(f"aune: {make_visible(message)}", file=sys.stderr)


def note(message: str) -> None:
    """A line that one can do without."""
    if not QUIET.get():
        tell(message)


def warn(warnings: Iterable[str]) -> None:
    """What the user should know about the result, a line each; a screenful, and how many more there are."""
    lines = list(dict.fromkeys(warnings))
    shown = lines if show_all() else lines[:SCREENFUL]
    for warning in shown:
        note(f"warning: {warning}")
    if len(lines) > len(shown):
        note(f"… and {len(lines) - len(shown):,} more warnings like these: set {ALL}=1 to see all, or look into --json")


ALL = "AUNE_ALL"


def show_all() -> bool:
    """Whether the user wants to see every warning and every problem."""
    return bool(os.environ.get(ALL))


def problem_lines(problems: Sequence[Problem], most: int | None) -> Iterator[str]:
    """The problems of each file: those that say the same once, at most so many, and then how many more there are.

    Messages that differ in the names they quote say the same.
    """
    files: dict[str, dict[str, list[Problem]]] = {}
    for problem in problems:
        files.setdefault(problem.place.path, {}).setdefault(QUOTED.sub("''", problem.message), []).append(problem)
    if most is None:
        yield from map(str, problems)
        return
    share = max(1, most // max(1, len(files)))
    for path, kinds in files.items():
        for alike in list(kinds.values())[:share]:
            yield f"{alike[0]}" + (f" (and {len(alike) - 1:,} more like this)" if len(alike) > 1 else "")
        if len(kinds) > share:
            more = sum(len(alike) for alike in list(kinds.values())[share:])
            yield f"{path}: … and {more:,} more: set AUNE_ALL=1 to see all"


def problem_fields(problem: Problem) -> dict[str, Any]:
    """A problem as JSON shows it: its place, its code, its parts and the whole message."""
    remedies = [{"text": remedy.text, "options": dict(remedy.options)} for remedy in problem.remedies]
    return {
        **problem.place._asdict(),
        "code": problem.code,
        "message": problem.message,
        "found": problem.found,
        "expected": problem.expected,
        "remedies": remedies,
        "severity": problem.severity,
    }


def chosen_format(format: str | None, output: Path | None) -> str:
    """The format that was asked for, or the one that the name of the output file says."""
    from aune.reports import format_of

    return format or format_of(output)


def has_colour(output: Path | None) -> bool:
    """Whether there is someone to see colours."""
    return output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def screen(output: Path | None) -> dict[str, Any]:
    """How tables are drawn for whoever sees them: in colour, and no wider than the terminal."""
    if output is not None or not sys.stdout.isatty():
        return {}
    return {"colour": has_colour(output), "width": shutil.get_terminal_size().columns}


FILES = ("output", "disagreements", "per_unit", "figure", "junit", "summary")
FILES_OR_FOLDERS = ("target", "rows", "projected")
"""Arguments that name what a command writes: a file, or what may be a folder (tests/fuzz finds any other)."""

NAMES = ("task", "input_format", "output_format", "format", "place")
"""Arguments whose values are words of ours: a folder may be called the same."""


def check_output(arguments: Mapping[str, Any], takes: Collection[str]) -> None:
    """Refuse an output that cannot be written, or is one of the files given, before any work is done."""
    from aune.files import check_not_input, check_target

    if "format" in takes and (requested := arguments.get("format")):
        from aune.contract.options import check_known
        from aune.reports import FORMATS

        check_known([requested], FORMATS, "output format")
    if isinstance(output := arguments.get("output"), Path) and "format" in takes and str(output) not in ("-", STDIN):
        chosen_format(arguments.get("format"), output)

    texts = [
        text
        for name, value in arguments.items()
        if name not in FILES + FILES_OR_FOLDERS + NAMES
        for text in _texts(value)
    ]
    inputs = [Path(part) for text in texts for part in (text, text.partition("=")[2]) if part]
    targets: list[Path] = []
    for name in FILES + FILES_OR_FOLDERS:
        output = str(arguments.get(name) or "")
        if output not in ("", "-", STDIN):
            (check_target if name in FILES else check_not_input)(Path(output), inputs)
            _check_two(Path(output), targets)
            targets.append(Path(output))


def _check_two(target: Path, others: Iterable[Path]) -> None:
    """Refuse a target that the same command writes already: one of the two would be lost."""
    from aune.errors import UsageError

    for other in others:
        if os.path.realpath(target) == os.path.realpath(other) and (target.is_file() or not target.exists()):
            raise UsageError(f"{target}: would be written twice, once over the other: name two files")


def _texts(value: Any) -> Iterator[str]:
    """The paths and strings in the value of an argument."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from (text for part in value.values() for text in _texts(part))
    elif isinstance(value, Iterable):
        yield from (text for part in value for text in _texts(part))


def signature_style(signature: str | None, format: str, output: Path | None) -> str | None:
    """The style of signatures that was asked for, or long in a file; None leaves it to the format."""
    from aune.contract.options import check_known
    from aune.errors import UsageError
    from aune.reports import SIGNED_FORMATS
    from aune.reports.tabular import SIGNATURE_STYLES

    if signature is None:
        return "long" if output is not None and format in SIGNED_FORMATS else None
    check_known([signature], SIGNATURE_STYLES, "--signature")
    if format not in SIGNED_FORMATS:
        raise UsageError(f"--signature {signature}: acts on {', '.join(SIGNED_FORMATS)}, not on {format}")
    return signature


def put_result(
    result: Result, format: str | None, output: Path | None, signature: str | None = None, **options: Any
) -> None:
    """The result in a format, on standard output or in a file."""
    from aune.reports import render_parts

    chosen = chosen_format(format, output)
    style = signature_style(signature, chosen, output)
    put_parts(render_parts(result, chosen, signature=style, **screen(output), **options), output)


def put_tables(
    tables: Table | Sequence[Table], format: str | None, output: Path | None, signature: str | None = None
) -> None:
    """Tables in a format, on standard output or in a file."""
    from aune.reports import render_tables

    chosen = chosen_format(format, output)
    style = signature_style(signature, chosen, output)
    put_text(render_tables(tables, chosen, signature=style, **screen(output)), output)


def put_rows(
    rows: Sequence[Mapping[str, Any]],
    title: str,
    format: str | None,
    output: Path | None,
    signatures: Sequence[Signature] = (),
    signature: str | None = None,
) -> None:
    """Rows with the same names of columns as a table, or as they are in JSON."""
    from aune.reports.tabular import records_table, signature_lines

    if chosen_format(format, output) == "json":
        signature_style(signature, "json", output)
        put_json({"schema": 1, "rows": rows, "notes": signature_lines(signatures, "long")}, output)
    else:
        put_tables(records_table(rows, title, (), signatures), format, output, signature)


def put_json(data: Any, output: Path | None) -> None:
    """Plain data as JSON, on standard output or in a file."""
    from aune.reports.json import to_json

    put_text(to_json(data, indent=1), output)


def put_text(text: str, output: Path | None) -> None:
    """Text on standard output, or in a file that is written whole or not at all."""
    from aune.files import add_filename

    if output is None or str(output) in ("-", STDIN):
        with add_filename(STANDARD_OUTPUT):
            sys.stdout.write(text)
            sys.stdout.flush()  # files that are written with it are put in place only then
    else:
        put_bytes(text.encode(errors="backslashreplace"), output)


def put_parts(parts: Iterable[str], output: Path | None) -> None:
    """Text that may be very long, once all of it is made; in between it is on the disk."""
    from aune.files import add_filename, write_atomically

    is_printed = output is None or str(output) in ("-", STDIN)
    with SpooledTemporaryFile(MOST_TEXT) as file:
        for part in parts:
            file.write(part.encode(errors="surrogatepass" if is_printed else "backslashreplace"))
        file.seek(0)
        if output is not None and not is_printed:
            write_atomically(output, file)
            return
        text = TextIOWrapper(file, "utf-8", errors="surrogatepass", newline="")
        with add_filename(STANDARD_OUTPUT):
            while part := text.read(MOST_TEXT):
                sys.stdout.write(part)
            sys.stdout.flush()  # files that are written with it are put in place only then


def put_bytes(data: bytes, output: Path) -> None:
    """Bytes in a file that is written whole or not at all."""
    from aune.files import write_atomically

    write_atomically(output, data)


@contextmanager
def progress() -> Iterator[Callable[[str, float], None] | None]:
    """A bar on standard error, once the work has taken a second, when someone is there to see it."""
    if QUIET.get() or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bars: list[Any] = []

    def update(what: str, share: float) -> None:
        if not bars and time.monotonic() - started > PROGRESS_DELAY and share < 1:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.start()
            bars.extend([bar, bar.add_task(what, total=1.0)])
        if bars:
            bars[0].update(bars[1], completed=share, description=what)

    try:
        yield update
    finally:
        if bars:
            bars[0].stop()


def writable_format(
    task: str, target: str, requested: str | None, source_format: str | None = None, source: str = ""
) -> Format:
    """The format of a file to write: the one asked for, the input's own where the names end alike or the target's says
    nothing, or the one whose ending it has: of several, the one that can contain most. An ending that nobody knows is
    refused.
    """
    from aune.compression import uncompressed_name
    from aune.contract import registry
    from aune.errors import UsageError

    writable = {form.name: form for form in registry.formats(task) if form.write}
    expected = f"expected --to with one of {', '.join(writable)}"
    if requested:
        if requested not in writable:
            registry.format(task, requested)
            raise UsageError(f"--to {requested}: it cannot be written, {expected}")
        return writable[requested]
    ending = "" if target in ("-", STDIN) else Path(target).suffix.lower()
    alike = bool(source) and Path(uncompressed_name(source)).suffix.lower() == ending
    named = [form for form in writable.values() if target.lower().endswith(form.suffixes or ("\0",))]
    if source_format in writable and (not ending or alike or writable[source_format] in named):
        return writable[source_format]
    if named:
        return max(named, key=lambda form: len(form.carries))
    if ending or source_format is None:
        raise UsageError(f"{target}: its name does not say the format: {expected}")
    return writable.get("tsv") or next(iter(writable.values()))
