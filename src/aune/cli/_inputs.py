"""What commands are given: key, responses, measures, how they are read, and any option of a task."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from cyclopts import Parameter

from aune import STDIN
from aune.cli._numbers import Workers
from aune.cli._output import progress, warn

Found = TypeVar("Found")

NO_TEXT = re.compile("[\ud800-\udfff]")
"""What Python makes of the bytes of a command line that are no text."""


def is_text(kind: Any, value: Any) -> None:
    """Refuse bytes of another encoding: what is typed is printed, written or signed. A file's name may hold any."""
    if any(isinstance(one, str) and NO_TEXT.search(one) for one in (value if isinstance(value, list) else [value])):
        raise ValueError("Found bytes that are no UTF-8 text, expected text.")


def is_text_or_there(kind: Any, value: str) -> None:
    """As much, unless a file has this name."""
    if not os.path.lexists(value):
        is_text(kind, value)


File: TypeAlias = Annotated[str, Parameter(allow_leading_hyphen=False, validator=())]
FileOrStdin: TypeAlias = Annotated[str, Parameter(allow_leading_hyphen=True, validator=())]


def _task_named(kind: Any, tokens: Sequence[Any]) -> str:
    from aune.core import registry
    from aune.core.errors import UsageError

    name = tokens[0].value
    if not registry.named_task(name) and Path(name).exists():
        tasks = ", ".join(registry.task_names())
        raise UsageError(f"{name} is a file, expected the task before it: one of {tasks} (or ner, asr, pos)")
    return registry.task(name).name


TaskName: TypeAlias = Annotated[str, Parameter(converter=_task_named)]
"""A task, by any name that people give it."""
Measures: TypeAlias = Annotated[list[str] | None, Parameter(name=["--measures", "-m"], negative=())]
Options: TypeAlias = Annotated[
    str,
    Parameter(
        validator=is_text_or_there,
        help="Any option of the task, its formats or its measures: see `aune list options TASK`. A format's option "
        "with response- before it is for the responses alone: --text-field text --response-text-field pred_text.",
    ),
]

FormatOptions: TypeAlias = Annotated[
    str,
    Parameter(validator=is_text_or_there, help="Any option of the task's formats: see `aune list options TASK`."),
]

EntityOptions: TypeAlias = Annotated[
    str,
    Parameter(
        validator=is_text_or_there,
        help="Any option of the files, and of the measures of entities: see `aune list options entities`.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Reading:
    """How key and responses are read and paired: the same options for every command that scores."""

    convention: str | None = None
    """A named set of options of the task, such as conll or partition."""
    input_format: str | None = None
    """The format of key and responses, when it should not be recognised from the content."""
    key_format: str | None = None
    """The format of the key alone."""
    response_format: str | None = None
    """The format of the responses alone."""
    missing: str = "empty"
    """Documents that a response lacks: empty (scored as empty), skip or error."""
    extra: str = "ignore"
    """Documents that the key lacks: ignore, count (against an empty key) or error."""
    workers: Workers = 1
    """Processes that read and count, each its own pieces of the files."""
    engine: str | None = None
    """Where that is done: here, processes, or dask=ADDRESS of a scheduler."""

    def run(
        self,
        evaluate: Callable[..., Found],
        task: str,
        key: str,
        responses: Sequence[str],
        measures: Sequence[Any],
        options: Mapping[str, str],
    ) -> Found:
        """What an evaluation (`evaluate`, `study`…) finds in files read this way, under a progress bar."""
        from aune.core.corpus import system_names

        systems = system_names(responses)
        warn(_doubts(key, systems, options))
        with progress() as told:
            return evaluate(
                task,
                key,
                systems,
                measures=measures,
                convention=self.convention,
                key_format=self.key_format or self.input_format,
                response_format=self.response_format or self.input_format,
                missing=self.missing,
                extra=self.extra,
                progress=told,
                **({"workers": self.workers} if self.workers != 1 else {}),
                **({"engine": self.engine} if self.engine else {}),
                **keywords(options),
            )


AS_USUAL = Reading()
KEYS = {"gold", "key", "keys", "reference", "ref", "truth"}
"""Words in the names of files that speak for a key."""


def _doubts(key: str, systems: Mapping[str, str], options: Mapping[str, str]) -> Iterator[str]:
    """What speaks for files in the wrong place: the key among *.conll, or after the response."""
    read_otherwise = any(name.startswith("response-") for name in options)  # one table may hold both
    for name, path in systems.items():
        if path == key and path != STDIN and not read_otherwise:
            yield f"{name}: the key itself is among the responses"
        elif _words(path) & KEYS and not _words(key) & KEYS:
            yield f"{path} is named like a key and {key} is not: the key comes first, then the responses"


def _words(path: str) -> set[str]:
    return set(re.split(r"[\W_\d]+", Path(path).name.lower()))


def keywords(options: Mapping[str, str]) -> dict[str, Any]:
    """Options as keyword arguments of Python.

    >>> keywords({"key-markers": "x"})
    {'key_markers': 'x'}
    """
    return {name.replace("-", "_"): value for name, value in options.items()}


def measure_names(given: Sequence[str] | None) -> list[str]:
    """The measures in lists whose expressions may hold commas in parentheses.

    >>> measure_names(["muc, macro(muc, by=document)", "lea"])
    ['muc', 'macro(muc, by=document)', 'lea']
    """
    from aune.core.registry import split_names

    return [name for text in given or () for name in split_names(text)]
