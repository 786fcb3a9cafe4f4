"""The arguments that commands share: files, tasks, measures, numbers in their ranges, how files are read, intervals."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, TypeVar

from cyclopts import Parameter

from aune import STDIN
from aune.cli._output import progress, warn
from aune.contract.options import MOST_DIGITS, MOST_DRAWS, Range

if TYPE_CHECKING:
    from aune.results.result import Result

Outcome = TypeVar("Outcome")

NO_TEXT = re.compile("[\ud800-\udfff]")
"""What Python makes of the bytes of a command line that are no text."""


def check_text(kind: Any, value: Any) -> None:
    """Refuse bytes of another encoding: what is typed is printed, written or signed. A file's name may contain any."""
    if any(isinstance(part, str) and NO_TEXT.search(part) for part in (value if isinstance(value, list) else [value])):
        raise ValueError("Found bytes that are no UTF-8 text, expected text.")


def check_text_or_file(kind: Any, value: str) -> None:
    """As much, unless a file has this name."""
    if not os.path.lexists(value):
        check_text(kind, value)


def within(low: float, high: float = float("inf")) -> Parameter:
    """A parameter that takes the finite numbers from `low` to `high`."""
    limits = Range(low, high)

    def check(kind: Any, value: Any) -> None:
        if value is not None and value not in limits:
            raise ValueError(f"expected a number, {limits}")

    return Parameter(validator=check)


MOST = 10**12  # of anything that is counted
Digits: TypeAlias = Annotated[int, within(0, MOST_DIGITS)]
Draws: TypeAlias = Annotated[int, within(1, MOST_DRAWS)]
OptionalDraws: TypeAlias = Annotated[int | None, within(1, MOST_DRAWS)]
Level: TypeAlias = Annotated[float, within(0.0001, 0.9999)]
Limit: TypeAlias = Annotated[int | None, within(0, MOST)]
Rounds: TypeAlias = Annotated[int, within(1, 100_000)]
Samples: TypeAlias = Annotated[int, within(0, 1_000_000)]
Seed: TypeAlias = Annotated[int, within(0)]
Size: TypeAlias = Annotated[int, within(1, 100)]
Count: TypeAlias = Annotated[int, within(0, MOST)]
Share: TypeAlias = Annotated[float, within(0, 1)]
Workers: TypeAlias = Annotated[int, within(1, 1024)]
Lanes: TypeAlias = Annotated[int, within(1, 64)]
Strength: TypeAlias = Annotated[float, within(1e-12)]
Port: TypeAlias = Annotated[int, within(0, 65_535)]
Most: TypeAlias = Annotated[int | None, within(1, MOST)]
Largest: TypeAlias = Annotated[int, within(1, 100_000)]


File: TypeAlias = Annotated[str, Parameter(allow_leading_hyphen=False, validator=())]
FileOrStdin: TypeAlias = Annotated[str, Parameter(allow_leading_hyphen=True, validator=())]


def _parse_task(kind: Any, tokens: Sequence[Any]) -> str:
    from aune.contract import registry
    from aune.errors import UsageError

    name = tokens[0].value
    if not registry.resolve_task_name(name) and Path(name).exists():
        tasks = ", ".join(registry.task_names())
        raise UsageError(f"{name} is a file, expected the task before it: one of {tasks} (or ner, asr, pos)")
    return registry.task(name).name


TaskName: TypeAlias = Annotated[str, Parameter(converter=_parse_task)]
"""A task, by any name that people give it."""
Measures: TypeAlias = Annotated[list[str] | None, Parameter(name=["--measures", "-m"], negative=())]
Options: TypeAlias = Annotated[
    str,
    Parameter(
        validator=check_text_or_file,
        help="Any option of the task, its formats or its measures: see `aune list options TASK`. A format's option "
        "with response- before it is for the responses alone: --text-field text --response-text-field pred_text.",
    ),
]

FormatOptions: TypeAlias = Annotated[
    str,
    Parameter(validator=check_text_or_file, help="Any option of the task's formats: see `aune list options TASK`."),
]

CorpusOptions: TypeAlias = Annotated[
    str,
    Parameter(
        validator=check_text_or_file,
        help="Any option of the formats of speech and of entities, and --typology, --labels and --depth.",
    ),
]

EntityOptions: TypeAlias = Annotated[
    str,
    Parameter(
        validator=check_text_or_file,
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
        evaluate: Callable[..., Outcome],
        task: str,
        key: str,
        responses: Sequence[str],
        measures: Sequence[Any],
        options: Mapping[str, str],
        *,
        key_version: str | None = None,
    ) -> Outcome:
        """What an evaluation (`evaluate`, `study`…) finds in files read this way, under a progress bar."""
        from aune.reading.system_names import name_runs, system_names

        systems = system_names(responses, with_runs=True)
        warn(_order_warnings(key, name_runs(systems)[0], options))
        with progress() as update:
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
                progress=update,
                **({"workers": self.workers} if self.workers != 1 else {}),
                **({"engine": self.engine} if self.engine else {}),
                **({"key_version": key_version} if key_version is not None else {}),
                **keywords(options),
            )


DEFAULT_READING = Reading()

KeyVersionName: TypeAlias = Annotated[str | None, Parameter(name="--key-version")]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Whether values get confidence intervals, and how these are made."""

    ci: Annotated[bool, Parameter(negative=())] = False
    """Give every value its confidence interval."""
    ci_method: str | None = None
    """effective (from the effective number of units; auto), percentile (bootstrap), bca, jackknife or delta."""
    level: Level = 0.95
    """Confidence level of the intervals."""
    draws: Draws = 10_000
    """Bootstrap replicates."""
    seed: Seed = 1
    """Random seed."""
    unit: str = "auto"
    """What is drawn: document, sentence, speaker…; auto: documents or speakers that the data names, else its parts."""

    @property
    def is_requested(self) -> bool:
        return self.ci or self.ci_method is not None

    @property
    def settings(self) -> dict[str, Any]:
        """What a bootstrap or a test is given."""
        return {"level": self.level, "draws": self.draws, "seed": self.seed, "unit": self.unit}

    def check(self) -> None:
        """Refuse settings of intervals when there are none to set."""
        from aune.errors import UsageError

        idle = [f"--{field.name}" for field in fields(self) if getattr(self, field.name) != field.default]
        if idle and not self.is_requested:
            raise UsageError(f"{', '.join(idle)}: about confidence intervals, so ask for them too: --ci")

    def add_to(self, result: Result) -> Result:
        """The result with its intervals, where they are wanted."""
        if not self.is_requested:
            return result
        from aune.statistics.intervals import with_intervals

        return with_intervals(result, self.ci_method or "auto", **self.settings)  # type: ignore[arg-type]


NONE = Intervals()


KEYS = {"gold", "key", "keys", "reference", "ref", "truth"}
"""Words in the names of files that speak for a key."""


def _order_warnings(key: str, systems: Mapping[str, str], options: Mapping[str, str]) -> Iterator[str]:
    """What speaks for files in the wrong place: the key among *.conll, or after the response."""
    read_otherwise = any(name.startswith("response-") for name in options)  # one table may contain both
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


class WholeReading(NamedTuple):
    """What a command takes that has all documents in memory at once."""

    factor: float
    """Bytes of memory for each byte of its files, at most (`python -m benchmarks.commands`)."""
    instead: str
    """What to do where there is too little memory."""


IN_PARTS = "split the files by document, and run it on each part"
WHOLE_READING = {
    "agreement": WholeReading(30, "measure it on a sample of the documents"),
    "baseline": WholeReading(12, IN_PARTS),
    "combine": WholeReading(12, IN_PARTS),
    "convert": WholeReading(18, IN_PARTS),
    "describe": WholeReading(14, "describe a sample of the documents"),
    "doubts": WholeReading(60, "rank the items of some documents at a time"),
    "errors --versus": WholeReading(25, "list the errors of each response without --versus, in bounded memory"),
    "rescore": WholeReading(60, "score with aune score by each version of the key, in bounded memory"),
    "score --by chain or mention": WholeReading(20, "list some documents at a time; --by document takes little memory"),
    "report": WholeReading(25, "report on a sample; aune score and aune errors take bounded memory"),
}
LARGE_MEMORY = 2e9  # bytes that a command reports before it starts
PACKED, PACKED_FACTOR = (".gz", ".xz", ".zst"), 5


def warn_of_memory(command: str, paths: Iterable[str]) -> None:
    """Say, before work starts, that a command will take very much memory, and what to do instead."""
    files = [file for path in paths for file in _files_behind(Path(path))]
    size = sum(file.stat().st_size * (PACKED_FACTOR if file.suffix.lower() in PACKED else 1) for file in files)
    reading = WHOLE_READING[command]
    if size * reading.factor >= LARGE_MEMORY:
        needed = f"{size / 1e9:.1f} GB at once and may take {size * reading.factor / 1e9:.0f} GB of memory"
        warn([f"{command} reads {needed}: if that is too much, {reading.instead}"])


def _files_behind(path: Path) -> Iterator[Path]:
    """The files of a path; none of an address, a stream, or what is not there."""
    candidates = path.rglob("*") if path.is_dir() else [path]
    return (file for file in candidates if file.is_file())


def measure_names(texts: Sequence[str] | None) -> list[str]:
    """The measures in lists whose expressions may contain commas in parentheses.

    >>> measure_names(["muc, macro(muc, by=document)", "lea"])
    ['muc', 'macro(muc, by=document)', 'lea']
    """
    from aune.contract.registry import split_names

    return [name for text in texts or () for name in split_names(text)]


def stored_result(folder: Path, conflicting: list[str], names: list[str]) -> tuple[Result, dict[str, list[str]]]:
    """What was scored before, or those of its measures that are named, and the values to show of them."""
    from dataclasses import replace

    from aune.contract.registry import chosen_values, user_modules
    from aune.errors import UsageError
    from aune.results.storage import load

    if conflicting:
        raise UsageError(
            f"--from-rows {folder}: expected no task, key or options of reading beside it ({conflicting[0]})"
        )
    result = load(folder, {module for name in names for module in user_modules(name)})
    measures, values = chosen_values(result.task, names)
    chosen_scores = [result[system, name] for name in measures for system in result.systems]
    return (replace(result, scores=chosen_scores) if names else result), values
