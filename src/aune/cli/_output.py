"""What commands share: where results go, and what the user hears meanwhile."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from aune import STDIN
from aune.core.errors import visible

if TYPE_CHECKING:
    from aune.core.result import Result

OutputFormat: TypeAlias = Annotated[str | None, Parameter(name=["--format", "-f"])]
OutputFile: TypeAlias = Annotated[Path | None, Parameter(name=["--output", "-o"])]
PATIENCE = 1.0  # seconds before a progress bar appears


def tell(message: str) -> None:
    """A line for the user, apart from the result."""
    print(f"aune: {visible(message)}", file=sys.stderr)


def warn(warnings: Iterable[str]) -> None:
    """What the user should know about the result, a line each."""
    for warning in warnings:
        tell(f"warning: {warning}")


def chosen_format(format: str | None, output: Path | None) -> str:
    """The format that was asked for, or the one that the name of the output file says."""
    from aune.reports import format_of

    return format or format_of(output)


def coloured(output: Path | None) -> bool:
    """Whether there is someone to see colours."""
    return output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


FILES, ELSE = ("output", "disagreements"), ("target", "rows", "projected")
"""Arguments that name what a command writes: a file, or what may be a folder (tests/fuzz finds any other)."""


def check_output(arguments: Mapping[str, Any]) -> None:
    """Refuse an output that cannot be written, or is one of the files given, before any work is done."""
    from aune.core.files import check_apart, check_target

    given = [text for name, value in arguments.items() if name not in FILES + ELSE for text in _texts(value)]
    inputs = [Path(part) for text in given for part in (text, text.partition("=")[2]) if part]
    for name in FILES + ELSE:
        output = str(arguments.get(name) or "")
        if output not in ("", "-", STDIN):
            (check_target if name in FILES else check_apart)(Path(output), inputs)


def _texts(value: Any) -> Iterator[str]:
    """The paths and strings in the value of an argument."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from (text for part in value.values() for text in _texts(part))
    elif isinstance(value, Iterable):
        yield from (text for part in value for text in _texts(part))


def put(result: Result, format: str | None, output: Path | None, **options: Any) -> None:
    """The result in a format, on standard output or in a file."""
    from aune.reports import written

    put_text(written(result, chosen_format(format, output), colour=coloured(output), **options), output)


def put_json(data: Any, output: Path | None) -> None:
    """Plain data as JSON, on standard output or in a file."""
    import json

    put_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", output)


def put_text(text: str, output: Path | None) -> None:
    """Text on standard output, or in a file that is written whole or not at all."""
    if output is None or str(output) in ("-", STDIN):
        sys.stdout.write(text)
    else:
        put_bytes(text.encode(errors="backslashreplace"), output)


def put_bytes(data: bytes, output: Path) -> None:
    """Bytes in a file that is written whole or not at all."""
    from aune.core.files import write_whole

    write_whole(output, data)


@contextmanager
def progress() -> Iterator[Callable[[str, float], None] | None]:
    """A bar on standard error, once the work has taken a second, when someone is there to see it."""
    if not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bars: list[Any] = []

    def told(what: str, share: float) -> None:
        if not bars and time.monotonic() - started > PATIENCE and share < 1:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.start()
            bars.extend([bar, bar.add_task(what, total=1.0)])
        if bars:
            bars[0].update(bars[1], completed=share, description=what)

    try:
        yield told
    finally:
        if bars:
            bars[0].stop()
